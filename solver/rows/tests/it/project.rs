//! §7 in the solver: index maps of single operations, why axes share a loop, and what has none.

use std::collections::BTreeMap;
use std::sync::Arc;

use lozenge_solver::project::{
    EquationConflict, Link, Place, ProjectionError, Projector, solve_equations,
};
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use lozenge_vocabulary::{DimVar, Row, Rule};

fn operation(requirements: Vec<Requirement>) -> Operation {
    let slot = |side: &Side| match side {
        Side::Slot(slot, _) => *slot,
        Side::Template(_) => 0,
    };
    let slots = requirements.iter().map(|requirement| match requirement {
        Requirement::Equal(left, right) | Requirement::Below(left, right) => {
            slot(left).max(slot(right))
        }
        Requirement::Template(_) => 0,
    });
    Operation {
        slots: (0..=slots.max().unwrap_or_default())
            .map(TensorId)
            .collect(),
        requirements: requirements.into(),
        pins: BTreeMap::new(),
        region: Default::default(),
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Multiply,
    }
}

fn at(slot: usize, kind: Kind) -> Side {
    Side::Slot(slot, kind)
}

fn spec(row: &str) -> Side {
    Side::Template(row.parse().expect("a row"))
}

/// Returns the output row of a slot equal to a row of the spec.
fn equal(slot: usize, row: &str) -> Requirement {
    Requirement::Equal(spec(row), at(slot, Kind::Output))
}

/// Returns the output row of the result below that of an operand.
fn below(operand: usize) -> Requirement {
    Requirement::Below(at(0, Kind::Output), at(operand, Kind::Output))
}

fn outputs(rows: &[&str]) -> Vec<Shape<Row>> {
    let shape = |row: &&str| Shape {
        output: row.parse().expect("a row"),
        ..Shape::default()
    };
    rows.iter().map(shape).collect()
}

fn project(operation: &Operation, rows: &[&str]) -> Result<Projections, ProjectionError> {
    let shapes = outputs(rows);
    Projector::default().project(operation, |tensor| &shapes[tensor.0])
}

/// Returns the maps, with factors as letters and fixed positions as digits.
fn maps(operation: &Operation, rows: &[&str]) -> String {
    let found = project(operation, rows).expect("index maps");
    let index = |index: &Index| match index {
        Index::Iter(factor) => char::from(b'i' + *factor as u8).to_string(),
        Index::Fix(position) => position.to_string(),
        Index::Symbol(name) => format!("@{name}"),
        affine @ Index::Affine(_) => affine.to_string(),
    };
    let map = |map: &IndexMap| map.0.iter().map(index).collect::<Vec<_>>().join(" ");
    let maps: Vec<String> = found.maps.iter().map(map).collect();
    maps.join("; ")
}

#[test]
fn a_spec_contracts_what_the_result_does_not_mention() {
    let matmul = operation(vec![
        equal(0, "[i, k]"),
        equal(1, "[i, j]"),
        equal(2, "[j, k]"),
    ]);
    let rows = ["[2, 5]", "[2, 3]", "[3, 5]"];
    assert_eq!(maps(&matmul, &rows), "i j; i k; k j");
    let found = project(&matmul, &rows).expect("index maps");
    assert_eq!(
        (found.factors.as_slice(), found.reduction_axes()),
        (&[2, 5, 3][..], vec![2])
    );
}

#[test]
fn rows_in_order_are_aligned_at_their_outer_edges() {
    let pointwise = operation(vec![below(1)]);
    assert_eq!(
        maps(&pointwise, &["[2, 4 <> 3, 5]", "[2 <> 5]"]),
        "i j k l; i l"
    );
    assert_eq!(maps(&pointwise, &["[2, 3]", "[1_, 3]"]), "i j; 0 j");
    assert_eq!(maps(&pointwise, &["[2, 3]", "[]"]), "i j; ");
}

#[test]
fn an_axis_of_size_one_is_cut_loose() {
    // A basis does not make an axis of size 1 longer: both are read at 0, and neither drives a loop.
    let pointwise = operation(vec![below(1), below(2)]);
    assert_eq!(maps(&pointwise, &["[2]", "[1_]", "[2]"]), "i; 0; i");
    assert_eq!(maps(&pointwise, &["[1]", "[1_]", "[1]"]), "0; 0; 0");
}

#[test]
fn an_ellipsis_stands_for_what_it_is_laid_upon_in_any_order() {
    let turned = [equal(1, "[i <r> j]"), equal(0, "[j <r> i]")];
    let rows = ["[7, 3, 5, 2]", "[2, 3, 5, 7]"];
    for order in [[0, 1], [1, 0]] {
        let turned = operation(order.map(|at| turned[at].clone()).to_vec());
        assert_eq!(maps(&turned, &rows), "i j k l; l j k i");
    }
    // `<s>` is known only through `<r>`, whichever requirement comes first.
    let chained = [
        Requirement::Equal(spec("[a <s>]"), spec("<r>")),
        equal(1, "<r>"),
        equal(0, "<s>"),
    ];
    for order in [[0, 1, 2], [2, 0, 1], [0, 2, 1]] {
        let chained = operation(order.map(|at| chained[at].clone()).to_vec());
        assert_eq!(maps(&chained, &["[3]", "[2, 3]"]), "i; j i");
    }
}

#[test]
fn what_an_ellipsis_stands_for_keeps_its_marker() {
    let through = operation(vec![
        Requirement::Below(at(0, Kind::Output), spec("<r>")),
        equal(1, "<r>"),
    ]);
    assert_eq!(maps(&through, &["[2, 4 <> 3]", "[2 <> 3]"]), "i j k; i k");
    assert!(matches!(
        project(&through, &["[<> 2, 4, 3]", "[2 <> 3]"]),
        Err(ProjectionError::Ranks {
            requirement: 0,
            left: 3,
            right: 2
        })
    ));
}

#[test]
fn labels_that_are_equated_share_a_loop() {
    let same = Requirement::Template("i = j".parse().expect("a constraint"));
    let diagonal = operation(vec![same, equal(0, "[i]"), equal(1, "[i, j]")]);
    assert_eq!(maps(&diagonal, &["[3]", "[3, 3]"]), "i; i i");
    assert!(matches!(
        project(&diagonal, &["[3]", "[3, 4]"]),
        Err(ProjectionError::Sizes {
            sizes: [3, 4] | [4, 3],
            ..
        })
    ));
}

#[test]
fn a_fixed_position_lies_within_its_axis() {
    let mut slice = operation(vec![equal(0, "[i]"), equal(1, "[c, i]")]);
    let rows = ["[5]", "[3, 5]"];
    slice.pins.insert(DimVar::new("c"), Index::Fix(2));
    assert_eq!(maps(&slice, &rows), "i; 2 i");
    slice.pins.insert(DimVar::new("c"), Index::Fix(3));
    let error = project(&slice, &rows).expect_err("beyond the axis");
    assert_eq!(
        error.to_string(),
        "position 3 is beyond axis 0 of operand 1, which has size 3: its positions are 0 to 2"
    );
    slice
        .pins
        .insert(DimVar::new("c"), Index::Symbol("step".into()));
    assert_eq!(maps(&slice, &rows), "i; @step i");
    let same = Requirement::Template("c = d".parse().expect("a constraint"));
    let requirements = Arc::make_mut(&mut slice.requirements);
    requirements.extend([same, equal(0, "[d]")]);
    requirements.remove(0);
    slice.pins.insert(DimVar::new("d"), Index::Fix(1));
    let error = project(&slice, &["[3]", "[3, 5]"]).expect_err("two places");
    assert_eq!(
        error.to_string(),
        "axis 0 of the result is read at step and at 1"
    );
}

#[test]
fn what_stands_on_no_axis_is_an_error() {
    let undetermined = |requirement: Requirement| {
        let error = project(&operation(vec![equal(0, "[]"), requirement]), &["[]"]);
        match error {
            Err(ProjectionError::Undetermined {
                variable,
                requirement: 1,
            }) => variable.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        undetermined(Requirement::Equal(spec("<r>"), spec("<s>"))),
        "<r>"
    );
    assert_eq!(
        undetermined(Requirement::Equal(spec("[i]"), spec("[j]"))),
        "i"
    );
    assert_eq!(
        undetermined(Requirement::Below(spec("<r>"), spec("[]"))),
        "<r>"
    );
    assert!(matches!(
        project(
            &operation(vec![equal(0, "[i]"), equal(1, "[i, j]")]),
            &["[2]", "[2]"]
        ),
        Err(ProjectionError::Ranks {
            requirement: 1,
            left: 2,
            right: 1
        })
    ));
}

/// Makes `y = w * x`: the input row of w meets the output row of x.
fn composition() -> (Operation, Vec<Shape<Row>>) {
    let composed = operation(vec![
        Requirement::Below(at(0, Kind::Batch), at(2, Kind::Batch)),
        Requirement::Below(at(0, Kind::Output), at(1, Kind::Output)),
        Requirement::Below(at(1, Kind::Input), at(2, Kind::Output)),
    ]);
    let shape = |batch: &str, input: &str, output: &str| Shape {
        batch: batch.parse().expect("a row"),
        input: input.parse().expect("a row"),
        output: output.parse().expect("a row"),
    };
    let shapes = vec![
        shape("[8]", "[]", "[5]"),
        shape("[]", "[3]", "[5]"),
        shape("[8]", "[]", "[3]"),
    ];
    (composed, shapes)
}

#[test]
fn a_contraction_names_the_requirement_behind_it() {
    let (composed, shapes) = composition();
    let mut projector = Projector::default();
    let found = projector
        .project(&composed, |tensor| &shapes[tensor.0])
        .expect("index maps");
    assert_eq!(found.reduction_axes(), [2]);
    let why = projector.explain_factor(2).expect("a factor");
    let axis = |slot, axis| AxisId { slot, axis };
    assert_eq!(why.axes, [axis(1, 0), axis(2, 1)]);
    let link = Link {
        rule: Rule::P3,
        requirement: 2,
        places: [Place::Axis(axis(1, 0)), Place::Axis(axis(2, 1))],
    };
    assert_eq!((why.links, why.pin), (vec![link], None));
    assert!(projector.explain_factor(3).is_none());
}

#[test]
fn a_derivation_goes_through_labels_and_leaves_nothing_superfluous() {
    // `k` is the first axis of both; that it is equal to itself by `k = k` explains nothing, and `m` ends nowhere.
    let again = Requirement::Template("k = k".parse().expect("a constraint"));
    let loose = Requirement::Template("k = m".parse().expect("a constraint"));
    let einsum = operation(vec![
        again,
        loose,
        equal(0, "[i]"),
        equal(1, "[i, k'4]"),
        equal(2, "[k'4]"),
        equal(2, "[k]"),
    ]);
    let shapes = outputs(&["[2]", "[2, 3]", "[3]"]);
    let mut projector = Projector::default();
    projector
        .project(&einsum, |tensor| &shapes[tensor.0])
        .expect("index maps");
    assert_eq!(projector.labels(), [Some("i".into()), Some("k".into())]);
    let why = projector.explain_factor(1).expect("a factor");
    let requirements: Vec<usize> = why.links.iter().map(|link| link.requirement).collect();
    assert_eq!(requirements, [3, 4]);
    assert!(
        why.links
            .iter()
            .all(|link| link.places.contains(&Place::Label("k".into())))
    );
}

/// Of a chain of labels that ends nowhere the last one is loose only when those behind it are gone.
#[test]
fn no_link_of_a_chain_that_ends_nowhere_is_told() {
    let chain = ["k = m", "m = n", "q = p", "p = k"];
    let chain = chain.map(|text| Requirement::Template(text.parse().expect("a constraint")));
    let rows = [equal(0, "[i]"), equal(1, "[i, k]"), equal(2, "[k]")];
    let einsum = operation(chain.into_iter().chain(rows).collect());
    let shapes = outputs(&["[2]", "[2, 3]", "[3]"]);
    let mut projector = Projector::default();
    projector
        .project(&einsum, |tensor| &shapes[tensor.0])
        .expect("index maps");
    let why = projector.explain_factor(1).expect("a factor");
    let requirements: Vec<usize> = why.links.iter().map(|link| link.requirement).collect();
    assert_eq!(requirements, [5, 6]);
}

#[test]
fn an_axis_that_is_read_at_zero_says_why() {
    let pointwise = operation(vec![below(1), below(2)]);
    let shapes = outputs(&["[2]", "[1_]", "[2]"]);
    let mut projector = Projector::default();
    projector
        .project(&pointwise, |tensor| &shapes[tensor.0])
        .expect("index maps");
    let why = projector
        .explain_axis(AxisId { slot: 1, axis: 0 })
        .expect("an axis");
    assert_eq!(why.pin, Some((Index::Fix(0), Rule::P2, 0)));
    assert!(
        projector
            .explain_axis(AxisId { slot: 1, axis: 1 })
            .is_none()
    );
    assert!(
        projector
            .explain_axis(AxisId { slot: 3, axis: 0 })
            .is_none()
    );
}

/// A projector that has done other operations gives the same maps as a new one.
#[test]
fn a_projector_forgets_the_operation_before() {
    let mut used = Projector::default();
    let (composed, shapes) = composition();
    let wide = operation(vec![equal(0, "<r>"), equal(1, "<r>"), below(2)]);
    let rows = outputs(&["[2, 3, 4]", "[2, 3, 4]", "[1_]"]);
    for _ in 0..2 {
        let found = used
            .project(&wide, |tensor| &rows[tensor.0])
            .expect("index maps");
        assert_eq!(
            Ok(found),
            Projector::default().project(&wide, |tensor| &rows[tensor.0])
        );
        let found = used
            .project(&composed, |tensor| &shapes[tensor.0])
            .expect("index maps");
        assert_eq!(
            Ok(found),
            Projector::default().project(&composed, |tensor| &shapes[tensor.0])
        );
    }
}

fn id(slot: usize) -> Atom {
    Atom::Proj(AxisId { slot, axis: 0 })
}

#[test]
fn a_class_has_one_size_whichever_comes_first() {
    for sizes in [[2, 3], [3, 2]] {
        let equation = [Equation::Eq(id(0), id(1))];
        let found = solve_equations(&equation, &sizes.map(|size| vec![size]));
        assert!(
            matches!(found, Err(EquationConflict::Sizes { equation: 0, .. })),
            "{found:?}"
        );
    }
    let unknown = solve_equations(&[Equation::Iter(id(1))], &[vec![2], vec![]]);
    assert!(
        matches!(unknown, Err(EquationConflict::NoAxis { equation: 0, .. })),
        "{unknown:?}"
    );
}

#[test]
fn a_pin_is_kept_when_its_class_grows() {
    let fixed = |position| Atom::Sol(Index::Fix(position));
    for (pinned, other) in [(0, 1), (1, 0)] {
        let joined = Equation::Eq(id(0), id(1));
        let equations = [
            Equation::Eq(id(pinned), fixed(1)),
            joined,
            Equation::Iter(id(other)),
        ];
        let found = solve_equations(&equations, &[vec![2], vec![2]]).expect("one place");
        assert!(
            found.maps.iter().all(|map| map.0 == [Index::Fix(1)]),
            "{found:?}"
        );
        let again = [equations.as_slice(), &[Equation::Eq(fixed(0), id(other))]].concat();
        assert!(matches!(
            solve_equations(&again, &[vec![2], vec![2]]),
            Err(EquationConflict::Pins { equation: 3, .. })
        ));
    }
    let apart = solve_equations(&[Equation::Eq(fixed(0), fixed(1))], &[]);
    assert!(
        matches!(apart, Err(EquationConflict::Pins { equation: 0, .. })),
        "{apart:?}"
    );
}

#[test]
fn an_axis_that_nothing_faces_is_traversed() {
    assert_eq!(maps(&operation(Vec::new()), &["[3, 1, 2]"]), "i 0 j");
    let summed = operation(vec![equal(0, "[]"), equal(1, "[i, j]")]);
    assert_eq!(maps(&summed, &["[]", "[2, 3]"]), "; i j");
}

/// An equation is about the axis that it names, of whichever slot.
#[test]
fn equations_tie_the_axes_that_they_name() {
    let axis = |slot, axis| Atom::Proj(AxisId { slot, axis });
    let same = Atom::Sol(Index::Symbol("t".into()));
    let equations = [
        // It is traversed before it is tied to another one.
        Equation::Iter(axis(0, 1)),
        Equation::Eq(axis(1, 2), axis(0, 1)),
        Equation::Eq(axis(1, 0), Atom::Sol(Index::Fix(1))),
        Equation::Eq(same.clone(), same),
        Equation::Iter(axis(1, 1)),
    ];
    let sizes = [vec![2, 3], vec![4, 5, 3]];
    let found = solve_equations(&equations, &sizes).expect("index maps");
    assert_eq!(found.factors, [3, 5]);
    assert_eq!(found.maps[0].0[1], Index::Iter(0));
    let [fixed, by_itself, tied] = [Index::Fix(1), Index::Iter(1), Index::Iter(0)];
    assert_eq!(found.maps[1].0, [fixed, by_itself, tied]);
}

#[test]
fn a_conflict_of_equations_is_told_in_words() {
    let axis = |slot, axis| Atom::Proj(AxisId { slot, axis });
    let fixed = |position| Atom::Sol(Index::Fix(position));
    let sizes = [vec![2, 3], vec![2]];
    let refused = |equation: Equation| {
        let equations = [Equation::Iter(axis(0, 0)), equation];
        let conflict = solve_equations(&equations, &sizes).expect_err("a conflict");
        conflict.to_string()
    };
    assert_eq!(
        refused(Equation::Eq(axis(0, 1), axis(1, 0))),
        "equation 2: sizes 3 and 2 are to be equal"
    );
    assert_eq!(
        refused(Equation::Iter(axis(1, 1))),
        "equation 2: slot 1 has no axis 1"
    );
    assert_eq!(
        refused(Equation::Eq(fixed(0), fixed(1))),
        "equation 2: read at 0 and at 1"
    );
}

/// Whichever of two row variables becomes known first, the other one follows.
#[test]
fn row_variables_that_are_equated_are_found_from_either() {
    for equated in [["<a>", "<b>"], ["<b>", "<a>"]] {
        let [left, right] = equated.map(spec);
        let op = operation(vec![
            Requirement::Equal(left, right),
            equal(0, "<a>"),
            equal(1, "[x <b>]"),
        ]);
        assert_eq!(maps(&op, &["[2, 3]", "[5, 2, 3]"]), "i j; k i j");
        let from_the_other = operation(vec![
            Requirement::Equal(spec("<a>"), spec("<b>")),
            equal(0, "<b>"),
        ]);
        assert_eq!(maps(&from_the_other, &["[2, 3]"]), "i j");
    }
}

/// A row that stands for a part of another one has its marker where the other has it, and of axes on the wrong side of
/// a marker there is an error.
#[test]
fn a_part_of_a_row_keeps_the_marker() {
    let whole = Requirement::Equal(spec("[2 <v>]"), at(1, Kind::Output));
    let under = Requirement::Below(at(0, Kind::Output), spec("<v>"));
    let op = operation(vec![whole, under]);
    let found = maps(&op, &["[3 <> 7, 4]", "[2, 3 <> 4]"]);
    assert_eq!(found, "i j k; l i k");
    let pointwise = operation(vec![below(1)]);
    assert!(project(&pointwise, &["[2 <> 3]", "[<> 2, 3]"]).is_err());
    assert!(project(&pointwise, &["[2 <> 3]", "[2, 3 <>]"]).is_err());
}

#[test]
fn an_axis_of_a_later_slot_is_explained() {
    let op = operation(vec![equal(0, "[i, j]"), equal(1, "[5, i, j]")]);
    let shapes = outputs(&["[2, 3]", "[5, 2, 3]"]);
    let mut projector = Projector::default();
    projector
        .project(&op, |tensor| &shapes[tensor.0])
        .expect("index maps");
    let axis = |slot, axis| AxisId { slot, axis };
    let why = projector.explain_axis(axis(1, 2)).expect("an axis");
    assert_eq!(why.axes, [axis(0, 1), axis(1, 2)]);
}

/// The requirement that is told is the first one that mentions what stands on no axis.
#[test]
fn what_stands_on_no_axis_is_looked_for_in_all_requirements() {
    let loose = Requirement::Equal(spec("<r>"), spec("<s>"));
    let rows = [equal(0, "[]"), equal(0, "[]")];
    for place in 0..3 {
        let mut requirements = rows.to_vec();
        requirements.insert(place, loose.clone());
        let error = project(&operation(requirements), &["[]"]).expect_err("undetermined");
        assert!(
            matches!(error, ProjectionError::Undetermined { requirement, .. } if requirement == place),
            "{error:?}"
        );
    }
}
