//! A fault with the line it is about, as a terminal shows it.

use std::io::IsTerminal;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use quadrille::script::{Fault, Span};

use crate::files::{shown, shown_message};

/// Characters of a line that are drawn before and after the part that is meant, and of that part.
const AROUND: usize = 80;

/// `file:line:column: what is wrong`, then the line with the part underlined. Of a long line what lies around it.
pub fn drawn(name: &str, text: &str, fault: &Fault) -> String {
    let (line, column) = fault.span.place(text);
    let [before, part, after] = around(text, fault.span);
    let (source, start) = (format!("{before}{part}{after}"), before.len());
    let annotation = AnnotationKind::Primary.span(start..start + part.len());
    let snippet = Snippet::source(source).line_start(line).annotation(annotation);
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
    let drawn =
        renderer.decor_style(DecorStyle::Ascii).render(&[Group::with_level(Level::ERROR).element(snippet)]);
    format!("{}:{line}:{column}: {}\n{drawn}", shown(name), shown_message(&fault.message))
}

/// The part of a span on its first line, which is enough to find the place, with what lies before and after it there; each fit for
/// a terminal.
fn around(text: &str, span: Span) -> [String; 3] {
    let start = text[..span.start].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let (before, rest) = line.split_at(span.start - start);
    let (part, after) = rest.split_at(rest.len().min(span.end - span.start));
    let first = |text: &str| match text.char_indices().nth(AROUND) {
        Some((end, _)) => format!("{}...", shown_message(&text[..end])),
        None => shown_message(text),
    };
    let last = match before.char_indices().nth_back(AROUND - 1) {
        Some((begin @ 1.., _)) => format!("...{}", shown_message(&before[begin..])),
        _ => shown_message(before),
    };
    // A tab is drawn as blanks.
    [last, first(part), first(after)].map(|text| text.replace("\\t", "\t"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_line_what_lies_around_the_part_is_drawn_and_nothing_raw() {
        let long = "x".repeat(5_000_000);
        let text = format!("a = 1\n\x1b[31m{long} + \u{7}b{long}\nc");
        let start = text.find('b').unwrap_or_default();
        let [before, part, after] = around(&text, Span { start, end: start + 1 });
        assert!(before.starts_with("...x") && before.ends_with("x + \\x07"), "{before}");
        assert_eq!((part.as_str(), after.len()), ("b", AROUND + 3));
        let [before, part, after] = around(&text, Span { start: 6, end: text.len() });
        assert!(
            before.is_empty() && part.starts_with("\\x1b[31mx") && part.ends_with("x...") && after.is_empty()
        );
        assert_eq!(around("\ta b", Span { start: 1, end: 2 }), ["\t", "a", " b"]);
    }
}
