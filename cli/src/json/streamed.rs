//! The answer of `solve` written as it is made: a solution of a million variables is never held as one value of JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use lozenge_solver::{Footing, Solution, Values};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::Natural;
use super::cited::Policy;
use super::solved_form::Bounds;

/// How many choices of policy are listed.
const CHOICES: usize = 100;

/// The keys of an answer of `solve` with a solution of the production solver.
pub struct Solved<'a> {
    note: &'static str,
    solution: Solution<'a>,
    values: Values<'a>,
}

impl<'a> Solved<'a> {
    /// The answer that a solution is.
    pub fn new(solution: Solution<'a>, note: &'static str) -> Solved<'a> {
        let mut values = solution.values();
        values.sort_by_key(Natural::new);
        Solved {
            note,
            solution,
            values,
        }
    }
}

impl Serialize for Solved<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("note", self.note)?;
        map.serialize_entry("solution", &OfAll(&self.values))?;
        map.serialize_entry("rests_on", &RestsOn(self))?;
        map.end()
    }
}

/// Every variable with its value.
struct OfAll<'s, 'a>(&'s Values<'a>);

impl Serialize for OfAll<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, dim) in self.0.dims() {
            map.serialize_entry(name, &format_args!("{dim}"))?;
        }
        let (mut key, mut text) = (String::new(), String::new());
        let mut last = None;
        for (name, row) in self.0.rows() {
            key.clear();
            key.extend(["<", name, ">"]);
            // Variables that stand side by side often have the same value.
            if last.as_ref() != Some(&row) {
                text.clear();
                write!(text, "{row}").map_err(serde::ser::Error::custom)?;
                last = Some(row);
            }
            map.serialize_entry(&key, &text)?;
        }
        map.end()
    }
}

/// What the values rest on, as [`super::RestsOn`] describes it.
struct RestsOn<'s, 'a>(&'s Solved<'a>);

impl Serialize for RestsOn<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(5))?;
        let values = &self.0.values;
        for (key, footing) in [
            ("placed", Footing::Placed),
            ("chosen", Footing::Chosen),
            ("free", Footing::Free),
        ] {
            map.serialize_entry(key, &NamesOf { values, footing })?;
        }
        let bounds = values.bounds().into_iter();
        let bounds: BTreeMap<String, Bounds> = bounds
            .filter_map(|(var, standing)| Some((var.to_string(), Bounds::of(&var, &standing)?)))
            .collect();
        map.serialize_entry("bounds", &bounds)?;
        let choices = self.0.solution.policy_steps(CHOICES);
        let choices: Vec<Policy> = choices.iter().map(Policy::from).collect();
        map.serialize_entry("choices", &choices)?;
        map.end()
    }
}

/// The variables whose values rest on one thing.
struct NamesOf<'s, 'a> {
    values: &'s Values<'a>,
    footing: Footing,
}

impl Serialize for NamesOf<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for name in self.values.dim_names(self.footing) {
            list.serialize_element(name)?;
        }
        let mut row = String::new();
        for name in self.values.row_names(self.footing) {
            row.clear();
            row.extend(["<", name, ">"]);
            list.serialize_element(&row)?;
        }
        list.end()
    }
}
