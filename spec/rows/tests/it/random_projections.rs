//! §7: random closed operations, whose index maps are compared with enumeration of their product spaces.

use std::collections::{BTreeMap, BTreeSet};

use crate::operations::{below, equal, operation, output};
use lozenge_spec::elaboration::elaborate;
use lozenge_spec::projection_solver::solve;
use lozenge_vocabulary::operation::{Kind, Operation, Requirement, Shape, Side};
use lozenge_vocabulary::projection_language::Equation;
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use lozenge_vocabulary::{Dim, DimTerm, DimVar, Row, RowTerm, RowVar, Rule};
use proptest::collection::vec;
use proptest::prelude::*;

/// A closed operation: shapes that satisfy it by construction.
#[derive(Clone, Debug)]
struct Closed {
    op: Operation,
    shapes: Vec<Shape<Row>>,
}

/// Returns an einsum: labels with sizes, the labels of each slot around an ellipsis, and whether the result has the
/// ellipsis.
fn einsum() -> impl Strategy<Value = Closed> {
    let slot = vec(0usize..4, 0..4);
    (
        vec(1u64..4, 4),
        slot.clone(),
        slot.clone(),
        slot,
        vec(1u64..4, 0..3),
        any::<[bool; 3]>(),
        0usize..5,
        0usize..5,
    )
        .prop_map(|(sizes, result, first, second, middle, open, at, split)| {
            let used: BTreeSet<usize> = first.iter().chain(&second).copied().collect();
            let result: Vec<usize> = result
                .into_iter()
                .filter(|label| used.contains(label))
                .collect();
            let open = [open[0] && (open[1] || open[2]), open[1], open[2]];
            let slots = [result, first, second];
            let mut requirements = Vec::new();
            let mut shapes = Vec::new();
            for (slot, labels) in slots.iter().enumerate() {
                let at = at.min(labels.len());
                let name = |label: &usize| DimTerm::Var(DimVar::new(&format!("x{label}")));
                let term = RowTerm {
                    leading: labels[..at].iter().map(name).collect(),
                    var: open[slot].then(|| RowVar::new("e")),
                    trailing: labels[at..].iter().map(name).collect(),
                };
                let mut dims: Vec<Dim> = labels
                    .iter()
                    .map(|label| Dim::new(sizes[*label]).unwrap())
                    .collect();
                if open[slot] {
                    dims.splice(at..at, middle.iter().map(|size| Dim::new(*size).unwrap()));
                }
                let trailing = dims.split_off(split.min(dims.len()));
                shapes.push(Shape {
                    output: Row::new(dims, trailing),
                    ..Shape::default()
                });
                let sides = (Side::Slot(slot, Kind::Output), Side::Template(term));
                requirements.push(Requirement::Equal(sides.0, sides.1));
            }
            Closed {
                op: operation(3, requirements),
                shapes,
            }
        })
}

/// Returns a pointwise operation: a result row, and operand rows that it broadcasts to.
fn pointwise() -> impl Strategy<Value = Closed> {
    let operand = (0usize..4, 0usize..4, any::<[bool; 8]>());
    (vec(1u64..4, 0..4), 0usize..5, operand.clone(), operand).prop_map(
        |(sizes, at, first, second)| {
            let dims: Vec<Dim> = sizes.iter().map(|size| Dim::new(*size).unwrap()).collect();
            let at = at.min(dims.len());
            let result = Row::new(dims[..at].to_vec(), dims[at..].to_vec());
            let weaken = |dim: &Dim, unit: bool| if unit { Dim::Unit } else { dim.clone() };
            let operand = |(front, back, units): (usize, usize, [bool; 8])| {
                let front = result
                    .leading
                    .iter()
                    .take(front)
                    .zip(units)
                    .map(|(d, u)| weaken(d, u))
                    .collect();
                let skip = result.trailing.len().saturating_sub(back);
                let back = result
                    .trailing
                    .iter()
                    .skip(skip)
                    .zip(&units[4..])
                    .map(|(d, u)| weaken(d, *u))
                    .collect();
                Row::new(front, back)
            };
            let rows = [result.clone(), operand(first), operand(second)];
            let shapes = rows
                .into_iter()
                .map(|output| Shape {
                    output,
                    ..Shape::default()
                })
                .collect();
            Closed {
                op: operation(3, vec![below(1), below(2)]),
                shapes,
            }
        },
    )
}

/// Returns every point of the product space.
fn points(factors: &[u64]) -> Vec<Vec<u64>> {
    factors.iter().fold(vec![vec![]], |points, size| {
        points
            .iter()
            .flat_map(|p| (0..*size).map(move |i| [p.clone(), vec![i]].concat()))
            .collect()
    })
}

fn address(map: &IndexMap, point: &[u64]) -> Vec<u64> {
    let at = |index: &Index| match index {
        Index::Iter(factor) => point[*factor],
        Index::Fix(position) => *position,
        Index::Symbol(_) | Index::Affine(_) => unreachable!("neither is here"),
    };
    map.0.iter().map(at).collect()
}

/// Tells whether two are equal up to a bijection of the factors (Thm. 7.4).
fn renamed(a: &Projections, b: &Projections) -> bool {
    let mut names: BTreeMap<usize, usize> = BTreeMap::new();
    let mut same = |(x, y): (&Index, &Index)| match (x, y) {
        (Index::Iter(x), Index::Iter(y)) => {
            *names.entry(*x).or_insert(*y) == *y && a.factors[*x] == b.factors[*y]
        }
        (x, y) => x == y,
    };
    let indices = |p: &'_ Projections| p.maps.iter().flat_map(|m| m.0.clone()).collect::<Vec<_>>();
    let maps = indices(a).iter().zip(&indices(b)).all(&mut same);
    let images: BTreeSet<usize> = names.values().copied().collect();
    maps && images.len() == names.len() && a.factors.len() == b.factors.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn index_maps_of_closed_operations(closed in prop_oneof![einsum(), pointwise()], order in any::<u64>()) {
        let elaborated = elaborate(&closed.op, |t| closed.shapes[t.0].clone()).unwrap();
        let found = elaborated.solve().unwrap().projections;

        // The order of the equations does not matter.
        let mut equations: Vec<Equation> = elaborated.equations.iter().map(|(_, e)| e.clone()).collect();
        let length = equations.len().max(1);
        equations.rotate_left(order as usize % length);
        equations.sort_by_key(|e| if order % 2 == 0 { 0 } else { format!("{e:?}").len() });
        if order % 3 == 0 {
            equations.reverse();
        }
        let again = solve(&equations, &elaborated.sizes).unwrap().projections;
        prop_assert!(renamed(&found, &again), "{found:?} {again:?}");

        // Thm. 7.8(1): in bounds at every point.
        let points = points(&found.factors);
        for point in &points {
            for (map, sizes) in found.maps.iter().zip(&found.sizes) {
                prop_assert!(address(map, point).iter().zip(sizes).all(|(index, size)| index < size));
            }
        }

        // Prop. 7.6: injective and surjective exactly when enumeration says so.
        let written: BTreeSet<Vec<u64>> = points.iter().map(|p| address(&found.maps[0], p)).collect();
        prop_assert_eq!(found.is_injective(), written.len() == points.len());
        let cells: u64 = found.sizes[0].iter().product();
        prop_assert_eq!(found.is_surjective(), written.len() as u64 == cells);
    }
}

#[test]
fn every_projection_rule_fires() {
    let op = operation(3, vec![below(1), below(2)]);
    let shapes = [output("[2, 3]"), output("[3]"), output("[1_, 3]")];
    let mut rules: BTreeSet<Rule> = elaborate(&op, |t| shapes[t.0].clone())
        .unwrap()
        .equations
        .iter()
        .map(|(rule, _)| *rule)
        .collect();
    let op = operation(2, vec![equal(0, "[i]"), equal(1, "[i]")]);
    rules.extend(
        elaborate(&op, |_| output("[2]"))
            .unwrap()
            .equations
            .iter()
            .map(|(rule, _)| *rule),
    );
    // P4 emits its pairs by P1.
    assert_eq!(
        rules,
        BTreeSet::from([Rule::P1, Rule::P2, Rule::P3, Rule::P5, Rule::P6])
    );
}
