//! Reading a kernel's text: its declarations and fetches are found, and rewritten for the driver.

mod fixed;
mod offsets;
mod text;
mod writes;

use super::declarations::{Edit, Scanned, declarations, tokens};
use super::kernel::{Kernel, without_comments};
use super::lift::lifts;
use crate::Result;

pub(super) use writes::check as check_writes;

/// Finds the declarations of a kernel, and rewrites them and the fetches that can be lifted.
pub(super) fn scan(kernel: &Kernel) -> Result<Scanned> {
    let tokens = tokens(&without_comments(&kernel.text));
    offsets::check(kernel, &tokens)?;
    let mut scanned = Scanned::default();
    let mut edits = declarations(kernel, &tokens, &mut scanned)?;
    edits.extend(lifts(kernel, &tokens, &mut scanned));
    edits.sort_by_key(|edit| edit.start);
    let mut copied = 0;
    for Edit { start, len, text } in edits {
        scanned.text.push_str(&kernel.text[copied..start]);
        scanned.text.push_str(&text);
        let lines = kernel.text[start..start + len].matches('\n');
        scanned.text.extend(lines);
        copied = start + len;
    }
    scanned.text.push_str(&kernel.text[copied..]);
    Ok(scanned)
}

#[cfg(test)]
mod tests {
    use super::super::declarations::DeclarationKind;
    use super::super::kernel::line_of;
    use super::*;
    use crate::Error;

    fn names(text: &str, kind: DeclarationKind) -> Result<Vec<String>> {
        Ok(scan(&Kernel::new("test", text))?.names(kind))
    }

    #[test]
    fn declarations_are_found_and_comments_are_not() -> Result<()> {
        let text = "// uniform float no; DOMAIN no;\nuniform Stream a; /* RANGE\n */ uniform float b, c[3], d;\n\
                    DOMAIN x; DOMAIN y, z;\nRANGE vec4 out0;RANGE highp vec2 out1;";
        assert_eq!(names(text, DeclarationKind::Uniform)?, ["a", "b", "c", "d"]);
        assert_eq!(names(text, DeclarationKind::Domain)?, ["x", "y", "z"]);
        assert_eq!(names(text, DeclarationKind::Range)?, ["out0", "out1"]);
        let lines: Vec<u32> = scan(&Kernel::new("t", text))?.declarations.iter().map(|d| d.line).collect();
        assert_eq!(lines, [2, 3, 3, 3, 4, 4, 4, 5, 5]);
        Ok(())
    }

    #[test]
    fn outputs_get_their_locations_and_lines_stay_where_they_were() -> Result<()> {
        let text = "RANGE vec4 a;\n#ifdef B\nRANGE vec2 b;\n#else\nRANGE vec4 b;\n#endif\nRANGE vec4 c;";
        let scanned = scan(&Kernel::new("t", text))?;
        assert_eq!(scanned.text.lines().count(), text.lines().count());
        assert_eq!(line_of(&scanned.text, 3), "layout(location = 1) out vec2 b;");
        assert_eq!(line_of(&scanned.text, 5), "layout(location = 1) out vec4 b;");
        assert_eq!(line_of(&scanned.text, 7), "layout(location = 2) out vec4 c;");
        Ok(())
    }

    #[test]
    fn malformed_declarations_name_their_line() {
        for text in ["\nRANGE vec4;", "\nDOMAIN ;", "\nRANGE vec4 a, b;", "\nuniform float 3;", "\nDOMAIN"] {
            let scanned = scan(&Kernel::new("t", text));
            assert!(matches!(scanned, Err(Error::Declaration { line: 2, .. })), "{text:?}");
        }
    }

    #[test]
    fn offsets_that_not_every_card_has_are_refused_by_their_line() {
        for offset in
            ["ivec2(-8, 7)", "ivec2(0)", "ivec2( +7,-8 )", "ivec2(1, STEP)", "offset", "ivec2(way(12))"]
        {
            let text = format!("uniform Stream a;\nvec4 b = valueOffset(a, at(1, 2), {offset});");
            assert!(scan(&Kernel::new("t", &text)).is_ok(), "{offset}");
        }
        for offset in ["ivec2(8, 0)", "ivec2(0, -9)", "ivec2(12)", "ivec2(0,\n99999999999)"] {
            let text = format!("uniform Stream a;\nvec4 b = valueOffset(a, at[1](1, 2), {offset});");
            let scanned = scan(&Kernel::new("t", &text));
            assert!(matches!(scanned, Err(Error::Declaration { line: 2, .. })), "{offset}");
        }
    }

    #[test]
    fn offsets_that_are_not_compiled_are_nobodys_business() {
        let far = "vec4 b = valueOffset(a, at, ivec2(12));\n";
        let near = "vec4 b = valueOffset(a, at, ivec2(1));\n";
        for (before, between) in [
            ("#if 0\n", "#endif\n"),
            ("  #  if 0 // no\n", "#else\n"),
            ("#if 0\n#if 1\n#else\n#endif\n", "#endif\n"),
            ("#ifdef FAR\n", "#endif\n"),
            ("#ifndef FAR\n#else\n", "#endif\n"),
            ("#if SOME > 1\n#if 0\n", "#endif\n#endif\n"),
            ("#if 1\n#else\n", "#endif\n"),
        ] {
            let text = |inside: &str, after: &str| {
                format!("uniform Stream a;\n{before}{inside}{between}{after}#endif\n")
            };
            assert!(scan(&Kernel::new("t", text(far, near))).is_ok(), "{before}");
            let lines = text(near, "").matches('\n').count() as u32;
            let scanned = scan(&Kernel::new("t", text(near, far)));
            assert!(matches!(scanned, Err(Error::Declaration { line, .. }) if line == lines), "{before}");
        }
        // Code that may be compiled is scanned.
        for before in [
            "#if 1\n",
            "#ifndef FAR\n",
            "#if defined(FAR)\n",
            "#if 0\n#elif defined(FAR)\n",
            "#define FAR\n#ifdef FAR\n",
            "#ifdef GL_ES\n",
            "#ifdef pug_across\n",
            "#endif\n#else\n#elif\n#\n",
        ] {
            let text = format!("uniform Stream a;\n{before}{far}");
            assert!(scan(&Kernel::new("t", &text)).is_err(), "{before}");
        }
        let text = format!("uniform Stream a;\n#ifdef FAR\n{far}#endif\n");
        assert!(scan(&Kernel::new("t", &text).define("FAR", 1)).is_err(), "a variant that defines it");
    }

    #[test]
    fn any_text_is_scanned_without_a_panic() {
        for text in [
            "/",
            "/*",
            "//",
            "é RANGE é",
            "RANGE",
            "uniform",
            "uniform float a[",
            "valueOffset",
            "valueOffset(,,ivec2(",
            "\u{1F600}/*\u{1F600}",
        ] {
            let _ = scan(&Kernel::new("t", text));
        }
    }

    #[test]
    fn what_fuzzing_found_is_scanned_and_keeps_its_lines() -> std::io::Result<()> {
        let found = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/corpus/kernel"))?;
        let texts = found.map(|file| std::fs::read(file?.path())).collect::<std::io::Result<Vec<_>>>()?;
        assert!(!texts.is_empty());
        for text in texts {
            let text = String::from_utf8_lossy(&text);
            if let Ok(scanned) = scan(&Kernel::new("t", text.clone())) {
                assert_eq!(scanned.text.matches('\n').count(), text.matches('\n').count(), "{text:?}");
            }
        }
        Ok(())
    }
}
