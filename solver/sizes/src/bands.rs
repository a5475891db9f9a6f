//! A set of linear inequalities without redundancy among parallel ones.
//!
//! Inequalities are kept by direction: `low ≤ a·v ≤ high` for a primitive vector `a` whose first coefficient is
//! positive. Of parallel inequalities only the tightest is kept; the two ends round to integers; ends that cross are a
//! contradiction, and ends that meet are an equation.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::elimination::Stop;
use crate::form::{Form, Variable};
use crate::limit::Meter;
use crate::number::{Int, Overflow, ceil_div, floor_div};
use crate::origin::{Origin, Origins};

/// An end of a band.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) value: Int,
    pub(crate) origin: Origin,
}

/// `low ≤ direction ≤ high`, where an end may be missing.
#[derive(Clone, Debug)]
pub(crate) struct Band {
    /// A form without a constant.
    pub(crate) direction: Rc<Form>,
    pub(crate) low: Option<End>,
    pub(crate) high: Option<End>,
}

/// A band in [`Bands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BandId(u32);

/// An inequality `form ≥ 0` or an equation `form = 0`, with its origin.
pub(crate) type Rooted = (Form, Origin);

/// The bands in which a variable occurs, and the numbers of lower and upper bounds that they give it.
#[derive(Clone, Debug, Default)]
struct Occurrences {
    bands: BTreeSet<BandId>,
    lowers: usize,
    uppers: usize,
    /// The number of lower bounds in which the coefficient of the variable is not a unit.
    wide_lowers: usize,
    wide_uppers: usize,
}

/// The effect of eliminating a variable on the integer points of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Elimination {
    /// One bound of every pair of a lower and an upper bound has a unit coefficient: the shadow has the same integer
    /// points. There is no pair if the variable is unbounded on one side; its inequalities are then dropped.
    Exact,
    /// Neither bound of some pair has a unit coefficient: the shadow may have more integer points.
    Inexact,
}

impl Occurrences {
    fn elimination(&self) -> Elimination {
        if self.wide_lowers == 0 || self.wide_uppers == 0 {
            Elimination::Exact
        } else {
            Elimination::Inexact
        }
    }
}

/// The order of elimination: exact eliminations first, then those that give the fewest new inequalities.
type Priority = (Elimination, usize, Variable);

/// The inequalities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bands {
    bands: Vec<Option<Band>>,
    by_direction: FxHashMap<Rc<Form>, BandId>,
    occurrences: FxHashMap<Variable, Occurrences>,
    queue: BTreeSet<Priority>,
}

impl Bands {
    /// Adds `form ≥ 0`. Returns the equation that follows from it and a parallel inequality, if there is one.
    pub(crate) fn assert(
        &mut self,
        form: &Form,
        origin: Origin,
        origins: &mut Origins,
        meter: &mut Meter,
    ) -> Result<Option<Rooted>, Stop> {
        meter.spend(form.len())?;
        let Some((_, first)) = form.terms().first() else {
            return match form.constant >= 0 {
                true => Ok(None),
                false => Err(Stop::Contradiction(origin)),
            };
        };
        let divisor = form.content();
        let is_low = first.is_positive();
        // divisor·direction + constant ≥ 0, or -divisor·direction + constant ≥ 0.
        let (factor, value) = match is_low {
            true => (divisor, ceil_div(-form.constant, divisor)),
            false => (-divisor, floor_div(form.constant, divisor)),
        };
        let mut direction = form.map(|number| number / factor);
        direction.constant = 0;
        let id = self.band(Rc::new(direction));
        let Some(band) = self.bands[id.0 as usize].as_mut() else {
            return Ok(None);
        };
        let end = if is_low {
            &mut band.low
        } else {
            &mut band.high
        };
        let tighter = end.is_none_or(|end| match is_low {
            true => value > end.value,
            false => value < end.value,
        });
        if !tighter {
            return Ok(None);
        }
        let is_new = end.replace(End { value, origin }).is_none();
        let band = band.clone();
        if is_new {
            for (variable, coefficient) in band.direction.terms() {
                self.register(id, *variable, *coefficient, is_low, true);
            }
        }
        meeting(&band, origins)
    }

    /// Returns the band of a direction.
    fn band(&mut self, direction: Rc<Form>) -> BandId {
        if let Some(id) = self.by_direction.get(&direction) {
            return *id;
        }
        let id = BandId(self.bands.len() as u32);
        self.by_direction.insert(Rc::clone(&direction), id);
        self.bands.push(Some(Band {
            direction,
            low: None,
            high: None,
        }));
        id
    }

    /// Adds an end of a band to the occurrences of its variables, or removes it.
    fn register(
        &mut self,
        id: BandId,
        variable: Variable,
        coefficient: Int,
        is_low: bool,
        present: bool,
    ) {
        let entry = self.occurrences.entry(variable).or_default();
        let old = (entry.elimination(), entry.lowers * entry.uppers, variable);
        let wide = coefficient.abs() > 1;
        let (all, wides) = match (coefficient.is_positive(), is_low) {
            (true, true) | (false, false) => (&mut entry.lowers, &mut entry.wide_lowers),
            (true, false) | (false, true) => (&mut entry.uppers, &mut entry.wide_uppers),
        };
        if present {
            *all += 1;
            *wides += usize::from(wide);
            entry.bands.insert(id);
        } else {
            *all -= 1;
            *wides -= usize::from(wide);
        }
        let new = (entry.elimination(), entry.lowers * entry.uppers, variable);
        let is_live = entry.lowers + entry.uppers > 0;
        self.queue.remove(&old);
        if is_live {
            self.queue.insert(new);
        } else {
            self.occurrences.remove(&variable);
        }
    }

    /// Removes and returns all bands that mention a variable.
    pub(crate) fn take(&mut self, variable: Variable) -> Vec<Band> {
        let ids = match self.occurrences.get(&variable) {
            Some(occurrences) => occurrences.bands.iter().copied().collect(),
            None => Vec::new(),
        };
        let mut taken = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(band) = self.bands[id.0 as usize].take() else {
                continue;
            };
            self.by_direction.remove(&band.direction);
            for (is_low, end) in [(true, band.low), (false, band.high)] {
                if end.is_none() {
                    continue;
                }
                for (variable, coefficient) in band.direction.terms() {
                    self.register(id, *variable, *coefficient, is_low, false);
                }
            }
            for other in band.direction.variables() {
                if let Some(occurrences) = self.occurrences.get_mut(&other) {
                    occurrences.bands.remove(&id);
                }
            }
            taken.push(band);
        }
        taken
    }

    /// Returns the variable whose elimination is simplest, other than `except`.
    pub(crate) fn simplest(&self, except: Option<Variable>) -> Option<(Elimination, Variable)> {
        let candidates = self.queue.iter();
        let mut others = candidates.filter(|(_, _, variable)| Some(*variable) != except);
        others.next().map(|(kind, _, variable)| (*kind, *variable))
    }

    /// Returns the variables that bands mention, in the order of elimination.
    pub(crate) fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        self.queue.iter().map(|(_, _, variable)| *variable)
    }

    /// Returns the bands that mention a variable.
    pub(crate) fn of(&self, variable: Variable) -> impl Iterator<Item = &Band> + '_ {
        let occurrences = self.occurrences.get(&variable);
        let ids = occurrences.into_iter().flat_map(|found| &found.bands);
        ids.filter_map(|id| self.bands[id.0 as usize].as_ref())
    }

    /// Returns the number of terms, as a measure of the work of a copy.
    pub(crate) fn len(&self) -> usize {
        self.bands.len()
    }
}

/// Returns the equation or the contradiction of two ends that meet or cross.
fn meeting(band: &Band, origins: &mut Origins) -> Result<Option<Rooted>, Stop> {
    let (Some(low), Some(high)) = (band.low, band.high) else {
        return Ok(None);
    };
    if low.value < high.value {
        return Ok(None);
    }
    let origin = origins.join(low.origin, high.origin);
    if low.value > high.value {
        return Err(Stop::Contradiction(origin));
    }
    let form = band.direction.as_ref().clone().shifted(-low.value)?;
    Ok(Some((form, origin)))
}

impl Band {
    /// Returns the inequalities `form ≥ 0` that the band stands for.
    pub(crate) fn inequalities(&self) -> Result<Vec<Rooted>, Overflow> {
        let mut inequalities = Vec::with_capacity(2);
        if let Some(low) = self.low {
            let form = self.direction.as_ref().clone().shifted(-low.value)?;
            inequalities.push((form, low.origin));
        }
        if let Some(high) = self.high {
            let form = self.direction.scaled(-1)?.shifted(high.value)?;
            inequalities.push((form, high.origin));
        }
        Ok(inequalities)
    }
}
