//! `quadrille trace --plan`: the work of each scope, and what cards would take for it at least.

use anyhow::Result;
use quadrille::trace::{Branch, CARDS, Card, Sum, Trace};

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
    let own = Card::of(&trace.renderer);
    output::say("")?;
    for known in &CARDS {
        if card.is_some_and(|card| name(card) != known.name) {
            continue;
        }
        let predicted = trace.predicted(known);
        let mut beside = String::new();
        if own == Some(known) {
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
        output::say(&format!("{}: {} or more{beside}", known.name, seconds(predicted)))?;
        output::say(&format!("    {}", known.source))?;
    }
    Ok(())
}

fn name(card: CardName) -> &'static str {
    match card {
        CardName::H200 => "h200",
        CardName::Llvmpipe => "llvmpipe",
        CardName::Geforce6800 => "geforce-6800",
        CardName::Radeon9700 => "radeon-9700",
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
