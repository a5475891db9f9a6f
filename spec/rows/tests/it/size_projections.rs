//! P7 to P11, by hand: the index maps of windows, concatenations and products.

use std::collections::BTreeMap;

use lozenge_spec::clash::Clash;
use lozenge_spec::elaboration::{ProjectionError, elaborate};
use lozenge_spec::firing::{Choice, by};
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Region, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::projections::{Index, Projections};
use lozenge_vocabulary::{ConstraintSet, Dim, DimVar, Row, Rule, Var};

/// Returns an operation that writes the first of these rows and reads the others, with these constraints between its
/// labels.
fn operation(rows: &[&str], constraints: &[&str]) -> Operation {
    let row = |(slot, row): (usize, &&str)| {
        let (own, written) = (
            Side::Slot(slot, Kind::Output),
            Side::Template(row.parse().unwrap()),
        );
        Requirement::Equal(own, written)
    };
    let template = |text: &&str| {
        let set: ConstraintSet = text.parse().unwrap();
        Requirement::Template(set.constraints[0].clone())
    };
    let requirements = rows.iter().enumerate().map(row);
    let requirements = requirements.chain(constraints.iter().map(template));
    Operation {
        slots: (0..rows.len()).map(TensorId).collect(),
        requirements: requirements.collect::<Vec<_>>().into(),
        pins: BTreeMap::new(),
        region: None,
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Multiply,
    }
}

fn try_infer(op: &Operation, shapes: &[&str]) -> Result<Projections, ProjectionError> {
    let shape = |tensor: TensorId| Shape {
        output: shapes[tensor.0].parse::<Row>().unwrap(),
        ..Shape::default()
    };
    Ok(elaborate(op, shape)?.solve()?.projections)
}

fn infer(op: &Operation, shapes: &[&str]) -> Projections {
    try_infer(op, shapes).unwrap_or_else(|error| panic!("{error}"))
}

fn affine(terms: &[(u64, usize)], offset: i64) -> Index {
    Index::affine(terms.iter().copied(), offset)
}

#[test]
fn a_window_is_read_at_its_number_and_its_tap() {
    let convolution = operation(&["[o]", "[i]", "[k]"], &["i = 2*o + 3*k"]);
    let found = infer(&convolution, &["[3]", "[8]", "[2]"]);
    assert_eq!(found.factors, [3, 2]);
    assert_eq!(found.maps[0].0, [Index::Iter(0)]);
    assert_eq!(found.maps[1].0, [affine(&[(2, 0), (3, 1)], 0)]);
    assert_eq!(found.maps[2].0, [Index::Iter(1)]);
    let error = try_infer(&convolution, &["[3]", "[9]", "[2]"]).unwrap_err();
    assert_eq!(error, ProjectionError::Windows { requirement: 3 });
}

#[test]
fn a_pinned_label_shifts_a_derived_index() {
    let mut convolution = operation(&["[o]", "[i]", "[k]"], &["i = 2*o + 3*k"]);
    convolution.pins.insert(DimVar::new("k"), Index::Fix(1));
    let found = infer(&convolution, &["[3]", "[8]", "[2]"]);
    assert_eq!(found.factors, [3]);
    assert_eq!(found.maps[1].0, [affine(&[(2, 0)], 3)]);
    assert_eq!(found.maps[2].0, [Index::Fix(1)]);
}

/// A tap of which only the size is written has a loop of its own, and so has a label on no axis unless its index is
/// given.
#[test]
fn taps_on_no_axis_are_traversed_or_pinned() {
    let taps = operation(&["[o]", "[i]"], &["i = 2*o + 1*3 + 2*2"]);
    let found = infer(&taps, &["[3]", "[9]"]);
    assert_eq!(found.factors, [3, 3, 2]);
    assert_eq!(found.maps[1].0, [affine(&[(2, 0), (1, 1), (2, 2)], 0)]);
    let mut pooling = operation(&["[o]", "[i]"], &["i = 2*o + k", "k = 3"]);
    let pin = |at| [(DimVar::new("k"), Index::Fix(at))].into();
    pooling.pins = pin(2);
    let found = infer(&pooling, &["[3]", "[7]"]);
    assert_eq!(found.factors, [3]);
    assert_eq!(found.maps[1].0, [affine(&[(2, 0)], 2)]);
    pooling.pins = pin(3);
    assert!(try_infer(&pooling, &["[3]", "[7]"]).is_err());
}

#[test]
fn an_index_that_is_derived_twice_is_derived_alike() {
    let twice = "i = 2*o + k";
    let same = operation(&["[o]", "[i]", "[k]"], &[twice, twice]);
    let found = infer(&same, &["[3]", "[6]", "[2]"]);
    assert_eq!(found.maps[1].0, [affine(&[(2, 0), (1, 1)], 0)]);
}

/// The document reads closed shapes that satisfy the constraints; others are refused with the clash.
#[test]
fn shapes_that_do_not_satisfy_an_operation_are_refused() {
    let copy = operation(&["[o]", "[i]"], &["o <= i"]);
    let reason = |shapes: [&str; 2]| try_infer(&copy, &shapes).unwrap_err().to_string();
    let three_and_two = reason(["[3]", "[2]"]);
    assert!(
        three_and_two.contains("of the result faces an axis 2"),
        "{three_and_two}"
    );
    assert!(try_infer(&copy, &["[3]", "[3]"]).is_ok());
    let longer = reason(["[3]", "[3, 4]"]);
    assert!(
        longer.contains("requirement 1 of the operation"),
        "{longer}"
    );
}

/// The index maps of an operation do not depend on which tensors are in its slots.
#[test]
fn tensors_are_not_slots() {
    let convolution = operation(&["[o]", "[i]", "[k]"], &["i = 2*o + 3*k"]);
    let expected = infer(&convolution, &["[3]", "[8]", "[2]"]);
    let mut elsewhere = convolution;
    elsewhere.slots = [4, 3, 5].into_iter().map(TensorId).collect();
    let none = "[]";
    let found = infer(&elsewhere, &[none, none, none, "[8]", "[3]", "[2]"]);
    assert_eq!(found.factors, expected.factors);
    assert_eq!(found.maps, expected.maps);
}

#[test]
fn a_label_on_no_axis_has_a_loop_of_its_own() {
    // A sum of pooling windows: nothing has the axis of the taps, whose size is stated.
    let pooling = operation(&["[o]", "[i]"], &["i = 2*o + k", "k = 3"]);
    let found = infer(&pooling, &["[3]", "[7]"]);
    assert_eq!(found.factors, [3, 3]);
    assert_eq!(found.maps[1].0, [affine(&[(2, 0), (1, 1)], 0)]);
    // The size follows where it is the only one that fits, and two windows may share the label.
    let twice = operation(&["[o, p]", "[i, j]"], &["i = o + k", "j = p + k"]);
    let found = infer(&twice, &["[3, 4]", "[5, 6]"]);
    assert_eq!(found.factors, [3, 4, 3]);
    let sums = [affine(&[(1, 0), (1, 2)], 0), affine(&[(1, 1), (1, 2)], 0)];
    assert_eq!(found.maps[1].0, sums);
    let unequal = try_infer(&twice, &["[3, 4]", "[5, 7]"]);
    assert_eq!(unequal, Err(ProjectionError::Windows { requirement: 3 }));
    // A window waits for the size of its axis if that follows from another window: i = 5, so that k = 9.
    let chain = operation(&["[o]", "[x]", "[l]"], &["i = pad(o + k, 2)", "x = i + l"]);
    let rows: [Row; 3] = ["[1]", "[6]", "[2]"].map(|row| row.parse().unwrap());
    let read = elaborate(&chain, |TensorId(slot)| Shape {
        output: rows[slot].clone(),
        ..Shape::default()
    });
    assert_eq!(read.unwrap().sizes.last(), Some(&vec![5, 9]));
}

/// Of the labels of a window one may follow from the others. The refusal names the first that does not.
#[test]
fn a_label_whose_size_does_not_follow_is_named() {
    let two = operation(&["[o]", "[i]"], &["i = 2*o + 1*3 + k + l"]);
    let refused = try_infer(&two, &["[3]", "[9]"]);
    let var = Var::Dim(DimVar::new("k"));
    let undetermined = ProjectionError::Undetermined {
        requirement: 2,
        var,
    };
    assert_eq!(refused, Err(undetermined));
}

#[test]
fn same_puts_the_smaller_half_of_its_margins_in_front() {
    for (mode, offset) in [("same", -1), ("same_lower", -2)] {
        let window = format!("i = {mode}(o + k)");
        let op = operation(&["[o]", "[i]", "[k]"], &[&window]);
        let found = infer(&op, &["[5]", "[5]", "[4]"]);
        let expected = affine(&[(1, 0), (1, 1)], offset);
        assert_eq!(found.maps[1].0, [expected], "{mode}");
    }
    let padded = operation(&["[o]", "[i]", "[k]"], &["i = pad(o + k, 2)"]);
    let found = infer(&padded, &["[6]", "[4]", "[3]"]);
    assert_eq!(found.maps[1].0, [affine(&[(1, 0), (1, 1)], -2)]);
}

#[test]
fn a_visited_part_begins_behind_the_parts_before_it() {
    for (visited, sizes, offset) in [(0, "[2]", 0), (1, "[3]", 2), (2, "[4]", 5)] {
        let own = ["a", "b", "c"][visited];
        let row = format!("[{own}]");
        let others = [("a = 2", 0), ("b = 3", 1), ("c = 4", 2)];
        let others = others.iter().filter(|(_, part)| *part != visited);
        let mut constraints = vec!["t = a ^ b ^ c"];
        constraints.extend(others.map(|(text, _)| *text));
        let mut op = operation(&["[t]", &row], &constraints);
        op.region = Some(Box::new(Region {
            visited: BTreeMap::from([(2, visited)]),
            ..Region::default()
        }));
        let found = infer(&op, &["[9]", sizes]);
        let expected = affine(&[(1, 0)], offset).on_axis(9, &found.factors);
        assert_eq!(found.maps[0].0, [expected], "part {visited}");
        assert_eq!(found.maps[1].0, [Index::Iter(0)]);
        let error = try_infer(&op, &["[10]", sizes]).unwrap_err();
        assert_eq!(error, ProjectionError::Windows { requirement: 2 });
    }
}

#[test]
fn of_the_factors_of_an_axis_the_last_runs_fastest() {
    let op = operation(&["[a, b, c]", "[n]"], &["n = a * b * c"]);
    let found = infer(&op, &["[2, 3, 4]", "[24]"]);
    assert_eq!(found.factors, [2, 3, 4]);
    assert_eq!(found.maps[1].0, [affine(&[(12, 0), (4, 1), (1, 2)], 0)]);
    let error = try_infer(&op, &["[2, 3, 4]", "[25]"]).unwrap_err();
    assert_eq!(error, ProjectionError::Windows { requirement: 2 });
}

#[test]
fn a_firing_is_policy_where_it_chooses_or_refuses_to_guess() {
    let (var, three) = (DimVar::new("a"), Dim::new(3).unwrap());
    let binds = |choice| by(Rule::DeBind).binds_dim(&var, three.clone().into(), choice);
    assert!(!binds(Choice::Nothing).is_policy());
    assert!(binds(Choice::Value).is_policy());
    assert!(binds(Choice::Placement).is_policy());
    let fails = |clash| by(Rule::CloseLeaf).fails(clash);
    assert!(fails(Clash::Undetermined(Var::Dim(var.clone()))).is_policy());
    assert!(!fails(Clash::Unequal(three, Dim::Unit)).is_policy());
}
