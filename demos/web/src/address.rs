//! The demo that is shown, as the address of the page: `?demo=fluid&scene=vortices&seed=3`.
//!
//! `demo` and `seed` are the page's own, `kernel.sim/wave_step.frag` is the text of an edited kernel, and all others are keys of parameters.
//! Usual values are left out.

use anyhow::{Context, Result, anyhow};
use js_sys::{decode_uri_component, encode_uri_component};
use quadrille_gallery::demo::About;
use quadrille_gallery::list;
use quadrille_gallery::param::Values;
use quadrille_gallery::sketch;

/// The beginning of the key of an edited kernel.
const KERNEL: &str = "kernel.";

/// Letters of an address that every browser and most programs take.
pub const LONGEST: usize = 8000;

/// A demo and all that its start is told.
pub struct Address {
    pub about: &'static About,
    pub values: Values,
    pub seed: Option<u64>,
    /// Names and texts of edited kernels.
    pub kernels: Vec<(String, String)>,
}

impl Address {
    /// Reads an address; `None` of one that names no demo.
    ///
    /// # Errors
    /// One line: a demo or a parameter that there is not, a value that is none, and what was expected.
    pub fn read(address: &str) -> Result<Option<Address>> {
        let (mut demo, mut seed, mut kernels, mut rest) = (None, None, Vec::new(), Vec::new());
        for part in address.trim_start_matches('?').split('&').filter(|part| !part.is_empty()) {
            let part = decode_uri_component(part).map_err(|_| anyhow!("{part}: no letters of an address"))?;
            let part = String::from(part);
            match part.split_once('=') {
                Some(("demo", name)) => demo = Some(name.to_owned()),
                Some(("seed", text)) => {
                    let found = text.parse();
                    seed = Some(found.map_err(|_| anyhow!("seed={text}: expected a whole number"))?);
                }
                Some((key, text)) if key.starts_with(KERNEL) => {
                    kernels.push((key[KERNEL.len()..].to_owned(), text.to_owned()));
                }
                _ => rest.push(part),
            }
        }
        let Some(demo) = demo else {
            let first = rest.first().map_or(Ok(None), |part| Err(anyhow!("{part}: no demo in the address")));
            return first;
        };
        let known = || list::DEMOS.iter().map(|about| about.name).collect::<Vec<_>>().join(", ");
        let about = sketch::named(&demo).with_context(|| format!("demo={demo}: expected {}", known()))?;
        let values = about.values_of(&rest.join("&")).map_err(|line| anyhow!(line))?;
        Ok(Some(Address { about, values, seed, kernels }))
    }

    /// The address that [`Address::read`] reads as this.
    pub fn written(&self) -> String {
        let mut parts = vec![format!("demo={}", self.about.name)];
        let values = self.about.unusual(&self.values);
        parts.extend(values.map(|(param, value)| format!("{}={}", param.key(), escaped(&value.to_string()))));
        parts.extend(self.seed.map(|seed| format!("seed={seed}")));
        parts.extend(
            self.kernels.iter().map(|(name, text)| format!("{KERNEL}{}={}", escaped(name), escaped(text))),
        );
        format!("?{}", parts.join("&"))
    }
}

fn escaped(text: &str) -> String {
    encode_uri_component(text).into()
}
