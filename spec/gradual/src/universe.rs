//! Finite universes: all types, shapes and programs up to a size, the smallest first.

use lozenge_gradual_vocabulary::{Body, Declaration, Dimension, Program, Type};

use crate::printed_functions::Convolution;
use crate::relations::precise;

/// Types of ranks and sizes up to a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Universe {
    /// The largest rank.
    pub rank: usize,
    /// The sizes.
    pub sizes: Vec<u64>,
}

impl Universe {
    /// Makes a universe.
    #[must_use]
    pub fn new(rank: usize, sizes: impl IntoIterator<Item = u64>) -> Universe {
        let sizes = sizes.into_iter().collect();
        Universe { rank, sizes }
    }

    /// Lists every shape, those of lower rank first.
    #[must_use]
    pub fn shapes(&self) -> Vec<Vec<u64>> {
        (0..=self.rank)
            .flat_map(|rank| lists(&self.sizes, rank))
            .collect()
    }

    /// Lists every type: `Dyn`, then those of lower rank first.
    #[must_use]
    pub fn types(&self) -> Vec<Type> {
        let dimensions = self.dimensions();
        let ranks = (0..=self.rank).flat_map(|rank| lists(&dimensions, rank));
        std::iter::once(Type::Dyn)
            .chain(ranks.map(Type::Tensor))
            .collect()
    }

    /// Lists every dimension, `Dyn` first.
    #[must_use]
    pub fn dimensions(&self) -> Vec<Dimension> {
        let sizes = self.sizes.iter().copied().map(Dimension::Size);
        std::iter::once(Dimension::Dyn).chain(sizes).collect()
    }

    /// Lists every type that is at least as precise.
    #[must_use]
    pub fn migrations(&self, of: &Type) -> Vec<Type> {
        let mut types = match of {
            Type::Dyn => self.types(),
            Type::Tensor(dimensions) => choices(dimensions, |dimension| match dimension {
                Dimension::Dyn => self.dimensions(),
                known => vec![*known],
            })
            .into_iter()
            .map(Type::Tensor)
            .collect(),
        };
        types.retain(|found| precise(of, found));
        types
    }

    /// Lists every shape of which a type says nothing wrong.
    #[must_use]
    pub fn concretisations(&self, of: &Type) -> Vec<Vec<u64>> {
        match of {
            Type::Dyn => self.shapes(),
            Type::Tensor(dimensions) => choices(dimensions, |dimension| match dimension {
                Dimension::Dyn => self.sizes.clone(),
                Dimension::Size(size) => vec![*size],
            }),
        }
    }
}

/// Lists every type that is at most as precise.
#[must_use]
pub fn approximations(of: &Type) -> Vec<Type> {
    let Type::Tensor(dimensions) = of else {
        return vec![Type::Dyn];
    };
    let fewer = choices(dimensions, |dimension| match dimension {
        Dimension::Dyn => vec![Dimension::Dyn],
        known => vec![Dimension::Dyn, *known],
    });
    std::iter::once(Type::Dyn)
        .chain(fewer.into_iter().map(Type::Tensor))
        .collect()
}

/// Lists every list of some length of these values.
pub fn lists<V: Clone>(values: &[V], length: usize) -> Vec<Vec<V>> {
    choices(&vec![(); length], |()| values.to_vec())
}

/// Lists every list with one of the choices that each entry gives, the first entry changing last.
pub fn choices<E, V: Clone>(entries: &[E], of: impl Fn(&E) -> Vec<V>) -> Vec<Vec<V>> {
    let mut lists: Vec<Vec<V>> = vec![Vec::new()];
    for entry in entries {
        let values = of(entry);
        let longer = lists.iter().flat_map(|list| {
            values.iter().map(|value| {
                let mut list = list.clone();
                list.push(value.clone());
                list
            })
        });
        lists = longer.collect();
    }
    lists
}

/// The parts of which the expressions of a universe of programs are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material {
    /// The names of the inputs.
    pub inputs: Vec<&'static str>,
    /// The targets of `reshape`.
    pub targets: Vec<Type>,
    /// The convolutions.
    pub convolutions: Vec<Convolution>,
    /// True if there is `add`.
    pub adds: bool,
}

impl Material {
    /// Lists every body with exactly this many operators.
    #[must_use]
    pub fn bodies(&self, operators: usize) -> Vec<Body> {
        let mut by_number: Vec<Vec<Body>> = Vec::new();
        for number in 0..=operators {
            let mut bodies = Vec::new();
            if number == 0 {
                bodies.extend(self.inputs.iter().map(|name| Body::variable(*name)));
            } else {
                for part in &by_number[number - 1] {
                    let reshapes = self.targets.iter().cloned();
                    bodies.extend(reshapes.map(|target| part.clone().reshape(target)));
                    bodies.extend(self.convolutions.iter().map(|with| {
                        let kernel = with.kernel.clone();
                        part.clone()
                            .conv2d(with.in_channels, with.out_channels, kernel)
                    }));
                }
                for left in (0..number).filter(|_| self.adds) {
                    for one in &by_number[left] {
                        let others = by_number[number - 1 - left].iter();
                        bodies.extend(others.map(|other| one.clone().plus(other.clone())));
                    }
                }
            }
            by_number.push(bodies);
        }
        by_number.pop().unwrap_or_default()
    }
}

/// Makes a program of a body with an annotation for each input.
#[must_use]
pub fn program(inputs: &[&str], annotations: &[Type], body: &Body) -> Program {
    let declarations = inputs.iter().zip(annotations);
    let declarations = declarations.map(|(name, annotation)| Declaration {
        name: (*name).to_string(),
        annotation: annotation.clone(),
    });
    Program {
        declarations: declarations.collect(),
        restrictions: Vec::new(),
        body: body.clone(),
    }
}
