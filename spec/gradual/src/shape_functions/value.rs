//! Values: what flows between the nodes of a graph.

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A tensor of this shape.
    Tensor(Vec<u64>),
    /// An integer.
    Integer(i128),
    /// A truth value.
    Truth(bool),
    /// A size list, a tuple or a list.
    List(Vec<Value>),
    /// A slice: start, end, step.
    Slice(Box<[Value; 3]>),
    /// `...`
    Ellipsis,
    /// `None`
    None,
    /// A text.
    Text(String),
    /// Something that no size depends on: a real number, a device, a type of elements.
    Other,
    /// A value of which nothing is known.
    Unknown,
}

impl Value {
    /// Makes a size list.
    #[must_use]
    pub fn sizes(shape: &[u64]) -> Value {
        let sizes = shape.iter().map(|size| Value::Integer((*size).into()));
        Value::List(sizes.collect())
    }

    /// Gives the integer, if the value is one. Python counts truth values among them.
    #[must_use]
    pub fn integer(&self) -> Option<i128> {
        match self {
            Value::Integer(number) => Some(*number),
            Value::Truth(truth) => Some(i128::from(*truth)),
            _ => None,
        }
    }

    /// Gives the integers, if the value is a list of nothing else.
    #[must_use]
    pub fn integers(&self) -> Option<Vec<i128>> {
        match self {
            Value::List(values) => values.iter().map(Value::integer).collect(),
            _ => None,
        }
    }
}
