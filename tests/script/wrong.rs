//! Scripts that are wrong, each with the one line that it must give (`tests/data/wrong-scripts.txt`).
//! The limits are those of an old card, so that sizes in messages are the same on every driver.

use quadrille::{Limits, Result};

use crate::support::on_card;
use crate::told;

/// Each a script and what is told of it.
fn wrong() -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    let mut script = String::new();
    for line in include_str!("../data/wrong-scripts.txt").lines() {
        if let Some(text) = line.strip_prefix("> ").or(line.strip_prefix('>')) {
            script += text;
            script.push('\n');
        } else if !line.is_empty() && !line.starts_with('#') {
            found.push((std::mem::take(&mut script).trim_end_matches('\n').to_owned(), line));
        }
    }
    found
}

#[test]
fn each_wrong_script_gives_its_one_line() -> Result<()> {
    let wrong = wrong();
    assert!(wrong.len() >= 40, "{}", wrong.len());
    on_card(Limits::RADEON_9700, |gpu| {
        let mut others = String::new();
        for (script, line) in wrong {
            let told = told(gpu, &script);
            if told != line {
                others += &format!("{script}\n{told}\n");
            }
        }
        assert_eq!(others, "", "the lines of these have changed");
        Ok(())
    })
}
