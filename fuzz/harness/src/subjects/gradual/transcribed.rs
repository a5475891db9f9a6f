//! The party of the transcribed rules: the repaired type rules about the program as it is annotated, and then its runs
//! and its static annotations, those of small inputs first.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_gradual_spec::migration::with_annotations;
use lozenge_gradual_spec::run::{is_allowed, run};
use lozenge_gradual_spec::typing::{REPAIRED, Reading};
use lozenge_gradual_spec::universe::{Universe, choices};
use lozenge_gradual_vocabulary::{Body, Dimension, Expression, Program, Restriction, Type};

use super::Stands;
use super::standing::{Input, Standing};
use crate::subject::party::Effort;

/// The reading of the rules. The repaired rules are the same in each.
const READING: &Reading = &Reading::ALL[0];

/// The most inputs that are run.
const INPUTS: u64 = 50_000;

/// The largest rank that is tried.
const RANK: usize = 4;

/// The most sizes that are tried.
const SIZES: usize = 12;

/// Answers.
pub(super) fn standing(_: &Effort, _: Stands, program: &Program) -> Option<Standing> {
    let mut standing = Standing::default();
    let has_types = !has_conditional(&program.body);
    if has_types {
        let typable = REPAIRED.accepts(READING, program);
        standing.typable = Some(typable);
        if !typable {
            (standing.is_static, standing.runs) = (Some(false), Some(false));
            return Some(standing);
        }
    }
    for inputs in universes(program).iter().map(|one| inputs(one, program)) {
        for shapes in inputs {
            standing.tried += 1;
            let input = named(program, &shapes);
            if is_run(program, &input) {
                standing.runs = Some(true);
                standing.is_static = has_types.then_some(true);
                standing.input = Some(owned(&input));
                return Some(standing);
            }
            if has_types && standing.is_static.is_none() && is_allowed(program, &input) {
                let types = shapes.iter().map(|shape| Type::of_shape(shape));
                let annotated = with_annotations(program, types.collect());
                let accepts = REPAIRED.accepts(READING, &annotated);
                standing.is_static = accepts.then_some(true);
            }
        }
    }
    Some(standing)
}

/// Tells what each expression is for the input that runs, or the type of each.
pub(super) fn told(effort: &Effort, question: Stands, program: &Program) -> String {
    let Some(standing) = standing(effort, question, program) else {
        return String::new();
    };
    let mut text = standing.to_string();
    let Some(context) = lozenge_gradual_spec::relations::context(&program.declarations) else {
        return text;
    };
    let types = REPAIRED.types(READING, &context, &program.body);
    for ((at, expression), types) in program.body.iter().zip(types) {
        if matches!(expression, Expression::Variable(_)) {
            continue;
        }
        let types: Vec<String> = types.iter().map(ToString::to_string).collect();
        let types = match types.is_empty() {
            true => "no type".to_string(),
            false => types.join(" or "),
        };
        text += &format!("{} : {types}\n", program.body.part(at));
    }
    text
}

/// Checks that a program runs for an input, and allows it. An input of more elements than 64 bits count is not run: a
/// size of a result may be as large.
pub(super) fn replayed(program: &Program, input: &Input) -> Result<(), String> {
    let input: BTreeMap<&str, Vec<u64>> = input
        .iter()
        .map(|(name, shape)| (name.as_str(), shape.clone()))
        .collect();
    if !is_allowed(program, &input) {
        return Err(format!(
            "the program does not allow {}",
            super::standing::shown(&owned(&input))
        ));
    }
    let sizes = input.values().flatten();
    let mut sizes = sizes.filter(|size| **size > 0);
    if sizes
        .try_fold(1u64, |count, size| count.checked_mul(*size))
        .is_none()
    {
        return Ok(());
    }
    match run(&input, &program.body) {
        Ok(_) => Ok(()),
        Err(at) => Err(format!(
            "{} fails for {}",
            program.body.part(at),
            super::standing::shown(&owned(&input))
        )),
    }
}

pub(super) fn is_run(program: &Program, input: &BTreeMap<&str, Vec<u64>>) -> bool {
    is_allowed(program, input) && run(input, &program.body).is_ok()
}

pub(super) fn has_conditional(body: &Body) -> bool {
    let mut expressions = body.expressions().iter();
    expressions.any(|one| matches!(one, Expression::If { .. }))
}

fn owned(input: &BTreeMap<&str, Vec<u64>>) -> Input {
    let shapes = input.iter();
    shapes
        .map(|(name, shape)| ((*name).to_string(), shape.clone()))
        .collect()
}

/// Gives each input its shape.
pub(super) fn named<'p>(program: &'p Program, shapes: &[Vec<u64>]) -> BTreeMap<&'p str, Vec<u64>> {
    let names = program
        .declarations
        .iter()
        .map(|declaration| declaration.name.as_str());
    names.zip(shapes.iter().cloned()).collect()
}

/// Lists every input of a universe that fits the annotations.
pub(super) fn inputs(universe: &Universe, program: &Program) -> Vec<Vec<Vec<u64>>> {
    choices(&program.declarations, |declaration| {
        universe.concretisations(&declaration.annotation)
    })
}

/// Universes that grow, as far as there are few enough inputs in them. A later one holds those of the earlier ones once
/// more.
fn universes(program: &Program) -> Vec<Universe> {
    let sizes = sizes(program);
    let mut universes = Vec::new();
    for (rank, count) in [
        (2, 3),
        (RANK, 2),
        (RANK, 3),
        (2, SIZES),
        (3, SIZES),
        (RANK, 6),
        (RANK, SIZES),
    ] {
        let universe = Universe::new(rank, sizes.iter().copied().take(count));
        if count_of(&universe, program) <= u128::from(INPUTS) {
            universes.push(universe);
        }
    }
    universes
}

/// Counts the inputs of a universe that fit the annotations.
pub(super) fn count_of(universe: &Universe, program: &Program) -> u128 {
    let power = |rank: usize| {
        (universe.sizes.len() as u128).saturating_pow(rank.try_into().unwrap_or(u32::MAX))
    };
    let counts = program
        .declarations
        .iter()
        .map(|declaration| match &declaration.annotation {
            Type::Dyn => (0..=universe.rank).map(power).sum(),
            Type::Tensor(dimensions) => {
                let open = dimensions
                    .iter()
                    .filter(|dimension| **dimension == Dimension::Dyn);
                power(open.count())
            }
        });
    counts.fold(1, u128::saturating_mul)
}

/// Lists small sizes, then those that the program names, with what a kernel needs.
fn sizes(program: &Program) -> Vec<u64> {
    let mut named = BTreeSet::new();
    for expression in program.body.expressions() {
        match expression {
            Expression::Reshape { target, .. } => {
                let known = target.dimensions().unwrap_or_default().iter();
                let known: Vec<u64> = known.filter_map(|dimension| dimension.size()).collect();
                let product = known
                    .iter()
                    .try_fold(1u64, |product, size| product.checked_mul(*size));
                named.extend(known);
                named.extend(product);
            }
            Expression::Conv2d {
                in_channels,
                kernel,
                ..
            } => {
                named.insert(*in_channels);
                named.extend(kernel);
            }
            _ => {}
        }
    }
    for restriction in &program.restrictions {
        if let Restriction::Holds(condition) = restriction {
            let numbers = [condition.left.number, condition.right.number].map(i128::unsigned_abs);
            let numbers = numbers
                .into_iter()
                .filter_map(|number| u64::try_from(number).ok());
            named.extend(
                numbers.flat_map(|number| {
                    [number.saturating_sub(1), number, number.saturating_add(1)]
                }),
            );
        }
    }
    let mut sizes: Vec<u64> = vec![1, 2, 3];
    let further = named.into_iter().filter(|size| *size > 3);
    sizes.extend(further.take(SIZES - 3));
    sizes
}
