//! The fetches of a kernel that the rasterizer can address.
//!
//! Fetches at a domain itself are lifted: `value2(stream, domain)` and `valueOffset(stream, domain, ...)` are rewritten
//! to fetch at an address that the rasterizer interpolates already normalised, and a stream that is fetched in no other
//! way becomes a plain sampler. A name that may mean something else (a macro, a parameter, a second declaration) is
//! left alone. Without this, axpy at 1024×1024 values took 1.37 of the bare loop's time on llvmpipe; with it, 1.02.

use super::declarations::{DeclarationKind, Edit, Scanned, Token, Varying, is_identifier};
use super::kernel::Kernel;

/// Addresses that are interpolated; a fetch past them makes its own.
pub(super) const MAX_LIFTS: usize = 8;

/// A fetch of a stream at a domain itself, or the word for its address.
struct Call<'a> {
    word: &'a Token,
    stream: &'a str,
    domain: &'a Token,
    /// Which of the addresses.
    place: usize,
}

impl Call<'_> {
    /// The edit of this call, up to the domain and with it.
    fn edit(&self, samplers: &[String]) -> Edit {
        let Call { word, stream, domain, place } = self;
        let member = if samplers.iter().any(|name| name == stream) { "" } else { ".texels" };
        let text = match word.text.as_str() {
            "addressOf" => format!("(quad_at{place}"),
            "value2" => format!("textureLod({stream}{member}, quad_at{place}, 0.0"),
            _ => format!("textureLodOffset({stream}{member}, quad_at{place}, 0.0"),
        };
        Edit { start: word.start, len: domain.start + domain.text.len() - word.start, text }
    }
}

/// Collects what is interpolated: the address of each `value2(STREAM, DOMAIN)`, `valueOffset(STREAM, DOMAIN, ...)`
/// and `addressOf(STREAM, DOMAIN)`, which become fetches at it, and the domains used otherwise.
pub(super) fn lifts(kernel: &Kernel, tokens: &[Token], scanned: &mut Scanned) -> Vec<Edit> {
    let domains = scanned.names(DeclarationKind::Domain);
    let mut lifted = Vec::new();
    let calls = calls(kernel, tokens, scanned, &domains, &mut lifted);
    // How often a name stands anywhere but in a call that is lifted, and but for a member of that name, as in `at.x`; a
    // `#define` of the variant may hold it too.
    let mentions = |name: &str, in_calls: usize| {
        let defined = kernel.defines.iter().any(|(_, value)| value.contains(name));
        let is_member = |place: usize| place.checked_sub(1).is_some_and(|before| tokens[before].text == ".");
        let stands = |(place, token): &(usize, &Token)| token.text == name && !is_member(*place);
        tokens.iter().enumerate().filter(stands).count() - in_calls + usize::from(defined)
    };
    let texels = texels(tokens);
    // Points have no domains; their streams may be the vertex kernel's, too.
    let unused = |name: &str| !domains.is_empty() && mentions(name, 0) == 1;
    let fetched_alone = |name: &str| {
        let fetches = calls.iter().filter(|call| call.stream == name).count()
            + texels.iter().filter(|texels| texels.0 == name).count();
        !domains.is_empty() && fetches > 0 && mentions(name, fetches) == 1
    };
    let (samplers, mut edits) = plain_samplers(tokens, fetched_alone, unused);
    edits.extend(calls.iter().map(|call| call.edit(&samplers)));
    let plain = texels.into_iter().filter(|texels| samplers.iter().any(|name| name == texels.0));
    edits.extend(plain.flat_map(|texels| texels.1));
    for (domain, name) in domains.iter().enumerate() {
        let declared = scanned.of(DeclarationKind::Domain).filter(|d| d.name == *name).count();
        let fetches = calls.iter().filter(|call| call.domain.text == *name).count();
        if mentions(name, fetches) > declared {
            scanned.varyings.push(Varying { name: name.clone(), domain, stream: None });
        }
    }
    scanned.varyings.append(&mut lifted);
    scanned.samplers = samplers;
    edits
}

/// The calls that can be lifted, and in `lifted` the addresses that they share.
fn calls<'a>(
    kernel: &Kernel,
    tokens: &'a [Token],
    scanned: &Scanned,
    domains: &[String],
    lifted: &mut Vec<Varying>,
) -> Vec<Call<'a>> {
    let mut calls = Vec::new();
    // A kernel's own macros may call our words, or stand for them.
    let ours = |word: &str| matches!(word, "value2" | "addressOf" | "valueOffset");
    if tokens.iter().any(|token| token.directive && ours(&token.text)) {
        return calls;
    }
    let clear = |name: &String| !shadowed(kernel, tokens, name);
    let streams: Vec<String> = scanned.streams().into_iter().filter(clear).collect();
    let clear: Vec<bool> = domains.iter().map(clear).collect();
    for call in tokens.windows(6) {
        let [word, open, stream, comma, domain, close] = call else { continue };
        let Some(domain_place) = domains.iter().position(|name| *name == domain.text) else { continue };
        let fetch = match word.text.as_str() {
            "value2" | "addressOf" => close.text == ")",
            "valueOffset" => close.text == ",",
            _ => false,
        };
        let named = clear[domain_place] && streams.contains(&stream.text);
        if !(fetch && named && open.text == "(" && comma.text == ",") {
            continue;
        }
        let same =
            |known: &Varying| known.domain == domain_place && known.stream.as_ref() == Some(&stream.text);
        let place = lifted.iter().position(same).unwrap_or(lifted.len());
        if place == MAX_LIFTS {
            continue;
        }
        if place == lifted.len() {
            let (name, stream) = (format!("quad_at{place}"), Some(stream.text.clone()));
            lifted.push(Varying { name, domain: domain_place, stream });
        }
        calls.push(Call { word, stream: &stream.text, domain, place });
    }
    calls
}

/// The streams that stand before each `.texels`, and the edits that leave it out. A directive may stand for anything, so a stream
/// in one is none.
fn texels(tokens: &[Token]) -> Vec<(&str, [Edit; 2])> {
    let member = |four: &&[Token]| {
        let is = |token: &Token, text: &str| token.text == text && !token.directive;
        !is(&four[0], ".") && !four[1].directive && is(&four[2], ".") && is(&four[3], "texels")
    };
    let gone = |token: &Token| Edit { start: token.start, len: token.text.len(), text: String::new() };
    let found = tokens.windows(4).filter(member);
    found.map(|four| (four[1].text.as_str(), [gone(&four[2]), gone(&four[3])])).collect()
}

/// `uniform Stream a, b;` becomes `uniform sampler2D a, b;` where all of them are only ever fetched, at a domain or by their
/// `.texels`: an extent that nobody reads is still told whenever the stream has another size, and pushes the constants
/// from the front of the uniforms, where llvmpipe reads them faster (4 % of an axpy). Those that nobody uses become samplers, too:
/// Chromium 156 on Vulkan crashes over a struct of a sampler that is unused and before another one. Returns their names.
fn plain_samplers(
    tokens: &[Token],
    fetched_alone: impl Fn(&str) -> bool,
    unused: impl Fn(&str) -> bool,
) -> (Vec<String>, Vec<Edit>) {
    let (mut samplers, mut edits) = (Vec::new(), Vec::new());
    for (place, pair) in tokens.windows(2).enumerate() {
        if pair[0].text == "uniform" && pair[1].text == "Stream" {
            let words = tokens[place + 2..].iter().take_while(|token| token.text != ";");
            let names: Vec<String> = words.step_by(2).map(|token| token.text.clone()).collect();
            let (unused, used): (Vec<String>, Vec<String>) = names.into_iter().partition(|name| unused(name));
            let (start, end) = (pair[1].start, tokens[place + 2..].iter().find(|token| token.text == ";"));
            if used.iter().all(|name| fetched_alone(name)) {
                edits.push(Edit { start, len: pair[1].text.len(), text: "sampler2D".to_owned() });
                samplers.extend(used);
            } else if let Some(end) = end.filter(|_| !unused.is_empty()) {
                let text = format!("sampler2D {}; uniform Stream {}", unused.join(", "), used.join(", "));
                edits.push(Edit { start, len: end.start - start, text });
            }
            samplers.extend(unused);
        }
    }
    (samplers, edits)
}

/// Returns true if the name may mean something else somewhere, so that its fetches are left alone: it is declared once
/// more, as a parameter or a local (after a type, or in a list of declarations), or has to do with a macro.
fn shadowed(kernel: &Kernel, tokens: &[Token], name: &str) -> bool {
    in_macros(kernel, tokens, name) || declared_again(tokens, name)
}

/// The name on a line of the preprocessor or in a `#define` of the variant, or inside a call of one of the
/// kernel's own macros: those may do anything.
fn in_macros(kernel: &Kernel, tokens: &[Token], name: &str) -> bool {
    let variant = kernel.defines.iter().any(|(word, value)| word == name || value.contains(name));
    if variant || tokens.iter().any(|token| token.directive && token.text == name) {
        return true;
    }
    let defined = |two: &&[Token]| two[0].directive && two[0].text == "define";
    let macros: Vec<&str> = tokens.windows(2).filter(defined).map(|two| two[1].text.as_str()).collect();
    // For each parenthesis that is open, whether it or one around it is a macro's.
    let mut open = Vec::new();
    let mut before = "";
    for token in tokens.iter().filter(|token| !token.directive) {
        match token.text.as_str() {
            "(" => open.push(open.last() == Some(&true) || macros.contains(&before)),
            ")" => drop(open.pop()),
            word if word == name && open.last() == Some(&true) => return true,
            _ => {}
        }
        before = &token.text;
    }
    false
}

fn declared_again(tokens: &[Token], name: &str) -> bool {
    let mut depth = 0;
    let mut kind = None;
    let mut kinds = Vec::new();
    let mut before = ";";
    let mut in_for = false;
    for token in tokens.iter().filter(|token| !token.directive) {
        match token.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "for" => in_for = true,
            word if DeclarationKind::of(word).is_some() => kind = DeclarationKind::of(word),
            _ => {}
        }
        if token.text != "for"
            && matches!(before, ";" | "{" | "}")
            && DeclarationKind::of(&token.text).is_none()
        {
            (kind, in_for) = (None, false);
        }
        if token.text == name {
            let after_type = is_identifier(before) && !matches!(before, "return" | "else");
            match kind {
                Some(kind) if !kinds.contains(&kind) => kinds.push(kind),
                Some(_) => {}
                None if after_type || (before == "," && (depth == 0 || in_for)) => return true,
                None => {}
            }
        }
        before = &token.text;
    }
    kinds.len() > 1
}

#[cfg(test)]
mod tests {
    use super::super::kernel::line_of;
    use super::super::scan::scan;
    use super::*;
    use crate::Result;

    #[test]
    fn fetches_at_a_domain_itself_are_lifted_and_no_others() -> Result<()> {
        let head = "uniform Stream a, b; DOMAIN p; DOMAIN q; RANGE vec4 r; vec4 s = value(a, 0.0) + value(b, 0.0);\n";
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
            (
                "for (vec2 s = q, p = s; ; ) r = value2(a, p);",
                "for (vec2 s = q, p = s; ; ) r = value2(a, p);",
            ),
            ("{ vec2 x = q, p = x; r = value2(a, p); }", "{ vec2 x = q, p = x; r = value2(a, p); }"),
            ("#define AT(p) value2(a, p)", "#define AT(p) value2(a, p)"),
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

    #[test]
    fn streams_of_lifted_fetches_alone_are_plain_samplers() -> Result<()> {
        let second = |text: &str| -> Result<String> {
            Ok(line_of(&scan(&Kernel::new("t", format!("DOMAIN p;\n{text}")))?.text, 2).to_owned())
        };
        for (other, declared) in [
            ("", "uniform sampler2D a, b;"),
            ("value2(a, p);", "uniform sampler2D a, b;"),
            ("value2(a, p + 1.0);", "uniform Stream a, b;"),
            ("f(b);", "uniform Stream a, b;"),
            ("a.extent;", "uniform Stream a, b;"),
            ("textureLod(a.texels, p, 0.0);", "uniform sampler2D a, b;"),
            ("f(a.texels, b . texels);", "uniform sampler2D a, b;"),
            ("f(a.texels, a);", "uniform Stream a, b;"),
            ("c.a.texels + c.b;", "uniform sampler2D a, b;"),
            ("\n#define A a.texels", "uniform Stream a, b;"),
            ("\n#define A a", "uniform Stream a, b;"),
        ] {
            let text = format!("uniform Stream a, b;\nr = value2(a, p) + value2(b, p); {other}");
            assert_eq!(second(&text)?, declared, "{other}");
        }
        let both = "uniform Stream a; r = value2(a, p);";
        assert_eq!(second(both)?, "uniform sampler2D a; r = textureLod(a, quad_at0, 0.0);");
        let texels = "uniform Stream a; r = FETCH(a.texels, p) + f(a\n.texels, q);";
        assert_eq!(second(texels)?, "uniform sampler2D a; r = FETCH(a, p) + f(a");
        let member = "uniform Stream a; r = value2(a, p) + c.a.texels;";
        assert_eq!(second(member)?, "uniform sampler2D a; r = textureLod(a, quad_at0, 0.0) + c.a.texels;");
        let points = scan(&Kernel::new("t", "uniform Stream a; r = textureLod(a.texels, q, 0.0);"))?;
        assert!(line_of(&points.text, 1).contains("uniform Stream a;"), "{}", points.text);
        Ok(())
    }

    #[test]
    fn streams_that_nobody_uses_are_plain_samplers() -> Result<()> {
        for (text, declared) in [
            ("uniform Stream a, b; r = value2(b, p + 1.0);", "uniform sampler2D a; uniform Stream b;"),
            ("uniform Stream a, b, c; r = f(b);", "uniform sampler2D a, c; uniform Stream b;"),
            ("uniform Stream a, b; r = value2(b, p);", "uniform sampler2D a, b;"),
            ("uniform Stream a; r = p.x;", "uniform sampler2D a;"),
            ("uniform Stream a; r = F;", "uniform Stream a;"),
            ("uniform Stream a, b;\n#define G f(a)\nr = f(b);", "uniform Stream a, b;"),
        ] {
            let kernel = Kernel::new("t", format!("DOMAIN p;\n{text}"));
            let kernel = if text.contains('F') { kernel.define("F", "value2(a, p)") } else { kernel };
            let scanned = scan(&kernel)?.text;
            assert!(line_of(&scanned, 2).starts_with(declared), "{text}: {scanned}");
        }
        // One of points may be the other stage's, too.
        let points = scan(&Kernel::new("t", "uniform Stream a, b; void main() { r = f(b); }"))?.text;
        assert!(points.starts_with("uniform Stream a, b;"), "{points}");
        Ok(())
    }

    #[test]
    fn names_that_may_mean_something_else_are_left_alone() -> Result<()> {
        for text in [
            "#define LET(n, v) vec2 n = v\nvoid main() { LET(p, vec2(1.0)); r = value2(a, p); }",
            "#define TAP(s, c) value2(s, c)\nvoid main() { r = TAP(a, p + 1.0) + value2(a, p); }",
            "#undef value2\n#define value2(s, p) vec4(1.0)\nvoid main() { r = value2(a, p); }",
            "#ifdef X\nuniform vec2 p;\n#endif\nvoid main() { r = value2(a, p); }",
        ] {
            let scanned =
                scan(&Kernel::new("t", format!("uniform Stream a; DOMAIN p; RANGE vec4 r;\n{text}")))?;
            assert!(!scanned.text.contains("quad_at"), "{text}");
        }
        let scanned =
            scan(&Kernel::new("t", "uniform Stream a;\nDOMAIN p;\nRANGE vec4 r;\nr = value2(a,\n p\n);\nx"))?;
        assert_eq!(line_of(&scanned.text, 7), "x");
        Ok(())
    }

    /// Else every pass of a sum would upload the size of its target.
    #[test]
    fn an_unguarded_far_reduction_names_no_size() -> Result<()> {
        let kernel = crate::kernels::named("pug/reduce.frag")?;
        let far = scan(
            &kernel
                .define("GUARD", 0)
                .define("TERM", 0)
                .define("PAIR", 0)
                .define("HOP", "vec2(0.125, 0.125)"),
        )?;
        let names: Vec<&str> = far.varyings.iter().map(|varying| varying.name.as_str()).collect();
        assert_eq!(names, ["quad_at0"]);
        Ok(())
    }

    /// Else each level of a cycle would tell its programs the sizes of a dozen streams.
    #[test]
    fn a_nine_point_matrix_names_no_size() -> Result<()> {
        for (form, seam) in [(3, 0), (4, 3), (5, 0), (6, 0), (7, 3)] {
            let kernel = crate::kernels::named("linalg/nine_point.frag")?;
            let scanned = scan(&kernel.define("FORM", form).define("ENTRIES", 511).define("SEAM", seam))?;
            assert_eq!(
                scanned.samplers.len(),
                12,
                "x, y, the x before and nine entries: {:?}",
                scanned.samplers
            );
        }
        Ok(())
    }
}
