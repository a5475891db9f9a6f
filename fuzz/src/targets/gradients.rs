//! `gradients`: a sum of products under a spec with windows, concatenated axes and products of axes, and the gradients that a program
//! computes of it by the same index maps in permuted slots, against differences by the definition, in whole numbers.
//!
//! The loss is a weighted sum of the cells of the result. As each operand is a tensor of its own, the loss is linear in each of their cells: the
//! derivative is the difference that one more in the cell makes, without any error. The loss of this difference is computed from the points of the
//! spec (`crate::written_operation`), which know no loops, no regions and no gradients.

use std::collections::BTreeMap;

use arbitrary::Unstructured;
use lozenge::Options;
use lozenge_vocabulary::operation::TensorId;

use crate::input::Input;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::parties::Parties;
use crate::written_operation::{Sign, Visit, WrittenOperation, draw};
use crate::written_shape::shape;

/// The statement that is drawn from these bytes.
pub fn gradients(input: &Input, _: &mut Parties) -> Option<Comparison> {
    let Input::Operation(bytes) = input else {
        return None;
    };
    let statement = drawn(bytes)?;
    let visits = statement.visits();
    let answer = match (visits.is_empty(), statement.alternatives) {
        (true, _) => "no points",
        (false, true) => "alternatives",
        (false, false) => "one operation",
    };
    let outcome = match compared(&statement, &visits) {
        Ok(()) => Outcome::Agree,
        Err(disagreement) => disagreement.answered("program", program(&statement)).into(),
    };
    Some(Comparison {
        outcome,
        useful: !visits.is_empty(),
        answer,
    })
}

/// The program, for people.
pub fn shown(bytes: &[u8]) -> Option<String> {
    drawn(bytes).map(|statement| program(&statement))
}

/// A statement that adds values up. Its operands are parameters, which have no batch axes.
fn drawn(bytes: &[u8]) -> Option<WrittenOperation> {
    let mut statement = draw(&mut Unstructured::new(bytes)).ok()?;
    statement.sign = Sign::Add;
    statement.templates[1..]
        .iter_mut()
        .for_each(|(_, batch)| *batch = 0);
    Some(statement)
}

/// The statement with parameters in place of data, a weight for each cell of the result, and the gradients of their sum.
fn program(statement: &WrittenOperation) -> String {
    let mut text = String::new();
    for line in statement.to_string().lines() {
        match line
            .strip_prefix("data ")
            .and_then(|rest| rest.split_once(" = "))
        {
            Some((declared, _)) => text.push_str(&format!("param {declared} = 1\n")),
            None => text.push_str(&format!("{line}\n")),
        }
    }
    let mut sizes: Vec<String> = statement.axes(0).iter().map(u64::to_string).collect();
    let output = sizes.split_off(statement.templates[0].1);
    let axes = shape(&[sizes, Vec::new(), output]);
    let (result, cells) = (WrittenOperation::name(0), statement.cells(0));
    text.push_str(&format!(
        "data weight : {axes} = range({cells})\nlet loss = sum({result} *. weight)\nbackward loss\n"
    ));
    text
}

/// Numbers of both signs, among them 0.
fn values(tensor: usize, cells: u64) -> Vec<i64> {
    let value = |cell: u64| (cell as i64 * 5 + tensor as i64 * 3) % 11 - 4;
    (0..cells).map(value).collect()
}

/// The loss by the definition: over all points, the weight of the cell that is written times the values that are read there.
fn loss(visits: &[Visit], tensors: &[Vec<i64>]) -> i64 {
    let term = |(cell, read): &Visit| -> i64 {
        let values = read
            .iter()
            .map(|(operand, address)| tensors[*operand][*address as usize]);
        tensors[0][*cell as usize] * values.product::<i64>()
    };
    visits.iter().map(term).sum()
}

fn compared(statement: &WrittenOperation, visits: &[Visit]) -> Result<(), Disagreement> {
    let count = statement.templates.len();
    let mut tensors: Vec<Vec<i64>> = (0..count)
        .map(|tensor| values(tensor, statement.cells(tensor)))
        .collect();
    let found = computed(statement, &tensors).map_err(|reason| {
        Disagreement::new("a program that has gradients is refused").answered("it", reason)
    })?;
    let before = loss(visits, &tensors);
    for operand in 1..count {
        let mut expected = Vec::new();
        for cell in 0..tensors[operand].len() {
            tensors[operand][cell] += 1;
            expected.push((loss(visits, &tensors) - before) as f64);
            tensors[operand][cell] -= 1;
        }
        if found[operand - 1] != expected {
            return Err(Disagreement::new("a gradient is no difference of the loss")
                .answered("operand", WrittenOperation::name(operand))
                .answered("gradient", format!("{:?}", found[operand - 1]))
                .answered("differences", format!("{expected:?}")));
        }
    }
    Ok(())
}

/// The gradient of each operand as the program computes it, in `f64`, which is exact for numbers of this size.
fn computed(statement: &WrittenOperation, tensors: &[Vec<i64>]) -> Result<Vec<Vec<f64>>, String> {
    let text = program(statement);
    let read = lozenge::parse(&text).map_err(|errors| {
        let errors = errors.iter();
        let words: Vec<&str> = errors.map(|error| error.message.as_str()).collect();
        words.join("; ")
    })?;
    let inference =
        lozenge::infer(&read, &Options::default()).map_err(|refusal| refusal.to_string())?;
    let mut given: BTreeMap<TensorId, Vec<f64>> = BTreeMap::new();
    for (number, values) in tensors.iter().enumerate() {
        let name = match number {
            0 => "weight".to_owned(),
            operand => WrittenOperation::name(operand),
        };
        let id = read.find(&name).ok_or_else(|| format!("no {name}"))?;
        given.insert(id, values.iter().map(|value| *value as f64).collect());
    }
    let tensors =
        lozenge::run_precise(&read, &inference, &given).map_err(|error| error.to_string())?;
    let gradient = |operand: usize| {
        let name = format!("{}.grad", WrittenOperation::name(operand));
        let id = read.find(&name).ok_or_else(|| format!("no {name}"))?;
        Ok(tensors[id.0].clone())
    };
    (1..statement.templates.len()).map(gradient).collect()
}
