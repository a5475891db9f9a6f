//! The operational semantics and its procedures (Fig. 1, Appendix C, Theorems 1 and 3 to 5).

use lozenge_gradual_spec::evaluation::{Environment, Evaluated, add, evaluate, reshape};
use lozenge_gradual_spec::operations;
use lozenge_gradual_spec::universe::Universe;
use lozenge_gradual_vocabulary::{Dimension, Expression, Program, Type};

use super::searching::{Search, on_programs};
use super::typed::Typed;
use crate::machinery::{Check, Claim, Effort, Finding};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Typed>]] = &[&[
    Claim::new(
        "Thm. 1",
        "For all Σ, e there are a tensor constant R and an E in {0, 1} such that Σ, e →* R, E.",
        &[Check::Search(evaluates)],
    )
    .repaired(
        "The same, where each target of a `reshape` is a list of dimensions, and one that has exactly one Dyn has no 0.",
        &[Check::Search(evaluates_repaired)],
    ),
    Claim::new(
        "Thm. 3",
        "For all R_in, S_out: RESHAPE(R_in, S_out) = (R_out, E) where R_out is a tensor and E is in {0, 1}.",
        &[Check::Search(reshape_is_total)],
    )
    .repaired(
        "The same, where S_out has no 0 or does not have exactly one Dyn. Then E = 0 exactly where torch.reshape gives the same tensor.",
        &[Check::Search(reshape_is_right)],
    ),
    Claim::new(
        "Thm. 4",
        "For all R1, R2: ADD(R1, R2) = (R_out, E) where R_out is a tensor and E is in {0, 1}.",
        &[Check::Search(add_is_total)],
    ),
    Claim::new(
        "Alg. 4",
        "ADD gives E = 0 exactly where PyTorch's addition gives the same tensor.",
        &[Check::Search(add_is_right)],
    )
    .repaired(
        "The same, where the loop goes over all axes of the padded tensors, and the size of the result is that which is not 1.",
        &[Check::Search(add_is_right_repaired)],
    ),
    Claim::new(
        "Thm. 5",
        "For all C_in, C_out, K, R_in: CONV2D(C_in, C_out, K, R_in) = (R_out, E) where R_out is a tensor and E is in {0, 1}.",
        &[Check::Search(convolution_is_total)],
    ),
]];

/// Returns the inputs of a program whose annotations are shapes.
fn inputs(program: &Program) -> Option<Environment<'_>> {
    let declarations = program.declarations.iter();
    let shapes = declarations.map(|one| Some((one.name.as_str(), one.annotation.shape()?)));
    shapes.collect()
}

fn evaluation(program: &Program) -> Option<Result<(), String>> {
    let result = evaluate(&inputs(program)?, &program.body);
    Some(
        result
            .map(|_| ())
            .ok_or_else(|| "no rule applies, or a procedure divides by 0".to_string()),
    )
}

fn evaluates(effort: Effort) -> Finding {
    on_programs(effort, evaluation)
}

/// Tells whether a target can be reshaped to by Algorithm 3.
fn has_a_result(target: &Type) -> bool {
    let Type::Tensor(dimensions) = target else {
        return false;
    };
    let unknown = dimensions.iter().filter(|one| **one == Dimension::Dyn);
    unknown.count() != 1 || !dimensions.contains(&Dimension::Size(0))
}

fn evaluates_repaired(effort: Effort) -> Finding {
    on_programs(effort, |program| {
        let is_right = |one: &Expression| match one {
            Expression::Reshape { target, .. } => has_a_result(target),
            _ => true,
        };
        let mut expressions = program.body.expressions().iter();
        expressions.all(is_right).then(|| evaluation(program))?
    })
}

/// Tries all shapes and all targets that are lists of dimensions.
fn on_reshapes(effort: Effort, decide: impl Fn(&mut Search, &[u64], &Type)) -> Finding {
    let rank = match effort {
        Effort::Quick => 2,
        Effort::Full | Effort::Long => 3,
    };
    let universe = Universe::new(rank, 0..=4);
    let mut search = Search::default();
    for target in universe.types().iter().skip(1) {
        for shape in universe.shapes() {
            decide(&mut search, &shape, target);
        }
    }
    search.over(&format!(
        "all shapes and targets of rank up to {rank} with sizes 0 to 4"
    ))
}

fn reshaped(shape: &[u64], target: &Type) -> String {
    format!("x : {shape:?}\nreturn reshape(x, {target})")
}

fn reshape_is_total(effort: Effort) -> Finding {
    on_reshapes(effort, |search, shape, target| {
        let result = reshape(shape, target.dimensions().unwrap_or_default());
        search.holds(result.is_some(), || {
            (reshaped(shape, target), "line 20 divides by 0".into())
        });
    })
}

fn reshape_is_right(effort: Effort) -> Finding {
    on_reshapes(effort, |search, shape, target| {
        if !has_a_result(target) {
            return;
        }
        let result = reshape(shape, target.dimensions().unwrap_or_default());
        let expected = operations::reshape(shape, target);
        let found = result
            .as_ref()
            .map(|result| (!result.failed).then(|| result.shape.clone()));
        search.holds(found.as_ref() == Some(&expected), || {
            (
                reshaped(shape, target),
                format!("RESHAPE gives {result:?}, and PyTorch {expected:?}"),
            )
        });
    })
}

/// Tries all pairs of shapes.
fn on_additions(effort: Effort, decide: impl Fn(&mut Search, &[u64], &[u64])) -> Finding {
    let rank = match effort {
        Effort::Quick => 3,
        Effort::Full | Effort::Long => 4,
    };
    let shapes = Universe::new(rank, 0..=3).shapes();
    let mut search = Search::default();
    for one in &shapes {
        for other in &shapes {
            decide(&mut search, one, other);
        }
    }
    search.over(&format!(
        "all pairs of shapes of rank up to {rank} with sizes 0 to 3"
    ))
}

fn added(one: &[u64], other: &[u64]) -> String {
    format!("x : {one:?}\ny : {other:?}\nreturn add(x, y)")
}

fn add_is_total(effort: Effort) -> Finding {
    on_additions(effort, |search, one, other| {
        let result = add(one, other);
        let is_tensor = result.failed || result.shape.len() == one.len().max(other.len());
        search.holds(is_tensor, || {
            (added(one, other), format!("ADD gives {result:?}"))
        });
    })
}

fn agrees(search: &mut Search, (one, other): (&[u64], &[u64]), result: &Evaluated) {
    let expected = operations::add(one, other);
    let found = (!result.failed).then(|| result.shape.clone());
    search.holds(found == expected, || {
        (
            added(one, other),
            format!("ADD gives {found:?}, and PyTorch {expected:?}"),
        )
    });
}

fn add_is_right(effort: Effort) -> Finding {
    on_additions(effort, |search, one, other| {
        agrees(search, (one, other), &add(one, other))
    })
}

/// Evaluates ADD with both changes.
fn add_repaired(one: &[u64], other: &[u64]) -> Evaluated {
    let rank = one.len().max(other.len());
    let padded =
        |shape: &[u64]| lozenge_gradual_spec::evaluation::pad_with_ones(shape, rank - shape.len());
    let pairs = padded(one).into_iter().zip(padded(other));
    let sizes = pairs.map(|(one, other)| match (one, other) {
        (1, size) | (size, 1) => Some(size),
        (one, other) => (one == other).then_some(one),
    });
    let sizes: Option<Vec<u64>> = sizes.collect();
    Evaluated {
        failed: sizes.is_none(),
        shape: sizes.unwrap_or_default(),
    }
}

fn add_is_right_repaired(effort: Effort) -> Finding {
    on_additions(effort, |search, one, other| {
        agrees(search, (one, other), &add_repaired(one, other));
    })
}

/// Kernels of one or three sizes, which the grammar allows, are among those that are tried.
fn convolution_is_total(effort: Effort) -> Finding {
    let most = match effort {
        Effort::Quick => 2,
        Effort::Full | Effort::Long => 3,
    };
    let mut search = Search::default();
    for shape in Universe::new(4, 0..=most).shapes() {
        for channels in 0..=2 {
            for kernel in [
                vec![],
                vec![1],
                vec![1, 1],
                vec![0, 2],
                vec![3, 1],
                vec![1, 1, 1],
            ] {
                let body = lozenge_gradual_vocabulary::Body::variable("x")
                    .conv2d(channels, channels, kernel);
                let environment = Environment::from([("x", shape.clone())]);
                let result = evaluate(&environment, &body);
                search.holds(result.is_some(), || {
                    (
                        format!("x : {shape:?}\nreturn {body}"),
                        "CONV2D has no result".into(),
                    )
                });
            }
        }
    }
    search.over(&format!(
        "all shapes of rank up to 4 with sizes 0 to {most}, channels 0 to 2, six kernels"
    ))
}
