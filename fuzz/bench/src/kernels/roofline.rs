//! The roofline picture: how fast programs compute, over how much they compute for each byte that they have to move,
//! below the two ceilings of the machine. (S. Williams, A. Waterman and D. Patterson, *Roofline*, 2009.)

use plotters::coord::combinators::IntoLogRange;
use plotters::prelude::{
    ChartBuilder, Circle, Color, IntoDrawingArea, LineSeries, RGBColor, SVGBackend, Text,
};

/// The size of the picture in pixels. The names stand to the right of the plane.
const SIZE: (u32, u32) = (980, 600);
const NAMES: u32 = 300;
const LINE: i32 = 17;
const INK: RGBColor = RGBColor(0x1f, 0x5f, 0x8b);
const ROOF: RGBColor = RGBColor(0x99, 0x33, 0x22);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);

/// A program in the picture.
pub struct Point {
    /// Its name.
    pub name: &'static str,
    /// Operations of a run, a multiply-add counted as two.
    pub flops: f64,
    /// Bytes of its operands and results, each counted once.
    pub bytes: f64,
    /// The time of a run.
    pub seconds: f64,
}

impl Point {
    /// Operations for each byte, and operations a second.
    fn place(&self) -> (f64, f64) {
        (self.flops / self.bytes, self.flops / self.seconds / 1e9)
    }
}

/// Returns the picture with these ceilings, in operations and bytes a second. Programs without any arithmetic have no
/// place in it.
///
/// # Errors
/// When it cannot be drawn.
pub fn picture(points: &[Point], flops: f64, bytes: f64) -> Result<String, String> {
    let computing = points.iter().filter(|point| point.flops > 0.0);
    let points: Vec<&Point> = computing.collect();
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&plotters::style::WHITE)
            .map_err(|error| error.to_string())?;
        let (plane, names) = root.split_horizontally(SIZE.0 - NAMES);
        plane_of(&plane, &points, (flops / 1e9, bytes / 1e9))?;
        for (number, point) in points.iter().enumerate() {
            let line = format!("{}  {}", number + 1, point.name);
            let at = (8, 24 + LINE * number as i32);
            let text = Text::new(line, at, ("sans-serif", 12));
            names.draw(&text).map_err(|error| error.to_string())?;
        }
        root.present().map_err(|error| error.to_string())?;
    }
    Ok(svg)
}

type Area<'s> = plotters::drawing::DrawingArea<SVGBackend<'s>, plotters::coord::Shift>;

fn plane_of(area: &Area<'_>, points: &[&Point], (flops, bytes): (f64, f64)) -> Result<(), String> {
    // The ridge is where both ceilings are equal.
    let ridge = flops / bytes;
    let places = || points.iter().map(|point| point.place());
    let least = |values: &mut dyn Iterator<Item = f64>, other: f64| values.fold(other, f64::min);
    let left = least(&mut places().map(|(x, _)| x), ridge) / 2.0;
    let right = places().map(|(x, _)| x).fold(ridge, f64::max) * 2.0;
    let low = least(&mut places().map(|(_, y)| y), left * bytes) / 2.0;
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d((left..right).log_scale(), (low..flops * 2.0).log_scale())
        .map_err(|error| error.to_string())?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(plotters::style::TRANSPARENT)
        .x_desc("operations for each byte of operands and results")
        .y_desc("GF/s")
        .draw()
        .map_err(|error| error.to_string())?;
    let roof = [(left, left * bytes), (ridge, flops), (right, flops)];
    let line = LineSeries::new(roof, ROOF.stroke_width(2));
    chart.draw_series(line).map_err(|error| error.to_string())?;
    let marks = places().map(|place| Circle::new(place, 4, INK.filled()));
    chart
        .draw_series(marks)
        .map_err(|error| error.to_string())?;
    let numbers = places().enumerate().map(|(number, (x, y))| {
        Text::new(
            (number + 1).to_string(),
            (x * 1.05, y * 1.05),
            ("sans-serif", 12),
        )
    });
    chart
        .draw_series(numbers)
        .map_err(|error| error.to_string())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_with_arithmetic_has_a_number_and_a_name() {
        let point = |name, flops| Point {
            name,
            flops,
            bytes: 4e6,
            seconds: 1e-3,
        };
        let points = [
            point("matmul & co", 2e8),
            point("permute", 0.0),
            point("sum", 1e6),
        ];
        let svg = picture(&points, 2e11, 3e10).expect("a picture");
        assert!(svg.contains("1  matmul &amp; co"), "{svg}");
        assert!(svg.contains("2  sum"), "{svg}");
        assert!(!svg.contains("permute"));
        assert_eq!(svg.matches("<circle").count(), 2);
    }
}
