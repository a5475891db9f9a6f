//! Products of matrices.

use super::call::Call;
use super::pointwise::broadcast;
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_module.Linear", linear),
    ("call_module.Embedding", embedding_module),
    ("call_function.torch.nn.functional.embedding", embedding),
    ("call_function.torch.bmm", bmm),
    ("call_function.torch.matmul", matmul),
];

/// The last axis has `in_features` entries and gets `out_features`.
fn linear(call: &Call) -> Result<Value, String> {
    let mut shape = call.shape(0, "input")?.to_vec();
    let wanted = call.number("in_features")?;
    match shape.last_mut() {
        Some(last) if *last == wanted => *last = call.number("out_features")?,
        last => return Err(format!("the last size is {last:?}, and {wanted} is wanted")),
    }
    Ok(Value::Tensor(shape))
}

/// An axis is added at the end: the row of the table.
fn embedding_module(call: &Call) -> Result<Value, String> {
    let mut shape = call.shape(0, "input")?.to_vec();
    shape.push(call.number("embedding_dim")?);
    Ok(Value::Tensor(shape))
}

/// The same, with the table as an argument, which is a matrix.
fn embedding(call: &Call) -> Result<Value, String> {
    let mut shape = call.shape(0, "input")?.to_vec();
    let [_, row] = call.shape(1, "weight")? else {
        return Err("the table is no matrix".to_string());
    };
    shape.push(*row);
    Ok(Value::Tensor(shape))
}

/// Two batches of as many matrices, each pair of which can be multiplied.
fn bmm(call: &Call) -> Result<Value, String> {
    match (call.shape(0, "input")?, call.shape(1, "mat2")?) {
        ([batch, rows, inner], [others, same, columns]) if batch == others && inner == same => {
            Ok(Value::Tensor(vec![*batch, *rows, *columns]))
        }
        (left, right) => Err(format!(
            "{left:?} and {right:?} are no batches of matrices to multiply"
        )),
    }
}

/// A vector on the left is one row, a vector on the right one column, and neither leaves an axis; the axes before the
/// last two broadcast.
fn matmul(call: &Call) -> Result<Value, String> {
    let (left, right) = (call.shape(0, "input")?, call.shape(1, "other")?);
    let (before, rows, inner) = match left {
        [] => return Err("a scalar is multiplied".to_string()),
        [inner] => (&[][..], None, *inner),
        [before @ .., rows, inner] => (before, Some(*rows), *inner),
    };
    let (others, same, columns) = match right {
        [] => return Err("a scalar is multiplied".to_string()),
        [same] => (&[][..], *same, None),
        [others @ .., same, columns] => (others, *same, Some(*columns)),
    };
    if inner != same {
        return Err(format!("the inner sizes {inner} and {same} differ"));
    }
    let mut shape = broadcast(before, others)?;
    shape.extend(rows);
    shape.extend(columns);
    Ok(Value::Tensor(shape))
}
