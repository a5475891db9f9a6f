//! Smaller and smaller inputs with the same outcome, by structure: a constraint, an axis, a variable, a declaration, an equation,
//! a statement, a byte is left out, variables are merged, sizes made simple, markers put at the front.

use lozenge_testkit::minimise::smaller as smaller_sets;
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::{Constraint, ConstraintSet, RowTerm};

use crate::input::Input;
use crate::parties::Parties;
use crate::target::Target;
use lozenge_testkit::system::System;

/// At most how many inputs are tried.
const TRIED: usize = 50_000;

/// A minimal input whose outcome has the same key: no single step leads to a smaller one, unless the limit on tries was
/// reached.
pub fn minimise(target: &Target, input: &Input, parties: &mut Parties) -> Input {
    let outcome = |input: &Input, parties: &mut Parties| {
        target
            .examine(input, parties)
            .map(|examined| examined.outcome.key())
    };
    let key = outcome(input, parties);
    let mut tries = TRIED;
    let mut least = input.clone();
    'smaller: loop {
        for candidate in smaller(&least) {
            if tries == 0 {
                return least;
            }
            tries -= 1;
            if outcome(&candidate, parties) == key {
                least = candidate;
                continue 'smaller;
            }
        }
        return least;
    }
}

/// Every input that is one step smaller, the largest steps first.
pub fn smaller(input: &Input) -> Vec<Input> {
    match input {
        Input::Set(set) => {
            let sets = smaller_sets(set).into_iter().chain(flattened(set));
            sets.map(Input::Set).collect()
        }
        Input::System(system) => smaller_systems(system)
            .into_iter()
            .map(Input::System)
            .collect(),
        Input::Operation(bytes) => shorter_bytes(bytes).map(Input::Operation).collect(),
        Input::Program(text) => shorter(text, true).map(Input::Program).collect(),
        Input::Text(text) => shorter(text, false).map(Input::Text).collect(),
    }
}

/// Moves the marker of one closed row to the front, where it need not be written.
fn flattened(set: &ConstraintSet) -> Vec<ConstraintSet> {
    let mut all = Vec::new();
    for at in 0..set.constraints.len() {
        for side in 0..2 {
            let mut other = set.clone();
            if let Constraint::RowEq(a, b) | Constraint::RowLe(a, b) = &mut other.constraints[at] {
                let row: &mut RowTerm = if side == 0 { a } else { b };
                if row.var.is_none() && !row.leading.is_empty() {
                    let trailing = std::mem::take(&mut row.trailing);
                    row.trailing = std::mem::take(&mut row.leading);
                    row.trailing.extend(trailing);
                    all.push(other);
                }
            }
        }
    }
    all
}

fn smaller_systems(system: &System) -> Vec<System> {
    let mut all = Vec::new();
    for at in 0..system.equations.len() {
        let mut other = system.clone();
        other.equations.remove(at);
        all.push(other);
    }
    for id in system.axes() {
        all.push(without_axis(system, id));
        for simple in [1, 2] {
            if system.size(id).is_some_and(|size| simple < size) {
                let mut other = system.clone();
                other.sizes[id.slot][id.axis] = simple;
                all.push(other);
            }
        }
    }
    if system.sizes.last().is_some_and(Vec::is_empty) {
        let mut other = system.clone();
        other.sizes.pop();
        all.push(other);
    }
    all
}

/// The system without an axis and the equations that mention it.
fn without_axis(system: &System, gone: AxisId) -> System {
    let mut other = system.clone();
    other.sizes[gone.slot].remove(gone.axis);
    other.equations.retain_mut(|equation| {
        let axis = |atom| match atom {
            &mut Atom::Proj(ref mut id) => Some(id),
            Atom::Sol(_) => None,
        };
        let ids: Vec<&mut AxisId> = match equation {
            Equation::Eq(a, b) => [a, b].into_iter().filter_map(axis).collect(),
            Equation::Iter(a) => [a].into_iter().filter_map(axis).collect(),
            Equation::Derive(p, sum) => {
                let terms = sum.terms.iter_mut().map(|(_, id)| id);
                std::iter::once(p).chain(terms).collect()
            }
        };
        let mut kept = true;
        for id in ids {
            kept &= *id != gone;
            if id.slot == gone.slot && id.axis > gone.axis {
                id.axis -= 1;
            }
        }
        kept
    });
    other
}

/// The text without a stretch: half of it, a quarter, down to one line, then one word and, in a text that is not a program,
/// one character.
fn shorter(text: &str, program: bool) -> impl Iterator<Item = String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let characters: Vec<&str> = match program {
        true => Vec::new(),
        false => text
            .char_indices()
            .map(|(at, c)| &text[at..at + c.len_utf8()])
            .collect(),
    };
    let all: Vec<String> = [lines, words, characters]
        .into_iter()
        .flat_map(|parts| without_a_stretch(&parts))
        .filter(|shorter| shorter.len() < text.len())
        .collect();
    all.into_iter()
}

/// The bytes without a stretch, and with one of them made 0, of which the generator draws the simplest.
fn shorter_bytes(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let lengths = std::iter::successors(Some(bytes.len() / 2), |length| Some(length / 2));
    let lengths = lengths.take_while(|length| *length > 0);
    let shorter = lengths.flat_map(move |length| {
        let starts = (0..bytes.len()).step_by(length);
        starts.map(move |at| {
            let end = bytes.len().min(at + length);
            [&bytes[..at], &bytes[end..]].concat()
        })
    });
    let written = (0..bytes.len()).filter(|at| bytes[*at] > 0);
    let simpler = written.map(|at| {
        let mut other = bytes.to_vec();
        other[at] = 0;
        other
    });
    shorter.chain(simpler)
}

fn without_a_stretch(parts: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    let mut length = parts.len() / 2;
    while length > 0 {
        for at in (0..parts.len()).step_by(length) {
            let end = parts.len().min(at + length);
            all.push([&parts[..at], &parts[end..]].concat().concat());
        }
        length /= 2;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An outcome that is not a defect: policy refuses a satisfiable set.
    #[test]
    fn a_gap_is_reduced_to_its_core() {
        let target = Target::named("solver_oracle").unwrap();
        let text =
            "leaf b\n5 <= b\n<r> ~ [3_rgb, 5, 7]\n[3_rgb <> 9, 5, 7] <= <r>\n<s> <= [b <t> 4]";
        let input = Input::Set(text.parse().unwrap());
        let mut parties = Parties::default();
        let least = minimise(target, &input, &mut parties);
        assert_eq!(least.to_string(), "<r> ~ [1_]\n[1_ <>] <= <r>\n");
    }

    #[test]
    fn systems_lose_axes_with_their_equations() {
        let system: System = "slot 2 3\nslot 2\n0.0 = 1.0\niter 0.1".parse().unwrap();
        let gone = AxisId { slot: 0, axis: 0 };
        assert_eq!(
            without_axis(&system, gone),
            "slot 3\nslot 2\niter 0.0".parse().unwrap()
        );
    }

    #[test]
    fn texts_lose_stretches() {
        let input = Input::Text("ab".into());
        let texts: Vec<String> = smaller(&input).iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["b", "a"]);
    }
}
