//! The report of a campaign as one page: self-contained, light and dark.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use lozenge_vocabulary::Rule;

use super::{State, Tally};
use crate::known_difference::{KnownDifference, TABLE};
use crate::target::Target;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1d2127; --paper: #fbfaf7; --soft: #666c75; --line: #dcd9d0; --bar: #2c5f8a; --bad: #a8321f;
  --c0: #2b6e4f; --c1: #2c5f8a; --c2: #b5772a; --c3: #7d4a8f; --c4: #6a7079; --c5: #a8321f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e4de; --paper: #17191c; --soft: #9aa0a8; --line: #34383e; --bar: #78b3e0; --bad: #f08a76;
  --c0: #6cc79c; --c1: #78b3e0; --c2: #e0b067; --c3: #c79adb; --c4: #9aa0a8; --c5: #f08a76; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-weight: 600; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; border-top: 1px solid var(--line); padding-top: 1rem; } h3 { font-size: .95rem; margin: .8rem 0 .2rem; font-weight: 600; }
p { margin: .3rem 0; } .soft { color: var(--soft); } table { border-collapse: collapse; margin: .6rem 0; } td, th { padding: .15rem .9rem .15rem 0; text-align: left; vertical-align: top; }
th { font-weight: 600; border-bottom: 1px solid var(--line); } .n { text-align: right; font-variant-numeric: tabular-nums; } .bad { color: var(--bad); font-weight: 600; }
pre { background: color-mix(in srgb, var(--line) 35%, transparent); padding: .6rem .8rem; overflow-x: auto; border-radius: .3rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 0 2rem; } svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; } .axis { stroke: var(--line); } .curve { fill: none; stroke: var(--bar); stroke-width: 1.8; } .column { fill: var(--bar); }
.scroll { overflow-x: auto; } a { color: var(--bar); } td:first-child { white-space: nowrap; }
";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A number with thin spaces between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

fn share(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// The page.
pub fn page(state: &State) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>A fuzzing campaign</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>A fuzzing campaign</h1>\n\
         <p class=\"soft\">Seed {}, {} inputs in {:.0} seconds.</p>\n",
        state.seed,
        grouped(state.inputs()),
        state.seconds
    );
    overview(&mut html, state);
    disagreements(&mut html, state);
    classes(&mut html, state);
    rules(&mut html, state);
    for (name, tally) in &state.tallies {
        section(&mut html, name, tally);
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn overview(html: &mut String, state: &State) {
    html.push_str("<div class=\"scroll\"><table>\n<tr><th>target</th><th class=\"n\">inputs</th><th class=\"n\">a second</th><th class=\"n\">useful</th><th class=\"n\">differ, named</th><th class=\"n\">unknown</th><th class=\"n\">disagree</th></tr>\n");
    for (name, tally) in &state.tallies {
        let named: u64 = named(tally).map(|(_, count)| count).sum();
        let bad = tally.disagreements();
        let _ = writeln!(
            html,
            "<tr><td><a href=\"#{name}\">{name}</a></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n{}\">{bad}</td></tr>",
            grouped(tally.inputs),
            grouped(tally.rate() as u64),
            share(tally.useful, tally.inputs),
            grouped(named),
            grouped(tally.outcomes.get("unknown").copied().unwrap_or_default()),
            if bad > 0 { " bad" } else { "" },
        );
    }
    html.push_str("</table></div>\n");
}

fn named(tally: &Tally) -> impl Iterator<Item = (KnownDifference, u64)> + '_ {
    TABLE.iter().filter_map(|row| {
        let count = tally.outcomes.get(row.name)?;
        Some((row.class, *count))
    })
}

fn disagreements(html: &mut String, state: &State) {
    for (name, found) in state.disagreements() {
        let _ = writeln!(
            html,
            "<h3 class=\"bad\">{name}, input {}: {}</h3>\n<pre>{}</pre>\n<pre>{}</pre>",
            found.index,
            escaped(&found.disagreement.check),
            escaped(&found.input),
            escaped(&found.disagreement.to_string())
        );
    }
}

fn classes(html: &mut String, state: &State) {
    html.push_str("<h2>Named differences</h2>\n<div class=\"scroll\"><table>\n<tr><th>name</th><th class=\"n\">count</th><th>why it is no defect</th></tr>\n");
    for row in TABLE {
        let counts = state.tallies.values();
        let count: u64 = counts
            .filter_map(|tally| tally.outcomes.get(row.name))
            .sum();
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"soft\">{}</td></tr>",
            row.name,
            grouped(count),
            quoted(row.argument)
        );
    }
    html.push_str("</table></div>\n");
}

/// A text in which what stands between backquotes is code.
fn quoted(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    };
    parts.map(part).collect()
}

/// Every rule, with how often it fired and failed: a rule that no input reached is seen at once.
fn rules(html: &mut String, state: &State) {
    let sum = |of: fn(&Tally) -> &BTreeMap<String, u64>, rule: &Rule| -> u64 {
        let counts = state.tallies.values();
        counts.filter_map(|tally| of(tally).get(rule.name())).sum()
    };
    let rows: Vec<(&str, u64, u64)> = Rule::ALL
        .iter()
        .map(|rule| {
            (
                rule.name(),
                sum(|t| &t.fired, rule),
                sum(|t| &t.failed, rule),
            )
        })
        .collect();
    let most = rows.iter().map(|(_, fired, _)| *fired).max().unwrap_or(0);
    let height = rows.len() * 18 + 6;
    let _ = write!(
        html,
        "<h2>Rules</h2>\n<p class=\"soft\">How often each fired and, in brackets, failed, on one input in sixteen. The bars are logarithmic.</p>\n<svg viewBox=\"0 0 720 {height}\" role=\"img\" aria-label=\"how often each rule fired\">\n"
    );
    let scale = |count: u64| ((count + 1) as f64).ln() / ((most + 1) as f64).ln().max(1e-9);
    for (at, (name, fired, failed)) in rows.iter().enumerate() {
        let y = at * 18;
        let width = 420.0 * scale(*fired);
        let _ = writeln!(
            html,
            "<text x=\"0\" y=\"{}\">{name}</text><rect class=\"column\" x=\"130\" y=\"{}\" width=\"{width:.1}\" height=\"12\"/><text x=\"{:.1}\" y=\"{}\">{} ({})</text>",
            y + 13,
            y + 3,
            136.0 + width,
            y + 13,
            grouped(*fired),
            grouped(*failed)
        );
    }
    html.push_str("</svg>\n");
}

fn section(html: &mut String, name: &str, tally: &Tally) {
    let about = Target::named(name).map_or("", |target| target.about);
    let _ = write!(
        html,
        "<h2 id=\"{name}\">{name}</h2>\n<p class=\"soft\">{}</p>\n<div class=\"plots\">\n",
        escaped(about)
    );
    let points: Vec<(f64, f64)> = rates(&tally.samples);
    plot(html, "inputs a second, over the seconds", |svg| {
        curve(svg, &points)
    });
    plot(html, "sizes of the inputs", |svg| {
        columns(svg, &tally.sizes)
    });
    html.push_str("</div>\n");
    mix(html, "answers", &tally.answers, tally.inputs);
    mix(html, "outcomes", &tally.outcomes, tally.inputs);
    if !tally.limits.is_empty() {
        mix(html, "limits", &tally.limits, tally.limits.values().sum());
    }
}

/// The rate between each two samples.
fn rates(samples: &[(f64, u64)]) -> Vec<(f64, f64)> {
    let mut last = (0.0, 0);
    let mut points = Vec::new();
    for (seconds, inputs) in samples {
        if *seconds > last.0 {
            points.push((*seconds, (inputs - last.1) as f64 / (seconds - last.0)));
        }
        last = (*seconds, *inputs);
    }
    points
}

fn plot(html: &mut String, title: &str, draw: impl FnOnce(&mut String)) {
    let _ = write!(
        html,
        "<div><h3>{title}</h3><svg viewBox=\"0 0 360 150\" role=\"img\" aria-label=\"{title}\">\n<line class=\"axis\" x1=\"50\" y1=\"130\" x2=\"355\" y2=\"130\"/>\n"
    );
    draw(html);
    html.push_str("</svg></div>\n");
}

fn label(svg: &mut String, x: f64, y: f64, anchor: &str, text: impl Display) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
    );
}

fn curve(svg: &mut String, points: &[(f64, f64)]) {
    let most = points.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let end = points.last().map_or(0.0, |(seconds, _)| *seconds);
    let place = |(seconds, rate): &(f64, f64)| {
        let (x, y) = (seconds / end.max(1e-9), rate / most.max(1e-9));
        format!("{:.1},{:.1}", 50.0 + 300.0 * x, 130.0 - 115.0 * y)
    };
    let line: Vec<String> = points.iter().map(place).collect();
    let _ = writeln!(
        svg,
        "<polyline class=\"curve\" points=\"{}\"/>",
        line.join(" ")
    );
    label(svg, 45.0, 20.0, "end", grouped(most as u64));
    label(svg, 45.0, 134.0, "end", "0");
    label(svg, 350.0, 146.0, "end", format!("{end:.0} s"));
}

/// A histogram of at most 24 columns.
fn columns(svg: &mut String, sizes: &BTreeMap<usize, u64>) {
    let largest = sizes.keys().last().copied().unwrap_or(0);
    let step = (largest / 24 + 1).max(1);
    let mut bins = vec![0u64; largest / step + 1];
    for (size, count) in sizes {
        bins[size / step] += count;
    }
    let most = bins.iter().max().copied().unwrap_or(0);
    let width = 300.0 / bins.len() as f64;
    for (at, count) in bins.iter().enumerate() {
        let height = 115.0 * *count as f64 / most.max(1) as f64;
        let x = 50.0 + width * at as f64;
        let _ = writeln!(
            svg,
            "<rect class=\"column\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>",
            130.0 - height,
            (width - 1.5).max(0.5)
        );
    }
    label(svg, 45.0, 20.0, "end", grouped(most));
    label(svg, 50.0, 146.0, "start", "0");
    label(svg, 350.0, 146.0, "end", largest);
}

/// One bar cut into shares, with a legend.
fn mix(html: &mut String, title: &str, counts: &BTreeMap<String, u64>, whole: u64) {
    let mut ordered: Vec<(&String, &u64)> = counts.iter().collect();
    ordered.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let _ = write!(
        html,
        "<h3>{title}</h3><svg viewBox=\"0 0 720 18\" role=\"img\" aria-label=\"{title}\">"
    );
    let mut x = 0.0;
    for (at, (_, count)) in ordered.iter().enumerate() {
        let width = 720.0 * **count as f64 / whole.max(1) as f64;
        let _ = write!(
            html,
            "<rect x=\"{x:.1}\" y=\"2\" width=\"{width:.1}\" height=\"14\" fill=\"var(--c{})\"/>",
            at.min(5)
        );
        x += width;
    }
    html.push_str("</svg>\n<p class=\"soft\">");
    for (at, (key, count)) in ordered.iter().enumerate() {
        let _ = write!(
            html,
            "<span style=\"color: var(--c{})\">\u{25a0}</span> {} {} ({}) \u{2003}",
            at.min(5),
            escaped(key),
            grouped(**count),
            share(**count, whole)
        );
    }
    html.push_str("</p>\n");
}
