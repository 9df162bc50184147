//! A fault with the line it is about, as a terminal shows it.

use std::io::IsTerminal;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use quadrille::script::{Fault, Span};

/// `file:line:column: what is wrong`, then the line with the part underlined.
pub fn shown(name: &str, text: &str, fault: &Fault) -> String {
    let (line, column) = fault.span.place(text);
    let span = on_one_line(text, fault.span);
    let annotation = AnnotationKind::Primary.span(span.start..span.end);
    let snippet = Snippet::source(text).annotation(annotation);
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
    let drawn =
        renderer.decor_style(DecorStyle::Ascii).render(&[Group::with_level(Level::ERROR).element(snippet)]);
    format!("{name}:{line}:{column}: {}\n{drawn}", fault.message)
}

/// The part of a span on its first line: enough to find the place, and to draw it below that line.
fn on_one_line(text: &str, span: Span) -> Span {
    let rest = &text[span.start..span.end];
    let length = rest.find('\n').unwrap_or(rest.len());
    Span { start: span.start, end: span.start + length }
}
