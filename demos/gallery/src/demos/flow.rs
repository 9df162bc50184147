//! Parameters that demos of fluids share: how the pressure is found, and how a field is carried along.

use quadrille::sim::fluid::{Advection, Pressure};

use crate::param::{Choice, Kept, Kind, Live, Param, Values};

/// The ways to a pressure, as they are unless the user says otherwise, and a line about each.
const METHODS: [(Pressure, &str); 3] = [
    (Pressure::Multigrid { cycles: 2, before: 4, after: 2 }, "V-cycles, each a fixed number of passes"),
    (
        Pressure::Cg { tolerance: 1e-4 },
        "Conjugate gradients up to a tolerance: looks at its residual every few iterations",
    ),
    (Pressure::Jacobi { sweeps: 40 }, "Sweeps of Jacobi's relaxation, as games of 2004 had it"),
];

/// The way to the pressure.
pub const PRESSURE: Param = Param {
    name: "pressure",
    kind: Kind::Choice(|| METHODS.map(|(method, help)| Choice { name: method.name(), help }).to_vec()),
    default: "multigrid",
    help: "How the pressure is found that makes the flow free of divergence",
    kept: Kept::Yes,
    live: Live::Words,
    ..Param::NEW
};

/// The way of advection.
pub const ADVECTION: Param = Param {
    name: "advection",
    kind: Kind::Choice(|| Advection::ALL.map(|way| Choice { name: way.name(), help: "" }).to_vec()),
    default: "maccormack",
    kept: Kept::Yes,
    live: Live::Words,
    ..Param::NEW
};

/// The pressure that `values` ask for: `before` unless they name another way.
pub fn pressure(values: &Values, before: Pressure) -> Pressure {
    let named = values.word("pressure").filter(|&name| name != before.name());
    let found = METHODS.iter().find(|(method, _)| Some(method.name()) == named);
    found.map_or(before, |&(method, _)| method)
}

/// The advection that `values` ask for.
pub fn advection(values: &Values) -> Option<Advection> {
    let name = values.word("advection")?;
    Advection::ALL.into_iter().find(|way| way.name() == name)
}
