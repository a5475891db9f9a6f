//! The texts of a run: traces, failures, messages.

use lozenge_spec::{Options, Run, solve};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function, Kind};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{Basis, Dim, Verdict};

fn run(text: &str) -> Run {
    solve(&text.parse().expect("the notation"), &Options::default())
}

fn trace(text: &str) -> Vec<String> {
    let run = run(text);
    let steps = run.config.trace.iter().flatten();
    steps.map(|step| step.to_string()).collect()
}

#[test]
fn a_trace_tells_what_each_step_consumed_bound_kept_and_gave() {
    assert_eq!(
        trace("3 <= a\na <= b\nb = 1_"),
        [
            "di_cap             3 <= a  keeps 3 <= a",
            "di_adj             a <= b  keeps a <= b  gives 3 <= b",
            "de_bind            b = 1_  binds b to 1_",
            "di_top             3 <= 1_",
            "di_top             a <= 1_",
        ]
    );
    assert_eq!(
        trace("<r> <= [2, 4 <s>]")[..2],
        [
            "ri_deficit         <r> <= [2, 4 <s>]  binds <r> to [r'1, r'2 <r'3>]  and is taken up again",
            "ri_cap             [r'1, r'2 <r'3>] <= [2, 4 <s>]  keeps <r'3> <= <s>  gives r'1 <= 2, r'2 <= 4",
        ]
    );
    assert_eq!(
        trace("[3 <r>] ~ [<s> 3]"),
        [
            "re_split           [3 <r>] ~ [<s> 3]  keeps [3 <r>] ~ [<s> 3]",
            "close_deferred      binds <r> to []",
            "re_open_closed     [3 <>] ~ [<s> 3]  binds <s> to []  gives 3 = 3",
            "de_refl            3 = 3",
        ]
    );
}

#[test]
fn a_failure_names_the_rule_the_constraint_the_reason_and_the_policy_steps() {
    let failure = |text: &str| run(text).failure().unwrap().to_string();
    assert_eq!(
        failure("<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>"),
        "di_ground fails on `9 <= 3`: an axis 9 of the result faces an axis 3 of the operand, which only 3 can\n  \
         after the policy step re_open_closed chose <r> ~ [3, 5]"
    );
    assert_eq!(
        failure("[3 <> 5] <= [3, 4 <> 5]"),
        "ri_short fails on `[3 <> 5] <= [3, 4 <> 5]`: \
         the result has 1 axes in front of its marker, the operand needs 2"
    );
    assert_eq!(
        failure("[3 <> 5] <= [3 <> 4, 5]"),
        "ri_short fails on `[3 <> 5] <= [3 <> 4, 5]`: \
         the result has 1 axes behind its marker, the operand needs 2"
    );
}

#[test]
fn the_words_of_the_json_are_the_words_of_the_text() {
    for verdict in [
        Verdict::Sat,
        Verdict::Unsat,
        Verdict::Rejected,
        Verdict::Unknown,
    ] {
        assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.to_string());
    }
    for kind in Kind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.word());
    }
}

#[test]
fn a_basis_is_known_by_its_name() {
    assert_eq!(Basis::named("rgb").name(), "rgb");
    assert_eq!(Basis::Default.name(), "default");
    assert_eq!(Basis::named(Basis::Default.name()), Basis::Default);
    assert!(Dim::new(1).unwrap().is_atom() && !Dim::Unit.is_atom());
}

#[test]
fn accumulators_are_written_as_in_a_program() {
    let written = |erase, combine| Accumulator { erase, combine }.to_string();
    assert_eq!(written(false, Combine::Replace), "=");
    assert_eq!(written(true, Combine::Replace), "=:");
    assert_eq!(written(true, Combine::Add), "=:+");
    assert_eq!(written(false, Combine::Max), "=max");
}

#[test]
fn functions_read_none_one_or_two_operands() {
    let arities =
        [Function::Constant(1.0), Function::Relu, Function::Less].map(|function| function.arity());
    assert_eq!(arities, [0, 1, 2]);
}

#[test]
fn projection_equations_are_readable() {
    let axis = Atom::Proj(AxisId { slot: 1, axis: 2 });
    let index = |index| Atom::Sol(index);
    let written = |other| Equation::Eq(axis.clone(), other).to_string();
    assert_eq!(written(index(Index::Fix(0))), "slot 1 axis 2 = index 0");
    assert_eq!(written(index(Index::Iter(3))), "slot 1 axis 2 = index s3");
    let symbol = index(Index::Symbol("step".into()));
    assert_eq!(written(symbol), "slot 1 axis 2 = index step");
    assert_eq!(
        Equation::Iter(axis).to_string(),
        "slot 1 axis 2 is iterated"
    );
}
