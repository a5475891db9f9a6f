//! The arguments of PyTorch: by place or by name.

use super::super::{Call, Stop};
use crate::pass::ratio;
use crate::term::{Int, Term};
use crate::value::{Content, Ratio, Shape, Tensor, Value};
use lozenge_graph_vocabulary::ElementType;

impl Call<'_, '_> {
    /// Returns the argument with one of the names, or else the one at a place. [`Value::None`] if there is neither.
    pub(super) fn given(&mut self, place: usize, names: &[&str]) -> Result<Value, Stop> {
        for name in names {
            if let Some(argument) = self.node.keyword(name) {
                return self.pass.argument(argument);
            }
        }
        Ok(self.at(place))
    }

    /// Returns the tensor on which a method is called, the first argument of a function.
    pub(super) fn own(&mut self) -> Result<Value, Stop> {
        self.given(0, &["self", "input", "x", "tensor", "a"])
    }

    pub(super) fn own_tensor(&mut self) -> Result<Option<Tensor>, Stop> {
        Ok(match self.own()? {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        })
    }

    /// Returns the tensor on which a method is called, with its shape.
    pub(super) fn own_shape(&mut self) -> Result<Option<(Tensor, Shape)>, Stop> {
        Ok(self
            .own_tensor()?
            .and_then(|tensor| tensor.shape.clone().map(|shape| (tensor, shape))))
    }

    pub(super) fn given_shape(
        &mut self,
        place: usize,
        names: &[&str],
    ) -> Result<Option<Shape>, Stop> {
        Ok(match self.given(place, names)? {
            Value::Tensor(tensor) => tensor.shape,
            _ => None,
        })
    }

    pub(super) fn given_int(
        &mut self,
        place: usize,
        names: &[&str],
        default: Int,
    ) -> Result<Option<Int>, Stop> {
        Ok(match self.given(place, names)? {
            Value::None => Some(default),
            value => self.number(&value),
        })
    }

    pub(super) fn given_truth(
        &mut self,
        place: usize,
        names: &[&str],
        default: bool,
    ) -> Result<bool, Stop> {
        Ok(match self.given(place, names)? {
            Value::Truth(formula) => self.pass.terms.decided(formula).unwrap_or(default),
            _ => default,
        })
    }

    /// Integers from a place on: one list, or all the arguments there.
    pub(super) fn given_list(
        &mut self,
        place: usize,
        names: &[&str],
    ) -> Result<Option<Vec<Term>>, Stop> {
        let value = self.given(place, names)?;
        if let Value::List(list) = &value {
            return Ok(self.terms_of(list));
        }
        if matches!(value, Value::Sizes(_)) {
            return Err(crate::limit::Limit::Ranks.into());
        }
        if self.arguments.len() > place + 1 {
            let rest = self.arguments[place..].to_vec();
            return Ok(self.terms_of(&rest));
        }
        Ok(self.terms_of(&[value]))
    }

    pub(super) fn given_numbers(
        &mut self,
        place: usize,
        names: &[&str],
    ) -> Result<Option<Vec<Int>>, Stop> {
        let list = self.given_list(place, names)?;
        Ok(list.and_then(|list| {
            list.into_iter()
                .map(|term| self.pass.terms.as_number(term))
                .collect()
        }))
    }

    /// Returns the integer that a value is, as a term.
    pub(super) fn term(&self, value: &Value) -> Option<Term> {
        match value {
            Value::Integer(term) => Some(*term),
            Value::Tensor(tensor) => match tensor.integers()?.as_slice() {
                [term] => Some(*term),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn terms_of(&self, values: &[Value]) -> Option<Vec<Term>> {
        values.iter().map(|value| self.term(value)).collect()
    }

    pub(super) fn number(&self, value: &Value) -> Option<Int> {
        self.term(value)
            .and_then(|term| self.pass.terms.as_number(term))
    }

    /// Returns the numbers of a module's parameter, one for each axis.
    pub(super) fn per_axis(&mut self, value: &Value, axes: usize) -> Option<Vec<Int>> {
        match value {
            Value::List(list) if list.len() == 1 => {
                self.number(&list[0]).map(|number| vec![number; axes])
            }
            Value::List(list) => list.iter().map(|each| self.number(each)).collect(),
            value => self.number(value).map(|number| vec![number; axes]),
        }
    }

    /// Returns a number or a tensor as a tensor.
    pub(super) fn operand(&mut self, value: &Value) -> Option<Tensor> {
        let scalar = |number: Option<Ratio>, element| {
            let content =
                number.map_or(Content::Unknown, |number| Content::Numbers([number].into()));
            Some(Tensor {
                shape: Some(Shape::new([])),
                element: Some(element),
                content,
            })
        };
        match value {
            Value::Tensor(tensor) => Some(tensor.clone()),
            Value::Integer(term) => scalar(
                Some(Ratio {
                    term: *term,
                    over: 1,
                }),
                ElementType::Int64,
            ),
            Value::Float(number) => scalar(ratio(self.pass.terms, *number), ElementType::Float32),
            Value::Truth(formula) => {
                let term = self.pass.terms.indicator(*formula);
                scalar(Some(Ratio { term, over: 1 }), ElementType::Bool)
            }
            _ => None,
        }
    }

    pub(super) fn single(&self, shape: Shape, tensor: &Tensor) -> Result<Vec<Value>, Stop> {
        self.one(shape, tensor)
    }
}
