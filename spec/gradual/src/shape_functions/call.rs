//! A call: an operator with the values of its arguments.

use lozenge_graph_vocabulary::{Argument, Node, ValueId};

use super::Value;

/// An operator with the values of its arguments.
pub struct Call {
    arguments: Vec<Value>,
    keywords: Vec<(String, Value)>,
    parameters: Vec<(String, Value)>,
}

impl Call {
    /// Makes the call of a node from the values so far.
    pub(super) fn of(node: &Node, values: &[Option<Value>]) -> Call {
        let get = |id: ValueId| values[id.index()].clone().unwrap_or(Value::Unknown);
        let named = |list: &[(String, Argument)]| {
            let list = list.iter();
            list.map(|(name, argument)| (name.clone(), value(argument, &get)))
                .collect()
        };
        Call {
            arguments: node.arguments.iter().map(|a| value(a, &get)).collect(),
            keywords: named(&node.keywords),
            parameters: named(&node.attributes),
        }
    }

    /// Tells whether an argument is unknown.
    pub(super) fn has_unknown(&self) -> bool {
        let keywords = self.keywords.iter().map(|(_, value)| value);
        let mut waiting: Vec<&Value> = self.arguments.iter().chain(keywords).collect();
        while let Some(value) = waiting.pop() {
            match value {
                Value::Unknown => return true,
                Value::List(values) => waiting.extend(values),
                Value::Slice(parts) => waiting.extend(parts.iter()),
                _ => {}
            }
        }
        false
    }

    /// Gives the argument at a place or with a name; `None` of Python where there is neither.
    pub fn argument(&self, place: usize, name: &str) -> &Value {
        let named = self.keywords.iter().find(|(key, _)| key == name);
        let found = named.map(|(_, value)| value);
        found
            .or_else(|| self.arguments.get(place))
            .unwrap_or(&Value::None)
    }

    /// Gives a parameter of the module.
    pub fn parameter(&self, name: &str) -> &Value {
        let found = self.parameters.iter().find(|(key, _)| key == name);
        found.map_or(&Value::None, |(_, value)| value)
    }

    /// Gives a parameter of the module that is an integer.
    pub fn number(&self, name: &str) -> Result<u64, String> {
        let number = self.parameter(name).integer();
        number
            .and_then(|number| u64::try_from(number).ok())
            .ok_or_else(|| format!("the parameter {name} is no size"))
    }

    /// Gives a parameter with a number for each of the two axes of an image, which one number stands for as well.
    pub fn pair(&self, name: &str) -> Result<[i128; 2], String> {
        let parameter = self.parameter(name);
        let pair = match parameter.integer() {
            Some(number) => Some(vec![number, number]),
            None => parameter.integers(),
        };
        pair.and_then(|pair| pair.try_into().ok())
            .ok_or_else(|| format!("the parameter {name} is no pair of numbers"))
    }

    /// Gives the shape of the tensor at a place.
    pub fn shape(&self, place: usize, name: &str) -> Result<&[u64], String> {
        match self.argument(place, name) {
            Value::Tensor(shape) => Ok(shape),
            other => Err(format!("argument {place} is {other:?} and no tensor")),
        }
    }

    /// Gives the integer at a place.
    pub fn integer(&self, place: usize, name: &str) -> Result<i128, String> {
        let integer = self.argument(place, name).integer();
        integer.ok_or_else(|| format!("argument {place} is no integer"))
    }

    /// Gives the integers from a place on: as one list, or each as an argument of its own.
    pub fn integers_from(&self, place: usize, name: &str) -> Result<Vec<i128>, String> {
        let wrong = || format!("the arguments from {place} on are no integers");
        if let Value::List(_) = self.argument(place, name) {
            return self.argument(place, name).integers().ok_or_else(wrong);
        }
        let rest = self.arguments.get(place..).unwrap_or(&[]);
        let rest: Option<Vec<i128>> = rest.iter().map(Value::integer).collect();
        rest.ok_or_else(wrong)
    }
}

/// Gives the value of an argument. Arguments nest no deeper than their readers let them.
fn value(argument: &Argument, get: &impl Fn(ValueId) -> Value) -> Value {
    match argument {
        Argument::Value(id) => get(*id),
        Argument::None => Value::None,
        Argument::Bool(truth) => Value::Truth(*truth),
        Argument::Int(number) => Value::Integer((*number).into()),
        Argument::String(text) => Value::Text(text.clone()),
        Argument::List(parts) | Argument::Tuple(parts) => {
            Value::List(parts.iter().map(|part| value(part, get)).collect())
        }
        Argument::Slice(parts) => {
            Value::Slice(Box::new(parts.each_ref().map(|part| value(part, get))))
        }
        Argument::Ellipsis => Value::Ellipsis,
        _ => Value::Other,
    }
}

/// Gives the place of an axis that may be counted from the end. A tensor without axes is taken to have one, as PyTorch
/// does.
pub(super) fn axis(axis: i128, rank: usize) -> Result<usize, String> {
    let count = rank.max(1) as i128;
    let place = if axis < 0 { axis + count } else { axis };
    match usize::try_from(place) {
        Ok(place) if place < rank.max(1) => Ok(place),
        _ => Err(format!("there is no axis {axis} among {rank}")),
    }
}

/// Gives the product of sizes.
pub(super) fn elements(sizes: &[u64]) -> Result<u64, String> {
    if sizes.contains(&0) {
        return Ok(0);
    }
    let product = sizes
        .iter()
        .try_fold(1u64, |product, size| product.checked_mul(*size));
    product
        .filter(|product| i64::try_from(*product).is_ok())
        .ok_or_else(|| "there are more elements than PyTorch counts".to_string())
}

/// Gives a size, if a number is one.
pub(super) fn size(number: i128) -> Result<u64, String> {
    u64::try_from(number).map_err(|_| format!("{number} is no size"))
}
