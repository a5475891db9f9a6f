//! Inequalities over the integers: the Omega test.
//!
//! A variable is eliminated by the Fourier-Motzkin method: every lower bound `a·v + L ≥ 0` and every upper bound
//! `-b·v + U ≥ 0` together give `a·U + b·L ≥ 0`, the *real shadow*, which every solution satisfies. If `a` or `b` is 1
//! in every pair, each integer point of the shadow is the shadow of an integer point. If not,
//! `a·U + b·L ≥ (a - 1)·(b - 1)`, the *dark shadow*, leaves room for an integer, and the solutions outside it lie on
//! finitely many planes `a·v + L = i`, the *splinters*. Source: W. Pugh, *The Omega Test*, Supercomputing 1991, §2.3;
//! the bound on `i` is his.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::bands::{Bands, Elimination, Rooted};
use crate::constraint::{Values, value};
use crate::elimination::{Solved, Stop, solve};
use crate::form::{Form, Fresh, Variable};
use crate::limit::{Limit, Meter};
use crate::number::{Int, Overflow, add, ceil_div, floor_div, multiply, subtract};
use crate::origin::{Origin, OriginId, Origins};

/// The way in which a variable left the system. The value of the variable follows from the values of those that left
/// later.
#[derive(Debug)]
enum Step {
    /// The variable equals the form.
    Replaced(Variable, Form),
    /// The variable lies between these bounds, `form ≥ 0` each.
    Projected {
        variable: Variable,
        lowers: Vec<Form>,
        uppers: Vec<Form>,
    },
}

/// Inequalities of which some variables have been eliminated.
#[derive(Clone, Debug)]
pub(crate) struct System {
    pub(crate) bands: Bands,
    /// Equations that are not solved yet.
    equations: Vec<Rooted>,
    /// The variables that equations have replaced. A form may mention a variable that was replaced later.
    replaced: FxHashMap<Variable, Rc<Rooted>>,
    steps: Vec<Rc<Step>>,
    pub(crate) fresh: Fresh,
}

/// The behaviour of an elimination when no exact step is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Stop and name a variable.
    Exact,
    /// Go on with real shadows. Then a contradiction is valid, but its absence proves nothing.
    Relaxed,
}

/// The state in which an elimination without a contradiction ends.
#[derive(Debug)]
pub(crate) enum Rest {
    /// No inequality is left.
    Nothing,
    /// No remaining variable can be eliminated exactly; this one has the fewest splinters.
    Inexact(Variable),
}

/// The bounds of a variable.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    /// `a·v + L ≥ 0` with positive `a`.
    pub(crate) lowers: Vec<Rooted>,
    /// `-b·v + U ≥ 0` with positive `b`.
    pub(crate) uppers: Vec<Rooted>,
}

impl Bounds {
    /// Returns the largest coefficient in an upper bound.
    pub(crate) fn widest_upper(&self, variable: Variable) -> Int {
        let widths = self
            .uppers
            .iter()
            .map(|(form, _)| -form.coefficient(variable));
        widths.max().unwrap_or(1)
    }

    /// Returns the last plane of a lower bound with this coefficient on which there can be a solution outside the dark
    /// shadow.
    pub(crate) fn last_splinter(coefficient: Int, widest_upper: Int) -> Result<Int, Overflow> {
        let product = multiply(coefficient, widest_upper)?;
        let numerator = subtract(product, add(coefficient, widest_upper)?)?;
        Ok(floor_div(numerator, widest_upper))
    }

    /// Returns the number of splinters, or the largest number if that overflows.
    fn splinters(&self, variable: Variable) -> Int {
        let widest = self.widest_upper(variable);
        let lowers = self.lowers.iter();
        let each = lowers.map(|(form, _)| {
            let last = Bounds::last_splinter(form.coefficient(variable), widest);
            last.map_or(Int::MAX, |last| last.max(-1) + 1)
        });
        each.fold(0, Int::saturating_add)
    }
}

impl System {
    pub(crate) fn new(fresh: Fresh) -> System {
        System {
            bands: Bands::default(),
            equations: Vec::new(),
            replaced: FxHashMap::default(),
            steps: Vec::new(),
            fresh,
        }
    }

    /// Adds `form ≥ 0`.
    pub(crate) fn at_least_zero(
        &mut self,
        form: &Form,
        origin: Origin,
        origins: &mut Origins,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        let equation = self.bands.assert(form, origin, origins, meter)?;
        self.equations.extend(equation);
        Ok(())
    }

    /// Adds `form = 0`.
    pub(crate) fn zero(&mut self, form: Form, origin: Origin) {
        self.equations.push((form, origin));
    }

    /// Eliminates variables as far as the mode allows.
    pub(crate) fn eliminate(
        &mut self,
        mode: Mode,
        origins: &mut Origins,
        meter: &mut Meter,
    ) -> Result<Rest, Stop> {
        loop {
            while let Some(equation) = self.equations.pop() {
                self.solve(equation, origins, meter)?;
            }
            match self.bands.simplest(None) {
                None => return Ok(Rest::Nothing),
                Some((Elimination::Inexact, _)) if mode == Mode::Exact => {
                    return Ok(Rest::Inexact(self.fewest_splinters(meter)?));
                }
                Some((_, variable)) => self.project(variable, None, origins, meter)?,
            }
        }
    }

    /// Solves an equation and substitutes the solution into the inequalities.
    fn solve(
        &mut self,
        equation: Rooted,
        origins: &mut Origins,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        let (mut form, mut origin) = equation;
        loop {
            let replaced = form
                .variables()
                .find(|variable| self.replaced.contains_key(variable));
            let Some(variable) = replaced else {
                break;
            };
            let by = Rc::clone(&self.replaced[&variable]);
            meter.spend(form.len() + by.0.len())?;
            form = form.substituted(variable, &by.0)?;
            origin = origins.join(origin, by.1);
        }
        loop {
            meter.spend(form.len())?;
            let rank = |variable| (self.bands.of(variable).count(), variable);
            match solve(&form, &mut self.fresh, rank)? {
                Solved::Trivial => return Ok(()),
                Solved::Impossible => return Err(Stop::Contradiction(origin)),
                Solved::Bound(variable, value) => {
                    return self.replace(variable, (value, origin), origins, meter);
                }
                Solved::Renewed(variable, value, rest) => {
                    self.replace(variable, (value, None), origins, meter)?;
                    form = rest;
                }
            }
        }
    }

    /// Replaces a variable by a form.
    fn replace(
        &mut self,
        variable: Variable,
        by: Rooted,
        origins: &mut Origins,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        for band in self.bands.take(variable) {
            for (form, origin) in band.inequalities()? {
                meter.spend(form.len() + by.0.len())?;
                let form = form.substituted(variable, &by.0)?;
                let origin = origins.join(origin, by.1);
                self.at_least_zero(&form, origin, origins, meter)?;
            }
        }
        self.steps
            .push(Rc::new(Step::Replaced(variable, by.0.clone())));
        self.replaced.insert(variable, Rc::new(by));
        Ok(())
    }

    /// Returns the bounds of a variable.
    pub(crate) fn bounds(&self, variable: Variable) -> Result<Bounds, Overflow> {
        let mut bounds = Bounds::default();
        for band in self.bands.of(variable) {
            bounds.add(variable, band.inequalities()?);
        }
        Ok(bounds)
    }

    /// Replaces the inequalities of a variable by its shadow: the dark one if a decision for it is given, else the real
    /// one.
    pub(crate) fn project(
        &mut self,
        variable: Variable,
        dark: Option<OriginId>,
        origins: &mut Origins,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        let mut bounds = Bounds::default();
        for band in self.bands.take(variable) {
            bounds.add(variable, band.inequalities()?);
        }
        for (lower, lower_origin) in &bounds.lowers {
            let (a, lower_rest) = (lower.coefficient(variable), lower.without(variable));
            for (upper, upper_origin) in &bounds.uppers {
                meter.spend(lower.len() + upper.len())?;
                let b = -upper.coefficient(variable);
                let mut shadow = upper.without(variable).scaled(a)?.plus(b, &lower_rest)?;
                let mut origin = origins.join(*lower_origin, *upper_origin);
                if let Some(decision) = dark {
                    let room = multiply(a - 1, b - 1)?;
                    // With a unit coefficient the dark shadow is the real one and does not need the decision.
                    if room != 0 {
                        shadow = shadow.shifted(-room)?;
                        origin = origins.join(origin, Some(decision));
                    }
                }
                self.at_least_zero(&shadow, origin, origins, meter)?;
            }
        }
        let forms = |bounds: Vec<Rooted>| bounds.into_iter().map(|(form, _)| form).collect();
        self.steps.push(Rc::new(Step::Projected {
            variable,
            lowers: forms(bounds.lowers),
            uppers: forms(bounds.uppers),
        }));
        Ok(())
    }

    /// Returns the remaining variable with the fewest splinters.
    fn fewest_splinters(&self, meter: &mut Meter) -> Result<Variable, Limit> {
        let mut best: Option<(Int, Variable)> = None;
        for variable in self.bands.variables() {
            let bounds = self.bounds(variable)?;
            meter.spend(bounds.lowers.len() + bounds.uppers.len())?;
            let candidate = (bounds.splinters(variable), variable);
            best = Some(best.map_or(candidate, |best| best.min(candidate)));
        }
        // The caller has found at least one variable.
        best.map(|(_, variable)| variable).ok_or(Limit::Unverified)
    }

    /// Extends the values to the eliminated variables, when no inequality is left. Each variable takes its least
    /// possible value, or its greatest if it has no least one, or 0.
    pub(crate) fn solution(&self, values: &mut Values) -> Result<(), Overflow> {
        for step in self.steps.iter().rev() {
            let (variable, found) = match step.as_ref() {
                Step::Replaced(variable, form) => (*variable, form.value(|v| value(values, v))?),
                Step::Projected {
                    variable,
                    lowers,
                    uppers,
                } => (*variable, between(*variable, lowers, uppers, values)?),
            };
            values.insert(variable, found);
        }
        Ok(())
    }
}

impl Bounds {
    fn add(&mut self, variable: Variable, inequalities: Vec<Rooted>) {
        for inequality in inequalities {
            match inequality.0.coefficient(variable).is_positive() {
                true => self.lowers.push(inequality),
                false => self.uppers.push(inequality),
            }
        }
    }
}

/// Returns a value that lies between bounds whose other variables have values.
fn between(
    variable: Variable,
    lowers: &[Form],
    uppers: &[Form],
    values: &Values,
) -> Result<Int, Overflow> {
    let (mut low, mut high): (Option<Int>, Option<Int>) = (None, None);
    for form in lowers {
        let rest = form.without(variable).value(|v| value(values, v))?;
        let end = ceil_div(-rest, form.coefficient(variable));
        low = Some(low.map_or(end, |low| low.max(end)));
    }
    for form in uppers {
        let rest = form.without(variable).value(|v| value(values, v))?;
        let end = floor_div(rest, -form.coefficient(variable));
        high = Some(high.map_or(end, |high| high.min(end)));
    }
    Ok(low.or(high).unwrap_or(0))
}
