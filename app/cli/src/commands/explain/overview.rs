//! The explanation of a whole program: every row where that fits on some screens, else a line for each of the first
//! ones.

use std::fmt::Write;

use lozenge_solver::{Derivation, Solver};

use super::derivation;
use super::statements::{statements, why_final};
use super::words::Explainer;

/// The most lines of derivations that are printed without being asked for.
const LINES: usize = 120;

/// The most rows of an overview.
const ROWS: usize = 40;

/// The most names of rows without axes.
const NAMES: usize = 12;

/// A row with its derivation; rows that the program writes have none.
pub type Explained = (String, Option<Derivation>);

/// Returns the text about all rows. `whole` asks for every derivation, however long they are together.
pub fn overview(explainer: &Explainer, solver: &Solver, rows: &[Explained], whole: bool) -> String {
    let (mut texts, mut empty) = (Vec::new(), Vec::new());
    for (name, derivation) in rows {
        match derivation {
            None => {}
            Some(derivation) if derivation.value == "[]" && !whole => empty.push(name.as_str()),
            Some(derivation) => texts.push((name, derivation)),
        }
    }
    let mut out = String::new();
    let mut lines = 0;
    for (name, derivation) in &texts {
        let text = derivation::told(explainer, solver, name, derivation);
        lines += 1 + text.lines().count();
        if lines > LINES && !whole {
            return lines_of(explainer, solver, &texts, empty.len());
        }
        let _ = writeln!(out, "{text}");
    }
    if let Some(text) = without_axes(&empty) {
        let _ = writeln!(out, "{text}");
    }
    out
}

/// Returns the sentence about the rows that have no axes.
fn without_axes(names: &[&str]) -> Option<String> {
    let (first, more) = names.split_at(names.len().min(NAMES));
    let more = match more.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let has = if names.len() == 1 { "has" } else { "have" };
    let example = names.first()?;
    Some(format!(
        "{}{more} {has} no axes; --var {example} says why",
        first.join(", ")
    ))
}

/// Returns a line for each of the first rows, and how many there are.
fn lines_of(
    explainer: &Explainer,
    solver: &Solver,
    rows: &[(&String, &Derivation)],
    empty: usize,
) -> String {
    let mut out = String::new();
    for (name, derivation) in rows.iter().take(ROWS) {
        let statements = statements(explainer, solver, derivation);
        let reasons = statements.iter().rev();
        let reason = reasons.filter_map(|one| one.reason(explainer)).next();
        let reason = reason.unwrap_or_else(|| why_final(derivation, solver, explainer));
        let _ = writeln!(out, "{name} = {}: {reason}", derivation.value);
    }
    let more = rows.len().saturating_sub(ROWS);
    let _ = writeln!(
        out,
        "\n{more} more rows have axes, and {empty} have none; --var NAME explains a tensor step by step, and --all every row"
    );
    out
}
