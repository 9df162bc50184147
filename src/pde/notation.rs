//! Equations as they are written on paper: `∂u/∂t = D ∇²u − u³`.

use super::Sign;
use super::equations::Equations;
use super::formula::{Axis, Formula, Function, Node, Term};

/// How tightly a part of a formula holds together; a looser part inside a tighter one stands between parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tight {
    Compare,
    Sum,
    Product,
    Power,
    Atom,
}

impl Equations {
    /// A line for each field, each formula that is a field, and each formula of `[let]` that they name.
    pub fn written(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut lets = Vec::new();
        for field in &self.fields {
            let mut right = self.formula(&field.dt, Tight::Sum, &mut lets);
            if let Some(noise) = &field.noise {
                right += &format!(" + {} ξ", self.formula(noise, Tight::Product, &mut lets));
            }
            lines.push(format!("∂{0}/∂t = {right}", name(&field.name)));
        }
        for auxiliary in &self.auxiliaries {
            if let Some(known) = &auxiliary.name {
                let is = self.formula(&auxiliary.is, Tight::Compare, &mut lets);
                lines.push(format!("{} = {is}", name(known)));
            }
        }
        let mut at = 0;
        while let Some(&number) = lets.get(at) {
            let named = &self.lets[number];
            let is = self.formula(&named.formula, Tight::Compare, &mut lets);
            lines.push(format!("{} = {is}", name(&named.name)));
            at += 1;
        }
        lines
    }

    /// A formula on one line.
    pub fn formula_written(&self, formula: &Formula) -> String {
        self.formula(formula, Tight::Compare, &mut Vec::new())
    }

    /// A part that is to hold together at least so tightly; notes the formulas of `[let]` that it names.
    fn formula(&self, node: &Node, least: Tight, lets: &mut Vec<usize>) -> String {
        let (text, tight) = self.part(node, lets);
        if tight < least { format!("({text})") } else { text }
    }

    fn part(&self, node: &Node, lets: &mut Vec<usize>) -> (String, Tight) {
        let atom = |text: String| (text, Tight::Atom);
        match &node.term {
            Term::Number(value) if *value == std::f64::consts::PI => atom("π".to_owned()),
            Term::Number(value) => atom(format!("{value}").replace('-', "−")),
            Term::Parameter(at) => atom(name(&self.parameters[*at].name)),
            Term::Field(at) => atom(name(&self.fields[*at].name)),
            Term::Auxiliary(at) => match &self.auxiliaries[*at].name {
                Some(known) => atom(name(known)),
                None => self.part(&self.auxiliaries[*at].is, lets),
            },
            Term::Coordinate(Axis::X) => atom("x".to_owned()),
            Term::Coordinate(Axis::Y) => atom("y".to_owned()),
            Term::Time => atom("t".to_owned()),
            Term::Step => atom("Δt".to_owned()),
            Term::Let(at, _) => {
                if !lets.contains(at) {
                    lets.push(*at);
                }
                atom(name(&self.lets[*at].name))
            }
            Term::Minus(_) | Term::Pair(Sign::Times | Sign::Over, ..) => self.with_sign(node, lets),
            Term::Pair(sign, left, right) => self.pair(*sign, left, right, lets),
            Term::Call(function, all) => atom(self.call(*function, all, lets)),
            Term::Random(_) => atom("random()".to_owned()),
            Term::Normal(_) => atom("normal()".to_owned()),
            Term::Image(at) => atom(self.images[*at].name.clone()),
            Term::Lap(inner) => {
                let (mut order, mut of) = (2, inner);
                while let Some(deeper) = self.laplacian_of(of) {
                    (order, of) = (order + 2, deeper);
                }
                (format!("∇{}{}", raised(order), self.formula(of, Tight::Power, lets)), Tight::Power)
            }
            Term::First(axis, of) => (self.derivative("", *axis, of, lets), Tight::Power),
            Term::Second(axis, of) => (self.derivative("²", *axis, of, lets), Tight::Power),
            Term::Div(factor, of) => {
                let gradient = format!("∇{}", self.formula(of, Tight::Power, lets));
                let factor = self.formula(factor, Tight::Product, lets);
                let inside = if factor == "1" { gradient } else { beside(&factor, &gradient) };
                (format!("∇·({inside})"), Tight::Power)
            }
            Term::Adv(a, b, of) if self.grid.dimensions == 1 || is_zero(b) => {
                let inside = self.factors(a, of, lets);
                (format!("∂({inside})/∂x"), Tight::Power)
            }
            Term::Adv(a, b, of) if is_zero(a) => {
                let inside = self.factors(b, of, lets);
                (format!("∂({inside})/∂y"), Tight::Power)
            }
            Term::Adv(a, b, of) => {
                let [a, b] = [a, b].map(|part| self.formula(part, Tight::Sum, lets));
                (format!("∇·(({a}, {b}) {})", self.formula(of, Tight::Product, lets)), Tight::Power)
            }
            Term::Grad2(of) => atom(format!("|∇{}|²", self.formula(of, Tight::Power, lets))),
            Term::Total(at) => {
                let total = &self.totals[*at];
                let of = self.formula(&total.of, Tight::Sum, lets);
                atom(if total.mean { format!("⟨{of}⟩") } else { format!("∫({of})") })
            }
        }
    }

    /// The argument of a Laplacian that is the argument of another.
    fn laplacian_of<'n>(&'n self, node: &'n Formula) -> Option<&'n Formula> {
        match &node.term {
            Term::Lap(inner) => Some(inner),
            Term::Auxiliary(at) if self.auxiliaries[*at].name.is_none() => {
                self.laplacian_of(&self.auxiliaries[*at].is)
            }
            _ => None,
        }
    }

    fn derivative(&self, order: &str, axis: Axis, of: &Formula, lets: &mut Vec<usize>) -> String {
        let letter = if axis == Axis::X { 'x' } else { 'y' };
        format!("∂{order}{}/∂{letter}{order}", self.formula(of, Tight::Atom, lets))
    }

    /// A product of two.
    fn factors(&self, a: &Formula, b: &Formula, lets: &mut Vec<usize>) -> String {
        beside(&self.formula(a, factor(a), lets), &self.formula(b, factor(b), lets))
    }

    /// A part with the sign before it.
    fn with_sign(&self, node: &Node, lets: &mut Vec<usize>) -> (String, Tight) {
        match self.unsigned(node, lets) {
            (true, text, _) => (format!("−{text}"), Tight::Sum),
            (false, text, tight) => (text, tight),
        }
    }

    /// The sign and the rest of a part: true for a minus, and what holds together as a product then. Signs of first factors are signs of the
    /// product, and factors of 1 are left out.
    fn unsigned(&self, node: &Node, lets: &mut Vec<usize>) -> (bool, String, Tight) {
        match &node.term {
            Term::Minus(inner) => match self.unsigned(inner, lets) {
                (minus, text, tight) if tight >= Tight::Product => (!minus, text, tight),
                _ => (true, self.formula(inner, Tight::Product, lets), Tight::Atom),
            },
            Term::Number(value) if *value < 0.0 => (true, format!("{}", -value), Tight::Atom),
            Term::Pair(Sign::Times, one, other) if is_number(one, 1.0) => self.unsigned(other, lets),
            Term::Pair(Sign::Times | Sign::Over, other, one) if is_number(one, 1.0) => {
                self.unsigned(other, lets)
            }
            Term::Pair(sign @ (Sign::Times | Sign::Over), left, right) => {
                let least = if *sign == Sign::Times { factor(left) } else { Tight::Product };
                let (minus, text, tight) = self.unsigned(left, lets);
                let text = if tight < least { format!("({text})") } else { text };
                match sign {
                    Sign::Times => {
                        let right = self.formula(right, factor(right), lets);
                        (minus, beside(&text, &right), Tight::Product)
                    }
                    _ => {
                        (minus, format!("{text}/{}", self.formula(right, Tight::Power, lets)), Tight::Product)
                    }
                }
            }
            _ => {
                let (text, tight) = self.part(node, lets);
                (false, text, tight)
            }
        }
    }

    /// A sum, or a difference, without 0 and with one sign between its parts.
    fn sum(&self, minus: bool, left: &Formula, right: &Formula, lets: &mut Vec<usize>) -> (String, Tight) {
        if is_number(right, 0.0) {
            return self.part(left, lets);
        }
        let (has_sign, text, tight) = self.unsigned(right, lets);
        let minus = minus != has_sign;
        let text = if minus && tight < Tight::Product { format!("({text})") } else { text };
        match (is_number(left, 0.0), minus) {
            (true, true) => (format!("−{text}"), Tight::Sum),
            (true, false) => (text, tight),
            (false, _) => {
                let sign = if minus { "−" } else { "+" };
                (format!("{} {sign} {text}", self.formula(left, Tight::Sum, lets)), Tight::Sum)
            }
        }
    }

    fn pair(&self, sign: Sign, left: &Formula, right: &Formula, lets: &mut Vec<usize>) -> (String, Tight) {
        let mut part = |node: &Formula, least: Tight| self.formula(node, least, lets);
        match sign {
            Sign::Add | Sign::Subtract => self.sum(sign == Sign::Subtract, left, right, lets),
            Sign::Power => {
                let base = part(left, Tight::Atom);
                match right.term {
                    Term::Number(value) if value.fract() == 0.0 && (0.0..100.0).contains(&value) => {
                        (format!("{base}{}", raised(value as u32)), Tight::Power)
                    }
                    _ => (format!("{base}^{}", part(right, Tight::Atom)), Tight::Power),
                }
            }
            _ => {
                let spelt = match sign {
                    Sign::AtMost => "≤",
                    Sign::AtLeast => "≥",
                    Sign::Equal => "=",
                    other => other.spelt(),
                };
                (format!("{} {spelt} {}", part(left, Tight::Sum), part(right, Tight::Sum)), Tight::Compare)
            }
        }
    }

    fn call(&self, function: Function, all: &[Formula], lets: &mut Vec<usize>) -> String {
        let mut parts: Vec<String> = Vec::new();
        for part in all {
            parts.push(self.formula(part, Tight::Compare, lets));
        }
        let inside = parts.join(", ");
        match function {
            Function::Sqrt => format!("√({inside})"),
            Function::Abs => format!("|{inside}|"),
            _ => format!("{}({inside})", function.name()),
        }
    }
}

/// A product: numbers first, and a dot where two digits would meet.
fn beside(left: &str, right: &str) -> String {
    if left.ends_with(')') && right.starts_with('(') {
        return format!("{left}{right}");
    }
    let joint = if right.starts_with(|c: char| c.is_ascii_digit()) { "·" } else { " " };
    format!("{left}{joint}{right}")
}

/// How tightly a factor has to hold together: u/2 beside v could be read as u/(2 v).
fn factor(node: &Node) -> Tight {
    match node.term {
        Term::Pair(Sign::Over, ..) => Tight::Power,
        _ => Tight::Product,
    }
}

fn is_zero(node: &Node) -> bool {
    is_number(node, 0.0)
}

fn is_number(node: &Node, number: f64) -> bool {
    matches!(node.term, Term::Number(value) if value == number)
}

/// A whole number as an exponent.
fn raised(number: u32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number.to_string().bytes().map(|digit| DIGITS[usize::from(digit - b'0')]).collect()
}

/// A name with its Greek letter, and its last digits as an index.
fn name(text: &str) -> String {
    const GREEK: &[(&str, &str)] = &[
        ("alpha", "α"),
        ("beta", "β"),
        ("gamma", "γ"),
        ("delta", "δ"),
        ("eps", "ε"),
        ("epsilon", "ε"),
        ("eta", "η"),
        ("theta", "θ"),
        ("kappa", "κ"),
        ("lambda", "λ"),
        ("mu", "μ"),
        ("nu", "ν"),
        ("rho", "ρ"),
        ("sigma", "σ"),
        ("tau", "τ"),
        ("phi", "φ"),
        ("chi", "χ"),
        ("psi", "ψ"),
        ("omega", "ω"),
    ];
    const INDICES: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];
    let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let index = text[letters.len()..].bytes().map(|digit| INDICES[usize::from(digit - b'0')]);
    let letters = GREEK.iter().find(|(spelt, _)| *spelt == letters).map_or(letters, |(_, letter)| letter);
    letters.chars().chain(index).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{NoFiles, Overrides};
    use super::*;

    /// The first line of a file whose right side is this.
    fn written(dt: &str) -> Vec<String> {
        let text = format!(
            "grid = {{ size = [9, 9], length = [1, 1] }}\nrun = {{ step = 0.1 }}\nparameters = {{ D = 2, eps2 = 1, k = 1 }}\n\
             let = {{ q = \"u^2 + v^2\" }}\n[fields]\nu = {{ dt = \"{dt}\", edges = \"periodic\" }}\n\
             v = {{ dt = \"0\", edges = \"periodic\" }}"
        );
        let read = Equations::read(&text, &Overrides::default(), &mut NoFiles);
        read.map(|equations| equations.written()).unwrap_or_default()
    }

    #[test]
    fn right_sides_are_written_as_on_paper() {
        for (dt, line) in [
            ("D*lap(u) - u^3 + 0.5*v", "D ∇²u − u³ + 0.5 v"),
            ("u*(1-u)*(u-k)", "u (1 − u)(u − k)"),
            ("-(u-v)", "−(u − v)"),
            ("u - (v - k)", "u − (v − k)"),
            ("u*v/(u+k) - u/v/k", "u v/(u + k) − u/v/k"),
            ("u*(v/k)", "u (v/k)"),
            ("u/(v*k)", "u/(v k)"),
            ("-lap(lap(u)) - 2*lap(u)", "−∇⁴u − 2 ∇²u"),
            ("div(D*u*grad(v))", "∇·(D u ∇v)"),
            ("lap(u^3 - eps2*u)", "∇²(u³ − ε₂ u)"),
            ("dx(u)*dyy(u+v) + (-u)^2", "∂u/∂x ∂²(u + v)/∂y² + (−u)²"),
            ("-adv(u/2, 0, u) + adv(u, v, u)", "−∂((u/2) u)/∂x + ∇·((u, v) u)"),
            ("u^k + u^-2 + 2^(u+1)", "u^k + u^(−2) + 2^(u + 1)"),
            ("grad2(u) - mean(u*v) + sqrt(abs(u))", "|∇u|² − ⟨u v⟩ + √(|u|)"),
            ("where(x <= 2, sin(2*pi*x), u > v)", "where(x ≤ 2, sin(2 π x), u > v)"),
            ("u + -v", "u − v"),
            ("u*2*3", "u·2·3"),
            ("1*lap(u) + 0 - 0*u", "∇²u − 0 u"),
            ("0 - u + -2*v - -k*u", "−u − 2 v + k u"),
            ("0 + u/1 - (-u)/2 + -(u + v)", "u + u/2 − (u + v)"),
            ("u*(-2)*1 - (u - v)*1", "u (−2) − (u − v)"),
            ("-2*(u-v)^2/3 + (u + v)*1", "−2 (u − v)²/3 + u + v"),
        ] {
            let found = written(dt);
            assert_eq!(found.first().map(String::as_str), Some(format!("∂u/∂t = {line}").as_str()), "{dt}");
        }
        assert_eq!(written("lap(q)"), ["∂u/∂t = ∇²q", "∂v/∂t = 0", "q = u² + v²"]);
    }
}
