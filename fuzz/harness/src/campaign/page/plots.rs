//! The plots of a report, as vector graphics in the page. A plotting crate would be more code than these few bars, and
//! none takes its colours from the style sheet, which has a light and a dark variant.

use std::collections::BTreeMap;

use lozenge_page::grouped;
use maud::{Markup, html};

/// The number of times that a rule fired and failed.
pub struct Fired {
    pub name: &'static str,
    pub fired: u64,
    pub failed: u64,
}

/// Returns a bar for each rule, on a logarithmic scale.
pub fn fired(rules: &[Fired]) -> Markup {
    let most = rules.iter().map(|rule| rule.fired).max().unwrap_or(0);
    let scale = |count: u64| ((count + 1) as f64).ln() / ((most + 1) as f64).ln().max(1e-9);
    html! {
        svg viewBox={ "0 0 720 " (rules.len() * 18 + 6) } role="img" aria-label="how often each rule fired" {
            @for (at, rule) in rules.iter().enumerate() {
                @let (y, width) = (at * 18, 420.0 * scale(rule.fired));
                text x="0" y=(y + 13) { (rule.name) }
                rect.column x="130" y=(y + 3) width=(tenths(width)) height="12" {}
                text x=(tenths(136.0 + width)) y=(y + 13) { (grouped(rule.fired)) " (" (grouped(rule.failed)) ")" }
            }
        }
    }
}

/// Inputs a second between each two samples.
pub fn rate(samples: &[(f64, u64)]) -> Markup {
    let points = rates(samples);
    let most = points.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let end = points.last().map_or(0.0, |(seconds, _)| *seconds);
    let place = |(seconds, rate): &(f64, f64)| {
        let (x, y) = (seconds / end.max(1e-9), rate / most.max(1e-9));
        format!("{},{}", tenths(50.0 + 300.0 * x), tenths(130.0 - 115.0 * y))
    };
    let line: Vec<String> = points.iter().map(place).collect();
    let curve = html! { polyline.curve points=(line.join(" ")) {} };
    plot(
        "inputs a second, over the seconds",
        &curve,
        &grouped(most as u64),
        &format!("{end:.0} s"),
    )
}

fn rates(samples: &[(f64, u64)]) -> Vec<(f64, f64)> {
    let pairs = samples.iter().zip(samples.iter().skip(1));
    let apart = pairs.filter(|(before, after)| after.0 > before.0);
    apart
        .map(|(before, after)| (after.0, (after.1 - before.1) as f64 / (after.0 - before.0)))
        .collect()
}

/// Draws the numbers of inputs of each size, in at most 25 columns.
pub fn sizes(sizes: &BTreeMap<usize, u64>) -> Markup {
    let largest = sizes.keys().last().copied().unwrap_or(0);
    let step = largest / 24 + 1;
    let mut bins = vec![0u64; largest / step + 1];
    for (size, count) in sizes {
        bins[size / step] += count;
    }
    let most = bins.iter().max().copied().unwrap_or(0);
    let width = 300.0 / bins.len() as f64;
    let columns = html! {
        @for (at, count) in bins.iter().enumerate() {
            @let height = 115.0 * *count as f64 / most.max(1) as f64;
            rect.column x=(tenths(50.0 + width * at as f64)) y=(tenths(130.0 - height)) width=(tenths((width - 1.5).max(0.5))) height=(tenths(height)) {}
        }
    };
    plot(
        "sizes of the inputs",
        &columns,
        &grouped(most),
        &largest.to_string(),
    )
}

/// Returns a drawing over an axis from 0 to `right`, up to `top`.
fn plot(title: &str, drawing: &Markup, top: &str, right: &str) -> Markup {
    html! {
        div {
            h3 { (title) }
            svg viewBox="0 0 360 150" role="img" aria-label=(title) {
                line.axis x1="50" y1="130" x2="355" y2="130" {}
                (drawing)
                text x="45" y="20" text-anchor="end" { (top) }
                text x="45" y="134" text-anchor="end" { "0" }
                text x="350" y="146" text-anchor="end" { (right) }
            }
        }
    }
}

/// Returns one bar divided into shares, the largest first, with a legend.
pub fn shares(title: &str, counts: &BTreeMap<String, u64>, whole: u64) -> Markup {
    let mut ordered: Vec<(&String, u64)> =
        counts.iter().map(|(key, count)| (key, *count)).collect();
    ordered.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let width = |count: u64| 720.0 * count as f64 / whole.max(1) as f64;
    let starts = ordered.iter().scan(0.0, |x, (_, count)| {
        let start = *x;
        *x += width(*count);
        Some(start)
    });
    let starts: Vec<f64> = starts.collect();
    let color = |at: usize| format!("var(--c{})", at.min(5));
    html! {
        h3 { (title) }
        svg viewBox="0 0 720 18" role="img" aria-label=(title) {
            @for (at, (_, count)) in ordered.iter().enumerate() {
                rect x=(tenths(starts[at])) y="2" width=(tenths(width(*count))) height="14" fill=(color(at)) {}
            }
        }
        p.soft {
            @for (at, (key, count)) in ordered.iter().enumerate() {
                span style={ "color: " (color(at)) } { "\u{25a0}" }
                " " (key) " " (grouped(*count)) " (" (super::share(*count, whole)) ") \u{2003}"
            }
        }
    }
}

fn tenths(number: f64) -> String {
    format!("{number:.1}")
}
