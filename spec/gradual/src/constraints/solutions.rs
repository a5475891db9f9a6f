//! `Sol(C)`: the solutions of constraints over a finite universe, clause by clause as §4 defines `φ ⊨ ψ`.
//!
//! A solution gives a type to each variable in X, Y and Z. The dimension variables that translation adds are
//! existential: a disjunct that is not chosen would leave its own free, and then no two solutions of one migration
//! would differ in anything that a program has.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_gradual_vocabulary::{Dimension, Program, Type};

use super::generation::generate;
use super::source::Source;
use super::target::{DimensionVariable, Dimensions, Factor, Target, TypeVariable};
use super::translation::{Translation, translate};
use crate::products::product;
use crate::typing::ModuloZero;
use crate::universe::{Universe, choices};

/// A solution, without the dimension variables.
pub type Solution = BTreeMap<TypeVariable, Type>;

/// The solutions of a program's constraints.
pub type Solutions = BTreeSet<Solution>;

/// `Sol(Gen(P))`, as far as the types of the declarations lie in a universe, or are annotations of it made more
/// precise. Nothing where Gen has no rule.
#[must_use]
pub fn solutions(
    translation: &Translation,
    modulo_zero: ModuloZero,
    universe: &Universe,
    program: &Program,
) -> Option<Solutions> {
    let mut dimensions = Dimensions::default();
    let mut sources = generate(program, &mut dimensions)?;
    // The order of a conjunction does not matter. In this one, each constraint finds the types that it reads.
    sources
        .iter_mut()
        .for_each(|group| group.sort_by_key(place));
    let targets = sources.iter().flatten();
    let targets = targets.map(|source| translate(translation, source, &mut dimensions));
    let mut targets: Vec<Target> = targets.collect();
    targets.reverse();
    let mut all = Solutions::new();
    // The annotations may have sizes that the universe lacks.
    let each = choices(&program.declarations, |declaration| {
        let mut types = universe.types();
        let migrations = universe.migrations(&declaration.annotation).into_iter();
        let further: Vec<Type> = migrations.filter(|found| !types.contains(found)).collect();
        types.extend(further);
        types
    });
    for types in each {
        let mut state = State {
            modulo_zero,
            types: BTreeMap::new(),
            dimensions: BTreeMap::new(),
        };
        let mut fresh = dimensions.clone();
        for (place, of) in types.iter().enumerate() {
            state.declare(TypeVariable::Declared(place), of, &mut fresh);
        }
        search(state, targets.clone(), universe, &mut all);
    }
    Some(all)
}

/// Gives the place of a constraint among those of one expression: what gives a type comes before what reads it.
fn place(source: &Source) -> u8 {
    match source {
        Source::Consistent(..) => 1,
        Source::Bound(..) => 2,
        Source::Bounded(_) => 3,
        _ => 0,
    }
}

/// The knowledge about the variables.
#[derive(Clone)]
struct State {
    modulo_zero: ModuloZero,
    types: BTreeMap<TypeVariable, Option<Vec<DimensionVariable>>>,
    dimensions: BTreeMap<DimensionVariable, Known>,
}

/// The knowledge about a dimension variable.
#[derive(Clone, Copy)]
enum Known {
    /// It is another one.
    Is(DimensionVariable),
    /// It has this value.
    Value(Dimension),
}

/// The value of a constraint in a state.
enum Said {
    Holds,
    Fails,
    /// Open: the value depends on a dimension that is not known yet.
    Open(DimensionVariable),
}

/// Finds every solution, by trying each alternative.
fn search(state: State, targets: Vec<Target>, universe: &Universe, all: &mut Solutions) {
    let mut branches = vec![(state, targets, Vec::new())];
    'branches: while let Some((mut state, mut pending, mut waiting)) = branches.pop() {
        while let Some(target) = pending.pop() {
            match target {
                Target::And(parts) => pending.extend(parts.into_iter().rev()),
                Target::Or(parts) => {
                    let open = parts.into_iter().filter(|part| !state.excludes(part));
                    let open: Vec<Target> = open.collect();
                    for part in open.into_iter().rev() {
                        let mut pending = pending.clone();
                        pending.push(part);
                        branches.push((state.clone(), pending, waiting.clone()));
                    }
                    continue 'branches;
                }
                atom => match state.add(&atom) {
                    Said::Holds => {}
                    Said::Fails => continue 'branches,
                    Said::Open(_) => waiting.push(atom),
                },
            }
        }
        // Atoms that waited may be decided now, which may decide more.
        let before = waiting.len();
        let mut open = None;
        let mut still = Vec::new();
        for atom in waiting {
            match state.add(&atom) {
                Said::Holds => {}
                Said::Fails => continue 'branches,
                Said::Open(zeta) => {
                    open = Some(zeta);
                    still.push(atom);
                }
            }
        }
        if still.len() < before {
            branches.push((state, Vec::new(), still));
            continue;
        }
        match open.or_else(|| state.open_dimension()) {
            None => all.extend(state.solution()),
            Some(variable) => {
                for value in universe.dimensions() {
                    let mut state = state.clone();
                    state.set(variable, value);
                    branches.push((state, Vec::new(), still.clone()));
                }
            }
        }
    }
}

impl State {
    /// Gives a variable a type.
    fn declare(&mut self, variable: TypeVariable, of: &Type, fresh: &mut Dimensions) {
        let dimensions = of.dimensions().map(|dimensions| {
            let variables = fresh.several(dimensions.len());
            for (variable, value) in variables.iter().zip(dimensions) {
                self.set(*variable, *value);
            }
            variables
        });
        self.types.insert(variable, dimensions);
    }

    /// Tells whether an alternative is about another rank than a variable is known to have, so that it need not be
    /// tried.
    fn excludes(&self, alternative: &Target) -> bool {
        let is_other = |atom: &Target| match atom {
            Target::IsTensor(variable, zeta) => match self.types.get(variable) {
                Some(Some(known)) => known.len() != zeta.len(),
                Some(None) => true,
                None => false,
            },
            Target::IsDyn(variable) => matches!(self.types.get(variable), Some(Some(_))),
            _ => false,
        };
        match alternative {
            Target::And(parts) => parts.iter().any(is_other),
            atom => is_other(atom),
        }
    }

    /// Adds what an atom says, if it fits to what is known.
    fn add(&mut self, atom: &Target) -> Said {
        match atom {
            Target::And(_) | Target::Or(_) => Said::Holds,
            Target::IsTensor(variable, zeta) => self.is_type(*variable, Some(zeta)),
            Target::IsDyn(variable) => self.is_type(*variable, None),
            Target::Same(left, right) => match (self.types.get(left), self.types.get(right)) {
                (Some(known), _) => self.is_type(*right, known.clone().as_ref()),
                (None, Some(known)) => self.is_type(*left, known.clone().as_ref()),
                // The declarations have types, and the constraints of an expression come behind those of its parts.
                (None, None) => Said::Fails,
            },
            Target::Number(zeta, number) => self.is_value(*zeta, Dimension::Size(*number)),
            Target::Unknown(zeta) => self.is_value(*zeta, Dimension::Dyn),
            Target::Known(zeta) => match self.value(*zeta) {
                Some(value) => holds(value != Dimension::Dyn),
                None => Said::Open(*zeta),
            },
            Target::NotNumber(zeta, number) => match self.value(*zeta) {
                Some(value) => holds(value != Dimension::Size(*number)),
                None => Said::Open(*zeta),
            },
            Target::Equal(left, right) => self.equate(*left, *right),
            Target::Affine {
                result,
                of,
                times,
                plus,
            } => match self.value(*of) {
                None => Said::Open(*of),
                Some(Dimension::Dyn) => Said::Fails,
                Some(Dimension::Size(of)) => {
                    let sum = i128::from(of)
                        .checked_mul(*times)
                        .and_then(|of| of.checked_add(*plus));
                    match sum.and_then(|sum| u64::try_from(sum).ok()) {
                        Some(size) => self.is_value(*result, Dimension::Size(size)),
                        None => Said::Fails,
                    }
                }
            },
            Target::Divides { product, by } => self.divides(product, by),
            Target::SameProduct(left, right) => match (self.product(left), self.product(right)) {
                (Ok(left), Ok(right)) => holds(left.is_some() && left == right),
                (Err(open), _) | (_, Err(open)) => Said::Open(open),
            },
        }
    }

    fn divides(&self, of: &[Factor], by: &[Factor]) -> Said {
        match (self.product(of), self.product(by)) {
            (Err(open), _) | (_, Err(open)) => Said::Open(open),
            (Ok(Some(of)), Ok(Some(by))) => {
                let zero = num_bigint::BigUint::ZERO;
                holds(match (by == zero, self.modulo_zero) {
                    (false, _) => of % by == zero,
                    (true, ModuloZero::Never) => false,
                    (true, ModuloZero::ForZero) => of == zero,
                    (true, ModuloZero::Always) => true,
                })
            }
            // A product with Dyn is no number.
            _ => Said::Fails,
        }
    }

    /// Gives the product of factors; nothing if one is `Dyn`.
    fn product(
        &self,
        factors: &[Factor],
    ) -> Result<Option<num_bigint::BigUint>, DimensionVariable> {
        let mut sizes = Vec::new();
        for factor in factors {
            match factor {
                Factor::Number(number) => sizes.push(*number),
                Factor::Dimension(zeta) => match self.value(*zeta).ok_or(*zeta)? {
                    Dimension::Dyn => return Ok(None),
                    Dimension::Size(size) => sizes.push(size),
                },
            }
        }
        Ok(Some(product(sizes)))
    }

    fn is_type(&mut self, variable: TypeVariable, of: Option<&Vec<DimensionVariable>>) -> Said {
        match (self.types.get(&variable).cloned(), of) {
            (None, of) => {
                self.types.insert(variable, of.cloned());
                Said::Holds
            }
            (Some(None), None) => Said::Holds,
            (Some(Some(known)), Some(zeta)) if known.len() == zeta.len() => {
                let mut pairs = known.into_iter().zip(zeta);
                holds(pairs.all(|(known, zeta)| matches!(self.equate(known, *zeta), Said::Holds)))
            }
            _ => Said::Fails,
        }
    }

    /// Follows what a variable is.
    fn root(&self, mut zeta: DimensionVariable) -> DimensionVariable {
        while let Some(Known::Is(other)) = self.dimensions.get(&zeta) {
            zeta = *other;
        }
        zeta
    }

    fn value(&self, zeta: DimensionVariable) -> Option<Dimension> {
        match self.dimensions.get(&self.root(zeta)) {
            Some(Known::Value(value)) => Some(*value),
            _ => None,
        }
    }

    fn set(&mut self, zeta: DimensionVariable, value: Dimension) {
        let root = self.root(zeta);
        self.dimensions.insert(root, Known::Value(value));
    }

    fn is_value(&mut self, zeta: DimensionVariable, value: Dimension) -> Said {
        match self.value(zeta) {
            Some(known) => holds(known == value),
            None => {
                self.set(zeta, value);
                Said::Holds
            }
        }
    }

    fn equate(&mut self, left: DimensionVariable, right: DimensionVariable) -> Said {
        let (left, right) = (self.root(left), self.root(right));
        if left == right {
            return Said::Holds;
        }
        match (self.value(left), self.value(right)) {
            (Some(known), Some(other)) => holds(known == other),
            (Some(_), None) => {
                self.dimensions.insert(right, Known::Is(left));
                Said::Holds
            }
            (None, _) => {
                self.dimensions.insert(left, Known::Is(right));
                Said::Holds
            }
        }
    }

    /// Gives a dimension of a type that has no value yet.
    fn open_dimension(&self) -> Option<DimensionVariable> {
        let mut dimensions = self.types.values().flatten().flatten();
        dimensions
            .find(|zeta| self.value(**zeta).is_none())
            .copied()
    }

    fn solution(&self) -> Option<Solution> {
        let of = |dimensions: &Option<Vec<DimensionVariable>>| match dimensions {
            None => Some(Type::Dyn),
            Some(zeta) => {
                let values = zeta.iter().map(|zeta| self.value(*zeta));
                values.collect::<Option<Vec<Dimension>>>().map(Type::Tensor)
            }
        };
        let types = self.types.iter();
        types
            .map(|(variable, known)| Some((*variable, of(known)?)))
            .collect()
    }
}

fn holds(it: bool) -> Said {
    match it {
        true => Said::Holds,
        false => Said::Fails,
    }
}
