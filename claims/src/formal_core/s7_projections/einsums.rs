//! §7 on random einsums: the local solve, bounded addressing, and classes of one size.

use std::collections::BTreeSet;

use super::equations::thm_7_4_repaired;
use super::locality::lemma_7_7_b;
use super::points::{address, points};
use super::random_einsum::{Example, each_example};
use crate::formal_core::case::Case;
use crate::machinery::Check::{Search, Theorem};
use crate::machinery::{Claim, Effort, Finding};
use lozenge_spec::elaboration::elaborate;
use lozenge_spec::projection_solver::Solved;
use lozenge_vocabulary::operation::Shape;
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::Rule;

/// The claims of Lemma 7.7 to Rem. 7.9.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Lemma 7.7(a)",
        "If the global solve and closing succeeded, the per-operation re-derivation has a solution and the core solver finds it, eliminating every spec variable.",
        &[Search(lemma_7_7_a)],
    ),
    Claim::new(
        "Lemma 7.7(b)",
        "The resulting ≈ depends only on Φ_op: no other operation's constraint mentions its identifiers.",
        &[Search(lemma_7_7_b)],
    ),
    Claim::new(
        "Thm. 7.8(1)",
        "For every participating tensor and every point of the product space the multi-index is valid: an Iter component addresses an axis as long as its factor, a Fix(c) component has c below the axis size.",
        &[Theorem(&["Projections.in_range"]), Search(thm_7_8_1)],
    ),
    Claim::new(
        "Thm. 7.8(2)",
        "p ≈ q implies sz(p) = sz(q), and ≈ is the least equivalence justified by this operation's own constraints.",
        &[
            Theorem(&["Projections.classes_are_least"]),
            Search(thm_7_8_2),
        ],
    ),
    Claim::new(
        "Rem. 7.9",
        "Projection solving needs only a naming: forced, unique up to renaming, no direction.",
        &[Search(thm_7_4_repaired)],
    ),
];

fn solved_locally(example: &Example, shapes: &[Shape<Row>]) -> Option<Solved> {
    elaborate(&example.op, |t| shapes[t.0].clone())
        .ok()?
        .solve()
        .ok()
}

fn lemma_7_7_a(effort: Effort) -> Finding {
    each_example(effort, |example, shapes| {
        solved_locally(example, shapes)
            .is_none()
            .then_some("the local solve fails")
    })
}

fn thm_7_8_1(effort: Effort) -> Finding {
    each_example(effort, |example, shapes| {
        let p = solved_locally(example, shapes)?.projections;
        let valid = p.maps.iter().zip(&p.sizes).all(|(map, sizes)| {
            map.0.len() == sizes.len()
                && points(&p.factors).iter().all(|point| {
                    address(map, point)
                        .iter()
                        .zip(sizes)
                        .all(|(at, size)| at < size)
                })
        });
        (!valid).then_some("an address is outside of its tensor")
    })
}

fn thm_7_8_2(effort: Effort) -> Finding {
    each_example(effort, |example, shapes| {
        let elaborated = elaborate(&example.op, |t| shapes[t.0].clone()).ok()?;
        let solved = elaborated.solve().ok()?;
        let size = |id: &AxisId| solved.projections.sizes[id.slot][id.axis];
        let uniform = solved.classes.iter().enumerate().all(|(j, class)| {
            class
                .iter()
                .all(|id| size(id) == solved.projections.factors[j])
        });
        if !uniform {
            return Some("one iterator drives axes of two sizes");
        }
        let least = solved.classes.iter().all(|class| {
            let first = class
                .first()
                .map(|id| justified(&elaborated.equations, *id));
            first == Some(class.iter().copied().collect())
        });
        (!least).then_some("a class is not the least that its equations justify")
    })
}

/// Returns the axes that a chain of the operation's equations connects to this one, computed without union-find.
fn justified(equations: &[(Rule, Equation)], with: AxisId) -> BTreeSet<AxisId> {
    let mut class = BTreeSet::from([with]);
    loop {
        let before = class.len();
        for (_, equation) in equations {
            if let Equation::Eq(Atom::Proj(a), Atom::Proj(b)) = equation
                && (class.contains(a) || class.contains(b))
            {
                class.extend([*a, *b]);
            }
        }
        if class.len() == before {
            return class;
        }
    }
}
