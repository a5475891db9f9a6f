//! Lemma 7.7(b): which axes of an operation iterate together depends on this operation only, because its identifiers
//! are its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::random_einsum::{Example, each_example};
use crate::machinery::{Effort, Finding, Witness};
use lozenge_spec::elaboration::{Elaborated, elaborate};
use lozenge_spec::projection_solver::solve;
use lozenge_vocabulary::operation::{Operation, Requirement, Shape, Side};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::row::Row;

/// The indices of an operation's axes: which of them share an iterator, and at which constants the others are read.
type Reading = Vec<Index>;

/// Returns the indices of the axes of the first `slots` slots. Iterators are numbered by first occurrence.
fn reading(equations: &[Equation], sizes: &[Vec<u64>], slots: usize) -> Option<Reading> {
    let solved = solve(equations, sizes).ok()?.projections;
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let maps = solved.maps[..slots].iter().flat_map(|map| map.0.iter());
    let renamed = maps.map(|index| match index {
        Index::Iter(factor) => {
            let next = numbers.len();
            Index::Iter(*numbers.entry(*factor).or_insert(next))
        }
        other => other.clone(),
    });
    Some(renamed.collect())
}

/// Returns the same equations about the slots from `by` on.
fn shifted(equations: &[Equation], by: usize) -> Vec<Equation> {
    let atom = |atom: &Atom| match atom {
        Atom::Proj(id) => Atom::Proj(AxisId {
            slot: id.slot + by,
            axis: id.axis,
        }),
        supplied => supplied.clone(),
    };
    let equation = |e: &Equation| match e {
        Equation::Eq(a, b) => Equation::Eq(atom(a), atom(b)),
        Equation::Iter(a) => Equation::Iter(atom(a)),
        // No operation of the core derives an index.
        Equation::Derive(..) => e.clone(),
    };
    equations.iter().map(equation).collect()
}

/// Returns another operation on the same tensors with the same template variables: its operands are exchanged.
fn swapped(op: &Operation) -> Operation {
    let side = |side: &Side| match side {
        Side::Slot(slot, kind) => Side::Slot([0, 2, 1][*slot], *kind),
        template => template.clone(),
    };
    let mut other = op.clone();
    other.slots.swap(1, 2);
    for requirement in Arc::make_mut(&mut other.requirements) {
        *requirement = match requirement {
            Requirement::Equal(a, b) => Requirement::Equal(side(a), side(b)),
            Requirement::Below(a, b) => Requirement::Below(side(a), side(b)),
            Requirement::Template(c) => Requirement::Template(c.clone()),
        };
    }
    other
}

fn equations(elaborated: &Elaborated) -> Vec<Equation> {
    elaborated
        .equations
        .iter()
        .map(|(_, e)| e.clone())
        .collect()
}

/// The reading of an operation alone, beside another operation with separate identifiers, and with shared identifiers.
struct Beside {
    alone: Option<Reading>,
    fresh: Option<Reading>,
    confused: Option<Reading>,
}

fn beside(example: &Example, shapes: &[Shape<Row>]) -> Option<Beside> {
    let of = |op: &Operation| elaborate(op, |t| shapes[t.0].clone()).ok();
    let (own, other) = (of(&example.op)?, of(&swapped(&example.op))?);
    let slots = own.sizes.len();
    let (mine, theirs) = (equations(&own), equations(&other));
    let joint = |shift: usize| [shifted(&theirs, shift), mine.clone()].concat();
    let both = [own.sizes.clone(), other.sizes.clone()].concat();
    Some(Beside {
        alone: reading(&mine, &own.sizes, slots),
        fresh: reading(&joint(slots), &both, slots),
        confused: reading(&joint(0), &own.sizes, slots),
    })
}

/// Checks that an operation solved together with another one on the same tensors has the same reading as alone. As a
/// check that this can fail, the two are also solved with shared identifiers: if the readings never differed then, the
/// search would show nothing.
pub fn lemma_7_7_b(effort: Effort) -> Finding {
    let mut told_apart = 0u64;
    let finding = each_example(effort, |example, shapes| {
        let Some(beside) = beside(example, shapes) else {
            return Some("an operation on the same tensors has no equations");
        };
        told_apart += u64::from(beside.confused != beside.alone);
        (beside.alone.is_none() || beside.fresh != beside.alone)
            .then_some("beside another operation it is read in another way")
    });
    if told_apart == 0 && finding.witness.is_none() {
        let witness = Witness {
            text: "every example".into(),
            why: "operations that share identifiers are read alike, so that nothing was tested"
                .into(),
        };
        return Finding::sampled(finding.scope, finding.instances, Some(witness));
    }
    Finding {
        scope: format!(
            "{}, each solved with a second operation on the same tensors; with the identifiers of the two confused, \
             {told_apart} are read in another way",
            finding.scope
        ),
        ..finding
    }
}
