//! Parameters that demos of fluids share: how the pressure is found, and how a field is carried along.

use quadrille::sim::fluid::{Advection, Pressure};

use crate::param::{Choice, Kept, Kind, Live, Param, Section, Values};

/// The ways to a pressure, as they are unless the user says otherwise, and a line about each.
const METHODS: [(Pressure, &str); 3] = [
    (
        Pressure::Multigrid { cycles: 2, before: 4, after: 2 },
        "Cycles down to coarse grids and up again, each a fixed number of passes: fastest",
    ),
    (
        Pressure::Cg { tolerance: 1e-4 },
        "Conjugate gradients, until the residual, what is left to do, is below a tolerance",
    ),
    (
        Pressure::Jacobi { sweeps: 40 },
        "Sweeps in which each cell takes the mean of its neighbours (Jacobi), as games of 2004 had it",
    ),
];

/// The way to the pressure.
pub const PRESSURE: Param = Param {
    name: "pressure",
    kind: Kind::Choice(|| METHODS.map(|(method, help)| Choice { name: method.name(), help }).to_vec()),
    default: "multigrid",
    help: "How the pressure is found that makes the flow free of divergence",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

/// The way of advection.
pub const ADVECTION: Param = Param {
    name: "advection",
    kind: Kind::Choice(|| Advection::ALL.map(|way| Choice { name: way.name(), help: carried(way) }).to_vec()),
    default: "maccormack",
    kept: Kept::Yes,
    live: Live::Words,
    section: Section::Solver,
    ..Param::NEW
};

/// The way that is gone, in a line.
fn carried(way: Advection) -> &'static str {
    match way {
        Advection::SemiLagrangian => {
            "each place takes what was where its fluid came from: simple, and it smears"
        }
        Advection::MacCormack => {
            "the same there and back again, whose difference shows the error and takes half of it away"
        }
    }
}

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

/// Shows names and what was found, a row each, with what they mean.
#[cfg(feature = "panel")]
pub fn explained<'a>(
    ui: &mut egui::Ui,
    id: &str,
    rows: impl IntoIterator<Item = (&'a str, String, &'a str)>,
) {
    egui::Grid::new(id).num_columns(2).show(ui, |ui| {
        for (name, value, help) in rows {
            ui.label(name).on_hover_text(help);
            ui.monospace(value).on_hover_text(help);
            ui.end_row();
        }
    });
}
