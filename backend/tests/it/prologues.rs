//! Contractions that compute the elementwise operations in front of them: the results are those of one operation after
//! the other, bit for bit.

use lozenge_backend::Numerics;
use lozenge_backend::opencl::Profile;
use lozenge_vocabulary::operation::Function;

use crate::engines;
use crate::recorded::{Program, Written, arithmetics, calls};

/// Operations on `x` with the letters i and k, `w` with k and j, `z` with i and j, and further tensors.
fn program(tensors: &[&'static str], temporary: &[usize], written: &[Written<'_>]) -> Program {
    Program {
        sizes: vec![('i', 390), ('j', 333), ('k', 300)],
        tensors: ["ik", "kj", "ij"].iter().chain(tensors).copied().collect(),
        calls: calls(written),
        temporary: temporary.to_vec(),
        same: Vec::new(),
    }
}

/// Programs whose contractions compute what is in front of them, with what their kernels do and how many operations
/// they are.
fn fed() -> Vec<(&'static str, Program, [&'static str; 2], Vec<usize>)> {
    use Function::{Add, Exp, Multiply, Negate, Relu, Square};
    vec![
        (
            "one operand",
            program(
                &["ik"],
                &[3],
                &[(&[3, 0], "=:", Relu), (&[2, 3, 1], "=:+", Multiply)],
            ),
            [", of max(t2, 0)", ", of max(t2, 0)"],
            vec![2],
        ),
        (
            "both operands, one by two operations, and an operation behind",
            program(
                &["ik", "ik", "kj", "j", "ij"],
                &[2, 3, 4, 5],
                &[
                    (&[3, 0], "=:", Square),
                    (&[5, 1], "=:", Relu),
                    (&[4, 3], "=:", Negate),
                    (&[2, 4, 5], "=:+", Multiply),
                    (&[7, 2, 6], "=:", Add),
                ],
            ),
            [", of -(t2 * t2)", ", then total + t3"],
            vec![5],
        ),
        (
            "a transposed operand",
            program(
                &["ki", "ki"],
                &[4],
                &[(&[4, 3], "=:", Relu), (&[2, 4, 1], "=:+", Multiply)],
            ),
            [", of max(t", "packed"],
            vec![2],
        ),
        // In between, a contraction reads what the update changes, so all of the first kernel runs after it.
        (
            "a kernel that runs at the place of the last operation",
            program(
                &["ik", "ij", "kj", ""],
                &[2, 3],
                &[
                    (&[3, 0], "=:", Relu),
                    (&[2, 3, 1], "=:+", Multiply),
                    (&[5, 0, 4], "=:+", Multiply),
                    (&[4, 2, 6], "=-", Multiply),
                ],
            ),
            ["packed", "packed"],
            vec![1, 3],
        ),
        (
            "a costly function of the operand that is packed once",
            program(
                &["kj"],
                &[3],
                &[(&[3, 1], "=:", Exp), (&[2, 0, 3], "=:+", Multiply)],
            ),
            [", of exp(t", "packed"],
            vec![2],
        ),
    ]
}

#[test]
fn operations_on_operands_are_computed_where_they_are_packed() {
    for arithmetic in arithmetics() {
        for (name, program, texts, operations) in fed() {
            let plan = program.planned(Profile::Cpu, arithmetic);
            let calls: Vec<usize> = plan.iter().map(|one| one.0).collect();
            assert_eq!(calls, operations, "{name}: {plan:?}");
            let line = &plan[0].1[0];
            assert!(
                texts.iter().all(|text| line.contains(text)),
                "{name}: {line}"
            );
        }
    }
}

#[test]
fn what_packed_contractions_compute_of_operands_is_what_went_through_memory() {
    for arithmetic in arithmetics() {
        let Some(mut device) = engines::opencl_with("prologues", arithmetic) else {
            return;
        };
        // Kernels of packed contractions take seconds to compile: some of the programs with each rule.
        let first = usize::from(arithmetic.numerics == Numerics::Fast);
        for (name, program, ..) in fed().into_iter().skip(first).step_by(2) {
            program.check(device.as_mut(), name);
        }
    }
}

#[test]
fn groups_of_items_compute_operations_on_operands_where_they_read_them() {
    for arithmetic in arithmetics() {
        let Some(mut device) = engines::parallel("prologues", arithmetic) else {
            return;
        };
        let first = usize::from(arithmetic.numerics == Numerics::Exact);
        for (number, (name, program, ..)) in fed().into_iter().enumerate() {
            let plan = program.planned(Profile::Parallel, arithmetic);
            let fed = plan.iter().any(|one| one.1[0].contains(", of "));
            // A group computes each value of an operand for each of its blocks.
            assert_eq!(fed, !name.contains("costly"), "{name}: {plan:?}");
            if number % 2 == first {
                program.check(device.as_mut(), name);
            }
        }
    }
}

/// Programs whose operations are computed by themselves.
fn apart() -> Vec<(&'static str, Program)> {
    use Function::{Add, Exp, Identity, Multiply, Relu};
    let product = |operand| (vec![2, operand, 1], "=:+", Multiply);
    let with = |tensors: &[&'static str], temporary: &[usize], written: &[Written<'_>]| {
        program(tensors, temporary, written)
    };
    let mut costly = with(&["ik"], &[3], &[(&[3, 0], "=:", Exp)]);
    costly.sizes = vec![('i', 390), ('j', 700), ('k', 300)];
    costly.calls.push(product(3));
    let mut all = vec![
        (
            "the result is needed afterwards",
            with(&["ik"], &[], &[(&[3, 0], "=:", Relu)]),
        ),
        (
            "it is a function of two tensors",
            with(&["ik", "k"], &[3], &[(&[3, 0, 4], "=:", Add)]),
        ),
        (
            "what it reads changes in between",
            with(
                &["ik", "k"],
                &[3],
                &[(&[3, 0], "=:", Relu), (&[0, 4], "=+", Identity)],
            ),
        ),
        (
            "another operation reads it",
            with(
                &["ik", "k"],
                &[3],
                &[(&[3, 0], "=:", Relu), (&[4, 3], "=:+", Identity)],
            ),
        ),
        (
            "it adds to what its tensor has",
            with(&["ik"], &[3], &[(&[3, 0], "=+", Relu)]),
        ),
        (
            "two contractions read it",
            with(
                &["ik", "ij"],
                &[3],
                &[(&[3, 0], "=:", Relu), (&[4, 3, 1], "=:+", Multiply)],
            ),
        ),
    ];
    for (_, program) in &mut all {
        program.calls.push(product(3));
    }
    all.push(("it is costly, and its operand is copied twice", costly));
    all
}

#[test]
fn what_a_contraction_cannot_compute_runs_by_itself() {
    for arithmetic in arithmetics() {
        for (name, program) in apart() {
            let plan = program.planned(Profile::Cpu, arithmetic);
            let fed = plan.iter().any(|one| one.1[0].contains(", of "));
            assert!(!fed, "{name}: {plan:?}");
            let packed = plan.iter().any(|one| one.1[0].starts_with("packed "));
            assert!(packed, "{name}: {plan:?}");
        }
    }
}
