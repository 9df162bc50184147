//! Dialects: a shader goes to the driver as it is where the driver speaks its version, else with its version's words
//! replaced, each in its own line.

use super::source::Lines;
use crate::Result;
use crate::gl::{Stage, Token, tokens, without_comments};

/// The version that a shader names, or that of one that names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    number: u32,
    embedded: bool,
    /// The line that says so, from 1; 0 where none does.
    line: usize,
}

/// An output of a fragment stage: its name in the shader and for the driver, and its components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Output {
    pub name: String,
    pub driver_name: String,
    pub components: usize,
}

/// An input of a fragment stage, which the rasterizer interpolates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub name: String,
    pub components: usize,
    /// `flat`, `smooth` and the like.
    pub qualifiers: String,
    pub flat: bool,
}

/// A stage for the driver, and what it declares.
pub(super) struct Translated {
    pub stage: Stage,
    /// The `#version` that the driver reads.
    pub version: String,
    pub outputs: Vec<Output>,
    pub inputs: Vec<Input>,
    /// Inputs that only a vertex shader can give, each with its line of the joined text and why.
    pub only_by_vertices: Vec<(u32, String)>,
    /// Names that are others for the driver: in the shader, and there.
    pub renamed: Vec<(String, String)>,
    /// Uniforms with a value of their own.
    pub initialised: Vec<String>,
}

/// Words of 1.20 and ES 1.00, and those that took their place.
const WORDS: &[(&str, &str)] = &[
    ("texture2D", "texture"),
    ("texture2DProj", "textureProj"),
    ("texture2DLod", "textureLod"),
    ("texture2DProjLod", "textureProjLod"),
    ("texture2DLodEXT", "textureLod"),
    ("texture2DProjLodEXT", "textureProjLod"),
    ("texture2DGradEXT", "textureGrad"),
    ("texture2DGradARB", "textureGrad"),
    ("gl_FragDepthEXT", "gl_FragDepth"),
    ("gl_FragColor", COLOUR),
    ("gl_FragData", DATA),
];

const COLOUR: &str = "quadrille_colour";
const DATA: &str = "quadrille_data";

/// Words of old dialects that nothing took the place of here.
const GONE: &[&str] = &[
    "texture1D",
    "texture1DProj",
    "texture1DLod",
    "texture3D",
    "texture3DProj",
    "texture3DLod",
    "textureCube",
    "textureCubeLod",
    "texture2DRect",
    "shadow1D",
    "shadow2D",
    "shadow2DProj",
    "ftransform",
];

/// Words of `gl_` that old and new dialects have.
const KEPT: &[&str] =
    &["gl_FragCoord", "gl_FrontFacing", "gl_PointCoord", "gl_Position", "gl_PointSize", "gl_FragDepth"];

/// Words that came after the old dialects, so that their shaders have them as names of their own.
const NEW_WORDS: &[&str] = &[
    "texture",
    "textureLod",
    "textureProj",
    "textureGrad",
    "textureSize",
    "texelFetch",
    "textureOffset",
    "sample",
    "flat",
    "smooth",
    "centroid",
    "noperspective",
    "layout",
    "uint",
    "case",
    "switch",
    "default",
    "round",
    "roundEven",
    "trunc",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "isnan",
    "isinf",
    "modf",
    "determinant",
    "transpose",
    "inverse",
    "outerProduct",
    "dFdx",
    "dFdy",
    "fwidth",
    "patch",
    "common",
    "resource",
    "filter",
];

/// Extensions of old dialects whose words are everybody's now.
const EXTENSIONS: &[&str] = &[
    "GL_OES_standard_derivatives",
    "GL_EXT_frag_depth",
    "GL_EXT_shader_texture_lod",
    "GL_ARB_shader_texture_lod",
    "GL_EXT_draw_buffers",
    "GL_ARB_draw_buffers",
];

/// Makes the text for a driver of OpenGL ES (`embedded`) or OpenGL.
///
/// # Errors
/// [`Error::Declaration`](crate::Error::Declaration) by the shader's own line for what has no counterpart.
pub(super) fn translate(
    mut lines: Lines,
    fragment: bool,
    embedded: bool,
    defines: &[(String, String)],
) -> Result<Translated> {
    let text = lines.text();
    let tokens = tokens(&without_comments(&text));
    let version = version(&lines, &tokens)?;
    let (target, replaced) = target(&lines, version, embedded)?;
    let old = version.number < 130;
    let mut renamed = Vec::new();
    let mut outputs = Vec::new();
    let mut head: String = defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    if replaced && embedded && !version.embedded {
        head.push_str("precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n");
    }
    if version.number < 330 && !(version.embedded && version.number >= 300) {
        check_old(&lines, &tokens)?;
        if old {
            renamed = names_of_its_own(&tokens);
        }
        let colours = tokens.iter().any(|token| token.text == "gl_FragColor");
        let data = highest_data(&lines, &tokens)?;
        if fragment && colours {
            head.push_str(&format!("out highp vec4 {COLOUR};\n"));
            outputs.push(Output { name: "gl_FragColor".into(), driver_name: COLOUR.into(), components: 4 });
        }
        if fragment && let Some(highest) = data {
            head.push_str(&format!("out highp vec4 {DATA}[{}];\n", highest + 1));
            outputs.extend((0..=highest).map(|n| Output {
                name: format!("gl_FragData[{n}]"),
                driver_name: format!("{DATA}[{n}]"),
                components: 4,
            }));
        }
        let new = with_new_words(&text, &tokens, fragment, &renamed);
        lines.with_text(&new);
    }
    let mut inputs = Vec::new();
    let mut only_by_vertices = Vec::new();
    if fragment {
        for declared in declarations(&tokens, &["in", "varying"]) {
            let why = match components(&declared.kind) {
                _ if declared.array => "an array",
                Some(components) => {
                    let same = |input: &Input| input.name == declared.name;
                    if !inputs.iter().any(same) {
                        let Declared { name, qualifiers, .. } = declared;
                        let flat = qualifiers.split(' ').any(|word| word == "flat");
                        inputs.push(Input { name, components, qualifiers, flat });
                    }
                    continue;
                }
                None => "not of float",
            };
            only_by_vertices.push((
                declared.line,
                format!("input `{}` is {why}: give its vertex shader, too", declared.name),
            ));
        }
        for declared in declarations(&tokens, &["out"]) {
            let Some(components) = components(&declared.kind).filter(|_| !declared.array) else {
                let expected = format!(
                    "output `{}` is neither float nor a vector of floats: the kit reads those alone",
                    declared.name
                );
                return Err(lines.error(declared.line, expected));
            };
            if !outputs.iter().any(|output: &Output| output.name == declared.name) {
                let (name, driver_name) = (declared.name.clone(), declared.name);
                outputs.push(Output { name, driver_name, components });
            }
        }
    }
    let head_after = head_after(&tokens, version.line);
    let stage = lines.assemble(replaced.then_some((target.as_str(), version.line)), &head, head_after);
    let initialised = initialised(&tokens);
    Ok(Translated { stage, version: target, outputs, inputs, only_by_vertices, renamed, initialised })
}

/// The version that the shader names: OpenGL's 1.10 if it names none, or ES 1.00 if it says what only ES needs.
fn version(lines: &Lines, tokens: &[Token]) -> Result<Version> {
    let named =
        tokens.windows(2).position(|two| two[0].text == "#" && two[0].directive && two[1].text == "version");
    let Some(at) = named else {
        let embedded = tokens.iter().any(|token| token.text == "precision" && !token.directive);
        return Ok(Version { number: if embedded { 100 } else { 110 }, embedded, line: 0 });
    };
    let line = tokens[at].line;
    let words: Vec<&str> = tokens[at + 2..]
        .iter()
        .take_while(|token| token.line == line)
        .map(|token| token.text.as_str())
        .collect();
    let number = words.first().and_then(|word| word.parse().ok());
    let profile = words.get(1).copied().unwrap_or_default();
    match (number, profile) {
        (Some(number), "" | "core" | "es" | "compatibility") => {
            let embedded = profile == "es" || number == 100;
            Ok(Version { number, embedded, line: line as usize })
        }
        _ => {
            Err(lines.error(line, "expected `#version 330 core`, `300 es`, `120`, `100` or the like".into()))
        }
    }
}

/// The `#version` for the driver, and true if it is another than the shader's own.
fn target(lines: &Lines, version: Version, embedded: bool) -> Result<(String, bool)> {
    let own = |profile: &str| format!("#version {} {profile}", version.number);
    Ok(match (version.embedded, embedded) {
        (true, true) if version.number >= 300 => (own("es"), false),
        (false, false) if version.number >= 330 => (own("core"), false),
        (_, true) if version.number <= 330 => ("#version 300 es".to_owned(), true),
        (true, false) if version.number > 300 => (own("es"), false),
        (_, false) => ("#version 330 core".to_owned(), true),
        (false, true) | (true, true) => {
            let expected = format!(
                "GLSL {}.{:02} has more than OpenGL ES 3.00, and is not translated: test it on OpenGL alone, by testing::gpu()",
                version.number / 100,
                version.number % 100
            );
            return Err(lines.error(version.line as u32, expected));
        }
    })
}

/// That nothing is used which no dialect has any more.
fn check_old(lines: &Lines, tokens: &[Token]) -> Result<()> {
    for token in tokens.iter().filter(|token| !token.directive) {
        let word = token.text.as_str();
        if GONE.contains(&word) {
            return Err(lines.error(token.line, format!("`{word}` is not translated: the kit binds sampler2D alone, and newer dialects have no such word")));
        }
        let known =
            WORDS.iter().any(|(old, _)| *old == word) || KEPT.contains(&word) || word.starts_with("gl_Max");
        if word.starts_with("gl_") && !known {
            let expected = format!(
                "`{word}` is state of OpenGL's fixed functions, which OpenGL 3.3 core and ES 3.0 no longer have: hand it over as a uniform or an attribute"
            );
            return Err(lines.error(token.line, expected));
        }
    }
    Ok(())
}

/// The highest n of `gl_FragData[n]`.
fn highest_data(lines: &Lines, tokens: &[Token]) -> Result<Option<usize>> {
    let mut highest = None;
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.text == "gl_FragData") {
        let index = tokens.get(at + 2).and_then(|index| index.text.parse::<usize>().ok()).filter(|n| *n < 16);
        let Some(index) = index else {
            return Err(lines.error(
                token.line,
                "expected `gl_FragData[n]` with a number n: no other is translated".into(),
            ));
        };
        highest = highest.max(Some(index));
    }
    Ok(highest)
}

/// Names that the shader declares and newer dialects have as words, with those that they get.
fn names_of_its_own(tokens: &[Token]) -> Vec<(String, String)> {
    let mut renamed: Vec<(String, String)> = Vec::new();
    for two in tokens.windows(2) {
        let name = &two[1].text;
        let declared = is_type(&two[0].text) && !two[1].directive && NEW_WORDS.contains(&name.as_str());
        if declared && !renamed.iter().any(|(known, _)| known == name) {
            renamed.push((name.clone(), format!("quadrille_{name}")));
        }
    }
    renamed
}

/// Returns true if it is a type of old dialects that a name may follow.
fn is_type(word: &str) -> bool {
    const TYPES: &[&str] = &[
        "void",
        "bool",
        "int",
        "float",
        "vec2",
        "vec3",
        "vec4",
        "bvec2",
        "bvec3",
        "bvec4",
        "ivec2",
        "ivec3",
        "ivec4",
        "mat2",
        "mat3",
        "mat4",
        "sampler2D",
    ];
    TYPES.contains(&word)
}

/// The text with the words of newer dialects, and without extensions that these have.
fn with_new_words(text: &str, tokens: &[Token], fragment: bool, renamed: &[(String, String)]) -> String {
    let (mut out, mut copied) = (String::new(), 0);
    let mut put = |start: usize, end: usize, new: &str| {
        out.push_str(&text[copied..start]);
        out.push_str(new);
        copied = end;
    };
    let mut gone_line = 0;
    for (at, token) in tokens.iter().enumerate() {
        let (start, end) = (token.start, token.start + token.text.len());
        if token.directive && token.line == gone_line {
            put(start, end, "");
            continue;
        }
        let next = |n: usize| {
            tokens.get(at + n).filter(|t| t.directive && t.line == token.line).map(|t| t.text.as_str())
        };
        if token.directive
            && token.text == "#"
            && next(1) == Some("extension")
            && next(2).is_some_and(|name| EXTENSIONS.contains(&name))
        {
            gone_line = token.line;
            put(start, end, "");
            continue;
        }
        let member = at > 0 && tokens[at - 1].text == ".";
        let word = token.text.as_str();
        let new = match word {
            _ if member => None,
            "attribute" => Some("in"),
            "varying" => Some(if fragment { "in" } else { "out" }),
            _ => renamed
                .iter()
                .find(|(old, _)| old == word)
                .map(|(_, new)| new.as_str())
                .or_else(|| WORDS.iter().find(|(old, _)| *old == word).map(|(_, new)| *new)),
        };
        if let Some(new) = new {
            put(start, end, new);
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// A declaration of the outermost level.
struct Declared {
    kind: String,
    name: String,
    qualifiers: String,
    array: bool,
    line: u32,
}

/// The names declared with one of these words outside of functions and blocks.
fn declarations(tokens: &[Token], words: &[&str]) -> Vec<Declared> {
    let mut found = Vec::new();
    let mut depth = 0;
    let code: Vec<&Token> = tokens.iter().filter(|token| !token.directive).collect();
    for (at, token) in code.iter().enumerate() {
        match token.text.as_str() {
            "(" | "{" => depth += 1,
            ")" | "}" => depth -= 1,
            _ => {}
        }
        if depth != 0 || !words.contains(&token.text.as_str()) {
            continue;
        }
        let qualifier = |word: &str| matches!(word, "flat" | "smooth" | "noperspective" | "centroid");
        let before: Vec<&str> = code[..at]
            .iter()
            .rev()
            .map(|token| token.text.as_str())
            .take_while(|word| qualifier(word))
            .collect();
        let qualifiers = before.into_iter().rev().collect::<Vec<_>>().join(" ");
        let mut rest = code[at + 1..].iter().take_while(|token| token.text != ";").filter(|token| {
            !matches!(token.text.as_str(), "highp" | "mediump" | "lowp") && !qualifier(&token.text)
        });
        let Some(kind) = rest.next().map(|token| token.text.clone()) else { continue };
        let rest: Vec<&&Token> = rest.collect();
        if rest.first().is_some_and(|token| token.text == "{") {
            let (name, qualifiers) = (kind, qualifiers);
            found.push(Declared { kind: "a block".into(), name, qualifiers, array: false, line: token.line });
            continue;
        }
        let typed_array = rest.first().is_some_and(|token| token.text == "[");
        let mut inside = 0;
        for (place, word) in rest.iter().enumerate() {
            match word.text.as_str() {
                "[" | "(" => inside += 1,
                "]" | ")" => inside -= 1,
                "," => {}
                _ if inside == 0 && (place == 0 || matches!(rest[place - 1].text.as_str(), "," | "]")) => {
                    let array = typed_array || rest.get(place + 1).is_some_and(|next| next.text == "[");
                    let (kind, name, qualifiers) = (kind.clone(), word.text.clone(), qualifiers.clone());
                    found.push(Declared { kind, name, qualifiers, array, line: word.line });
                }
                _ => {}
            }
        }
    }
    found
}

/// Components of a float type.
fn components(kind: &str) -> Option<usize> {
    match kind {
        "float" => Some(1),
        "vec2" => Some(2),
        "vec3" => Some(3),
        "vec4" => Some(4),
        _ => None,
    }
}

/// Uniforms that have a value without being told one: `uniform float gamma = 2.2;`.
fn initialised(tokens: &[Token]) -> Vec<String> {
    let code: Vec<&str> =
        tokens.iter().filter(|token| !token.directive).map(|token| token.text.as_str()).collect();
    let mut found = Vec::new();
    for (at, _) in code.iter().enumerate().filter(|(_, word)| **word == "uniform") {
        let declaration: Vec<&str> = code[at..].iter().copied().take_while(|word| *word != ";").collect();
        for (place, _) in declaration.iter().enumerate().filter(|(_, word)| **word == "=") {
            let name = declaration[..place]
                .iter()
                .rev()
                .find(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
            found.extend(name.map(|name| (*name).to_owned()));
        }
    }
    found
}

/// The line of the joined text after which a head may stand: behind `#version` and every `#extension`, outside of conditions.
fn head_after(tokens: &[Token], version_line: usize) -> usize {
    let (mut after, mut depth, mut pending) = (version_line, 0_usize, false);
    for two in tokens.windows(2) {
        if !two[0].directive && depth == 0 {
            break;
        }
        if !(two[0].directive && two[0].text == "#") {
            continue;
        }
        match two[1].text.as_str() {
            "extension" => pending = true,
            "if" | "ifdef" | "ifndef" => depth += 1,
            "endif" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if pending && depth == 0 {
            (after, pending) = (two[0].line as usize, false);
        }
    }
    after
}
