//! The table as one page: self-contained, light and dark, witnesses drawn as boxes with the marker, derivations as steps.

use std::fmt::Write;

use crate::core::Evidence;
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{Constraint, ConstraintSet, DimTerm, RowTerm};

use super::Entry;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1d2127; --paper: #fbfaf7; --soft: #6a7079; --line: #dcd9d0; --box: #f0ede4; --mark: #b5482a;
  --proved: #2b6e4f; --exhaustive: #2c5f8a; --sampled: #7a6a1c; --falsified: #a8321f; --not-executable: #777; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e4de; --paper: #17191c; --soft: #9aa0a8; --line: #34383e; --box: #22262b; --mark: #e8896b;
  --proved: #6cc79c; --exhaustive: #78b3e0; --sampled: #d6c15e; --falsified: #f08a76; --not-executable: #999; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-weight: 600; } .tally span { margin-right: 1.2rem; } article { border-top: 1px solid var(--line); padding: .8rem 0; }
h2 { font-size: 1rem; margin: 0; display: inline; } .kind { font-size: .8rem; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .6rem; margin-left: .6rem; }
.proved { color: var(--proved); } .exhaustive { color: var(--exhaustive); } .sampled { color: var(--sampled); } .falsified { color: var(--falsified); } .not-executable { color: var(--not-executable); }
p { margin: .3rem 0; } .scope { color: var(--soft); } .scope, .seen { font-size: .9rem; } .row { display: inline-flex; vertical-align: middle; border: 1px solid var(--line); border-radius: .3rem; overflow: hidden; background: var(--box); }
.row span { padding: .1rem .5rem; border-left: 1px solid var(--line); min-width: .8rem; text-align: center; } .row span:first-child { border-left: 0; } .row .marker { color: var(--mark); font-weight: 600; }
.constraint { margin: .3rem 0 .3rem 1rem; font-family: ui-monospace, monospace; } .op { padding: 0 .6rem; } details { margin-left: 1rem; font-size: .9rem; } summary { cursor: pointer; color: var(--soft); } ol { font-family: ui-monospace, monospace; margin: .3rem 0; } li { white-space: pre-wrap; } li::marker { color: var(--soft); } a { color: var(--exhaustive); } .count { white-space: nowrap; } .seen { margin-left: 1rem; } pre { overflow-x: auto; margin-left: 1rem; }
";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The page.
pub fn page(entries: &[Entry]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Claims of the formal core</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>Claims of the formal core</h1>\n<p class=\"tally\">"
    );
    let kinds = [
        Evidence::Proved,
        Evidence::Exhaustive,
        Evidence::Sampled,
        Evidence::Falsified,
        Evidence::NotExecutable,
    ];
    for kind in kinds {
        let count = entries.iter().filter(|e| e.evidence == kind).count();
        let _ = write!(html, "<span class=\"{0}\">{count} {0}</span>", kind.word());
    }
    html.push_str("</p>\n");
    entries.iter().for_each(|entry| article(&mut html, entry));
    html.push_str("</body>\n</html>\n");
    html
}

fn anchor(id: &str) -> String {
    id.chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .collect()
}

fn article(html: &mut String, entry: &Entry) {
    let kind = entry.evidence.word();
    let _ = write!(
        html,
        "<article id=\"{}\"><h2>{}</h2><span class=\"kind {kind}\">{kind}</span>\n<p>{}</p>\n<p class=\"scope\">{} <span class=\"count\">({}, {:.2} s)</span></p>\n",
        anchor(&entry.id),
        escaped(&entry.id),
        escaped(&entry.statement),
        escaped(&entry.scope),
        instances(entry.instances),
        entry.seconds
    );
    if let Some(witness) = &entry.witness {
        drawn(html, witness);
    }
    if let Some(why) = &entry.why {
        let _ = writeln!(html, "<p class=\"seen\">{}</p>", escaped(why));
    }
    if let Some(witness) = &entry.witness {
        derivation(html, witness);
    }
    if let Some(repair) = &entry.repaired_by {
        let _ = writeln!(
            html,
            "<p>Repaired: <a href=\"#{}\">{}</a></p>",
            anchor(repair),
            escaped(repair)
        );
    }
    html.push_str("</article>\n");
}

fn instances(count: u64) -> String {
    match count {
        1 => "1 instance".into(),
        _ => format!("{count} instances"),
    }
}

/// The witness as a constraint set, if it is one.
fn constraints(witness: &str) -> Option<ConstraintSet> {
    let set = witness.parse::<ConstraintSet>().ok();
    set.filter(|set| !set.constraints.is_empty())
}

/// A witness that is a constraint set or a few rows is drawn; any other is shown as text.
fn drawn(html: &mut String, witness: &str) {
    let Some(set) = constraints(witness) else {
        let rows: Option<Vec<RowTerm>> = witness.lines().map(|line| line.parse().ok()).collect();
        match rows {
            Some(rows) => rows.iter().for_each(|r| {
                let _ = writeln!(html, "<div class=\"constraint\">{}</div>", row(r));
            }),
            None => {
                let _ = writeln!(html, "<pre>{}</pre>", escaped(witness));
            }
        }
        return;
    };
    for constraint in &set.constraints {
        let (left, op, right) = match constraint {
            Constraint::RowEq(a, b) => (row(a), "≈", row(b)),
            Constraint::RowLe(a, b) => (row(a), "⊑", row(b)),
            Constraint::DimEq(a, b) => (dim(a), "=", dim(b)),
            Constraint::DimLe(a, b) => (dim(a), "⊑", dim(b)),
        };
        let _ = writeln!(
            html,
            "<div class=\"constraint\">{left}<span class=\"op\">{op}</span>{right}</div>"
        );
    }
    for declaration in witness
        .lines()
        .filter(|l| l.starts_with("leaf") || l.starts_with("param"))
    {
        let _ = writeln!(
            html,
            "<div class=\"constraint\">{}</div>",
            escaped(declaration)
        );
    }
}

/// What the repaired rules make of a witness, step by step, and how it ends.
fn derivation(html: &mut String, witness: &str) {
    let Some(set) = constraints(witness) else {
        return;
    };
    let run = solve(&set, &Options::default());
    html.push_str("<details><summary>derivation by the repaired rules</summary>\n");
    let steps: Vec<String> = run
        .config
        .trace
        .iter()
        .flatten()
        .take(40)
        .map(|step| format!("<li>{}</li>\n", escaped(&step.to_string())))
        .collect();
    if !steps.is_empty() {
        let _ = writeln!(html, "<ol>\n{}</ol>", steps.concat());
    }
    let end = run
        .failure()
        .map_or_else(|| run.verdict().to_string(), ToString::to_string);
    let _ = writeln!(html, "<p>{}</p></details>", escaped(&end));
}

fn dim(term: &DimTerm) -> String {
    format!(
        "<span class=\"row\"><span>{}</span></span>",
        escaped(&term.to_string())
    )
}

fn row(row: &RowTerm) -> String {
    let cells = |terms: &[DimTerm]| {
        terms
            .iter()
            .map(|t| format!("<span>{}</span>", escaped(&t.to_string())))
            .collect::<String>()
    };
    let marker = row.var.as_ref().map_or("⋄".to_string(), |var| {
        format!("⟨{}⟩", escaped(var.name()))
    });
    format!(
        "<span class=\"row\">{}<span class=\"marker\">{marker}</span>{}</span>",
        cells(&row.leading),
        cells(&row.trailing)
    )
}
