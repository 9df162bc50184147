//! Foreign text in a message: on one line, short, and without commands to a terminal.
//!
//! Control characters are escaped, a word or a file's name is cut at 160 characters, a message at 2000. Errors do this
//! when they are displayed; the program does it again for each line of stderr, including clap's.

use std::ffi::OsStr;
use std::fmt::Write;

/// Characters that a message repeats of a word or of a file's name at most.
const MOST: usize = 160;

/// Characters of a whole message.
const MOST_OF_MESSAGE: usize = 2000;

/// A word or the name of a file, fit for a message: control characters and bytes that are not UTF-8 escaped, and of more than
/// 160 characters the first and the last.
pub fn shown(text: impl AsRef<OsStr>) -> String {
    shown_bytes(text.as_ref().as_encoded_bytes())
}

/// The same of bytes, as files hold them.
pub fn shown_bytes(bytes: &[u8]) -> String {
    shortened(bytes, MOST)
}

/// A whole message of one line, at most 2000 characters long.
pub fn shown_message(line: impl AsRef<str>) -> String {
    shortened(line.as_ref().as_bytes(), MOST_OF_MESSAGE)
}

/// Escapes a text and shortens it to at most `most` characters: two thirds from its beginning and one third from its end.
fn shortened(bytes: &[u8], most: usize) -> String {
    // A character has at most four bytes, so no more of them than these are ever shown.
    let reach = 4 * most;
    if bytes.len() <= reach {
        let whole = pieces(bytes);
        if whole.iter().map(|piece| piece.chars().count()).sum::<usize>() <= most {
            return whole.concat();
        }
    }
    let near = bytes.len().min(reach);
    let dots = "...";
    let head = up_to(2 * most / 3, pieces(&bytes[..near]).into_iter());
    let mut tail =
        up_to(most - 2 * most / 3 - dots.len(), pieces(&bytes[bytes.len() - near..]).into_iter().rev());
    tail.reverse();
    format!("{}{dots}{}", head.concat(), tail.concat())
}

/// The first of these pieces, of so many characters together.
fn up_to(most: usize, pieces: impl Iterator<Item = String>) -> Vec<String> {
    let mut left = most;
    pieces
        .map_while(|piece| {
            left = left.checked_sub(piece.chars().count())?;
            Some(piece)
        })
        .collect()
}

/// Each character as a message has it.
fn pieces(bytes: &[u8]) -> Vec<String> {
    let mut pieces = Vec::new();
    for chunk in bytes.utf8_chunks() {
        pieces.extend(chunk.valid().chars().map(piece));
        pieces.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    pieces
}

fn piece(letter: char) -> String {
    let mut piece = String::new();
    // Writing to a string does not fail.
    let _ = match letter {
        '\n' => write!(piece, "\\n"),
        '\r' => write!(piece, "\\r"),
        '\t' => write!(piece, "\\t"),
        _ if letter.is_ascii_control() => write!(piece, "\\x{:02x}", u32::from(letter)),
        _ if letter.is_control() || turns(letter) => write!(piece, "\\u{{{:x}}}", u32::from(letter)),
        _ => write!(piece, "{letter}"),
    };
    piece
}

/// Returns true if it ends a line or changes the direction of the text behind it.
fn turns(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay_and_others_are_escaped() {
        for (text, expected) in [
            ("", ""),
            ("a b/\"c\"\\d.npy", "a b/\"c\"\\d.npy"),
            ("Größe 雪 🦀", "Größe 雪 🦀"),
            ("\x1b[31mred\x07\n\t\r\x7f", "\\x1b[31mred\\x07\\n\\t\\r\\x7f"),
            ("\u{85}\u{9b}a\u{202e}b\u{2028}", "\\u{85}\\u{9b}a\\u{202e}b\\u{2028}"),
        ] {
            assert_eq!(shown(text), expected);
        }
        assert_eq!(shown_bytes(b"1,\xff\x00\xc3"), "1,\\xff\\x00\\xc3");
    }

    #[test]
    fn a_long_word_keeps_its_two_ends_and_no_more() {
        let whole = "x".repeat(160);
        assert_eq!(shown(&whole), whole);
        let long = format!("begin{}end", "雪".repeat(2_000_000));
        let (word, message) = (shown(&long), shown_message(&long));
        assert!(word.starts_with("begin雪") && word.ends_with("雪end") && word.contains("..."), "{word}");
        assert_eq!((word.chars().count(), message.chars().count()), (160, 2000));
        // No escape is cut in two.
        let cut = shown("\x1b".repeat(161));
        assert_eq!(cut.replace("\\x1b", ""), "...");
        assert!(cut.len() > 140 && cut.len() <= 160, "{cut}");
    }
}
