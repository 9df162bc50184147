//! The words of a kernel's text, with their places: as much of a parser as the sentences about errors need.

use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Name,
    Number,
    Sign,
    /// Behind the last word.
    End,
}

#[derive(Clone, Debug)]
pub struct Token {
    pub text: String,
    pub kind: Kind,
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
}

pub struct Words {
    pub tokens: Vec<Token>,
    /// Declared names: the type of each, or DOMAIN; empty for a name that has several.
    types: BTreeMap<String, String>,
    /// Functions: the type that they give; empty for a name that gives several.
    functions: BTreeMap<String, String>,
    constants: Vec<String>,
    /// How often each variable is declared.
    declarations: BTreeMap<String, usize>,
}

const TYPES: &[&str] = &[
    "float",
    "vec2",
    "vec3",
    "vec4",
    "int",
    "ivec2",
    "ivec3",
    "ivec4",
    "uint",
    "uvec2",
    "uvec3",
    "uvec4",
    "bool",
    "bvec2",
    "bvec3",
    "bvec4",
    "mat2",
    "mat3",
    "mat4",
    "mat2x2",
    "mat2x3",
    "mat2x4",
    "mat3x2",
    "mat3x3",
    "mat3x4",
    "mat4x2",
    "mat4x3",
    "mat4x4",
    "sampler2D",
    "sampler3D",
    "samplerCube",
    "sampler2DArray",
    "sampler2DShadow",
    "samplerCubeShadow",
    "sampler2DArrayShadow",
    "isampler2D",
    "isampler3D",
    "isamplerCube",
    "isampler2DArray",
    "usampler2D",
    "usampler3D",
    "usamplerCube",
    "usampler2DArray",
    "void",
    "Stream",
    "DOMAIN",
    "RANGE",
    "VERTEX",
];

/// The type of a name that is an array, whatever its elements are.
pub const ARRAY: &str = "array";

/// Functions that give what they are given, and their like.
const FUNCTIONS: &[&str] = &[
    "abs",
    "sign",
    "floor",
    "ceil",
    "round",
    "trunc",
    "fract",
    "mod",
    "min",
    "max",
    "clamp",
    "mix",
    "step",
    "smoothstep",
    "sqrt",
    "inversesqrt",
    "pow",
    "exp",
    "exp2",
    "log",
    "log2",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "radians",
    "degrees",
    "length",
    "distance",
    "dot",
    "cross",
    "normalize",
    "reflect",
    "isnan",
    "isinf",
    "lessThan",
    "greaterThan",
    "lessThanEqual",
    "greaterThanEqual",
    "equal",
    "notEqual",
    "any",
    "all",
    "not",
    "transpose",
    "outerProduct",
];

/// Functions of the language that are known to exist, and that no rule explains.
const OTHERS: &[&str] = &[
    "acosh",
    "asinh",
    "atanh",
    "cosh",
    "dFdx",
    "dFdy",
    "determinant",
    "faceforward",
    "floatBitsToInt",
    "floatBitsToUint",
    "fwidth",
    "intBitsToFloat",
    "inverse",
    "matrixCompMult",
    "modf",
    "packHalf2x16",
    "packSnorm2x16",
    "packUnorm2x16",
    "refract",
    "roundEven",
    "sinh",
    "tanh",
    "texelFetch",
    "texelFetchOffset",
    "texture",
    "textureGrad",
    "textureGradOffset",
    "textureLod",
    "textureLodOffset",
    "textureOffset",
    "textureProj",
    "textureProjGrad",
    "textureProjGradOffset",
    "textureProjLod",
    "textureProjLodOffset",
    "textureProjOffset",
    "textureSize",
    "uintBitsToFloat",
    "unpackHalf2x16",
    "unpackSnorm2x16",
    "unpackUnorm2x16",
];

/// Words that fetch or place.
const OURS: &[&str] = &[
    "value",
    "value2",
    "value0",
    "valueOffset",
    "valueFours",
    "valuePacked",
    "fold",
    "addressOf",
    "scatter",
    "scatter_nowhere",
    "scatter_range",
];

const KEYWORDS: &[&str] = &[
    "uniform",
    "const",
    "in",
    "out",
    "inout",
    "if",
    "else",
    "for",
    "while",
    "do",
    "return",
    "break",
    "continue",
    "discard",
    "true",
    "false",
    "highp",
    "mediump",
    "lowp",
    "precision",
    "switch",
    "case",
    "default",
    "main",
    "define",
    "undef",
    "ifdef",
    "ifndef",
    "endif",
    "elif",
    "flat",
    "smooth",
    "centroid",
    "invariant",
    "struct",
    "layout",
    "gl_VertexID",
    "gl_FragCoord",
    "gl_Position",
    "gl_PointSize",
];

/// Types of several numbers.
pub const VECTORS: [&str; 3] = ["vec2", "vec3", "vec4"];

pub fn is_type(word: &str) -> bool {
    TYPES.contains(&word)
}

/// Returns true for a word of the language that cannot be a name.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
        && !word.starts_with("gl_")
        && !matches!(word, "main" | "define" | "undef" | "ifdef" | "ifndef" | "endif" | "elif")
}

/// A function of the language: it takes numbers.
pub fn is_function(word: &str) -> bool {
    FUNCTIONS.contains(&word)
}

/// The words that a declaration may begin with.
pub fn beginnings() -> impl Iterator<Item = &'static str> {
    TYPES.iter().copied().chain(["uniform", "const", "return", "else", "break", "continue", "discard"])
}

/// A word that gives an element of a stream.
pub fn fetches(word: &str) -> bool {
    matches!(word, "value" | "value2" | "value0" | "valueOffset")
}

impl Words {
    pub fn of(text: &str) -> Words {
        let tokens = tokens(text);
        let mut words = Words {
            tokens,
            types: BTreeMap::new(),
            functions: BTreeMap::new(),
            constants: Vec::new(),
            declarations: BTreeMap::new(),
        };
        words.declare();
        words
    }

    /// Finds what is declared: `float a, b = 1.0;`, `RANGE vec2 c;`, `DOMAIN d;`, parameters and functions.
    fn declare(&mut self) {
        let mut i = 0;
        while i + 1 < self.tokens.len() {
            let word = self.text(i).to_owned();
            let is_define = i > 0 && self.text(i - 1) == "#" && word == "define";
            if is_define {
                self.constants.push(self.text(i + 1).to_owned());
            }
            let of_range = matches!(word.as_str(), "RANGE" | "VERTEX") && is_type(self.text(i + 1));
            // `float[2] w` is an array as `float w[2]` is.
            let behind = match self.text(i + 1) {
                "[" => self.closing(i + 1).map_or(i + 1, |end| end + 1),
                _ => i + 1,
            };
            if !is_type(&word) || of_range || self.kind_of(behind) != Kind::Name {
                i += 1;
                continue;
            }
            let constant = i > 0 && self.text(i - 1) == "const";
            let kind = match word.as_str() {
                _ if behind > i + 1 => ARRAY.to_owned(),
                "DOMAIN" => "vec2".to_owned(),
                _ => word,
            };
            i = behind;
            loop {
                let name = self.text(i).to_owned();
                if self.text(i + 1) == "(" {
                    let known = self.functions.entry(name).or_insert_with(|| kind.clone());
                    if *known != kind {
                        known.clear();
                    }
                    break;
                }
                if constant {
                    self.constants.push(name.clone());
                }
                *self.declarations.entry(name.clone()).or_default() += 1;
                let kind = if self.text(i + 1) == "[" { ARRAY } else { &kind };
                let known = self.types.entry(name).or_insert_with(|| kind.to_owned());
                if *known != kind {
                    known.clear();
                }
                // To the next name of the same declaration.
                let mut depth = 0;
                let mut next = i + 1;
                while next < self.tokens.len() {
                    match self.text(next) {
                        "(" | "[" => depth += 1,
                        ")" | "]" if depth == 0 => break,
                        ")" | "]" => depth -= 1,
                        "," | ";" if depth == 0 => break,
                        _ => {}
                    }
                    next += 1;
                }
                let parameter = is_type(self.text(next + 1))
                    || matches!(self.text(next + 1), "in" | "out" | "inout" | "const");
                if self.text(next) != "," || parameter || self.kind_of(next + 1) != Kind::Name {
                    break;
                }
                i = next + 1;
            }
        }
    }

    pub fn text(&self, i: usize) -> &str {
        self.tokens.get(i).map_or("", |token| token.text.as_str())
    }

    pub fn kind_of(&self, i: usize) -> Kind {
        self.tokens.get(i).map_or(Kind::End, |token| token.kind)
    }

    /// Returns true if a word is the first of its line.
    pub fn begins_line(&self, i: usize) -> bool {
        i == 0 || self.tokens[i - 1].line < self.tokens[i].line
    }

    /// Returns true if a word belongs to a directive, as `#define`.
    pub fn in_directive(&self, i: usize) -> bool {
        (0..=i).rev().find(|&at| self.begins_line(at)).is_some_and(|at| self.text(at) == "#")
    }

    /// Returns true if the kernel includes other texts, whose names are not known here.
    fn includes(&self) -> bool {
        (1..self.tokens.len()).any(|i| self.text(i) == "include" && self.text(i - 1) == "#")
    }

    /// Returns true if the kernel may have types, members and names that are not known here.
    pub fn has_other_types(&self) -> bool {
        self.first("struct").is_some() || self.includes()
    }

    /// The word behind one, if it is on the same line.
    pub fn beside(&self, i: usize) -> &str {
        if self.kind_of(i + 1) == Kind::End || self.begins_line(i + 1) { "" } else { self.text(i + 1) }
    }

    /// The column in which the line of a word begins.
    pub fn indent(&self, i: usize) -> usize {
        (0..=i).rev().find(|&at| self.begins_line(at)).map_or(1, |at| self.tokens[at].column)
    }

    /// The last word of the line of a word.
    pub fn end_of_line(&self, i: usize) -> usize {
        (i..self.tokens.len()).take_while(|&at| at == i || !self.begins_line(at)).last().unwrap_or(i)
    }

    pub fn first(&self, name: &str) -> Option<&Token> {
        self.tokens.iter().find(|token| token.text == name)
    }

    pub fn declares(&self, name: &str) -> bool {
        self.types.contains_key(name) || self.functions.contains_key(name)
    }

    /// The number of places where a variable is declared.
    pub fn declarations(&self, name: &str) -> usize {
        self.declarations.get(name).copied().unwrap_or(0)
    }

    /// The RANGEs of the kernel: names and types.
    pub fn ranges(&self) -> Vec<(&str, &str)> {
        let of = |i: usize| matches!(self.text(i), "RANGE" | "VERTEX") && is_type(self.text(i + 1));
        (0..self.tokens.len()).filter(|i| of(*i)).map(|i| (self.text(i + 2), self.text(i + 1))).collect()
    }

    /// The body of main(): the places of its braces.
    pub fn main_body(&self) -> Option<(usize, usize)> {
        let main = (0..self.tokens.len()).find(|&i| self.text(i) == "void" && self.text(i + 1) == "main")?;
        let open = (main..self.tokens.len()).find(|&i| self.text(i) == "{")?;
        Some((open, self.closing(open).unwrap_or(self.tokens.len())))
    }

    /// The place of the `;` that ends the statement of word `i`, outside brackets.
    pub fn end_of_statement(&self, i: usize) -> usize {
        let mut at = i;
        while at < self.tokens.len() {
            match self.text(at) {
                ";" | "{" | "}" => return at,
                "(" | "[" => match self.closing(at) {
                    Some(end) => at = end,
                    None => return self.tokens.len(),
                },
                ")" | "]" => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// Returns true if a statement begins with word `i`.
    pub fn begins_statement(&self, i: usize) -> bool {
        self.depth(i) > 0
            && matches!(i.checked_sub(1).map_or("", |before| self.text(before)), ";" | "{" | "}")
    }

    /// Variables that are declared, without functions.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    /// Functions of the language and of the kernel, words that fetch, and others that stand before brackets.
    pub fn callable(&self) -> impl Iterator<Item = &str> {
        let listed = [FUNCTIONS, OURS, &["if", "for", "while", "switch"]].into_iter().flatten().copied();
        self.functions.keys().map(String::as_str).chain(listed)
    }

    pub fn is_known(&self, name: &str) -> bool {
        let listed = [TYPES, FUNCTIONS, OTHERS, OURS, KEYWORDS].iter().any(|list| list.contains(&name));
        listed || self.declares(name) || self.constants.iter().any(|c| c == name) || name.starts_with("gl_")
    }

    pub fn is_constant(&self, name: &str) -> bool {
        self.constants.iter().any(|constant| constant == name)
    }

    pub fn type_of(&self, name: &str) -> Option<&str> {
        self.types.get(name).map(String::as_str).filter(|kind| !kind.is_empty())
    }

    pub fn streams(&self) -> Vec<String> {
        self.types.iter().filter(|(_, kind)| *kind == "Stream").map(|(name, _)| name.clone()).collect()
    }

    /// The name of the one DOMAIN, for sentences; `position` where there is none or several.
    pub fn place(&self) -> String {
        let mut inputs = self.inputs();
        inputs.retain(|(_, what)| *what == "DOMAIN");
        if let [(name, _)] = &inputs[..] { name.clone() } else { "place".to_owned() }
    }

    /// Names that a kernel only reads, and what they are.
    pub fn inputs(&self) -> Vec<(String, &'static str)> {
        let mut inputs = Vec::new();
        let mut what = "";
        for (i, token) in self.tokens.iter().enumerate() {
            match token.text.as_str() {
                "uniform" => what = "uniform",
                "DOMAIN" => what = "DOMAIN",
                ";" => what = "",
                text if !what.is_empty() && token.kind == Kind::Name && !is_type(text) => {
                    if matches!(self.text(i + 1), "," | ";") {
                        inputs.push((text.to_owned(), what));
                    }
                }
                _ => {}
            }
        }
        inputs
    }

    /// How many braces are open before a word.
    pub fn depth(&self, i: usize) -> usize {
        let count = |sign: &str| self.tokens[..i].iter().filter(|token| token.text == sign).count();
        count("{").saturating_sub(count("}"))
    }

    /// The place of the bracket that closes the one at `open`.
    pub fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        for (i, token) in self.tokens.iter().enumerate().skip(open) {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(i);
                    }
                }
                _ if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// The place of the bracket that the one at `end` closes.
    pub fn opening(&self, end: usize) -> Option<usize> {
        let pair = match self.text(end) {
            ")" => "(",
            "]" => "[",
            _ => "{",
        };
        (0..end).rev().find(|&open| self.text(open) == pair && self.closing(open) == Some(end))
    }

    /// The place of the name where a function of the kernel's own is declared first.
    pub fn defined(&self, function: &str) -> Option<usize> {
        self.functions.get(function)?;
        (1..self.tokens.len()).find(|&i| self.declares_function(function, i))
    }

    fn declares_function(&self, function: &str, i: usize) -> bool {
        i > 0 && self.text(i) == function && is_type(self.text(i - 1)) && self.text(i + 1) == "("
    }

    /// The types of a function's parameters; `None` where it is declared in several ways.
    pub fn parameters(&self, function: &str) -> Option<Vec<&str>> {
        let types = |i: usize| {
            let each = self.arguments(i + 1).into_iter();
            each.map(|(from, to)| (from..to).map(|at| self.text(at)).find(|word| is_type(word))).collect()
        };
        let declared = (0..self.tokens.len()).filter(|&i| self.declares_function(function, i));
        let mut all: Vec<Option<Vec<&str>>> = declared.map(types).collect();
        all.dedup();
        if all.len() == 1 { all.pop()?.filter(|types| !types.contains(&"void")) } else { None }
    }

    /// The arguments of a call whose bracket is at `open`: first word and the one behind the last of each.
    pub fn arguments(&self, open: usize) -> Vec<(usize, usize)> {
        let Some(end) = self.closing(open) else { return Vec::new() };
        let (mut found, mut from, mut depth) = (Vec::new(), open + 1, 0);
        for i in open + 1..end {
            match self.text(i) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 0 => {
                    found.push((from, i));
                    from = i + 1;
                }
                _ => {}
            }
        }
        if from < end {
            found.push((from, end));
        }
        found
    }

    pub fn between(&self, from: usize, to: usize) -> String {
        self.tokens[from..to].iter().map(|token| token.text.as_str()).collect()
    }

    /// The type of an expression, where it is one name, a member, a number or a call, or their sums and products.
    pub fn type_between(&self, from: usize, to: usize) -> Option<&str> {
        let mut i = from;
        let mut found: Option<&str> = None;
        while i < to {
            while matches!(self.text(i), "-" | "+") {
                i += 1;
            }
            let (kind, next) = self.operand(i, to)?;
            found = match (found, kind) {
                (None, kind) => Some(kind),
                (Some(a), b) if a == b => Some(a),
                (Some("float"), "int") | (Some("int"), "float") => Some("float"),
                (Some("float" | "int"), b) => Some(b),
                (Some(a), "float" | "int") => Some(a),
                _ => return None,
            };
            i = next;
            if i < to {
                if !matches!(self.text(i), "+" | "-" | "*" | "/") {
                    return None;
                }
                i += 1;
            }
        }
        found
    }

    /// The type of the operand that begins at `i`, and where it ends.
    pub fn operand(&self, i: usize, to: usize) -> Option<(&str, usize)> {
        let token = self.tokens.get(i)?;
        let (mut kind, mut next) = match token.kind {
            Kind::Number => (if token.text.contains(['.', 'e', 'E']) { "float" } else { "int" }, i + 1),
            Kind::Name if self.text(i + 1) == "(" => {
                let end = self.closing(i + 1)?;
                let kind = match token.text.as_str() {
                    "value" | "value2" | "value0" | "valueOffset" => "vec4",
                    "fold" => "vec2",
                    "valuePacked" | "valueFours" | "length" | "dot" | "distance" => "float",
                    name if is_type(name) => TYPES.iter().find(|t| **t == name)?,
                    name => match self.functions.get(name) {
                        Some(kind) if kind.is_empty() => return None,
                        Some(kind) => kind,
                        None if is_function(name) => self.widest(name, i + 1)?,
                        None => return None,
                    },
                };
                (kind, end + 1)
            }
            Kind::Name if token.text == "gl_VertexID" => ("int", i + 1),
            Kind::Name => (self.type_of(&token.text)?, i + 1),
            Kind::Sign if token.text == "(" => {
                let end = self.closing(i)?;
                (self.type_between(i + 1, end)?, end + 1)
            }
            _ => return None,
        };
        while next < to && self.text(next) == "." && self.kind_of(next + 1) == Kind::Name {
            // The length of an array.
            if self.text(next + 2) == "(" {
                return None;
            }
            let many = self.text(next + 1).len();
            kind = match (kind, many) {
                ("Stream", _) => "vec4",
                ("ivec2" | "ivec3" | "ivec4", 1) => "int",
                ("uvec2" | "uvec3" | "uvec4", 1) => "uint",
                (
                    "ivec2" | "ivec3" | "ivec4" | "uvec2" | "uvec3" | "uvec4" | "bvec2" | "bvec3" | "bvec4"
                    | "bool" | "mat2" | "mat3" | "mat4",
                    _,
                ) => return None,
                (_, 1) => "float",
                (_, 2) => "vec2",
                (_, 3) => "vec3",
                _ => "vec4",
            };
            next += 2;
        }
        // An element of an array or of a vector has another type.
        (self.text(next) != "[").then_some((kind, next))
    }

    /// The type that a function of the language gives: of those of its arguments that with the most numbers.
    fn widest(&self, function: &str, open: usize) -> Option<&str> {
        let asks =
            matches!(function, "isnan" | "isinf" | "any" | "all" | "not" | "transpose" | "outerProduct");
        if asks || function.ends_with("qual") || function.ends_with("Than") {
            return None;
        }
        let given = self.arguments(open);
        let kinds: Vec<&str> =
            given.iter().map(|(from, to)| self.type_between(*from, *to)).collect::<Option<_>>()?;
        let numbers = |kind: &str| kind.bytes().last().filter(u8::is_ascii_digit).unwrap_or(b'1');
        let float = kinds.contains(&"float");
        kinds.into_iter().max_by_key(|kind| (numbers(kind), float && *kind == "float"))
    }

    /// The operand that ends before `i`: its first word.
    pub fn operand_before(&self, i: usize) -> Option<usize> {
        let mut last = i.checked_sub(1)?;
        while last >= 2 && self.text(last - 1) == "." {
            last -= 2;
        }
        if self.text(last) != ")" {
            return Some(last);
        }
        let open =
            (0..last).rev().find(|&open| self.text(open) == "(" && self.closing(open) == Some(last))?;
        match open.checked_sub(1) {
            Some(name) if self.kind_of(name) == Kind::Name => Some(name),
            _ => Some(open),
        }
    }

    /// Returns true if the whole number at `i` is counted with, compared with or assigned to floats.
    pub fn with_float(&self, i: usize) -> bool {
        let is_float = |kind: Option<&str>| matches!(kind, Some("float" | "vec2" | "vec3" | "vec4"));
        let counts = |sign: &str| {
            matches!(
                sign,
                "+" | "-" | "*" | "/" | "<" | ">" | "==" | "!=" | "<=" | ">=" | "+=" | "-=" | "*=" | "/="
            )
        };
        // Behind a sign: what stands before it. A minus may be the number's own.
        let mut before = i;
        if i >= 2
            && matches!(self.text(i - 1), "-" | "+")
            && matches!(
                self.text(i - 2),
                "=" | "(" | "," | "*" | "/" | "<" | ">" | "==" | "return" | "+=" | "-=" | "*=" | "/="
            )
        {
            before = i - 1;
        }
        let sign = before.checked_sub(1).map_or("", |sign| self.text(sign));
        if counts(sign) {
            let kind = self
                .operand_before(before - 1)
                .and_then(|from| self.operand(from, before - 1))
                .map(|(kind, _)| kind);
            if is_float(kind) {
                return true;
            }
        }
        let after = self.text(i + 1);
        if counts(after) && is_float(self.operand(i + 2, self.tokens.len()).map(|(kind, _)| kind)) {
            return true;
        }
        // Alone on its side of an assignment.
        if sign == "=" && matches!(after, ";" | ",") {
            let kind = self
                .operand_before(before - 1)
                .and_then(|from| self.operand(from, before - 1))
                .map(|(kind, _)| kind);
            return is_float(kind);
        }
        false
    }

    /// The name and type that the value at word `i` is assigned to, if no call stands between.
    pub fn assigned(&self, i: usize) -> Option<(&str, &str)> {
        let mut at = i;
        loop {
            at = at.checked_sub(1)?;
            match self.text(at) {
                ";" | "{" | "}" | "(" | "," | "?" | "<" | ">" | "==" | "[" => return None,
                ")" => {
                    at = (0..at)
                        .rev()
                        .find(|&open| self.text(open) == "(" && self.closing(open) == Some(at))?
                }
                "=" | "+=" | "-=" | "*=" | "/=" => {
                    let name = self.text(at.checked_sub(1)?);
                    let member = at >= 2 && self.text(at - 2) == ".";
                    return if member { None } else { Some((name, self.type_of(name)?)) };
                }
                _ => {}
            }
        }
    }

    /// Returns true if brackets are open behind a word.
    pub fn in_brackets(&self, last: &Token) -> bool {
        let mut depth = 0i32;
        for token in &self.tokens {
            match token.text.as_str() {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                _ => {}
            }
            if std::ptr::eq(token, last) {
                break;
            }
        }
        depth > 0
    }

    /// Returns true if a word stands between `[` and `]`, and no index does.
    pub fn in_list(&self, i: usize) -> bool {
        let lists = |open: &usize| {
            self.text(*open) == "["
                && (*open == 0
                    || self.kind_of(open - 1) == Kind::Sign && !matches!(self.text(open - 1), ")" | "]"))
        };
        (0..i).filter(lists).any(|open| self.closing(open).is_some_and(|end| end > i))
    }

    /// Returns true if the word closes the head of `if`, `for`, `while` or of a function, or belongs to a directive.
    pub fn is_head(&self, last: &Token) -> bool {
        let Some(end) = self.tokens.iter().position(|token| std::ptr::eq(token, last)) else { return false };
        if self.in_directive(end) {
            return true;
        }
        if last.text != ")" {
            return false;
        }
        let open = (0..end).rev().find(|&open| self.text(open) == "(" && self.closing(open) == Some(end));
        open.and_then(|open| open.checked_sub(1)).is_some_and(|name| {
            matches!(self.text(name), "if" | "for" | "while" | "switch")
                || name > 0 && is_type(self.text(name - 1)) && self.text(end + 1) == "{"
        })
    }
}

/// Names, numbers and signs; comments are left out.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut comment = false;
    for (number, line) in text.lines().enumerate() {
        let letters: Vec<char> = line.chars().collect();
        let mut i = 0;
        while i < letters.len() {
            let (c, next) = (letters[i], letters.get(i + 1).copied().unwrap_or(' '));
            if comment {
                comment = (c, next) != ('*', '/');
                i += if comment { 1 } else { 2 };
                continue;
            }
            match (c, next) {
                ('/', '/') => break,
                ('/', '*') => {
                    comment = true;
                    i += 2;
                    continue;
                }
                _ => {}
            }
            let begin = i;
            let kind = if c.is_alphabetic() || c == '_' {
                while i < letters.len() && (letters[i].is_alphanumeric() || letters[i] == '_') {
                    i += 1;
                }
                Kind::Name
            } else if c.is_ascii_digit() || (c == '.' && next.is_ascii_digit()) {
                while i < letters.len() {
                    let sign = matches!(letters[i], '+' | '-') && matches!(letters[i - 1], 'e' | 'E');
                    if !(letters[i].is_alphanumeric() || letters[i] == '.' || (i > begin && sign)) {
                        break;
                    }
                    i += 1;
                }
                Kind::Number
            } else if c.is_whitespace() {
                i += 1;
                continue;
            } else {
                let two: String = [c, next].iter().collect();
                let double = [
                    "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&&", "||", "++", "--", "<<", ">>",
                ];
                i += if double.contains(&two.as_str()) { 2 } else { 1 };
                Kind::Sign
            };
            let text = letters[begin..i].iter().collect();
            tokens.push(Token { text, kind, line: number + 1, column: begin + 1 });
        }
    }
    tokens
}
