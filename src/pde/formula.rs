//! Formulas whose names are known: what the interpreter computes and the generator writes as a kernel.

use std::rc::Rc;

use super::Sign;
use crate::script::Span;

/// A formula, shared by all that it is a part of.
pub type Formula = Rc<Node>;

/// A part of a formula and where it stands in the file.
#[derive(Debug)]
pub struct Node {
    /// The operation or value.
    pub term: Term,
    /// Its place in the file.
    pub span: Span,
    /// Its contents.
    pub has: Has,
    /// The number of parts that lie one inside the other.
    pub(super) depth: u32,
}

/// An axis of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// To the right, along a row.
    X,
    /// Upward, along a column.
    Y,
}

impl Axis {
    /// 0 or 1.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// An operation or a value.
#[derive(Debug)]
pub enum Term {
    /// A number of the file.
    Number(f64),
    /// A parameter, by its number.
    Parameter(usize),
    /// A field with `dt`.
    Field(usize),
    /// A field with `is`, or one that an operator of an operator made.
    Auxiliary(usize),
    /// x or y of the node.
    Coordinate(Axis),
    /// t, the time reached.
    Time,
    /// The time step.
    Step,
    /// A formula of `[let]`, by its number, and its contents.
    Let(usize, Formula),
    /// −e.
    Minus(Formula),
    /// An operation on two formulas.
    Pair(Sign, Formula, Formula),
    /// A function of one to three formulas, as [`Function::ALL`] says.
    Call(Function, Vec<Formula>),
    /// An even number of 0 to 1, another at each node; which of the formula's.
    Random(usize),
    /// A number of the normal distribution, likewise.
    Normal(usize),
    /// An array or a picture.
    Image(usize),
    /// The Laplacian.
    Lap(Formula),
    /// ∂/∂x, ∂/∂y by central differences.
    First(Axis, Formula),
    /// ∂²/∂x², ∂²/∂y².
    Second(Axis, Formula),
    /// ∇·(D ∇e).
    Div(Formula, Formula),
    /// ∇·((a, b) u).
    Adv(Formula, Formula, Formula),
    /// |∇e|², the mean of the one-sided squares.
    Grad2(Formula),
    /// An integral over the domain, or a mean.
    Total(usize),
}

/// The contents of a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Has {
    /// Derivatives: `lap`, `dx`, ...
    pub operator: bool,
    /// `integral` or `mean`.
    pub total: bool,
    /// `random` or `normal`.
    pub random: bool,
    /// Fields, auxiliary ones among them.
    pub field: bool,
    /// x or y.
    pub coordinate: bool,
    /// t.
    pub time: bool,
    /// The time step.
    pub step: bool,
    /// Parameters.
    pub parameter: bool,
    /// Arrays or pictures.
    pub image: bool,
}

impl Has {
    fn with(self, other: Has) -> Has {
        Has {
            operator: self.operator || other.operator,
            total: self.total || other.total,
            random: self.random || other.random,
            field: self.field || other.field,
            coordinate: self.coordinate || other.coordinate,
            time: self.time || other.time,
            step: self.step || other.step,
            parameter: self.parameter || other.parameter,
            image: self.image || other.image,
        }
    }

    /// Returns true if it is the same number at all nodes and times while the parameters are.
    pub fn is_constant(self) -> bool {
        Has { parameter: false, step: false, ..self } == Has::default()
    }
}

impl Node {
    pub(super) fn new(term: Term, span: Span) -> Formula {
        let parts = term.parts();
        let mut has = parts.iter().fold(Has::default(), |has, part| has.with(part.has));
        match term {
            Term::Parameter(_) => has.parameter = true,
            Term::Field(_) | Term::Auxiliary(_) => has.field = true,
            Term::Coordinate(_) => has.coordinate = true,
            Term::Time => has.time = true,
            Term::Step => has.step = true,
            Term::Random(_) | Term::Normal(_) => has.random = true,
            Term::Image(_) => has.image = true,
            Term::Total(_) => has.total = true,
            _ => has.operator |= term.is_operator(),
        }
        let depth = 1 + parts.iter().map(|part| part.depth).max().unwrap_or(0);
        Rc::new(Node { term, span, has, depth })
    }

    /// Visits this part and all parts of it, each place once.
    pub fn visit(&self, see: &mut dyn FnMut(&Node)) {
        see(self);
        self.term.parts().into_iter().for_each(|part| part.visit(see));
    }

    /// This formula with what `[let]` holds in the place of its name.
    pub fn opened(&self) -> &Node {
        match &self.term {
            Term::Let(_, inner) => inner.opened(),
            _ => self,
        }
    }
}

/// Returns true if two formulas are the same, wherever they stand.
pub(super) fn same(a: &Node, b: &Node) -> bool {
    let (a, b) = (a.opened(), b.opened());
    let alike = match (&a.term, &b.term) {
        (Term::Number(a), Term::Number(b)) => a == b,
        (Term::Parameter(a), Term::Parameter(b))
        | (Term::Field(a), Term::Field(b))
        | (Term::Auxiliary(a), Term::Auxiliary(b))
        | (Term::Image(a), Term::Image(b)) => a == b,
        (Term::Coordinate(a), Term::Coordinate(b)) => a == b,
        (Term::Pair(a, ..), Term::Pair(b, ..)) => a == b,
        (Term::Call(a, _), Term::Call(b, _)) => a == b,
        (Term::First(a, _), Term::First(b, _)) | (Term::Second(a, _), Term::Second(b, _)) => a == b,
        (Term::Random(_) | Term::Normal(_) | Term::Total(_), _) => false,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    };
    let (left, right) = (a.term.parts(), b.term.parts());
    alike && left.len() == right.len() && left.iter().zip(right).all(|(a, b)| same(a, b))
}

impl Term {
    /// The formulas that it is made of.
    pub fn parts(&self) -> Vec<&Formula> {
        match self {
            Term::Let(_, a)
            | Term::Minus(a)
            | Term::Lap(a)
            | Term::First(_, a)
            | Term::Second(_, a)
            | Term::Grad2(a) => vec![a],
            Term::Pair(_, a, b) | Term::Div(a, b) => vec![a, b],
            Term::Adv(a, b, c) => vec![a, b, c],
            Term::Call(_, all) => all.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns true for derivatives.
    pub fn is_operator(&self) -> bool {
        use Term::{Adv, Div, First, Grad2, Lap, Second};
        matches!(self, Lap(_) | First(..) | Second(..) | Div(..) | Adv(..) | Grad2(_))
    }
}

/// A function of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// The sine of an angle in radians.
    Sin,
    /// The cosine.
    Cos,
    /// The tangent.
    Tan,
    /// The angle from −π/2 to π/2 of that sine.
    Asin,
    /// The angle from 0 to π of that cosine.
    Acos,
    /// The angle from −π/2 to π/2 of that tangent.
    Atan,
    /// `atan2(b, a)`: the angle from −π to π of the point (a, b).
    Atan2,
    /// The hyperbolic sine.
    Sinh,
    /// The hyperbolic cosine.
    Cosh,
    /// The hyperbolic tangent.
    Tanh,
    /// e to that power.
    Exp,
    /// The natural logarithm.
    Log,
    /// The square root.
    Sqrt,
    /// The number without its sign.
    Abs,
    /// −1, 0 or 1.
    Sign,
    /// The largest whole number that is not above it.
    Floor,
    /// `mod(a, b)`: a − b⌊a/b⌋, of the sign of b.
    Mod,
    /// The smaller of two.
    Min,
    /// The larger of two.
    Max,
    /// `clamp(a, low, high)`: a, but `low` at least and `high` at most.
    Clamp,
    /// `where(c, a, b)`: a where c ≠ 0, else b.
    Where,
    /// 1 from 0 on, else 0.
    Heaviside,
    /// `gauss(z)`: exp(−z²/2).
    Gauss,
}

impl Function {
    /// All of them by name, and how many arguments they take.
    pub const ALL: &'static [(&'static str, Function, usize)] = &[
        ("sin", Function::Sin, 1),
        ("cos", Function::Cos, 1),
        ("tan", Function::Tan, 1),
        ("asin", Function::Asin, 1),
        ("acos", Function::Acos, 1),
        ("atan", Function::Atan, 1),
        ("atan2", Function::Atan2, 2),
        ("sinh", Function::Sinh, 1),
        ("cosh", Function::Cosh, 1),
        ("tanh", Function::Tanh, 1),
        ("exp", Function::Exp, 1),
        ("log", Function::Log, 1),
        ("sqrt", Function::Sqrt, 1),
        ("abs", Function::Abs, 1),
        ("sign", Function::Sign, 1),
        ("floor", Function::Floor, 1),
        ("mod", Function::Mod, 2),
        ("min", Function::Min, 2),
        ("max", Function::Max, 2),
        ("clamp", Function::Clamp, 3),
        ("where", Function::Where, 3),
        ("heaviside", Function::Heaviside, 1),
        ("gauss", Function::Gauss, 1),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Function::ALL.iter().find(|(_, function, _)| *function == self).map_or("", |(name, ..)| name)
    }

    /// Its value in f64. `mod(a, b)` is a − b⌊a/b⌋, `where(c, a, b)` is a for c ≠ 0, `heaviside` is 1 from 0 on, `gauss(z)` is
    /// exp(−z²/2).
    pub fn of(self, arguments: [f64; 3]) -> f64 {
        let [a, b, c] = arguments;
        match self {
            Function::Sin => a.sin(),
            Function::Cos => a.cos(),
            Function::Tan => a.tan(),
            Function::Asin => a.asin(),
            Function::Acos => a.acos(),
            Function::Atan => a.atan(),
            Function::Atan2 => a.atan2(b),
            Function::Sinh => a.sinh(),
            Function::Cosh => a.cosh(),
            Function::Tanh => a.tanh(),
            Function::Exp => a.exp(),
            Function::Log => a.ln(),
            Function::Sqrt => a.sqrt(),
            Function::Abs => a.abs(),
            Function::Sign if a == 0.0 => 0.0,
            Function::Sign => a.signum(),
            Function::Floor => a.floor(),
            Function::Mod => a - b * (a / b).floor(),
            Function::Min => a.min(b),
            Function::Max => a.max(b),
            Function::Clamp => a.max(b).min(c),
            Function::Where => {
                if a != 0.0 {
                    b
                } else {
                    c
                }
            }
            Function::Heaviside => f64::from(a >= 0.0),
            Function::Gauss => (-0.5 * a * a).exp(),
        }
    }
}

impl Sign {
    /// Its value in f64; a comparison gives 1 or 0.
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Sign::Add => a + b,
            Sign::Subtract => a - b,
            Sign::Times => a * b,
            Sign::Over => a / b,
            Sign::Power => a.powf(b),
            Sign::Less => f64::from(a < b),
            Sign::AtMost => f64::from(a <= b),
            Sign::More => f64::from(a > b),
            Sign::AtLeast => f64::from(a >= b),
            Sign::Equal => f64::from(a == b),
        }
    }
}
