//! The programs of the gradual tensor calculus (Fig. 1), with the conditional expressions of §5.

use crate::{Condition, Relation, Type};

/// A program `decl* return e`, with the constraints on its inputs that a user adds (§4).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The inputs with their annotations, in order.
    pub declarations: Vec<Declaration>,
    /// The demands of the user on the inputs, all of which are wanted.
    pub restrictions: Vec<Restriction>,
    /// The expression that is returned.
    pub body: Body,
}

/// A declaration `x : τ`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Declaration {
    /// The name of the input.
    pub name: String,
    /// The annotation.
    pub annotation: Type,
}

/// A demand on the inputs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Restriction {
    /// An arithmetic constraint (question 2 of the paper): `5 < x[0]`.
    Holds(Condition),
    /// The wish for a number in the place of `Dyn`: `x[1] static` for one axis, `x static` for the whole type.
    Static {
        /// The name of the input.
        of: String,
        /// The axis, counted from the end if it is negative; nothing for the whole type.
        axis: Option<i64>,
    },
}

/// The place of an expression in its [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExpressionId(pub u32);

impl ExpressionId {
    /// Gives the place as an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An expression with all that it consists of: a tree as a list. Each expression stands behind its parts and is a part
/// of one other, so the whole is the last. A tree of any depth is walked and freed without recursion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Body {
    expressions: Vec<Expression>,
}

/// One occurrence of an expression (`e`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// An input by its name.
    Variable(String),
    /// `reshape(e, τ)`.
    Reshape {
        /// The tensor.
        of: ExpressionId,
        /// The wanted shape. Its `Dyn` is PyTorch's -1: the size that is left.
        target: Type,
    },
    /// `Conv2D(c_in, c_out, κ, e)`.
    Conv2d {
        /// The number of channels that the tensor must have.
        in_channels: u64,
        /// The number of channels of the result.
        out_channels: u64,
        /// The sizes of the kernel. The grammar takes any number of them; the rules use two.
        kernel: Vec<u64>,
        /// The tensor.
        of: ExpressionId,
    },
    /// `add(e1, e2)`.
    Add(ExpressionId, ExpressionId),
    /// `if cond then e1 else e2` (§5).
    If {
        /// The condition.
        condition: Comparison,
        /// The expression that is evaluated if the condition holds.
        then: ExpressionId,
        /// The expression that is evaluated if it does not.
        otherwise: ExpressionId,
    },
}

/// A condition on shapes (§5): two observations in a relation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// The observation on the left.
    pub left: Observation,
    /// The relation.
    pub relation: Relation,
    /// The observation on the right.
    pub right: Observation,
}

/// A number that a condition compares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Observation {
    /// A number.
    Number(i64),
    /// The rank of a tensor: `dim(e)`.
    Rank(ExpressionId),
    /// The size of an axis: `size(e)[i]`.
    Size {
        /// The tensor.
        of: ExpressionId,
        /// The axis, counted from the end if it is negative.
        axis: i64,
    },
}

impl Expression {
    /// Gives the parts in the order in which they are written.
    #[must_use]
    pub fn parts(&self) -> Vec<ExpressionId> {
        match self {
            Expression::Variable(_) => Vec::new(),
            Expression::Reshape { of, .. } | Expression::Conv2d { of, .. } => vec![*of],
            Expression::Add(left, right) => vec![*left, *right],
            Expression::If {
                condition,
                then,
                otherwise,
            } => {
                let observed = [&condition.left, &condition.right];
                let observed = observed.into_iter().filter_map(Observation::of);
                observed.chain([*then, *otherwise]).collect()
            }
        }
    }
}

impl Observation {
    /// Gives the tensor that is observed.
    #[must_use]
    pub fn of(&self) -> Option<ExpressionId> {
        match self {
            Observation::Number(_) => None,
            Observation::Rank(of) | Observation::Size { of, .. } => Some(*of),
        }
    }
}

impl Body {
    /// Makes a body from its list; nothing if the list is no tree of the form that a body has.
    #[must_use]
    pub fn from_list(expressions: Vec<Expression>) -> Option<Body> {
        // Read from the left, an expression takes its parts, in order, off the roots that wait.
        let mut waiting: Vec<ExpressionId> = Vec::new();
        for (place, expression) in (0u32..).zip(&expressions) {
            let parts = expression.parts();
            let rest = waiting.len().checked_sub(parts.len())?;
            if waiting.split_off(rest) != parts {
                return None;
            }
            waiting.push(ExpressionId(place));
        }
        (waiting.len() == 1).then_some(Body { expressions })
    }

    /// Makes an input.
    #[must_use]
    pub fn variable(name: impl Into<String>) -> Body {
        Body {
            expressions: vec![Expression::Variable(name.into())],
        }
    }

    /// Makes `reshape(e, τ)` of this body.
    #[must_use]
    pub fn reshape(mut self, target: Type) -> Body {
        let of = self.root();
        self.expressions.push(Expression::Reshape { of, target });
        self
    }

    /// Makes `Conv2D(c_in, c_out, κ, e)` of this body.
    #[must_use]
    pub fn conv2d(mut self, in_channels: u64, out_channels: u64, kernel: Vec<u64>) -> Body {
        let of = self.root();
        self.expressions.push(Expression::Conv2d {
            in_channels,
            out_channels,
            kernel,
            of,
        });
        self
    }

    /// Makes `add(e1, e2)` of this body and another.
    #[must_use]
    pub fn plus(mut self, right: Body) -> Body {
        let left = self.root();
        let right = self.append(right);
        self.expressions.push(Expression::Add(left, right));
        self
    }

    /// Gives the place of the whole.
    #[must_use]
    pub fn root(&self) -> ExpressionId {
        id(self.expressions.len() - 1)
    }

    /// Gives the expressions, each behind its parts.
    #[must_use]
    pub fn expressions(&self) -> &[Expression] {
        &self.expressions
    }

    /// Gives the expressions with their places, each behind its parts.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (ExpressionId, &Expression)> {
        let places = 0..self.expressions.len();
        places.map(id).zip(&self.expressions)
    }

    /// Gives the place where the list of an expression begins. Its parts lie right before it, so that is where the list
    /// of its first part does.
    fn first(&self, whole: ExpressionId) -> ExpressionId {
        let mut first = whole;
        while let Some(part) = self[first].parts().first() {
            first = *part;
        }
        first
    }

    /// Gives the body in which another one stands in the place of an expression.
    #[must_use]
    pub fn with(&self, at: ExpressionId, other: &Body) -> Body {
        let first = self.first(at);
        let (removed, added) = (at.0 + 1 - first.0, id(other.expressions.len()).0);
        let inside = |place: ExpressionId| ExpressionId(place.0 + first.0);
        let behind = |place: ExpressionId| match place < at {
            true => place,
            false => ExpressionId(place.0 + added - removed),
        };
        let mut expressions = self.expressions[..first.index()].to_vec();
        let own = self.expressions[at.index() + 1..].iter();
        expressions.extend(other.expressions.iter().map(|one| moved(one, &inside)));
        expressions.extend(own.map(|one| moved(one, &behind)));
        Body { expressions }
    }

    /// Gives the body that one of the expressions is the whole of.
    #[must_use]
    pub fn part(&self, whole: ExpressionId) -> Body {
        let first = self.first(whole);
        let mut body = Body {
            expressions: Vec::new(),
        };
        let list = &self.expressions[first.index()..=whole.index()];
        let down = |at: ExpressionId| ExpressionId(at.0 - first.0);
        body.expressions
            .extend(list.iter().map(|expression| moved(expression, &down)));
        body
    }

    /// Adds another body behind this one, which has no whole any more until they are parts of one.
    fn append(&mut self, other: Body) -> ExpressionId {
        let by = id(self.expressions.len()).0;
        let up = |at: ExpressionId| ExpressionId(at.0 + by);
        let list = other.expressions.iter();
        self.expressions
            .extend(list.map(|expression| moved(expression, &up)));
        self.root()
    }
}

impl std::ops::Index<ExpressionId> for Body {
    type Output = Expression;
    fn index(&self, at: ExpressionId) -> &Expression {
        &self.expressions[at.index()]
    }
}

/// Gives the place with a number. A list of 2³² expressions does not fit into memory.
fn id(place: usize) -> ExpressionId {
    ExpressionId(u32::try_from(place).expect("a body has fewer than 2^32 expressions"))
}

/// Gives an expression whose parts lie elsewhere.
fn moved(expression: &Expression, to: &impl Fn(ExpressionId) -> ExpressionId) -> Expression {
    let observation = |observation: &Observation| match observation {
        Observation::Number(number) => Observation::Number(*number),
        Observation::Rank(of) => Observation::Rank(to(*of)),
        Observation::Size { of, axis } => Observation::Size {
            of: to(*of),
            axis: *axis,
        },
    };
    let mut expression = expression.clone();
    match &mut expression {
        Expression::Variable(_) => {}
        Expression::Reshape { of, .. } | Expression::Conv2d { of, .. } => *of = to(*of),
        Expression::Add(left, right) => (*left, *right) = (to(*left), to(*right)),
        Expression::If {
            condition,
            then,
            otherwise,
        } => {
            condition.left = observation(&condition.left);
            condition.right = observation(&condition.right);
            (*then, *otherwise) = (to(*then), to(*otherwise));
        }
    }
    expression
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_a_body_if_each_expression_takes_the_parts_before_it() {
        let x = || Expression::Variable("x".into());
        let add = |left, right| Expression::Add(ExpressionId(left), ExpressionId(right));
        assert!(Body::from_list(vec![x(), x(), add(0, 1)]).is_some());
        assert!(Body::from_list(vec![x(), x(), add(0, 1), x(), add(2, 3)]).is_some());
        for wrong in [
            vec![],
            vec![x(), x()],
            vec![x(), add(0, 0)],
            vec![x(), x(), add(1, 0)],
            vec![add(0, 1), x(), x()],
            vec![x(), x(), add(0, 1), add(0, 2)],
        ] {
            assert_eq!(Body::from_list(wrong.clone()), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_part_is_the_body_from_which_the_whole_was_made() {
        let left = Body::variable("x").conv2d(3, 4, vec![1, 2]);
        let right = Body::variable("y")
            .plus(Body::variable("x"))
            .reshape(Type::Dyn);
        let whole = left.clone().plus(right.clone());
        let Expression::Add(a, b) = &whole[whole.root()] else {
            panic!("the whole is a sum");
        };
        assert_eq!((whole.part(*a), whole.part(*b)), (left, right));
        assert_eq!(whole.part(whole.root()), whole);
    }

    #[test]
    fn another_body_stands_in_the_place_of_an_expression() {
        let of = |left: Body| left.plus(Body::variable("z")).reshape(Type::Dyn);
        let (small, large) = (
            Body::variable("y"),
            Body::variable("x").plus(Body::variable("y")),
        );
        for (one, other) in [(&small, &large), (&large, &small)] {
            let whole = of(one.clone());
            let at = id(one.expressions().len() - 1);
            let replaced = whole.with(at, other);
            assert_eq!(replaced, of(other.clone()));
            assert!(Body::from_list(replaced.expressions).is_some());
            assert_eq!(whole.with(whole.root(), other), *other);
        }
    }
}
