//! Curves as a picture: values on a logarithmic axis over a count.
//!
//! `plotters` draws them (bitmap only, no font of the system), in the font of the window's panel.

use std::fmt::Display;
use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::register_font;
use quadrille_gallery::plot::decades;
pub use quadrille_gallery::plot::{Curve, Plot};

use crate::files::atomic::Draft;
use crate::files::{Picture, named, picture};

const WIDTH: u32 = 960;
const HEIGHT: u32 = 600;
/// The width of a column for the names of curves, and how many of them have room among the curves.
const NAMES: u32 = 224;
const FEW: usize = 4;
/// The name our font goes by.
const FONT: &str = "sans-serif";

/// Draws the plot and writes the picture.
///
/// # Errors
/// Those of the file.
pub fn write(path: &Path, plot: &Plot) -> Result<()> {
    draft(path, plot)?.commit()
}

/// The draft of that picture.
///
/// # Errors
/// Those of the file.
pub fn draft(path: &Path, plot: &Plot) -> Result<Draft> {
    let mut rgb = vec![255; (WIDTH * HEIGHT * 3) as usize];
    draw(&mut rgb, plot).map_err(|error| named(path, error))?;
    let rgba = rgb.chunks_exact(3).flat_map(|c| [c[0], c[1], c[2], 255]).collect();
    picture::png_draft(path, &Picture { width: WIDTH, height: HEIGHT, rgba })
}

fn draw(rgb: &mut [u8], plot: &Plot) -> Result<()> {
    bring_font()?;
    let curves: Vec<Vec<(f64, f64)>> = plot.curves.iter().map(|curve| logarithms(&curve.points)).collect();
    let bound = plot.bound.map(|(name, bound)| (name, bound.log10()));
    let places = || plot.curves.iter().flat_map(|curve| &curve.points).map(|point| point.0);
    let first = places().reduce(f64::min).map_or(0.0, f64::floor).max(0.0);
    let last = places().fold(first + 1.0, f64::max);
    let marks = (last - first).min(10.0) as usize + 1;
    let axis = decades(curves.iter().flatten().map(|point| point.1).chain(bound.map(|bound| bound.1)));

    let area = BitMapBackend::with_buffer(rgb, (WIDTH, HEIGHT)).into_drawing_area();
    area.fill(&WHITE).map_err(words)?;
    let named = plot.curves.iter().filter(|curve| !curve.name.is_empty()).count();
    let column = if named > FEW { NAMES } else { 0 };
    let (left, right) = area.split_horizontally(WIDTH - column);
    let mut chart = ChartBuilder::on(&left)
        .caption(&plot.title, (FONT, 22))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(first..last, axis.clone())
        .map_err(words)?;
    chart
        .configure_mesh()
        .x_desc(plot.over)
        .y_desc(&plot.measure)
        .label_style((FONT, 15))
        .axis_desc_style((FONT, 17))
        .light_line_style(WHITE)
        .x_labels(marks)
        .y_labels((axis.end - axis.start).min(10.0) as usize + 1)
        .x_label_formatter(&|x| if x.fract() == 0.0 { format!("{x}") } else { String::new() })
        .y_label_formatter(&|y| format!("1e{y:.0}"))
        .draw()
        .map_err(words)?;
    if let Some((name, bound)) = bound {
        chart.draw_series(LineSeries::new([(first, bound), (last, bound)], RED)).map_err(words)?;
        let style = (FONT, 15).into_font().color(&RED);
        let name = EmptyElement::at((first, bound)) + Text::new(name.to_owned(), (6, -18), style);
        chart.draw_series([name]).map_err(words)?;
    }
    for (curve, points) in plot.curves.iter().zip(&curves) {
        let [r, g, b] = curve.colour;
        let colour = RGBColor(r, g, b);
        let line = LineSeries::new(points.iter().copied(), colour.stroke_width(curve.width));
        let drawn = chart.draw_series(line).map_err(words)?;
        if !curve.name.is_empty() {
            let style = colour.stroke_width(curve.width);
            let sample = move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style);
            drawn.label(curve.name).legend(sample);
        }
        // A line of one point has no length.
        if let [only] = points[..] {
            chart.draw_series([Circle::new(only, 3, colour.filled())]).map_err(words)?;
        }
    }
    if named > FEW {
        for (curve, row) in plot.curves.iter().filter(|curve| !curve.name.is_empty()).zip(0..) {
            let [r, g, b] = curve.colour;
            let y = 64 + 26 * row;
            let style = RGBColor(r, g, b).stroke_width(curve.width);
            right.draw(&PathElement::new([(0, y), (24, y)], style)).map_err(words)?;
            right
                .draw(&Text::new(curve.name.to_owned(), (32, y - 9), (FONT, 16).into_font()))
                .map_err(words)?;
        }
    } else if named > 0 {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .legend_area_size(30)
            .margin(12)
            .label_font((FONT, 16))
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .draw()
            .map_err(words)?;
    }
    area.present().map_err(words)
}

/// A logarithm has no place for 0, nor for what is no number.
fn logarithms(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let there = points.iter().filter(|point| point.1.is_finite() && point.1 > 0.0);
    there.map(|&(count, measure)| (count, measure.log10())).collect()
}

/// The errors of a chart borrow its pixels; their words do not.
fn words(error: impl Display) -> anyhow::Error {
    anyhow!("the plot cannot be drawn: {error}")
}

/// Gives the plot the font of the window's panel: a server may have none.
fn bring_font() -> Result<()> {
    let registered = register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    registered.map_err(|_| anyhow!("the plot has no font"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_history_can_be_drawn() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.png");
        let long: Vec<f64> = (0..5000).map(|i| (-0.01 * f64::from(i)).exp()).collect();
        let wild = vec![1.0, f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300, 1e-300];
        for history in
            [vec![], vec![0.0], vec![1.0], vec![f64::NAN], vec![1.0, 1e-7], vec![5e-324], wild, long]
        {
            for bound in [None, Some(1e-6), Some(1e-300), Some(5e-324), Some(1.0), Some(1e300)] {
                let points: Vec<_> = history.iter().enumerate().map(|(i, &x)| (i as f64, x)).collect();
                let curve = |name| Curve { name, colour: [0, 0, 255], width: 2, points: points.clone() };
                let plot = Plot {
                    title: "a title with ‖ü‖ \u{1f642}".to_owned(),
                    over: "iteration",
                    measure: "m".into(),
                    curves: vec![curve(""), curve("named")],
                    bound: bound.map(|bound| ("tolerance", bound)),
                };
                write(&path, &plot)?;
            }
        }
        assert_eq!(image::open(&path)?.into_rgba8().dimensions(), (WIDTH, HEIGHT));
        Ok(())
    }
}
