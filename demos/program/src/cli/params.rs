//! Parameters of the gallery as flags.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};
use quadrille_gallery::param::{Kind, Param, Value, Values};

/// The flag of a parameter.
pub fn flag(param: &'static Param) -> Arg {
    let help = match param.default {
        "" => param.help.to_owned(),
        default => format!("{} [default: {default}]", param.help),
    };
    let place = match param.symbol {
        "" => param.key().to_uppercase(),
        symbol => symbol.to_owned(),
    };
    let arg = Arg::new(param.name).long(param.name).help(help).value_name(place);
    let arg = arg.conflicts_with_all(param.conflicts.iter().copied());
    let arg = if param.heading.is_empty() { arg } else { arg.help_heading(param.heading) };
    let arg = if param.alias.is_empty() { arg } else { arg.visible_alias(param.alias) };
    let read = |text: String| param.parse(&text);
    match param.kind {
        Kind::Flag => arg.action(ArgAction::SetTrue),
        Kind::Choice(choices) => {
            let word = |choice: quadrille_gallery::param::Choice| {
                let once = param.once.iter().filter(|&&(_, now)| now == choice.name).map(|&(old, _)| old);
                let word = PossibleValue::new(choice.name).aliases(once);
                if choice.help.is_empty() { word } else { word.help(choice.help) }
            };
            let words = PossibleValuesParser::new(choices().into_iter().map(word));
            arg.ignore_case(true).value_parser(words.try_map(read))
        }
        Kind::Size | Kind::Size3 => {
            arg.allow_hyphen_values(true).value_parser(move |text: &str| param.parse(text))
        }
        Kind::Whole { .. } | Kind::Real(_) | Kind::Bytes => {
            arg.allow_negative_numbers(true).value_parser(move |text: &str| param.parse(text))
        }
        Kind::Name(_) | Kind::Text => arg.value_parser(move |text: &str| param.parse(text)),
    }
}

/// The parameters that were given.
pub fn values(params: impl Iterator<Item = &'static Param>, matches: &ArgMatches) -> Values {
    params.fold(Values::new(), |values, param| values.with_some(param.name, given(param, matches)))
}

/// The value of a parameter if it was given.
pub fn given(param: &Param, matches: &ArgMatches) -> Option<Value> {
    if matches.value_source(param.name) != Some(ValueSource::CommandLine) {
        return None;
    }
    match param.kind {
        Kind::Flag => Some(Value::Flag(matches.get_flag(param.name))),
        _ => matches.get_one::<Value>(param.name).cloned(),
    }
}
