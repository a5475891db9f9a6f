//! Drawings of the formal core's witnesses: rows as boxes with the marker, and the derivation by the repaired rules.

use maud::{Markup, html};

use lozenge_page::drawing::{dim, row_term as row};
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{Constraint, ConstraintSet, RowTerm};

/// The number of steps of a derivation that are shown.
const STEPS: usize = 40;

/// Draws a witness that is a constraint set or a few rows; any other is left as text.
pub fn drawn(witness: &str) -> Option<Markup> {
    match constraints(witness) {
        Some(set) => Some(constraint_set(&set, witness)),
        None => {
            let rows: Option<Vec<RowTerm>> =
                witness.lines().map(|line| line.parse().ok()).collect();
            let rows = rows?;
            Some(html! { @for each in &rows { div.constraint { (row(each)) } } })
        }
    }
}

fn constraints(witness: &str) -> Option<ConstraintSet> {
    let set = witness.parse::<ConstraintSet>().ok();
    set.filter(|set| !set.constraints.is_empty())
}

fn constraint_set(set: &ConstraintSet, witness: &str) -> Markup {
    let declared = |line: &&str| line.starts_with("leaf") || line.starts_with("param");
    html! {
        @for each in &set.constraints { (constraint(each)) }
        @for line in witness.lines().filter(declared) { div.constraint { (line) } }
        (derivation(set))
    }
}

fn constraint(constraint: &Constraint) -> Markup {
    let (left, relation, right) = match constraint {
        Constraint::RowEq(a, b) => (row(a), "≈", row(b)),
        Constraint::RowLe(a, b) => (row(a), "⊑", row(b)),
        Constraint::DimEq(a, b) => (dim(a), "=", dim(b)),
        Constraint::DimLe(a, b) => (dim(a), "⊑", dim(b)),
        Constraint::Window(_)
        | Constraint::Composite(_)
        | Constraint::Elements(_)
        | Constraint::Flat(_)
        | Constraint::AtLeast { .. } => {
            return html! { div.constraint { (constraint) } };
        }
    };
    html! { div.constraint { (left) span.op { (relation) } (right) } }
}

fn derivation(set: &ConstraintSet) -> Markup {
    let run = solve(set, &Options::default());
    let steps: Vec<String> = run
        .config
        .trace
        .iter()
        .flatten()
        .take(STEPS)
        .map(ToString::to_string)
        .collect();
    let end = run
        .failure()
        .map_or_else(|| run.verdict().to_string(), ToString::to_string);
    html! {
        details {
            summary { "derivation by the repaired rules" }
            @if !steps.is_empty() {
                ol.steps { @for step in &steps { li { (step) } } }
            }
            p { (end) }
        }
    }
}
