//! The flags of `kernel`.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use quadrille::pug::Domain;
use quadrille::{Edges, Rect};
use quadrille_gallery::number::whole;

use super::{ContextArguments, Size};

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum EdgeRule {
    Repeat,
    Clamp,
    Mirror,
}

impl From<EdgeRule> for Edges {
    fn from(rule: EdgeRule) -> Edges {
        match rule {
            EdgeRule::Repeat => Edges::Repeat,
            EdgeRule::Clamp => Edges::Clamp,
            EdgeRule::Mirror => Edges::Mirror,
        }
    }
}

/// A value of one stream or output, or of all: NAME=VALUE, or VALUE.
#[derive(Clone, Debug, PartialEq)]
pub struct Of<T> {
    pub name: Option<String>,
    pub value: T,
}

/// How many elements an output has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// A row of them: a one-dimensional array.
    Array(usize),
    Field(Size),
}

impl FromStr for Extent {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Extent> {
        match (text.parse(), text.parse()) {
            (Ok(length @ 1..), _) => Ok(Extent::Array(length)),
            (_, Ok(size)) => Ok(Extent::Field(size)),
            _ => bail!("expected WIDTHxHEIGHT, as in 512x512, or a number of elements, all above 0"),
        }
    }
}

#[derive(Args)]
pub struct KernelArguments {
    /// The fragment kernel
    #[arg(value_name = "FILE.frag")]
    pub file: PathBuf,
    /// A stream and the array it reads (repeatable): numbers, as x=1,2,3, rows as x=1,2;3,4 (in quotes), components as x=1:0,2:0;
    /// x=noise:5x3:seed7, of 5 columns and 3 rows from 0 to 1, or with :0..9 behind it of whole numbers; or a file: an array of
    /// shape (height, width) or (height, width, 1 to 4), or (n,), which is an array for `value(stream, index)`. The channels of a
    /// .png, from 0 to 1, are its components
    #[arg(long = "stream", value_name = "NAME=1,2,3|noise:WxH|FILE.npy|FILE.png", value_parser = assignment)]
    pub streams: Vec<(String, String)>,
    /// A constant of one to four numbers (repeatable)
    #[arg(long = "float", value_name = "NAME=V[,V…]", value_parser = floats)]
    pub floats: Vec<(String, Vec<f32>)>,
    /// Rectangle of a domain, in texels [default: the range] (repeatable)
    #[arg(long = "domain", value_name = "NAME=x0,y0,x1,y1", value_parser = domain)]
    pub domains: Vec<(String, Domain)>,
    /// Edge rule of all streams, or of one: repeat, clamp or mirror [default: clamp] (repeatable)
    #[arg(long, value_name = "[NAME=]RULE", value_parser = edge_rule)]
    pub edges: Vec<Of<EdgeRule>>,
    /// The part of the outputs that is written [default: all]; the rest is 0, or what the feedback stream began
    /// with where it is as large
    #[arg(long, value_name = "x0,y0,x1,y1", value_parser = rect)]
    pub range: Option<Rect>,
    /// Size of the outputs, or how many elements their arrays have [default: that of the first stream]
    #[arg(long, value_name = "WxH|N")]
    pub size: Option<Extent>,
    /// Components of the output, of several of the one that is named [default: those of RANGE] (repeatable)
    #[arg(long, value_name = "[NAME=]N", value_parser = components)]
    pub components: Vec<Of<usize>>,
    /// How often the kernel runs
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = whole::<u64>(1, u64::MAX))]
    pub iterate: u64,
    /// The stream that reads the output of the run before, and of several outputs which (repeatable)
    #[arg(long, value_name = "STREAM[=NAME]", value_parser = feedback)]
    pub feedback: Vec<(String, Option<String>)>,
    /// Where the output goes, of several the one that is named (repeatable); others are not kept. Without it all outputs are
    /// printed, of 256 elements at most. In a .png numbers from 0 to 1
    /// are channels of 8 bits: of 1 to 4 components grey, grey and alpha, colours, colours and alpha
    #[arg(long, value_name = "[NAME=]FILE.npy|FILE.png", value_parser = output)]
    pub out: Vec<Of<PathBuf>>,
    #[command(flatten)]
    pub context: ContextArguments,
}

/// x0,y0,x1,y1 in texels.
fn rect(text: &str) -> Result<Rect> {
    let corners: Vec<u32> = text.split(',').filter_map(|c| c.trim().parse().ok()).collect();
    match corners[..] {
        [x0, y0, x1, y1] if text.split(',').count() == 4 && x0 < x1 && y0 < y1 => {
            Ok(Rect::new(x0, y0, x1, y1))
        }
        _ => bail!("expected x0,y0,x1,y1 in whole texels with x0 < x1 and y0 < y1"),
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// Splits a text at its first `=` into a name, if a kernel may use it, and the rest.
fn of(text: &str) -> (Option<String>, &str) {
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    match text.split_once('=') {
        Some((name, value)) if is_name(name) => (Some(name.to_owned()), value),
        _ => (None, text),
    }
}

fn edge_rule(text: &str) -> Result<Of<EdgeRule>, String> {
    let (name, rule) = of(text);
    let value = EdgeRule::from_str(rule, true)
        .map_err(|_| "expected repeat, clamp or mirror, or NAME= and one of them".to_owned())?;
    Ok(Of { name, value })
}

fn components(text: &str) -> Result<Of<usize>, String> {
    let (name, number) = of(text);
    match number.trim().parse() {
        Ok(value @ 1..=4) => Ok(Of { name, value }),
        _ => Err("expected 1 to 4, or NAME= and one of them".to_owned()),
    }
}

fn feedback(text: &str) -> Result<(String, Option<String>), String> {
    match of(text) {
        (Some(_), "") | (None, "") => Err("expected STREAM or STREAM=NAME".to_owned()),
        (Some(stream), output) => Ok((stream, Some(output.to_owned()))),
        (None, stream) => Ok((stream.to_owned(), None)),
    }
}

fn output(text: &str) -> Result<Of<PathBuf>, String> {
    match of(text) {
        (_, "") => Err("expected a file, or NAME= and a file".to_owned()),
        (name, file) => Ok(Of { name, value: file.into() }),
    }
}

fn floats(text: &str) -> Result<(String, Vec<f32>), String> {
    let (name, values) = assignment(text)?;
    let numbers: Result<Vec<f32>, _> = values.split(',').map(|v| v.trim().parse()).collect();
    match numbers {
        Ok(numbers) if (1..=4).contains(&numbers.len()) => Ok((name, numbers)),
        _ => Err("expected NAME=V[,V…] with one to four numbers".to_owned()),
    }
}

fn domain(text: &str) -> Result<(String, Domain), String> {
    let (name, corners) = assignment(text)?;
    let corners: Result<Vec<f32>, _> = corners.split(',').map(|c| c.trim().parse()).collect();
    match corners.as_deref() {
        Ok(&[x0, y0, x1, y1]) => Ok((name, Domain::new(x0, y0, x1, y1))),
        _ => Err("expected NAME=x0,y0,x1,y1 with four numbers".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_before_an_equals_sign_is_one_a_kernel_may_have() {
        for (text, name, value) in [
            ("a.npy", None, "a.npy"),
            ("next=a.npy", Some("next"), "a.npy"),
            ("./a=b.npy", None, "./a=b.npy"),
            ("_x1=y=z", Some("_x1"), "y=z"),
            ("=a", None, "=a"),
            ("1a=b", None, "1a=b"),
        ] {
            assert_eq!(of(text), (name.map(str::to_owned), value), "{text}");
        }
    }

    #[test]
    fn sizes_are_those_of_fields_or_of_arrays() {
        assert_eq!("7".parse::<Extent>().ok(), Some(Extent::Array(7)));
        let size = Size { width: 3, height: 2 };
        assert_eq!("3x2".parse::<Extent>().ok(), Some(Extent::Field(size)));
        for wrong in ["0", "0x2", "x", "", "-1", "3x", "1.5"] {
            assert!(wrong.parse::<Extent>().is_err(), "{wrong}");
        }
    }
}
