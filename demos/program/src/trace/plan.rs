//! `quadrille trace --plan`: the work of each scope, and what cards would take for it at least.

use anyhow::Result;
use quadrille::trace::{Branch, Sum, Trace};

use crate::cli::CardName;
use crate::files::shown;
use crate::output;

/// Scopes deeper than this are in the sums of those above.
const DEEPEST: usize = 4;

pub fn print(trace: &Trace, card: Option<CardName>) -> Result<()> {
    output::say(&format!(
        "{:<44} {:>7} {:>12} {:>25} {:>12} {:>10}",
        "scope", "passes", "texels", "fetches", "bytes", "measured"
    ))?;
    for (path, sum) in scopes(trace) {
        output::say(&line(&path, &sum))?;
    }
    let measured = trace.sums()[0].seconds;
    let own = trace.card.as_ref();
    output::say("")?;
    if own.is_none() && matches!(card, None | Some(CardName::This)) {
        output::say(&format!(
            "{}: its floors are not known; `quadrille bench costs` measures them; measured here {}",
            shown(&trace.renderer),
            seconds(measured)
        ))?;
    }
    for known in trace.cards() {
        let is_own = own == Some(known);
        let is_asked = card.is_none_or(|card| name(card).map_or(is_own, |name| name == known.name));
        if !is_asked {
            continue;
        }
        let predicted = trace.predicted(known);
        let mut beside = String::new();
        if is_own {
            beside = format!(", measured here {}", seconds(measured));
            if let (passes @ 1.., took, least) = trace.without_first_runs(known) {
                let passes = super::passes(passes);
                beside += &format!(
                    "; without the first run of each kernel {} for {passes}, {:.2} of its floor",
                    seconds(took),
                    took / least
                );
            }
        }
        output::say(&format!("{}: {} or more{beside}", shown(&*known.name), seconds(predicted)))?;
        output::say(&format!("    {}", shown(&*known.source)))?;
    }
    Ok(())
}

/// Its name in the table of cards, if it is one of that.
fn name(card: CardName) -> Option<&'static str> {
    match card {
        CardName::This => None,
        CardName::H200 => Some("h200"),
        CardName::Llvmpipe => Some("llvmpipe"),
        CardName::Geforce6800 => Some("geforce-6800"),
        CardName::Radeon9700 => Some("radeon-9700"),
    }
}

/// A line for each scope.
fn scopes(trace: &Trace) -> Vec<(String, Sum)> {
    let shallow = trace.tree().into_iter().filter(|branch| branch.depth <= DEEPEST);
    let line = |branch: Branch| {
        let times = branch.scopes.len();
        let times = if times > 1 { format!(" x{times}") } else { String::new() };
        (format!("{}{}{times}", "  ".repeat(branch.depth), shown(branch.name)), branch.sum)
    };
    shallow.map(line).collect()
}

fn line(path: &str, sum: &Sum) -> String {
    let texels = if sum.at_most { format!("<= {}", sum.texels) } else { sum.texels.to_string() };
    let fetches = match sum.fetches {
        (least, Some(most)) if least == most => least.to_string(),
        (least, Some(most)) => format!("{least} to {most}"),
        (least, None) => format!("{least} or more"),
    };
    let measured = seconds(sum.seconds);
    format!("{path:<44} {:>7} {texels:>12} {fetches:>25} {:>12} {measured:>10}", sum.passes, sum.bytes)
}

fn seconds(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", 1e3 * s),
        s => format!("{:.1} us", 1e6 * s),
    }
}
