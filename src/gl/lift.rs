//! Which of a kernel's fetches the rasterizer can address.

use super::scan::{DeclarationKind, Edit, Scanned, Token, is_identifier};
use super::source::Kernel;

/// What the rasterizer interpolates for a kernel: a domain, in texels; or, where a stream is fetched at a
/// domain itself, that domain in units of the stream's size. Then the fragment has no multiplication to make,
/// which on llvmpipe is a third of a small kernel's time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Varying {
    pub name: String,
    /// Which of the domains, in order of declaration.
    pub domain: usize,
    pub stream: Option<String>,
}

/// Addresses that are interpolated; a fetch past them makes its own.
pub(super) const MAX_LIFTS: usize = 8;

/// Collects what is interpolated: the address of each `value2(STREAM, DOMAIN)`, `valueOffset(STREAM, DOMAIN, ...)`
/// and `address(STREAM, DOMAIN)`, which become fetches at it, and the domains used otherwise.
pub(super) fn lifts(kernel: &Kernel, tokens: &[Token], scanned: &mut Scanned) -> Vec<Edit> {
    let mut edits = Vec::new();
    let domains = scanned.names(DeclarationKind::Domain);
    let mut lifted: Vec<Varying> = Vec::new();
    let mut lifted_names = Vec::new();
    for call in tokens.windows(6) {
        let [word, open, stream, comma, domain, close] = call else { continue };
        let Some(domain_place) = domains.iter().position(|name| *name == domain.text) else { continue };
        let is_stream = scanned.uniform(&stream.text).is_some_and(|d| d.type_name == "Stream");
        let plain = open.text == "(" && comma.text == "," && is_stream;
        if !plain || shadowed(tokens, &stream.text) || shadowed(tokens, &domain.text) {
            continue;
        }
        let same =
            |known: &Varying| known.domain == domain_place && known.stream.as_ref() == Some(&stream.text);
        let place = lifted.iter().position(same).unwrap_or(lifted.len());
        let name = format!("quad_at{place}");
        let text = match (word.text.as_str(), close.text.as_str()) {
            _ if place == MAX_LIFTS => continue,
            ("value2", ")") => format!("textureLod({}.texels, {name}, 0.0", stream.text),
            ("valueOffset", ",") => format!("textureLodOffset({}.texels, {name}, 0.0", stream.text),
            ("address", ")") => format!("({name}"),
            _ => continue,
        };
        if place == lifted.len() {
            lifted.push(Varying { name, domain: domain_place, stream: Some(stream.text.clone()) });
        }
        edits.push(Edit { start: word.start, len: domain.start + domain.text.len() - word.start, text });
        lifted_names.push(&domain.text);
    }
    for (domain, name) in domains.into_iter().enumerate() {
        let uses = tokens.iter().filter(|token| token.text == name).count();
        let declared = scanned.of(DeclarationKind::Domain).filter(|d| d.name == name).count();
        let fetches = lifted_names.iter().filter(|lifted| **lifted == &name).count();
        let defined = kernel.defines.iter().any(|(_, value)| value.contains(&name));
        if uses > declared + fetches || defined {
            scanned.varyings.push(Varying { name, domain, stream: None });
        }
    }
    scanned.varyings.append(&mut lifted);
    edits
}

/// Whether the name is declared once more, as a parameter or a local, where it would mean something else:
/// it follows a type, or stands in a list of declarations outside all parentheses.
fn shadowed(tokens: &[Token], name: &str) -> bool {
    let mut depth = 0;
    let mut ours = false;
    let mut before = ";";
    for token in tokens {
        match token.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            word if DeclarationKind::of(word).is_some() => ours = true,
            _ if matches!(before, ";" | "{" | "}") => ours = false,
            _ => {}
        }
        let after_type = is_identifier(before) && !matches!(before, "return" | "else");
        if token.text == name && !ours && (after_type || (before == "," && depth == 0)) {
            return true;
        }
        before = &token.text;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::scan::scan;
    use super::super::source::line_of;
    use super::*;
    use crate::Result;

    #[test]
    fn fetches_at_a_domain_itself_are_lifted_and_no_others() -> Result<()> {
        let head = "uniform Stream a, b; DOMAIN p; DOMAIN q; RANGE vec4 r;\n";
        for (line, lifted) in [
            ("r = value2(a, p);", "r = textureLod(a.texels, quad_at0, 0.0);"),
            ("r = valueOffset(b, q, ivec2(1));", "r = textureLodOffset(b.texels, quad_at0, 0.0, ivec2(1));"),
            (
                "r = value2(a,p)*value2(b , p )*value2(a, p);",
                "r = textureLod(a.texels, quad_at0, 0.0)*textureLod(b.texels, quad_at1, 0.0 )*textureLod(a.texels, quad_at0, 0.0);",
            ),
            ("r = value2(a, p + 1.0);", "r = value2(a, p + 1.0);"),
            ("r = value2(a, other);", "r = value2(a, other);"),
            ("vec4 f(Stream a) { return value2(a, p); }", "vec4 f(Stream a) { return value2(a, p); }"),
            ("vec4 f(vec2 p) { return value2(a, p); }", "vec4 f(vec2 p) { return value2(a, p); }"),
            ("{ vec2 x = q, p = x; r = value2(a, p); }", "{ vec2 x = q, p = x; r = value2(a, p); }"),
        ] {
            let scanned = scan(&Kernel::new("t", format!("{head}{line}")))?;
            assert_eq!(line_of(&scanned.text, 2), lifted);
        }
        Ok(())
    }

    #[test]
    fn only_what_is_used_is_interpolated_and_directives_do_not_hide_it() -> Result<()> {
        let kernel =
            |text: &str| Kernel::new("t", format!("#define N 2\nuniform Stream a;\nDOMAIN p;\n{text}"));
        let names = |kernel: &Kernel| -> Result<Vec<String>> {
            Ok(scan(kernel)?.varyings.into_iter().map(|varying| varying.name).collect())
        };
        assert_eq!(names(&kernel("r = value2(a, p);"))?, ["quad_at0"]);
        assert_eq!(names(&kernel("r = value2(a, p) * p.x;"))?, ["p", "quad_at0"]);
        assert_eq!(names(&kernel("r = value2(a, p + 1.0);"))?, ["p"]);
        assert_eq!(names(&kernel("r = F;"))?, Vec::<String>::new());
        assert_eq!(names(&kernel("r = F;").define("F", "value2(a, p)"))?, ["p"]);
        Ok(())
    }
}
