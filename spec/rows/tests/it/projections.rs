//! §7: the worked examples of the projection tutorial, with their exact index maps.

use crate::operations::{below, equal, operation, output, template};
use lozenge_spec::elaboration::{ProjectionError, elaborate, kind_of_axis};
use lozenge_spec::projection_solver::{Conflict, solve};
use lozenge_vocabulary::operation::{Kind, Operation, Requirement, Shape, Side, TensorId};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use lozenge_vocabulary::{Constraint, DimVar, Row, RowTerm, RowVar, Rule};

fn infer(op: &Operation, shapes: &[Shape<Row>]) -> Projections {
    elaborate(op, |t| shapes[t.0].clone())
        .unwrap()
        .solve()
        .unwrap()
        .projections
}

fn map(indices: &[Index]) -> IndexMap {
    IndexMap(indices.to_vec())
}

const I: Index = Index::Iter(0);
const K: Index = Index::Iter(1);
const J: Index = Index::Iter(2);
const ZERO: Index = Index::Fix(0);

fn matmul() -> Projections {
    let op = operation(
        3,
        vec![equal(0, "[i, k]"), equal(1, "[i, j]"), equal(2, "[j, k]")],
    );
    infer(&op, &[output("[2, 5]"), output("[2, 3]"), output("[3, 5]")])
}

#[test]
fn matrix_multiplication() {
    let found = matmul();
    assert_eq!(found.factors, [2, 5, 3]);
    assert_eq!(found.maps, [map(&[I, K]), map(&[I, J]), map(&[J, K])]);
    assert_eq!(
        found.reduction_axes(),
        [2],
        "j is contracted, and nobody said so"
    );
    assert!(!found.is_injective() && found.is_surjective());
}

#[test]
fn the_gradients_of_matrix_multiplication_are_slot_permutations() {
    // g1 =+ g * v2 contracts k; g2 =+ v1 * g contracts i.
    let (first, second) = (
        matmul().permuted(&[1, 0, 2]).unwrap(),
        matmul().permuted(&[2, 1, 0]).unwrap(),
    );
    assert_eq!(first.maps, [map(&[I, J]), map(&[I, K]), map(&[J, K])]);
    assert_eq!(first.reduction_axes(), [1]);
    assert_eq!(second.maps, [map(&[J, K]), map(&[I, J]), map(&[I, K])]);
    assert_eq!(second.reduction_axes(), [0]);
}

#[test]
fn composition_contracts_without_a_spec() {
    // c = a * b: the input row of a meets the output row of b.
    let row = |slot, kind| Side::Slot(slot, kind);
    let op = operation(
        3,
        vec![
            Requirement::Below(row(0, Kind::Output), row(1, Kind::Output)),
            Requirement::Below(row(0, Kind::Input), row(2, Kind::Input)),
            Requirement::Below(row(1, Kind::Input), row(2, Kind::Output)),
        ],
    );
    let shape = |input: &str, output: &str| Shape {
        batch: Row::default(),
        input: input.parse().unwrap(),
        output: output.parse().unwrap(),
    };
    let found = infer(
        &op,
        &[
            shape("[5]", "[2]"),
            shape("[3]", "[2]"),
            shape("[5]", "[3]"),
        ],
    );
    // Input axes are stored before output axes.
    assert_eq!(found.maps, [map(&[I, K]), map(&[J, K]), map(&[I, J])]);
    assert_eq!(found.reduction_axes(), [2]);
}

#[test]
fn pointwise_broadcast() {
    let op = operation(3, vec![below(1), below(2)]);
    for scalar in ["[]", "[1_]", "[1_, 1_]"] {
        let found = infer(&op, &[output("[2, 3]"), output(scalar), output("[2, 3]")]);
        assert_eq!(found.maps[0], map(&[I, K]));
        assert_eq!(found.maps[2], map(&[I, K]));
        assert!(
            found.maps[1].0.iter().all(|index| *index == ZERO),
            "severed and read at 0"
        );
        assert!(found.is_injective() && found.is_surjective());
    }
}

/// P2 cuts the operand's axis loose: it is pinned, and no equation ties it to the result's.
#[test]
fn broadcasting_severs() {
    let op = operation(2, vec![below(1)]);
    let shapes = [output("[3]"), output("[1_]")];
    let elaborated = elaborate(&op, |t| shapes[t.0].clone()).unwrap();
    let axis = |slot| Atom::Proj(AxisId { slot, axis: 0 });
    let p2: Vec<&Equation> = elaborated
        .equations
        .iter()
        .filter(|(rule, _)| *rule == Rule::P2)
        .map(|(_, e)| e)
        .collect();
    let pin = Equation::Eq(axis(1), Atom::Sol(Index::Fix(0)));
    assert_eq!(p2, [&Equation::Iter(axis(0)), &pin]);
}

#[test]
fn summing_by_a_vector_of_ones() {
    let op = operation(
        3,
        vec![equal(0, "[p]"), equal(1, "[p, q]"), equal(2, "[q]")],
    );
    let found = infer(&op, &[output("[2]"), output("[2, 3]"), output("[3]")]);
    assert_eq!(found.maps, [map(&[I]), map(&[I, K]), map(&[K])]);
    assert_eq!(found.reduction_axes(), [1]);
}

#[test]
fn an_axis_that_nothing_pairs_is_traversed_by_p6() {
    let op = operation(2, vec![equal(0, "[]"), equal(1, "[i, j]")]);
    let found = infer(&op, &[output("[]"), output("[2, 3]")]);
    assert_eq!(found.factors, [2, 3]);
    assert_eq!(found.reduction_axes(), [0, 1]);
}

#[test]
fn an_ellipsis_carries_the_axes_that_it_covers() {
    let op = operation(2, vec![equal(1, "[i <r> j]"), equal(0, "[j <r> i]")]);
    let found = infer(&op, &[output("[7, 3, 5, 2]"), output("[2, 3, 5, 7]")]);
    assert_eq!(found.maps[0], map(&[I, K, J, Index::Iter(3)]));
    assert_eq!(found.maps[1], map(&[Index::Iter(3), K, J, I]));
    // The result's equation may come first: it waits for the operand's.
    let op = operation(2, vec![equal(0, "[j <r> i]"), equal(1, "[i <r> j]")]);
    assert_eq!(
        infer(&op, &[output("[7, 3, 5, 2]"), output("[2, 3, 5, 7]")]).maps,
        found.maps
    );
}

#[test]
fn slices_pin_and_are_checked() {
    let mut op = operation(2, vec![equal(0, "[i]"), equal(1, "[c, i]")]);
    op.pins.insert(DimVar::new("c"), Index::Fix(2));
    let shapes = [output("[5]"), output("[3, 5]")];
    let found = infer(&op, &shapes);
    assert_eq!(found.maps, [map(&[I]), map(&[Index::Fix(2), I])]);
    op.pins.insert(DimVar::new("c"), Index::Fix(3));
    let error = elaborate(&op, |t| shapes[t.0].clone()).unwrap_err();
    let axis = AxisId { slot: 1, axis: 0 };
    assert_eq!(
        error,
        ProjectionError::OutOfBounds {
            axis,
            index: 3,
            size: 3
        }
    );
    op.pins
        .insert(DimVar::new("c"), Index::Symbol("step".into()));
    assert_eq!(
        infer(&op, &shapes).maps[1].0[0],
        Index::Symbol("step".into())
    );
}

/// P2 depends on the size of the operand's axis only, whatever index is supplied for it: a pinned label severs as well.
#[test]
fn an_axis_below_a_label_at_a_position_is_severed_when_it_has_one_position() {
    let mut op = operation(
        2,
        vec![
            equal(0, "[k]"),
            equal(1, "[i]"),
            Requirement::Template("k <= i".parse().unwrap()),
        ],
    );
    op.pins.insert(DimVar::new("i"), ZERO);
    let severed = infer(&op, &[output("[2]"), output("[1_]")]);
    assert_eq!(severed.maps, [map(&[I]), map(&[ZERO])]);
    // P3: an axis with more positions shares its index.
    let shared = infer(&op, &[output("[2]"), output("[2]")]);
    assert_eq!(shared.maps, [map(&[ZERO]), map(&[ZERO])]);
}

#[test]
fn co_iteration_is_finer_than_size_equality() {
    let op = operation(
        3,
        vec![equal(0, "[i, j]"), equal(1, "[i]"), equal(2, "[j]")],
    );
    let found = infer(&op, &[output("[4, 4]"), output("[4]"), output("[4]")]);
    assert_eq!(found.factors, [4, 4], "two loops, though the sizes agree");
}

#[test]
fn shapes_that_do_not_satisfy_the_operation_are_refused() {
    let op = operation(2, vec![equal(0, "[i]"), equal(1, "[i, j]")]);
    let rank = elaborate(&op, |t| [output("[2]"), output("[2]")][t.0].clone());
    assert!(
        matches!(
            rank,
            Err(ProjectionError::Misaligned { requirement: 1, .. })
        ),
        "{rank:?}"
    );
    let size =
        elaborate(&op, |t| [output("[2]"), output("[3, 5]")][t.0].clone()).map(|e| e.solve());
    assert!(
        matches!(size, Err(ProjectionError::Misaligned { .. })),
        "{size:?}"
    );
    let free = operation(
        1,
        vec![Requirement::Equal(template("[i]"), template("[j]"))],
    );
    let free = elaborate(&free, |_| output("[]"));
    assert!(
        matches!(free, Err(ProjectionError::Undetermined { .. })),
        "{free:?}"
    );
}

#[test]
fn theorem_7_4_the_three_conflicts() {
    let id = |axis| Atom::Proj(AxisId { slot: 0, axis });
    let at = |c| Atom::Sol(Index::Fix(c));
    let sizes = [vec![2, 3, 2]];
    let fails = |equations: &[Equation]| solve(equations, &sizes).unwrap_err();
    assert!(matches!(
        fails(&[Equation::Eq(id(0), id(1))]),
        Conflict::Sizes { .. }
    ));
    let pinned_twice = [
        Equation::Eq(id(0), at(0)),
        Equation::Eq(id(2), at(1)),
        Equation::Eq(id(0), id(2)),
    ];
    assert!(matches!(fails(&pinned_twice), Conflict::Pins { .. }));
    assert!(matches!(
        fails(&[Equation::Eq(at(0), at(1))]),
        Conflict::Supplied { .. }
    ));
    assert!(matches!(
        fails(&[Equation::Iter(id(3))]),
        Conflict::NoAxis { .. }
    ));
    // Pins dominate iteration; a class that is neither pinned nor iterated is read at 0.
    let found = solve(
        &[
            Equation::Eq(id(0), at(1)),
            Equation::Iter(id(0)),
            Equation::Iter(id(1)),
        ],
        &sizes,
    )
    .unwrap();
    assert_eq!(found.projections.maps[0], map(&[Index::Fix(1), I, ZERO]));
}

#[test]
fn the_same_supplied_index_twice_is_no_conflict() {
    let step = || Atom::Sol(Index::Symbol("step".into()));
    assert!(solve(&[Equation::Eq(step(), step())], &[vec![2]]).is_ok());
}

/// It does not matter which of two axes is iterated, nor which of them represents the class.
#[test]
fn a_class_is_iterated_when_one_of_its_axes_is() {
    let id = |axis| Atom::Proj(AxisId { slot: 0, axis });
    for iterated in [0, 1] {
        for (p, q) in [(0, 1), (1, 0)] {
            let equations = [Equation::Iter(id(iterated)), Equation::Eq(id(p), id(q))];
            let found = solve(&equations, &[vec![2, 2]]).unwrap().projections;
            assert_eq!(found.maps[0], map(&[I, I]));
        }
    }
}

#[test]
fn a_template_may_equate_its_labels() {
    let same: Constraint = "i = j".parse().unwrap();
    let op = operation(
        2,
        vec![
            equal(0, "[i]"),
            equal(1, "[j]"),
            Requirement::Template(same),
        ],
    );
    assert_eq!(
        infer(&op, &[output("[2]"), output("[2]")]).maps,
        [map(&[I]), map(&[I])]
    );
}

/// A requirement waits until others have determined its variables, on either side.
#[test]
fn requirements_may_come_in_any_order() {
    let shapes = [output("[2, 3]"), output("[2, 3]")];
    let both_open = operation(
        2,
        vec![
            Requirement::Equal(template("<r>"), template("<s>")),
            equal(0, "<r>"),
            equal(1, "<s>"),
        ],
    );
    assert_eq!(
        infer(&both_open, &shapes).maps,
        [map(&[I, K]), map(&[I, K])]
    );
    let slot = |slot| Side::Slot(slot, Kind::Output);
    for below in [
        Requirement::Below(template("<r>"), slot(1)),
        Requirement::Below(slot(1), template("<r>")),
    ] {
        let op = operation(2, vec![below, equal(0, "<r>")]);
        assert_eq!(infer(&op, &shapes).maps, [map(&[I, K]), map(&[I, K])]);
    }
}

/// P4 leaves the marker of a spliced row where it was, so that P5 aligns its flanks.
#[test]
fn a_spliced_row_keeps_its_marker() {
    let result = Side::Slot(0, Kind::Output);
    let op = operation(
        2,
        vec![Requirement::Below(result, template("<r>")), equal(1, "<r>")],
    );
    let found = infer(&op, &[output("[2, 4 <> 3]"), output("[2 <> 3]")]);
    assert_eq!(found.factors, [2, 4, 3]);
    assert_eq!(found.maps, [map(&[I, K, J]), map(&[I, J])]);
}

#[test]
fn what_cannot_be_aligned_or_determined_is_refused() {
    let message = |op: &Operation, shapes: &[Shape<Row>]| {
        let error = elaborate(op, |t| shapes[t.0].clone()).unwrap_err();
        error.to_string()
    };
    let short = message(
        &operation(2, vec![below(1)]),
        &[output("[2]"), output("[2, 3 <> 4]")],
    );
    assert!(
        short.contains("the result has 0 axes in front of its marker, the operand needs 2"),
        "{short}"
    );
    let free =
        |left, right| operation(1, vec![Requirement::Equal(template(left), template(right))]);
    let label = message(&free("[i]", "[3]"), &[output("[]")]);
    assert!(label.contains('i'), "{label}");
    let row = message(&free("<r>", "<s>"), &[output("[]")]);
    assert!(
        row.contains("<s>"),
        "the row that <r> was found equal to: {row}"
    );
}

#[test]
fn an_axis_of_a_shape_is_found_in_its_row() {
    let shape: Shape<Row> = Shape {
        batch: "[7]".parse().unwrap(),
        input: "[]".parse().unwrap(),
        output: "[2 <> 3]".parse().unwrap(),
    };
    let found: Vec<_> = (0..4).map(|axis| kind_of_axis(&shape, axis)).collect();
    let output = |at| Some((Kind::Output, at));
    assert_eq!(found, [Some((Kind::Batch, 0)), output(0), output(1), None]);
}

/// §7: shape inference and projection inference read the same requirements.
#[test]
fn an_operation_states_its_constraints_over_the_shapes_of_its_tensors() {
    let composition = operation(
        2,
        vec![
            Requirement::Below(Side::Slot(0, Kind::Output), Side::Slot(1, Kind::Input)),
            equal(1, "[i <e>]"),
            Requirement::Template("i = 3".parse().unwrap()),
        ],
    );
    let row = |name: String| RowTerm::from(RowVar::new(&name));
    let shape = |TensorId(id)| Shape {
        batch: row(format!("b{id}")),
        input: row(format!("i{id}")),
        output: row(format!("o{id}")),
    };
    let stated: Vec<String> = composition
        .constraints(shape)
        .expect("its own slots")
        .iter()
        .map(|c| c.to_string())
        .collect();
    assert_eq!(stated, ["<o0> <= <i1>", "[i <e>] ~ <o1>", "i = 3"]);
}
