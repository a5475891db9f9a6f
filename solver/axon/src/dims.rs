//! The elimination of dimensions: equations of terms become values of names where a name has the coefficient 1 or -1.

use std::sync::Arc;

use lozenge_axon_vocabulary::{Atom, DimId, DimVar, Linear, Pool, TooLarge};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::origin::{OriginId, Origins};
use crate::stop::{Clash, Stop};
use crate::zero::{self, Zero};

/// An equation of two dimensions that determines no name.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    pub(crate) sides: (DimId, DimId),
    pub(crate) origin: OriginId,
}

/// The dimensions that are known, each as a term over others, and the equations that are left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dims {
    values: FxHashMap<DimVar, (Arc<Linear>, OriginId)>,
    pub(crate) left: Vec<Left>,
}

impl Dims {
    /// Returns the names that have a value, in the order of their numbers.
    pub(crate) fn known(&self) -> Vec<DimVar> {
        let mut known: Vec<DimVar> = self.values.keys().copied().collect();
        known.sort_unstable();
        known
    }

    /// Returns the origin of the value of a name.
    pub(crate) fn origin(&self, variable: DimVar) -> Option<OriginId> {
        self.values.get(&variable).map(|(_, origin)| *origin)
    }

    /// Adds an equation.
    pub(crate) fn equate(
        &mut self,
        pool: &mut Pool,
        origins: &mut Origins,
        sides: (DimId, DimId),
        origin: OriginId,
    ) -> Result<(), Stop> {
        if sides.0 == sides.1 {
            return Ok(());
        }
        if !self.solve(pool, origins, sides, origin)? {
            self.left.push(Left { sides, origin });
        }
        Ok(())
    }

    /// Uses an equation up, if it determines a name or is true.
    fn solve(
        &mut self,
        pool: &mut Pool,
        origins: &mut Origins,
        sides: (DimId, DimId),
        origin: OriginId,
    ) -> Result<bool, Stop> {
        let mut from = vec![origin];
        let left = self.reduced(pool, origins, sides.0, &mut from)?;
        let right = self.reduced(pool, origins, sides.1, &mut from)?;
        match ragged(&left, &right) {
            Ragged::Neither => {}
            Ragged::Both => return Ok(left == right),
            Ragged::Clash => {
                let (one, other) = (pool.term(&left), pool.term(&right));
                let mut clash = Clash::dims(pool, one, other);
                clash.text += ", and a ragged dimension has no one size";
                return Err(Stop::clash(origins.derived(from), clash));
            }
        }
        let difference = difference(pool, &left, &right, sides)?;
        let difference = match zero::simplified(pool, difference)? {
            Zero::Always => return Ok(true),
            Zero::Never => {
                let (one, other) = (pool.term(&left), pool.term(&right));
                let clash = Clash::dims(pool, one, other);
                return Err(Stop::clash(origins.derived(from), clash));
            }
            Zero::When(difference) => difference,
        };
        let alone = [left.as_var(), right.as_var()];
        let Some((variable, coefficient)) = candidate(pool, &difference, alone) else {
            return Ok(false);
        };
        // `coefficient * variable + rest = 0`, and the coefficient is 1 or -1.
        let mut rest = difference;
        rest.terms.retain(|(atom, _)| *atom != Atom::Var(variable));
        let Some(value) = Linear::default().plus(-coefficient, &rest) else {
            return Err(too_large(pool, sides).into());
        };
        let origin = origins.derived(from);
        self.values.insert(variable, (Arc::new(value), origin));
        Ok(true)
    }

    /// Tries the equations that are left again, until they determine nothing more.
    pub(crate) fn settle(&mut self, pool: &mut Pool, origins: &mut Origins) -> Result<(), Stop> {
        loop {
            let before = self.values.len();
            for left in std::mem::take(&mut self.left) {
                if !self.solve(pool, origins, left.sides, left.origin)? {
                    self.left.push(left);
                }
            }
            if self.values.len() == before {
                return Ok(());
            }
        }
    }

    /// Returns the normal form of a term over names without value, and adds the origins of the values that were used.
    pub(crate) fn reduced(
        &mut self,
        pool: &mut Pool,
        origins: &mut Origins,
        dim: DimId,
        from: &mut Vec<OriginId>,
    ) -> Result<Arc<Linear>, TooLarge> {
        let form = pool.linear(dim)?;
        let direct = self.known_in(pool, &form);
        if direct.is_empty() {
            return Ok(form);
        }
        for variable in &direct {
            self.flatten(pool, origins, *variable)?;
        }
        from.extend(direct.iter().filter_map(|variable| self.origin(*variable)));
        self.replaced(pool, &form, &direct)
    }

    /// Replaces the known names in the value of a name, and in the values behind it.
    fn flatten(
        &mut self,
        pool: &mut Pool,
        origins: &mut Origins,
        variable: DimVar,
    ) -> Result<(), TooLarge> {
        let mut flat: FxHashSet<DimVar> = FxHashSet::default();
        let mut pending = vec![variable];
        while let Some(&variable) = pending.last() {
            let Some((form, origin)) = self.values.get(&variable).cloned() else {
                pending.pop();
                continue;
            };
            let direct = self.known_in(pool, &form);
            let open: Vec<DimVar> = direct
                .iter()
                .copied()
                .filter(|other| !flat.contains(other))
                .collect();
            if !open.is_empty() {
                pending.extend(open);
                continue;
            }
            pending.pop();
            if !flat.insert(variable) || direct.is_empty() {
                continue;
            }
            let new = self.replaced(pool, &form, &direct)?;
            let mut from = vec![origin];
            from.extend(direct.iter().filter_map(|other| self.origin(*other)));
            let origin = origins.derived(from);
            self.values.insert(variable, (new, origin));
        }
        Ok(())
    }

    /// Returns the names with a value in a form.
    fn known_in(&self, pool: &Pool, form: &Linear) -> Vec<DimVar> {
        if self.values.is_empty() {
            return Vec::new();
        }
        let mut known: Vec<DimVar> = Vec::new();
        for (atom, _) in &form.terms {
            match atom {
                Atom::Var(variable) => known.push(*variable),
                Atom::Ragged(_) => {}
                Atom::Product(_) | Atom::Quotient(..) => known.extend(inside(pool, atom)),
            }
        }
        known.retain(|variable| self.values.contains_key(variable));
        known.sort_unstable();
        known.dedup();
        known
    }

    /// Puts the values of some names into a form.
    fn replaced(
        &self,
        pool: &mut Pool,
        form: &Linear,
        names: &[DimVar],
    ) -> Result<Arc<Linear>, TooLarge> {
        let mut sum = Linear::number(form.constant);
        for (atom, coefficient) in &form.terms {
            let single = Linear {
                terms: vec![(atom.clone(), 1)],
                constant: 0,
            };
            let part: Arc<Linear> = match atom {
                Atom::Var(variable) if names.contains(variable) => self.values[variable].0.clone(),
                Atom::Var(_) | Atom::Ragged(_) => Arc::new(single),
                Atom::Product(_) | Atom::Quotient(..) => {
                    let term = pool.term(&single);
                    let values: FxHashMap<DimVar, DimId> = names
                        .iter()
                        .map(|name| (*name, pool.term(&self.values[name].0)))
                        .collect();
                    let term = pool.substituted(term, |name| values.get(&name).copied());
                    pool.linear(term)?
                }
            };
            sum = match sum.plus(*coefficient, &part) {
                Some(sum) => sum,
                None => {
                    let term = pool.term(form);
                    return Err(TooLarge(pool.show(term).to_string().into()));
                }
            };
        }
        Ok(Arc::new(sum))
    }
}

/// The relation of two sides by their ragged dimensions.
enum Ragged {
    Neither,
    /// Both are ragged; whether they are equal has to be checked when the program runs.
    Both,
    Clash,
}

/// Compares two sides. A ragged dimension equals one, or a name that becomes one, and no number and no sum.
fn ragged(left: &Linear, right: &Linear) -> Ragged {
    let has_ragged = |form: &Linear| {
        form.terms
            .iter()
            .any(|(atom, _)| matches!(atom, Atom::Ragged(_)))
    };
    let is_ragged = |form: &Linear| {
        form.constant == 0 && matches!(form.terms.as_slice(), [(Atom::Ragged(_), 1)])
    };
    match (has_ragged(left), has_ragged(right)) {
        (false, false) => Ragged::Neither,
        (true, true) if is_ragged(left) && is_ragged(right) => Ragged::Both,
        (true, false) if is_ragged(left) && right.as_var().is_some() => Ragged::Neither,
        (false, true) if is_ragged(right) && left.as_var().is_some() => Ragged::Neither,
        _ => Ragged::Clash,
    }
}

/// Returns the names inside a product or a quotient.
fn inside(pool: &Pool, atom: &Atom) -> Vec<DimVar> {
    match atom {
        Atom::Var(_) | Atom::Ragged(_) => Vec::new(),
        Atom::Product(factors) => factors
            .iter()
            .flat_map(|(factor, _)| pool.variables(*factor))
            .collect(),
        Atom::Quotient(dividend, divisor) => {
            let mut names = pool.variables(*dividend);
            names.extend(pool.variables(*divisor));
            names
        }
    }
}

fn too_large(pool: &Pool, (left, right): (DimId, DimId)) -> TooLarge {
    TooLarge(format!("{} = {}", pool.show(left), pool.show(right)).into())
}

fn difference(
    pool: &Pool,
    left: &Linear,
    right: &Linear,
    sides: (DimId, DimId),
) -> Result<Linear, TooLarge> {
    left.plus(-1, right).ok_or_else(|| too_large(pool, sides))
}

/// Returns the name that an equation `form = 0` determines, with its coefficient: the latest one, except that a name
/// which is alone on one of the two sides is taken before the names of a sum on the other one.
fn candidate(pool: &Pool, form: &Linear, alone: [Option<DimVar>; 2]) -> Option<(DimVar, i64)> {
    let opaque: FxHashSet<DimVar> = form
        .terms
        .iter()
        .flat_map(|(atom, _)| inside(pool, atom))
        .collect();
    let units = form
        .terms
        .iter()
        .filter_map(|(atom, coefficient)| match atom {
            Atom::Var(variable) if coefficient.abs() == 1 && !opaque.contains(variable) => {
                Some((*variable, *coefficient))
            }
            _ => None,
        });
    units.max_by_key(|(variable, _)| (alone.contains(&Some(*variable)), *variable))
}
