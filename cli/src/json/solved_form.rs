//! What a solution rests on, as text and as data.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use lozenge_solver::{SolvedForm, Standing};
use lozenge_vocabulary::{Dim, Ground, Var};
use schemars::JsonSchema;
use serde::Serialize;

use super::cited::Policy;
use super::{Cited, Values};

/// What the values of a solution rest on. A variable that is in none of `placed`, `chosen` and `free` is forced: every
/// solution gives it this value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RestsOn {
    /// Row variables whose axes are forced; policy chose where the marker stands among them.
    placed: Vec<String>,
    /// Variables whose values policy chose.
    chosen: Vec<String>,
    /// Variables that nothing determines, or not in all of their axes: what is open stands at its top.
    free: Vec<String>,
    /// What still bounds the free variables. In a large set only some have an entry.
    bounds: BTreeMap<String, Bounds>,
    /// The choices of policy, the first hundred of them.
    choices: Vec<Policy>,
}

/// What still bounds a free variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Bounds {
    /// The atom that lies below a dimension variable, in the notation: it is this atom or the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    atom: Option<String>,
    /// How many leading and trailing axes a row variable has at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<[u32; 2]>,
    /// The constraints that bound it.
    constraints: Vec<Cited>,
}

impl Bounds {
    pub(super) fn of(var: &Var, standing: &Standing) -> Option<Bounds> {
        let Standing::Free {
            atom,
            at_least,
            bounds,
        } = standing
        else {
            return None;
        };
        Some(Bounds {
            atom: atom.as_ref().map(Dim::to_string),
            at_least: matches!(var, Var::Row(_)).then_some(*at_least),
            constraints: bounds.iter().map(Cited::from).collect(),
        })
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.constraints.as_slice() {
            [] => write!(f, "nothing bounds it"),
            constraints => {
                let texts: Vec<&str> = constraints.iter().map(|cited| &*cited.text).collect();
                write!(f, "bounded by {}", texts.join("; "))
            }
        }
    }
}

impl From<&SolvedForm> for RestsOn {
    fn from(form: &SolvedForm) -> RestsOn {
        let names = |part: &Ground| Values::from(part.clone()).names();
        let bounds = form.bounds.iter().filter_map(|(var, standing)| {
            Bounds::of(var, standing).map(|bounds| (var.to_string(), bounds))
        });
        RestsOn {
            placed: names(&form.placed),
            chosen: names(&form.chosen),
            free: names(&form.free),
            bounds: bounds.collect(),
            choices: form.choices.iter().map(Policy::from).collect(),
        }
    }
}

/// A solution for people: what is forced, what is free with what bounds it, and what was chosen, one after the other.
pub fn text(form: &SolvedForm, closed: bool) -> String {
    let rests_on = RestsOn::from(form);
    let mut text = String::new();
    let free = match closed {
        true => "free, closed at its top",
        false => "free, shown at its top",
    };
    let bounds = |name: &str| rests_on.bounds.get(name).map(Bounds::to_string);
    section(&mut text, "forced", &form.forced, |_| None);
    section(
        &mut text,
        "forced but for the place of the marker",
        &form.placed,
        |_| None,
    );
    section(&mut text, free, &form.free, bounds);
    section(&mut text, "chosen by policy", &form.chosen, |_| None);
    if !(form.chosen.dims.is_empty() && form.chosen.rows.is_empty()) {
        text.push_str("the choices\n");
        for choice in &form.choices {
            let _ = writeln!(text, "  {choice}");
        }
    }
    text
}

fn section(text: &mut String, title: &str, part: &Ground, note: impl Fn(&str) -> Option<String>) {
    if part.dims.is_empty() && part.rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}");
    for (name, line) in Values::from(part.clone()).lines() {
        let _ = match note(&name) {
            Some(note) => writeln!(text, "  {line:<20}  # {note}"),
            None => writeln!(text, "  {line}"),
        };
    }
}
