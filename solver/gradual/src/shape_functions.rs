//! The shape functions: what each operator demands of the shapes that it gets, and which shapes it gives.
//!
//! One file holds a family. A function says its preconditions by [`Pass::require`], and its comment says what it does
//! with sizes 0 and in which operator set it changed. Functions are shared: [`onnx`] and [`torch`] are the adapters
//! that find the arguments of one under the names of a front end. An operator that no adapter knows gives values of
//! which nothing is known.

mod attention;
mod content;
mod control;
mod creation;
mod data;
mod elements;
mod index;
mod layout;
mod linear;
mod loss;
mod normalise;
mod onnx;
mod parts;
mod pointwise;
mod quantised;
mod recurrent;
mod reduce;
mod resize;
mod rows;
mod sizes;
mod slice;
mod spectrum;
mod torch;
mod window;

use crate::pass::{Pass, Stop};
use crate::term::{Formula, Int, Term, Terms};
use crate::value::{Content, Shape, Tensor, Value};
use lozenge_graph_vocabulary::{Argument, Node};

/// A use of an operator: the pass on whose behalf it is followed, the node, and the arguments without a name.
pub(crate) struct Call<'p, 'a> {
    pub(crate) pass: &'p mut Pass<'a>,
    pub(crate) node: &'a Node,
    pub(crate) arguments: Vec<Value>,
    pub(crate) level: usize,
}

/// An entry of an adapter.
type Function = fn(&mut Call) -> Result<Vec<Value>, Stop>;

/// Computes the outputs of a node.
pub(crate) fn apply<'a>(
    pass: &mut Pass<'a>,
    node: &'a Node,
    level: usize,
) -> Result<Vec<Value>, Stop> {
    let function = match node.operator.domain.as_str() {
        "onnx" => onnx::function(&node.operator.name),
        "ai.onnx.preview" => onnx::tried_out(&node.operator.name),
        "fx" | "aten" | "operator" => torch::function(&node.operator),
        "higher_order" => torch::higher_order(&node.operator),
        "grad" => torch::calculus(&node.operator),
        _ => None,
    };
    let Some(function) = function else {
        pass.not_followed();
        return Ok(vec![Value::Any; node.outputs.len()]);
    };
    let arguments = node
        .arguments
        .iter()
        .map(|argument| pass.argument(argument))
        .collect::<Result<_, _>>()?;
    function(&mut Call {
        pass,
        node,
        arguments,
        level,
    })
}

impl Call<'_, '_> {
    fn terms(&mut self) -> &mut Terms {
        self.pass.terms
    }

    /// Returns the argument at a place; [`Value::None`] if there is none.
    fn at(&self, place: usize) -> Value {
        self.arguments.get(place).cloned().unwrap_or(Value::None)
    }

    /// Returns the tensor at a place, if it is one.
    fn tensor(&self, place: usize) -> Option<Tensor> {
        match self.arguments.get(place) {
            Some(Value::Tensor(tensor)) => Some(tensor.clone()),
            _ => None,
        }
    }

    /// Returns the shape of the tensor at a place, if it is known.
    fn shape(&self, place: usize) -> Option<Shape> {
        self.tensor(place)?.shape
    }

    fn has(&self, place: usize) -> bool {
        !matches!(self.arguments.get(place), None | Some(Value::None))
    }

    fn version(&self) -> i64 {
        self.node.operator.version.unwrap_or(i64::MAX)
    }

    fn int_or(&self, name: &str, default: Int) -> Int {
        match self.node.attribute(name) {
            Some(Argument::Int(number)) => Int::from(*number),
            Some(Argument::Bool(truth)) => Int::from(*truth),
            _ => default,
        }
    }

    fn ints(&self, name: &str) -> Option<Vec<Int>> {
        let numbers = self.node.attribute(name)?.as_ints()?;
        Some(numbers.into_iter().map(Int::from).collect())
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.node.attribute(name)?.as_str()
    }

    /// Returns the numbers that the argument at a place is known to hold, or else those of an attribute.
    fn ints_at(&self, place: usize, name: &str) -> Option<Vec<Int>> {
        if !self.has(place) {
            return self.ints(name);
        }
        self.numbers(place)
    }

    /// Returns the numbers that the tensor at a place is known to hold.
    fn numbers(&self, place: usize) -> Option<Vec<Int>> {
        self.integers(place)?
            .into_iter()
            .map(|term| self.pass.terms.as_number(term))
            .collect()
    }

    /// Returns the axes that the argument at a place is known to hold, or else those of an attribute. An axis that is
    /// an input, or a function of inputs, is told apart: each of those that exist is a case.
    fn axes_at(&mut self, place: usize, name: &str, rank: usize) -> Result<Option<Vec<Int>>, Stop> {
        if !self.has(place) {
            return Ok(self.ints(name));
        }
        let Some(axes) = self.integers(place) else {
            return Ok(None);
        };
        let rank = Int::try_from(rank).unwrap_or(Int::MAX);
        let mut known = Vec::new();
        for axis in axes {
            known.push(self.axis_among(axis, rank)?);
        }
        Ok(Some(known))
    }

    /// Returns the number that an axis is, among as many as there are.
    fn axis_among(&mut self, axis: Term, rank: Int) -> Result<Int, Stop> {
        if let Some(number) = self.pass.terms.as_number(axis) {
            return Ok(number);
        }
        for place in 0..rank {
            let counted = [
                self.pass.terms.is(axis, place),
                self.pass.terms.is(axis, place - rank),
            ];
            let is_so = self.pass.terms.any(&counted);
            if self.pass.decide(is_so)? {
                return Ok(place);
            }
        }
        let text = self.pass.terms.text(axis);
        self.pass
            .refuse(format!("axis {text} does not exist among {rank}"))
    }

    /// Returns the integers that the tensor at a place is known to hold, as terms.
    fn integers(&self, place: usize) -> Option<Vec<Term>> {
        self.tensor(place)?.integers()
    }

    /// Returns as many values of which nothing is known as the node has outputs. Where the shapes of the arguments are
    /// known, it is here that the knowledge ends, and the node is noted.
    fn any(&mut self) -> Result<Vec<Value>, Stop> {
        let is_known = |value: &Value| match value {
            Value::Tensor(tensor) => tensor.shape.is_some(),
            value => *value != Value::Any,
        };
        if self.arguments.iter().all(is_known) {
            self.pass.not_followed();
        }
        Ok(vec![Value::Any; self.node.outputs.len().max(1)])
    }

    fn one(&self, shape: Shape, like: &Tensor) -> Result<Vec<Value>, Stop> {
        Ok(vec![Value::tensor(shape, like.element)])
    }
}

/// Returns the rank of a shape. A shape with a block has every rank from a bound on, and none is known.
pub(crate) fn rank_of(shape: &Shape) -> Result<usize, Stop> {
    if shape.block.is_some() {
        Err(crate::limit::Limit::Ranks.into())
    } else {
        Ok(shape.axes.len())
    }
}

/// Demands one of some ranks. A shape with a block has none of them, for they are smaller than its ranks.
pub(crate) fn require_rank(
    pass: &Pass,
    shape: &Shape,
    ranks: &[usize],
    who: &str,
) -> Result<usize, Stop> {
    let rank = shape.axes.len();
    if shape.block.is_none() && ranks.contains(&rank) {
        return Ok(rank);
    }
    let wanted = ranks
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" or ");
    let found = if shape.block.is_some() {
        format!("{} or more", rank + 1)
    } else {
        rank.to_string()
    };
    pass.refuse(format!("{who} has rank {found} where {wanted} is wanted"))
}

/// Returns the place of an axis among `rank` axes, counted from the end if it is negative.
pub(crate) fn axis_of(pass: &Pass, axis: Int, rank: usize) -> Result<usize, Stop> {
    let count = Int::try_from(rank).unwrap_or(Int::MAX);
    let place = if axis < 0 { axis + count } else { axis };
    if (0..count).contains(&place) {
        return Ok(usize::try_from(place).unwrap_or(0));
    }
    pass.refuse(format!("axis {axis} does not exist among {rank}"))
}

/// Finds the place of an axis of a shape among those that are known, also if the shape has a block.
pub(crate) fn known_axis(pass: &mut Pass, axis: Int, shape: &Shape) -> Result<usize, Stop> {
    let Some(block) = shape.block else {
        return axis_of(pass, axis, shape.axes.len());
    };
    let after = Int::try_from(shape.axes.len() - block.at).unwrap_or(0);
    let before = Int::try_from(block.at).unwrap_or(0);
    if (0..before).contains(&axis) || (-after..0).contains(&axis) {
        let place = if axis < 0 {
            axis + before + after
        } else {
            axis
        };
        return Ok(usize::try_from(place).unwrap_or(0));
    }
    let count = usize::try_from(axis.unsigned_abs()).unwrap_or(usize::MAX);
    let (front, back) = match axis < 0 {
        true => (0, count),
        false => (count.saturating_add(1), 0),
    };
    Err(pass.inputs.want(shape, front, back).into())
}

/// Returns the number of elements.
pub(crate) fn count(terms: &mut Terms, shape: &Shape) -> Term {
    let known = terms.product(&shape.axes);
    match shape.block {
        Some(block) => terms.multiply(known, block.product),
        None => known,
    }
}

/// Demands that two sizes are equal; `what` says of what, before both are named.
pub(crate) fn require_equal(
    pass: &mut Pass,
    left: Term,
    right: Term,
    what: &str,
) -> Result<(), Stop> {
    let equal = pass.terms.equal(left, right);
    pass.require(equal, |terms| {
        format!("{what}: {} and {}", terms.text(left), terms.text(right))
    })
}

/// Returns a tensor of unknown content.
pub(crate) fn unknown(tensor: Tensor) -> Value {
    Value::Tensor(Tensor {
        content: Content::Unknown,
        ..tensor
    })
}

/// Returns a value of which nothing is demanded.
pub(crate) fn formula_of(terms: &mut Terms, value: &Value) -> Option<Formula> {
    match value {
        Value::Truth(formula) => Some(*formula),
        Value::Integer(term) => {
            let zero = terms.number(0);
            Some(terms.differ(*term, zero))
        }
        Value::Tensor(tensor) => match tensor.integers()?.as_slice() {
            [term] => {
                let zero = terms.number(0);
                Some(terms.differ(*term, zero))
            }
            _ => None,
        },
        _ => None,
    }
}
