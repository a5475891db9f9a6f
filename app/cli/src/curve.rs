//! The curves of a run: how the numbers that its sections print change, as a picture (SVG) or as a page with that
//! picture.

use std::path::Path;

use maud::{PreEscaped, html};
use plotters::coord::Shift;
use plotters::prelude::{
    ChartBuilder, Circle, Color, DrawingArea, IntoDrawingArea, LineSeries, RGBColor, SVGBackend,
};

use crate::json::program::SectionData;
use crate::report::Problem;

/// The width of the picture, and the height of the panel of one number, in pixels.
const SIZE: (u32, u32) = (720, 240);
const INK: RGBColor = RGBColor(0x1f, 0x5f, 0x8b);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// The largest number of points at which each of them is marked.
const MARKED: usize = 60;
/// The number of characters of an expression that its title shows.
const TITLE: usize = 60;

/// The form of a file of curves, told by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A picture.
    Svg,
    /// A page for a browser.
    Html,
}

impl Form {
    /// Returns the form that the end of the name asks for.
    ///
    /// # Errors
    /// For any other end.
    pub fn of(path: &Path) -> Result<Form, Problem> {
        match path.extension().and_then(|end| end.to_str()) {
            Some("svg") => Ok(Form::Svg),
            Some("html") => Ok(Form::Html),
            _ => Err(Problem::new(format!(
                "--curve {}: let the name end in `.svg` for a picture, or in `.html` for a page",
                path.display()
            ))),
        }
    }

    /// Returns the contents of the file: the curves of these sections of the program with this name.
    ///
    /// # Errors
    /// When the picture cannot be drawn.
    pub fn text(
        self,
        name: &str,
        about: &str,
        sections: &[SectionData],
    ) -> Result<String, Problem> {
        let curves = curves(sections);
        let picture = picture(&curves)
            .map_err(|error| Problem::new(format!("the curves cannot be drawn: {error}")))?;
        Ok(match self {
            Form::Svg => picture,
            Form::Html => lozenge_page::page(
                name,
                &html! {
                    p { "The numbers that the sections of the program print. " (about) }
                    figure style="overflow-x: auto; margin: 0" { (PreEscaped(picture)) }
                },
            ),
        })
    }
}

/// A number that a section prints, in the course of the section.
#[derive(Debug, PartialEq)]
struct Curve {
    /// The text that is printed, and the place where the section begins.
    title: String,
    /// The unit that is counted: epochs or steps.
    unit: &'static str,
    /// The count, and the value then.
    points: Vec<(f64, f64)>,
}

/// Returns a curve for each place at which a section prints a number, in the order of the program.
fn curves(sections: &[SectionData]) -> Vec<Curve> {
    let mut curves = Vec::new();
    for section in sections {
        let in_epochs = section.batch.is_some();
        // Every point of a section has the same prints in the same order.
        let prints = section.curve.first().map_or(0, |point| point.printed.len());
        for print in 0..prints {
            let mut curve = Curve {
                title: String::new(),
                unit: if in_epochs { "epoch" } else { "step" },
                points: Vec::new(),
            };
            for point in &section.curve {
                let Some(printed) = point.printed.get(print) else {
                    continue;
                };
                let Some(value) = printed.value else {
                    continue;
                };
                let count = if in_epochs { point.epoch } else { point.step };
                curve.title = format!("{} (line {})", shortened(&printed.text), section.line);
                curve.points.push((count as f64, value.value()));
            }
            if !curve.points.is_empty() {
                curves.push(curve);
            }
        }
    }
    curves
}

/// Returns the text in one line of bounded length.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns the points between values that are no numbers or infinite, since a line cannot be drawn to those.
fn runs(points: &[(f64, f64)]) -> impl Iterator<Item = &[(f64, f64)]> {
    points
        .split(|(_, value)| !value.is_finite())
        .filter(|run| !run.is_empty())
}

/// Returns the title, with a note on the values that the picture cannot show.
fn title(curve: &Curve) -> String {
    let lost = curve.points.iter().filter(|(_, value)| !value.is_finite());
    match lost.count() {
        0 => curve.title.clone(),
        lost => format!(
            "{}: not finite at {lost} of {} points",
            curve.title,
            curve.points.len()
        ),
    }
}

/// Returns the least and the greatest of the values, moved apart by a margin.
fn range(values: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
    let (least, greatest) = values.filter(|value| value.is_finite()).fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(least, greatest), value| (least.min(value), greatest.max(value)),
    );
    match (greatest - least, least.is_finite()) {
        (_, false) => (0.0, 1.0),
        (0.0, true) => {
            let around = if least == 0.0 { 0.5 } else { least.abs() / 2.0 };
            (least - around, greatest + around)
        }
        (length, true) => (least - margin * length, greatest + margin * length),
    }
}

/// Returns a number beside an axis whose ends are this far apart, with the digits that tell its marks apart.
fn label(value: f64, length: f64) -> String {
    let step = length / 10.0;
    let greatest = value.abs().max(length);
    if (1e-4..1e7).contains(&greatest) && step > 1e-6 {
        let digits = (-step.log10()).ceil().max(0.0) as usize;
        format!("{value:.digits$}")
    } else {
        let digits = (greatest / step).log10().ceil().clamp(0.0, 8.0) as usize;
        format!("{value:.digits$e}")
    }
}

/// Returns a count below an axis. Marks between two counts have no number.
fn whole(count: f64) -> String {
    match count.fract() == 0.0 {
        true => format!("{count}"),
        false => String::new(),
    }
}

/// Draws the picture: one panel below the other.
fn picture(curves: &[Curve]) -> Result<String, String> {
    let mut svg = String::new();
    let height = SIZE.1 * (curves.len().max(1) as u32);
    {
        let root = SVGBackend::with_string(&mut svg, (SIZE.0, height)).into_drawing_area();
        root.fill(&plotters::style::WHITE)
            .map_err(|error| error.to_string())?;
        let panels = root.split_evenly((curves.len().max(1), 1));
        for (panel, curve) in panels.iter().zip(curves) {
            draw(panel, curve)?;
        }
        root.present().map_err(|error| error.to_string())?;
    }
    Ok(svg)
}

/// Draws the panel of a curve.
fn draw(panel: &DrawingArea<SVGBackend<'_>, Shift>, curve: &Curve) -> Result<(), String> {
    let x = range(curve.points.iter().map(|(count, _)| *count), 0.0);
    let y = range(curve.points.iter().map(|(_, value)| *value), 0.05);
    let mut chart = ChartBuilder::on(panel)
        .margin(10)
        .caption(title(curve), ("sans-serif", 16))
        .x_label_area_size(36)
        .y_label_area_size(72)
        .build_cartesian_2d(x.0..x.1, y.0..y.1)
        .map_err(|error| error.to_string())?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(plotters::style::TRANSPARENT)
        .x_desc(curve.unit)
        .y_labels(6)
        .x_label_formatter(&|count| whole(*count))
        .y_label_formatter(&|value| label(*value, y.1 - y.0))
        .draw()
        .map_err(|error| error.to_string())?;
    for run in runs(&curve.points) {
        let line = LineSeries::new(run.iter().copied(), INK.stroke_width(2));
        chart.draw_series(line).map_err(|error| error.to_string())?;
    }
    if curve.points.len() <= MARKED {
        let finite = curve.points.iter().filter(|(_, value)| value.is_finite());
        let marks = finite.map(|point| Circle::new(*point, 3, INK.filled()));
        chart
            .draw_series(marks)
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Number;
    use crate::json::program::{CurvePoint, PrintedData};

    fn printed(text: &str, value: Option<f32>) -> PrintedData {
        PrintedData {
            text: text.to_string(),
            value: value.map(Number::Single),
            shape: None,
            values: None,
        }
    }

    fn section(batch: Option<u64>, losses: &[f32]) -> SectionData {
        let point = |(at, loss): (usize, &f32)| CurvePoint {
            epoch: at as u64 + 1,
            step: 10 * (at as u64 + 1),
            printed: vec![printed("a < b", Some(*loss)), printed("w", None)],
        };
        SectionData {
            line: 4,
            batch,
            curve: losses.iter().enumerate().map(point).collect(),
            ..SectionData::default()
        }
    }

    #[test]
    fn epochs_or_steps_are_counted_and_tensors_with_axes_have_no_curve() {
        let of = |batch| curves(&[section(batch, &[3.0, 1.0])]);
        let expected = |unit, points: [(f64, f64); 2]| {
            vec![Curve {
                title: "a < b (line 4)".to_string(),
                unit,
                points: points.to_vec(),
            }]
        };
        assert_eq!(of(Some(2)), expected("epoch", [(1.0, 3.0), (2.0, 1.0)]));
        assert_eq!(of(None), expected("step", [(10.0, 3.0), (20.0, 1.0)]));
    }

    /// Returns the y coordinates of the corners of the lines, one list a line, of lines as wide as those of curves.
    fn lines(svg: &str) -> Vec<Vec<f64>> {
        let drawn = svg
            .lines()
            .filter(|line| line.contains("stroke-width=\"2\""));
        drawn
            .filter_map(|line| line.split("points=\"").nth(1))
            .filter_map(|rest| rest.split('"').next())
            .map(|points| {
                let pairs = points
                    .split_whitespace()
                    .filter_map(|pair| pair.split_once(','));
                pairs.map(|(_, y)| y.parse().expect("a number")).collect()
            })
            .collect()
    }

    #[test]
    fn a_falling_number_is_drawn_as_a_falling_line() {
        let svg = picture(&curves(&[section(Some(2), &[4.0, 2.0, 1.0, 0.5])])).expect("drawn");
        let numbers = |number: &str| svg.lines().filter(|line| line.trim() == number).count();
        assert_eq!(["1", "2", "3", "4"].map(numbers), [1, 1, 1, 1], "{svg}");
        let lines = lines(&svg);
        assert_eq!(lines.len(), 1, "{svg}");
        let ys = &lines[0];
        assert_eq!(ys.len(), 4, "{svg}");
        // Downwards is the direction of growing coordinates.
        assert!(ys.is_sorted(), "{ys:?}");
        // 4 to 2 is four times as far as 1 to 0.5, up to whole pixels.
        let (first, last) = (ys[1] - ys[0], ys[3] - ys[2]);
        assert!((first - 4.0 * last).abs() <= 5.0 && last > 5.0, "{ys:?}");
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(
            svg.contains("a &lt; b (line 4)") && svg.contains("epoch"),
            "{svg}"
        );
    }

    #[test]
    fn values_that_are_not_finite_break_the_line_and_are_counted() {
        let losses = [4.0, 2.0, f32::NAN, 1.0, 3.0, f32::INFINITY];
        let svg = picture(&curves(&[section(Some(2), &losses)])).expect("drawn");
        let lines = lines(&svg);
        assert_eq!(
            lines.iter().map(Vec::len).collect::<Vec<_>>(),
            [2, 2],
            "{svg}"
        );
        assert!(svg.contains("not finite at 2 of 6 points"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    /// Whatever is printed, a picture results, and marks of an axis can be told apart.
    #[test]
    fn extreme_values_are_drawn() {
        let cases: [&[f32]; 8] = [
            &[],
            &[1.0],
            &[0.0, 0.0],
            &[f32::NAN],
            &[f32::MAX, f32::MIN],
            &[f32::MIN_POSITIVE, 1e-45],
            &[1e7, 1.000_000_1e7],
            &[0.500_000_1, 0.5],
        ];
        for losses in cases {
            let svg = picture(&curves(&[section(None, losses)])).expect("drawn");
            assert!(svg.trim_end().ends_with("</svg>"), "{losses:?}");
            assert!(
                !svg.contains("NaN") && !svg.contains("inf"),
                "{losses:?}: {svg}"
            );
        }
        for (from, to) in [
            (0.0, 1.0),
            (0.5, 0.500_000_1),
            (1e7, 1e7 + 1.0),
            (0.0, 1e-30),
            (3.0, 1e30),
        ] {
            let length: f64 = to - from;
            let marks = (0..=5).map(|at| label(from + length * f64::from(at) / 5.0, length));
            let marks = marks.collect::<Vec<_>>();
            assert!(marks.windows(2).all(|pair| pair[0] != pair[1]), "{marks:?}");
        }
    }

    #[test]
    fn long_expressions_are_shortened_to_one_line() {
        assert_eq!(shortened("mse(a,\n    b)"), "mse(a, b)");
        assert_eq!(shortened(&"ä".repeat(61)), format!("{}…", "ä".repeat(60)));
    }
}
