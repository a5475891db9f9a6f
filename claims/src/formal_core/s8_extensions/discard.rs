//! The test of Conj. 8.3: whether a label of a concatenation may be discarded. A label passes if each shape of the
//! other side has an axis none of whose parts is the label.

use crate::machinery::{Effort, Finding, Witness};

/// The parts of an axis.
type Axis = &'static [&'static str];

const AXES: [Axis; 4] = [&["a"], &["b"], &["a", "b"], &["b", "a"]];

/// Both sides of a spec: one operand and the result.
struct Spec {
    operand: Vec<Axis>,
    result: Vec<Axis>,
}

/// Returns every row of one or two axes.
fn rows() -> Vec<Vec<Axis>> {
    let one = AXES.iter().map(|axis| vec![*axis]);
    let two = AXES
        .iter()
        .flat_map(|first| AXES.iter().map(move |second| vec![*first, *second]));
    one.chain(two).collect()
}

fn mentions(axis: Axis, label: &str) -> bool {
    axis.contains(&label)
}

/// Tells whether the test passes as printed: some axis of the other side has no part that is the label.
fn passes(other: &[Axis], label: &str) -> bool {
    other.iter().any(|axis| !mentions(axis, label))
}

/// Tells whether the test of all axes of the other side passes.
fn passes_everywhere(other: &[Axis], label: &str) -> bool {
    other.iter().all(|axis| !mentions(axis, label))
}

impl Spec {
    fn text(&self) -> String {
        let side = |row: &[Axis]| {
            let axes: Vec<String> = row.iter().map(|axis| axis.join("^")).collect();
            axes.join(", ")
        };
        format!("{} => {}", side(&self.operand), side(&self.result))
    }

    /// Returns a label of a concatenation of the operand that passes the test although the result has its cells: it is
    /// a part or the whole of an axis of it.
    fn carried(&self, test: fn(&[Axis], &str) -> bool) -> Option<&'static str> {
        let concatenated = self.operand.iter().filter(|axis| axis.len() > 1);
        let mut labels = concatenated.flat_map(|axis| axis.iter().copied());
        labels.find(|label| {
            test(&self.result, label) && self.result.iter().any(|axis| mentions(axis, label))
        })
    }
}

fn searched(test: fn(&[Axis], &str) -> bool) -> Finding {
    let rows = rows();
    let (mut tried, mut against) = (0, 0);
    let mut witness = None;
    for result in &rows {
        for operand in &rows {
            let spec = Spec {
                operand: operand.clone(),
                result: result.clone(),
            };
            tried += 1;
            let Some(label) = spec.carried(test) else {
                continue;
            };
            against += 1;
            let why = || format!("{label} passes the test and is an axis of the result");
            witness.get_or_insert_with(|| Witness::new(spec.text(), why()));
        }
    }
    let scope = format!(
        "specs of one operand, with one or two axes a side that are a, b, a^b or b^a: a label that passes is carried through in \
         {against} of them"
    );
    Finding::exhaustive(scope, tried, witness)
}

/// Decides the test as printed.
pub fn some_axis(_: Effort) -> Finding {
    searched(passes)
}

/// Decides the test of every axis.
pub fn every_axis(_: Effort) -> Finding {
    searched(passes_everywhere)
}
