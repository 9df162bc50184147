//! A demo as the address of a page: `?demo=fluid&scene=vortices&seed=3`.
//!
//! `demo` and `seed` are the page's own, `kernel.sim/wave_step.frag` is the text of an edited kernel, `equation` that of an edited file of
//! equations, and all others are keys of parameters. Usual values are left out.

use anyhow::{Context, Result, anyhow, ensure};
use quadrille::error::shown;
use quadrille::pde::{NoFiles, Refusal};

use crate::demo::About;
use crate::equations::{self, Mistake};
use crate::list;
use crate::param::{Kept, Values};
use crate::sketch;
use crate::state::State;

/// The beginning of the key of an edited kernel.
const KERNEL: &str = "kernel.";

/// Letters of an address that every browser and most programs take.
pub const LONGEST: usize = 8000;

/// A demo and all that its start is told.
pub struct Address {
    /// A file of equations that was edited is described by its text.
    pub about: &'static About,
    pub values: Values,
    pub seed: Option<u64>,
    /// Names and texts of edited kernels.
    pub kernels: Vec<(String, String)>,
    /// A text of the file of equations that has a mistake: the packed one stands in its place.
    pub wrong: Option<String>,
}

impl Address {
    /// A demo as it begins.
    pub fn of(about: &'static About) -> Address {
        Address { about, values: Values::new(), seed: None, kernels: Vec::new(), wrong: None }
    }

    /// A file of equations.
    ///
    /// # Errors
    /// One line: its first mistake.
    pub fn of_file(name: &str, text: &str) -> Result<Address> {
        Ok(Address::of(described(name, text)?))
    }

    /// The demo of a state, with the parameters and the text that it keeps.
    ///
    /// # Errors
    /// A demo that there is not; a value that is none of its parameter; a mistake in its text.
    pub fn of_state(state: &State) -> Result<Address> {
        let text = |key: &str| state.values.get(key).and_then(serde_json::Value::as_str);
        let equation = text(equations::TEXT).filter(|_| state.demo.ends_with(".toml"));
        let about = match equation {
            Some(text) => described(&state.demo, text)?,
            None => sketch::named(&state.demo)
                .with_context(|| format!("a state of {}, which is no demo", shown(&state.demo)))?,
        };
        let mut address = Address::of(about);
        for param in about.params().filter(|param| param.kept != Kept::No) {
            let text = match state.values.get(&param.key()) {
                Some(serde_json::Value::String(text)) => text.clone(),
                Some(serde_json::Value::Null) | None => continue,
                Some(value) => value.to_string(),
            };
            let value = param.parse(&text);
            address
                .values
                .set(param.name, value.map_err(|expected| anyhow!("{}={text}: {expected}", param.key()))?);
        }
        // A kernel of the user's own is part of its state.
        let kernel = text("kernel").filter(|_| about.name == sketch::ABOUT.name);
        address.kernels.extend(kernel.map(|text| (sketch::FILE.to_owned(), text.to_owned())));
        Ok(address)
    }

    /// Reads an address; `None` of one that names no demo.
    ///
    /// # Errors
    /// One line: a demo or a parameter that there is not, a value that is none, and what was expected.
    pub fn read(address: &str) -> Result<Option<Address>> {
        let (mut demo, mut seed, mut kernels, mut equation) = (None, None, Vec::new(), None);
        let mut rest = Vec::new();
        for part in address.trim_start_matches('?').split('&').filter(|part| !part.is_empty()) {
            let part = read_part(part).with_context(|| format!("{part}: no letters of an address"))?;
            match part.split_once('=') {
                Some(("demo", name)) => demo = Some(name.to_owned()),
                Some(("equation", text)) => equation = Some(text.to_owned()),
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
        let packed = sketch::named(&demo);
        let (about, wrong) = match equation {
            Some(text) if demo.ends_with(".toml") => match (described(&demo, &text), packed) {
                (Ok(about), _) => (about, None),
                (Err(_), Some(about)) => (about, Some(text)),
                (Err(error), None) => return Err(error),
            },
            Some(_) => return Err(anyhow!("equation=: {} is no file of equations", shown(&demo))),
            None => {
                let known = || list::DEMOS.iter().map(|about| about.name).collect::<Vec<_>>().join(", ");
                (packed.with_context(|| format!("demo={demo}: expected {}", known()))?, None)
            }
        };
        let values = match about.values_of(&rest.join("&")) {
            Ok(values) => values,
            // They may be of the text that has a mistake.
            Err(_) if wrong.is_some() => Values::new(),
            Err(line) => return Err(anyhow!(line)),
        };
        Ok(Some(Address { about, values, seed, kernels, wrong }))
    }

    /// The text of the file of equations, if it is not the packed one of that name.
    fn equation(&self) -> Option<&'static str> {
        self.about
            .equation
            .filter(|file| equations::packed(file.name) != Some(file.text))
            .map(|file| file.text)
    }

    /// The address that [`Address::read`] reads as this.
    pub fn written(&self) -> String {
        let mut parts = vec![format!("demo={}", written_part(self.about.name))];
        let values = self.about.unusual(&self.values);
        parts.extend(
            values.map(|(param, value)| format!("{}={}", param.key(), written_part(&value.to_string()))),
        );
        parts.extend(self.seed.map(|seed| format!("seed={seed}")));
        let kernels = self.kernels.iter();
        parts.extend(
            kernels.map(|(name, text)| format!("{KERNEL}{}={}", written_part(name), written_part(text))),
        );
        parts.extend(self.equation().map(|text| format!("equation={}", written_part(text))));
        format!("?{}", parts.join("&"))
    }

    /// The address to be shared, and what is said of it: behind `before` letters of the page's own it is as long as addresses are. Texts
    /// that have no room are left out.
    ///
    /// # Errors
    /// One line: nothing opens a file that is packed nowhere without its text.
    pub fn shared(mut self, before: usize) -> Result<(String, &'static str)> {
        let fits = |address: &Address| before + address.written().len() <= LONGEST;
        if !fits(&self) && !self.kernels.is_empty() {
            self.kernels.clear();
            if fits(&self) {
                let said = "the address is in the clipboard, without the kernels, which are too long for one";
                return Ok((self.written(), said));
            }
        }
        if fits(&self) || self.equation().is_none() {
            return Ok((self.written(), "the address is in the clipboard"));
        }
        let packed = sketch::named(self.about.name);
        let about = packed.context("the equation is too long for an address: save the state")?;
        let known = about.values_of(&about.address(&self.values)).unwrap_or_default();
        let shipped = Address { values: known, seed: self.seed, ..Address::of(about) };
        Ok((
            shipped.written(),
            "the address is in the clipboard, without the equation, which is too long for one",
        ))
    }
}

/// The description of a file of equations.
fn described(name: &str, text: &str) -> Result<&'static About> {
    ensure!(name.ends_with(".toml"), "{}: expected a file of equations, .toml", shown(name));
    // So that the linker drops what reads files.
    ensure!(list::ONLY.is_none(), "{}: a page of one demo has no equations", shown(name));
    if equations::packed(name) == Some(text)
        && let Some(about) = sketch::named(name)
    {
        return Ok(about);
    }
    equations::opened(name, text, "", &mut NoFiles).map_err(|refusal| match refusal {
        Refusal::Fault(fault) => {
            anyhow!(Mistake::new(&shown(name).to_string(), text, &fault).said().to_owned())
        }
        Refusal::Override(line) => anyhow!("{}: {line}", shown(name)),
    })
}

/// A text as a part of an address, as `encodeURIComponent` has it.
fn written_part(text: &str) -> String {
    let letter = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(letter).collect()
}

/// The text of a part of an address; `None` of what `decodeURIComponent` refuses.
fn read_part(part: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = part.as_bytes();
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push((digit(high)? * 16 + digit(low)?) as u8);
                after
            }
            (b'%', _) => return None,
            _ => {
                bytes.push(*first);
                after
            }
        };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that adds `end` to its only comment.
    fn file(end: &str) -> String {
        format!(
            "# Waves. {end}\ngrid = {{ size = 33, length = 1 }}\nrun = {{ step = 0.1, scheme = \"euler\", seed = 4 }}\n\
             parameters = {{ c = {{ value = 2, range = [1, 5] }} }}\n\
             fields.u = {{ dt = \"c*lap(u) + 0*(x < 1)\", start = \"normal()\" }}\n"
        )
    }

    fn of(text: &str) -> Result<Address> {
        Address::read(text)?.context("a demo")
    }

    #[test]
    fn a_text_comes_back_from_an_address_letter_by_letter() -> Result<()> {
        let awkward = "Wärme + Kälte & so = weiter? 100 % #1 ∂u/∂t 😀 'a' (b) \"c\" \\ %41 +";
        for (name, text) in [
            ("waves.toml", file(awkward)),
            ("waves.toml", file(awkward).replace('\n', "\r\n")),
            ("waves.toml", file("") + "\n\n\t# the end"),
            ("Wärme & Kälte=1.toml", file("")),
            ("heat.toml", file("")),
        ] {
            let address = Address::of_file(name, &text)?;
            let written = address.written();
            assert!(written.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#'), "{written}");
            let again = of(&written)?;
            let found = again.about.equation.map(|file| (file.name, file.text));
            assert_eq!(found, Some((name, text.as_str())));
            assert!(again.wrong.is_none() && again.written() == written, "{written}");
        }
        for letter in
            (1..=0x7f).chain([0x80, 0x7ff, 0x800, 0xffff, 0x1_0000, 0x10_ffff]).filter_map(char::from_u32)
        {
            let text = format!("a{letter}b");
            assert_eq!(read_part(&written_part(&text)).as_ref(), Some(&text));
        }
        for broken in ["%", "%4", "%4g", "%ff", "a%c3", "%+1"] {
            assert_eq!(read_part(broken), None, "{broken}");
        }
        Ok(())
    }

    #[test]
    fn an_edited_file_brings_its_own_parameters_and_a_packed_one_no_text() -> Result<()> {
        let mut address = Address::of_file("waves.toml", &file(""))?;
        (address.values, address.seed) = (Values::new().with("c", 3.5).with("size", 65_u64), Some(9));
        let again = of(&address.written())?;
        assert_eq!((again.values.double("c"), again.seed, again.about.seed), (Some(3.5), Some(9), 4));
        assert_eq!(again.values.whole::<u32>("size"), Some(65));
        let packed = of("demo=heat.toml&D=0.5")?;
        assert_eq!(packed.written(), "?demo=heat.toml&D=0.5");
        let text = equations::packed("heat.toml").context("heat")?;
        assert_eq!(Address::of_file("heat.toml", text)?.written(), "?demo=heat.toml");
        let new = of("demo=new-equation.toml")?;
        assert_eq!(new.written(), "?demo=new-equation.toml");
        Ok(())
    }

    #[test]
    fn a_text_with_a_mistake_leaves_the_packed_file_and_elsewhere_it_is_one_line() -> Result<()> {
        let wrong = file("").replace("lap(u)", "lap(w)");
        let heat = of(&format!("demo=heat.toml&c=3&equation={}", written_part(&wrong)))?;
        assert_eq!(heat.about.equation.map(|file| Some(file.text)), Some(equations::packed("heat.toml")));
        assert_eq!((heat.wrong.as_deref(), heat.values.has("c")), (Some(wrong.as_str()), false));
        for (address, line) in [
            (format!("demo=own.toml&equation={}", written_part(&wrong)), "own.toml:5:26: \"w\" is no field"),
            ("demo=own.toml".to_owned(), "demo=own.toml: expected reaction-diffusion"),
            ("demo=wave&equation=a".to_owned(), "equation=: wave is no file of equations"),
            ("equation=a".to_owned(), ""),
            (
                format!("demo=own.toml&k=3&equation={}", written_part(&file(""))),
                "own.toml: no parameter \"k\"",
            ),
        ] {
            let told =
                Address::read(&address).map(|read| read.is_some()).map_err(|error| format!("{error:#}"));
            match line {
                "" => assert_eq!(told, Ok(false)),
                line => assert!(
                    told.as_ref().is_err_and(|told| told.starts_with(line) && !told.contains('\n')),
                    "{told:?}"
                ),
            }
        }
        Ok(())
    }

    /// The longest address has room; one more letter has none, and each is told in its sentence.
    #[test]
    fn texts_are_shared_up_to_the_last_letter_that_has_room() -> Result<()> {
        let before = "https://example.org/page/".len();
        let of_length = |name: &str, more: usize| -> Result<Address> {
            let plain = Address::of_file(name, &file(""))?.written().len();
            let address = Address::of_file(name, &file(&"x".repeat(LONGEST + more - before - plain)))?;
            assert_eq!(before + address.written().len(), LONGEST + more);
            Ok(address)
        };
        let whole = "the address is in the clipboard";
        let (address, said) = of_length("heat.toml", 0)?.shared(before)?;
        assert_eq!((before + address.len(), said), (LONGEST, whole));
        let mut long = of_length("heat.toml", 1)?;
        long.values = Values::new().with("c", 3.0).with("D", 1.5);
        let (address, said) = long.shared(before)?;
        assert_eq!(
            (address.as_str(), said),
            ("?demo=heat.toml&D=1.5", &*format!("{whole}, without the equation, which is too long for one"))
        );
        of(&address)?;
        assert!(of_length("own.toml", 0)?.shared(before).is_ok());
        let told = of_length("own.toml", 1)?.shared(before).map_err(|error| error.to_string());
        assert_eq!(told, Err("the equation is too long for an address: save the state".to_owned()));
        let kernel = |more: usize| {
            let mut address = Address::of(&sketch::ABOUT);
            address.kernels.push((sketch::FILE.to_owned(), String::new()));
            let room = LONGEST + more - before - address.written().len();
            address.kernels[0].1 = "x".repeat(room);
            address
        };
        assert_eq!(kernel(0).shared(before)?.1, whole);
        let (address, said) = kernel(1).shared(before)?;
        assert_eq!(
            (address.as_str(), said),
            ("?demo=new-kernel", &*format!("{whole}, without the kernels, which are too long for one"))
        );
        Ok(())
    }
}
