//! Results that the paper computes with its own rules, and those on which the rules agree.

use lozenge_gradual_spec::constraints::{self, solutions};
use lozenge_gradual_spec::lifting::lifted;
use lozenge_gradual_spec::migration::migrations;
use lozenge_gradual_spec::printed_functions::{Convolution, apply_broadcasting};
use lozenge_gradual_spec::relations::{bound_star, precise};
use lozenge_gradual_spec::typing::{
    ModuloZero, PRINTED, REPAIRED, Reading, t_add_repaired, t_conv_repaired, t_reshape_repaired,
};
use lozenge_gradual_spec::universe::{Universe, approximations, lists};
use lozenge_gradual_spec::{operations, run};
use lozenge_gradual_vocabulary::grad::read;
use lozenge_gradual_vocabulary::{Dimension, Program, Type};

fn program(text: &str) -> Program {
    read(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .0
}

fn of(text: &str) -> Type {
    program(&format!("x : {text} return x")).declarations[0]
        .annotation
        .clone()
}

#[test]
fn the_examples_of_the_paper_come_out() {
    let broadcast = apply_broadcasting(&of("[?, 2, ?]"), &of("[1, 2, 2]"));
    assert_eq!(broadcast, (of("[?, 2, ?]"), of("[?, 2, 2]")));
    assert_eq!(bound_star(&of("[1, 2]"), &Type::Dyn), Some(Type::Dyn));
    let listing = program("x : ?\nreturn add(conv2d(2, 2, (2, 2), x), conv2d(4, 2, (2, 2), x))");
    for calculus in [&PRINTED, &REPAIRED] {
        let types = calculus.type_of(&Reading::ALL[0], &listing);
        assert_eq!(types, Some(of("[?, 2, ?, ?]")));
    }
}

/// Every rule of the repaired calculus accepts what some run accepts, and gives a type that is right of every run.
#[test]
fn the_repaired_rules_accept_what_some_run_accepts() {
    let reading = &Reading::ALL[0];
    let universe = Universe::new(2, 0..=2);
    let wide = Universe::new(3, 0..=6);
    let fits = |found: &Option<Type>, least: &Option<Type>| match (found, least) {
        (None, None) => true,
        (Some(found), Some(least)) => precise(found, least),
        _ => false,
    };
    let mut accepted = 0;
    for one in universe.types() {
        for other in universe.types() {
            let found = t_add_repaired(reading, &(one.clone(), other.clone()));
            let least = lifted(&wide, &[&one, &other], |of| operations::add(&of[0], &of[1]));
            assert_eq!(found, least, "{one} + {other}");
            let found = t_reshape_repaired(reading, &(one.clone(), other.clone()));
            let least = match &other {
                Type::Dyn => None,
                _ => lifted(&wide, &[&one], |of| operations::reshape(&of[0], &other)),
            };
            assert!(
                fits(&found, &least),
                "{one} to {other}: {found:?}, {least:?}"
            );
            accepted += usize::from(found.is_some());
        }
    }
    assert!(accepted > 100);
    let dimensions = Universe::new(4, 0..=3).dimensions();
    for kernel in [[1, 1], [2, 3], [0, 1]] {
        for channels in 0..3 {
            let with = Convolution {
                in_channels: channels,
                out_channels: channels,
                kernel: kernel.to_vec(),
            };
            for entries in lists(&dimensions, 4) {
                let one = Type::Tensor(entries);
                let found = t_conv_repaired(reading, &(one.clone(), with.clone()));
                let wide = Universe::new(4, 0..=4);
                let least = lifted(&wide, &[&one], |of| operations::conv2d(&of[0], &with));
                let c = Dimension::Size(channels);
                // The entry of the channels is the only one that a run knows better: a source of Dyn has those of the
                // kernel.
                assert!(
                    fits(&found, &least),
                    "{one} by {with:?}: {found:?}, {least:?}"
                );
                assert!(found.is_none_or(|found| found.dimensions().is_some_and(|d| d[1] == c)));
            }
        }
    }
}

#[test]
fn the_repaired_constraints_have_a_solution_for_each_migration() {
    let reading = &Reading::ALL[0];
    let universe = Universe::new(2, [0, 1, 2]);
    let translation = constraints::Translation {
        ranks: 0..=2,
        ..constraints::REPAIRED
    };
    for text in [
        "x : ? y : [?, 1] return add(x, y)",
        "x : [?, 2] return reshape(add(x, reshape(x, [1, ?])), [2])",
        "x : ? return reshape(x, [2, ?])",
    ] {
        let program = program(text);
        let found = migrations(&REPAIRED, reading, &universe, &program);
        let solved = solutions(&translation, ModuloZero::ForZero, &universe, &program)
            .expect("Gen has a rule");
        assert_eq!(found.len(), solved.len(), "{text}");
        assert!(found.len() > 1, "{text}");
    }
}

#[test]
fn approximations_and_migrations_are_each_others_inverse() {
    let universe = Universe::new(2, 0..=2);
    for one in universe.types() {
        for other in universe.types() {
            assert_eq!(
                approximations(&one).contains(&other),
                universe.migrations(&other).contains(&one)
            );
        }
    }
}

#[test]
fn a_branch_runs_alone() {
    let program = program(
        "x : ? return if dim(x) = 2 then reshape(x, [4]) else if size(x)[-1] > 1 then add(x, reshape(x, [2])) else x",
    );
    for (shape, result) in [
        (vec![2, 2], Ok(vec![4])),
        (vec![2], Ok(vec![2])),
        (vec![1], Ok(vec![1])),
    ] {
        let inputs = [("x", shape)].into_iter().collect();
        assert_eq!(run::run(&inputs, &program.body), result);
    }
    for shape in [vec![], vec![2, 3], vec![3]] {
        let inputs = [("x", shape)].into_iter().collect();
        assert!(run::run(&inputs, &program.body).is_err());
    }
}

#[test]
fn sizes_of_any_number_of_bits_are_multiplied() {
    let largest = i64::MAX.unsigned_abs();
    let shape = vec![largest; 5];
    let same = Type::of_shape(&shape);
    assert_eq!(operations::reshape(&shape, &same), Some(shape.clone()));
    let fewer = Type::of_shape(&shape[1..]);
    assert_eq!(operations::reshape(&shape, &fewer), None);
}
