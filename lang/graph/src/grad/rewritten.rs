//! The text of a program with the branch that is taken in place of each decided conditional (Alg. 2 of the paper).
//!
//! An input for which a condition has no value, since what it observes fails, is none for which the program runs. The
//! rewritten program may take it.

use std::collections::{BTreeMap, HashMap, HashSet};

use lozenge_gradual_vocabulary::{
    Body, Comparison, Expression, ExpressionId, Observation, Program, grad,
};

use crate::ModelError;
use crate::content::Rewritten;

/// Puts branches in place of conditionals, which have the names of their nodes.
pub(crate) fn with_decided(
    content: &[u8],
    decided: &BTreeMap<String, bool>,
) -> Result<Rewritten, ModelError> {
    let (program, _) = grad::read_bytes(content)
        .map_err(|error| ModelError::new(error.message).with_help(error.help))?;
    let taken = taken(&program, decided);
    let replaced = taken.len();
    let body = without(&program.body, &taken)
        .ok_or_else(|| ModelError::new("the rewritten program is none"))?;
    let text = Program { body, ..program }.to_string();
    Ok(Rewritten {
        content: text.into_bytes(),
        replaced,
    })
}

/// Returns the branches that decided conditionals take. Conditionals are named in order, past the names of inputs.
fn taken(
    program: &Program,
    decided: &BTreeMap<String, bool>,
) -> HashMap<ExpressionId, ExpressionId> {
    let inputs = program.declarations.iter().map(|one| one.name.as_str());
    let inputs: HashSet<&str> = inputs.collect();
    let mut number = 0u64;
    let mut taken = HashMap::new();
    for (at, expression) in program.body.iter() {
        let Expression::If {
            then, otherwise, ..
        } = expression
        else {
            continue;
        };
        let name = loop {
            let name = match number {
                0 => "if".to_owned(),
                number => format!("if_{number}"),
            };
            number += 1;
            if !inputs.contains(name.as_str()) {
                break name;
            }
        };
        match decided.get(&name) {
            Some(true) => taken.insert(at, *then),
            Some(false) => taken.insert(at, *otherwise),
            None => None,
        };
    }
    taken
}

/// Returns the body in which branches stand in place of their conditionals.
fn without(body: &Body, taken: &HashMap<ExpressionId, ExpressionId>) -> Option<Body> {
    let stands = |mut at: ExpressionId| {
        while let Some(branch) = taken.get(&at) {
            at = *branch;
        }
        at
    };
    let mut list = Vec::new();
    let mut ready: Vec<ExpressionId> = Vec::new();
    let mut waiting = vec![(stands(body.root()), false)];
    while let Some((at, has_parts)) = waiting.pop() {
        let expression = &body[at];
        let parts = expression.parts();
        if has_parts {
            let own = ready.split_off(ready.len().checked_sub(parts.len())?);
            let place = u32::try_from(list.len()).ok()?;
            list.push(with_parts(expression, &own)?);
            ready.push(ExpressionId(place));
            continue;
        }
        waiting.push((at, true));
        let parts = parts.into_iter().rev();
        waiting.extend(parts.map(|part| (stands(part), false)));
    }
    Body::from_list(list)
}

/// Returns the expression with other parts, in the order in which they are written.
fn with_parts(expression: &Expression, parts: &[ExpressionId]) -> Option<Expression> {
    let mut parts = parts.iter().copied();
    Some(match expression {
        Expression::Variable(name) => Expression::Variable(name.clone()),
        Expression::Reshape { target, .. } => Expression::Reshape {
            of: parts.next()?,
            target: target.clone(),
        },
        Expression::Conv2d {
            in_channels,
            out_channels,
            kernel,
            ..
        } => Expression::Conv2d {
            in_channels: *in_channels,
            out_channels: *out_channels,
            kernel: kernel.clone(),
            of: parts.next()?,
        },
        Expression::Add(..) => Expression::Add(parts.next()?, parts.next()?),
        Expression::If { condition, .. } => {
            let mut observed = |observation: &Observation| {
                Some(match observation {
                    Observation::Number(number) => Observation::Number(*number),
                    Observation::Rank(_) => Observation::Rank(parts.next()?),
                    Observation::Size { axis, .. } => Observation::Size {
                        of: parts.next()?,
                        axis: *axis,
                    },
                })
            };
            let condition = Comparison {
                left: observed(&condition.left)?,
                relation: condition.relation,
                right: observed(&condition.right)?,
            };
            Expression::If {
                condition,
                then: parts.next()?,
                otherwise: parts.next()?,
            }
        }
    })
}
