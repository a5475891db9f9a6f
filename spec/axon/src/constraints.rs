//! Constraint sets as the rules see them: shapes are appended lists and names, as written.

use std::fmt;

use lozenge_axon_vocabulary::{
    DimId, DimNode, Equation, Piece, Pool, Set, ShapeVar, Variable, Word,
};

/// A part of a shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// `[d1, …, dn]`.
    List(Vec<DimId>),
    /// A name.
    Name(ShapeVar),
}

/// A side of a constraint: ṡ, a shape or a dimension.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// A dimension.
    Dim(DimId),
    /// `s1 @ … @ sn`, with at least one part.
    Shape(Vec<Segment>),
}

/// A constraint: an equation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constraint {
    /// The left side.
    pub left: Side,
    /// The right side.
    pub right: Side,
}

/// A set of constraints, without repetitions, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Constraints(pub Vec<Constraint>);

impl Side {
    /// Returns the constant `c`, if the side is one.
    pub fn constant(&self, pool: &Pool) -> Option<i64> {
        match self {
            Side::Dim(dim) => match pool.node(*dim) {
                DimNode::Number(number) => Some(number),
                _ => None,
            },
            Side::Shape(_) => None,
        }
    }

    /// Returns the variable `a`, if the side is one.
    pub fn variable(&self, pool: &Pool) -> Option<Variable> {
        match self {
            Side::Dim(dim) => match pool.node(*dim) {
                DimNode::Var(name) => Some(Variable::Dim(name)),
                _ => None,
            },
            Side::Shape(segments) => match segments.as_slice() {
                [Segment::Name(name)] => Some(Variable::Shape(*name)),
                _ => None,
            },
        }
    }

    /// Returns the axes, if the side is a list.
    pub fn list(&self) -> Option<&[DimId]> {
        match self {
            Side::Shape(segments) => match segments.as_slice() {
                [Segment::List(axes)] => Some(axes),
                _ => None,
            },
            Side::Dim(_) => None,
        }
    }

    /// Returns the parts, if the side is an append of two or more.
    pub fn append(&self) -> Option<&[Segment]> {
        match self {
            Side::Shape(segments) if segments.len() > 1 => Some(segments),
            _ => None,
        }
    }

    /// Returns the dimensions that are written.
    pub fn dims(&self) -> Vec<DimId> {
        match self {
            Side::Dim(dim) => vec![*dim],
            Side::Shape(segments) => segments
                .iter()
                .flat_map(|segment| match segment {
                    Segment::List(axes) => axes.as_slice(),
                    Segment::Name(_) => &[],
                })
                .copied()
                .collect(),
        }
    }

    /// Tells whether a variable is in `fsv(ṡ)`.
    pub fn mentions(&self, pool: &Pool, variable: Variable) -> bool {
        match variable {
            Variable::Dim(name) => self
                .dims()
                .iter()
                .any(|dim| pool.variables(*dim).contains(&name)),
            Variable::Shape(name) => match self {
                Side::Dim(_) => false,
                Side::Shape(segments) => segments.contains(&Segment::Name(name)),
            },
        }
    }

    /// Returns the side in which each dimension is replaced.
    pub(crate) fn with_dims(&self, mut by: impl FnMut(DimId) -> DimId) -> Side {
        match self {
            Side::Dim(dim) => Side::Dim(by(*dim)),
            Side::Shape(segments) => Side::Shape(
                segments
                    .iter()
                    .map(|segment| match segment {
                        Segment::List(axes) => {
                            Segment::List(axes.iter().map(|axis| by(*axis)).collect())
                        }
                        name => name.clone(),
                    })
                    .collect(),
            ),
        }
    }

    /// Returns `ṡ[value/a]`. A shape is put in as it is written, so an empty list stays.
    pub(crate) fn substituted(&self, pool: &mut Pool, variable: Variable, value: &Side) -> Side {
        match (variable, value) {
            (Variable::Dim(name), Side::Dim(value)) => self
                .with_dims(|dim| pool.substituted(dim, |other| (other == name).then_some(*value))),
            (Variable::Shape(name), Side::Shape(value)) => match self {
                Side::Dim(_) => self.clone(),
                Side::Shape(segments) => Side::Shape(
                    segments
                        .iter()
                        .flat_map(|segment| match segment {
                            Segment::Name(other) if *other == name => value.clone(),
                            other => vec![other.clone()],
                        })
                        .collect(),
                ),
            },
            // Both sides of a constraint have one sort.
            _ => self.clone(),
        }
    }

    fn of_word(word: &Word) -> Side {
        let mut segments: Vec<Segment> = Vec::new();
        for piece in &word.0 {
            match (piece, segments.last_mut()) {
                (Piece::Axis(dim), Some(Segment::List(axes))) => axes.push(*dim),
                (Piece::Axis(dim), _) => segments.push(Segment::List(vec![*dim])),
                (Piece::Shape(name), _) => segments.push(Segment::Name(*name)),
            }
        }
        if segments.is_empty() {
            segments.push(Segment::List(Vec::new()));
        }
        Side::Shape(segments)
    }

    fn to_word(segments: &[Segment]) -> Word {
        let mut pieces = Vec::new();
        for segment in segments {
            match segment {
                Segment::List(axes) => pieces.extend(axes.iter().map(|axis| Piece::Axis(*axis))),
                Segment::Name(name) => pieces.push(Piece::Shape(*name)),
            }
        }
        Word(pieces)
    }

    /// Returns the side for printing, as it is written.
    pub fn show<'a>(&'a self, pool: &'a Pool) -> impl fmt::Display + 'a {
        Shown { side: self, pool }
    }
}

struct Shown<'a> {
    side: &'a Side,
    pool: &'a Pool,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.side {
            Side::Dim(dim) => write!(f, "{}", self.pool.show(*dim)),
            Side::Shape(segments) => {
                for (index, segment) in segments.iter().enumerate() {
                    if index > 0 {
                        f.write_str("@")?;
                    }
                    match segment {
                        Segment::Name(name) => f.write_str(self.pool.shape_name(*name))?,
                        Segment::List(axes) => {
                            write!(f, "{}", Word::list(axes.iter().copied()).show(self.pool))?;
                        }
                    }
                }
                Ok(())
            }
        }
    }
}

impl Constraint {
    /// Returns the constraint for printing.
    pub fn show<'a>(&'a self, pool: &'a Pool) -> impl fmt::Display + 'a {
        ShownConstraint {
            constraint: self,
            pool,
        }
    }

    /// Returns the equation that the constraint is.
    pub fn to_equation(&self) -> Option<Equation> {
        match (&self.left, &self.right) {
            (Side::Dim(left), Side::Dim(right)) => Some(Equation::Dims(*left, *right)),
            (Side::Shape(left), Side::Shape(right)) => {
                Some(Equation::Shapes(Side::to_word(left), Side::to_word(right)))
            }
            _ => None,
        }
    }
}

struct ShownConstraint<'a> {
    constraint: &'a Constraint,
    pool: &'a Pool,
}

impl fmt::Display for ShownConstraint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Constraint { left, right } = self.constraint;
        write!(f, "{} = {}", left.show(self.pool), right.show(self.pool))
    }
}

impl Constraints {
    /// Returns the constraints of a set. Lists that are written side by side are one list.
    pub fn of(set: &Set) -> Constraints {
        let mut constraints = Constraints::default();
        for equation in &set.equations {
            constraints.insert(match equation {
                Equation::Dims(left, right) => Constraint {
                    left: Side::Dim(*left),
                    right: Side::Dim(*right),
                },
                Equation::Shapes(left, right) => Constraint {
                    left: Side::of_word(left),
                    right: Side::of_word(right),
                },
            });
        }
        constraints
    }

    /// Adds a constraint unless it is there.
    pub fn insert(&mut self, constraint: Constraint) {
        if !self.0.contains(&constraint) {
            self.0.push(constraint);
        }
    }

    /// Returns the set without one constraint and with others in its place.
    pub(crate) fn with(
        &self,
        index: usize,
        new: impl IntoIterator<Item = Constraint>,
    ) -> Constraints {
        let mut constraints = Constraints(self.0[..index].to_vec());
        for constraint in new {
            constraints.insert(constraint);
        }
        for constraint in &self.0[index + 1..] {
            constraints.insert(constraint.clone());
        }
        constraints
    }

    /// Returns `C`, the others beside one constraint.
    pub(crate) fn others(&self, index: usize) -> impl Iterator<Item = &Constraint> {
        let others = self
            .0
            .iter()
            .enumerate()
            .filter(move |(other, _)| *other != index);
        others.map(|(_, constraint)| constraint)
    }

    /// Returns the equations.
    pub fn to_equations(&self) -> Vec<Equation> {
        self.0.iter().filter_map(Constraint::to_equation).collect()
    }
}
