//! Bounds of single variables, propagated through linear constraints and products.
//!
//! The bounds are implied and need not be the tightest: propagation stops after a number of rounds, because there are
//! systems in which it would never end (`a = b + c`, `b = a + d`). They guide the search for products, which is
//! complete without them.
//!
//! Crates of intervals (`inari` for floating-point numbers, `intervallum` for integers) were considered and not tried:
//! an end of an interval here carries the origin of the constraint that implies it, for the reasons of an answer.

use rustc_hash::FxHashMap;

use crate::bands::End;
use crate::constraint::{Derived, Linear, Product};
use crate::elimination::Stop;
use crate::form::{Form, Variable};
use crate::limit::Meter;
use crate::number::{Int, Overflow, add, ceil_div, floor_div, multiply};
use crate::origin::{Origin, Origins};

/// The bounds of a variable.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Interval {
    pub(crate) low: Option<End>,
    pub(crate) high: Option<End>,
}

impl Interval {
    /// Returns the ends of an interval that has only one value.
    pub(crate) fn fixed(&self) -> Option<(End, End)> {
        let (low, high) = (self.low?, self.high?);
        (low.value == high.value).then_some((low, high))
    }

    /// Returns the number of values minus one.
    pub(crate) fn width(&self) -> Option<Int> {
        Some(self.high?.value - self.low?.value)
    }

    pub(crate) fn is_at_least(&self, value: Int) -> bool {
        self.low.is_some_and(|low| low.value >= value)
    }
}

/// Bounds beyond this are not stored: no answer is larger, and the product of two bounds stays a number.
const LARGE: Int = 1 << 63;
const ROUNDS: usize = 16;

/// The bounds of variables.
#[derive(Debug, Default)]
pub(crate) struct Intervals {
    intervals: FxHashMap<Variable, Interval>,
    changed: bool,
}

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Low,
    High,
}

impl Intervals {
    /// Returns the bounds that the constraints imply.
    pub(crate) fn propagate(
        linear: &[Derived],
        products: &[Product],
        origins: &mut Origins,
        meter: &mut Meter,
    ) -> Result<Intervals, Stop> {
        let mut intervals = Intervals::default();
        for _ in 0..ROUNDS {
            intervals.changed = false;
            for Derived { linear, origin } in linear {
                meter.spend(2 * linear.form().len())?;
                intervals.at_least_zero(linear.form(), *origin, origins)?;
                if let Linear::Zero(form) = linear {
                    intervals.at_least_zero(&form.scaled(-1)?, *origin, origins)?;
                }
            }
            for product in products {
                intervals.product(product, origins)?;
            }
            if !intervals.changed {
                break;
            }
        }
        Ok(intervals)
    }

    pub(crate) fn of(&self, variable: Variable) -> Interval {
        self.intervals.get(&variable).copied().unwrap_or_default()
    }

    /// Tells whether no factor of a product is fixed to one value.
    pub(crate) fn is_open(&self, product: &Product) -> bool {
        let mut factors = product.factors.iter();
        factors.all(|factor| self.of(*factor).fixed().is_none())
    }

    fn tighten(
        &mut self,
        variable: Variable,
        side: Side,
        value: Int,
        origin: Origin,
        origins: &mut Origins,
    ) -> Result<(), Stop> {
        let interval = self.intervals.entry(variable).or_default();
        match side {
            Side::Low => interval.low = Some(End { value, origin }),
            Side::High => interval.high = Some(End { value, origin }),
        }
        self.changed = true;
        match (interval.low, interval.high) {
            (Some(low), Some(high)) if low.value > high.value => {
                Err(Stop::Contradiction(origins.join(low.origin, high.origin)))
            }
            _ => Ok(()),
        }
    }

    fn is_tighter(&self, variable: Variable, side: Side, value: Int) -> bool {
        let interval = self.of(variable);
        value.abs() <= LARGE
            && match side {
                Side::Low => interval.low.is_none_or(|low| value > low.value),
                Side::High => interval.high.is_none_or(|high| value < high.value),
            }
    }

    /// Returns the end that makes `coefficient · variable` as large as possible.
    fn upper_end(&self, variable: Variable, coefficient: Int) -> Option<End> {
        match coefficient.is_positive() {
            true => self.of(variable).high,
            false => self.of(variable).low,
        }
    }

    /// Propagates `form ≥ 0`.
    fn at_least_zero(
        &mut self,
        form: &Form,
        origin: Origin,
        origins: &mut Origins,
    ) -> Result<(), Stop> {
        let mut total = form.constant;
        let mut unbounded = None;
        let mut unbounded_count = 0;
        for (variable, coefficient) in form.terms() {
            match self.upper_end(*variable, *coefficient) {
                Some(end) => total = add(total, multiply(*coefficient, end.value)?)?,
                None => {
                    unbounded = Some(*variable);
                    unbounded_count += 1;
                }
            }
        }
        if unbounded_count > 1 {
            return Ok(());
        }
        for (variable, coefficient) in form.terms() {
            if unbounded.is_some_and(|unbounded| unbounded != *variable) {
                continue;
            }
            let own = match self.upper_end(*variable, *coefficient) {
                Some(end) => multiply(*coefficient, end.value)?,
                None => 0,
            };
            // coefficient·variable ≥ -others.
            let others = total - own;
            let (side, value) = match coefficient.is_positive() {
                true => (Side::Low, ceil_div(-others, *coefficient)),
                false => (Side::High, floor_div(others, -coefficient)),
            };
            if !self.is_tighter(*variable, side, value) {
                continue;
            }
            let mut because = origin;
            for (other, coefficient) in form.terms().iter().filter(|term| term.0 != *variable) {
                if let Some(end) = self.upper_end(*other, *coefficient) {
                    because = origins.join(because, end.origin);
                }
            }
            self.tighten(*variable, side, value, because, origins)?;
            // The sum above uses the old ends; the constraint is visited again in the next round.
            if self.upper_end(*variable, *coefficient).is_none() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn refine(
        &mut self,
        variable: Variable,
        side: Side,
        value: Int,
        because: &[End],
        origins: &mut Origins,
    ) -> Result<(), Stop> {
        if !self.is_tighter(variable, side, value) {
            return Ok(());
        }
        let ends = because.iter().map(|end| end.origin);
        let origin = ends.fold(None, |all, origin| origins.join(all, origin));
        self.tighten(variable, side, value, origin, origins)
    }

    /// Propagates `whole = left · right`.
    fn product(&mut self, product: &Product, origins: &mut Origins) -> Result<(), Stop> {
        let [left, right] = product.factors;
        let (a, b) = (self.of(left), self.of(right));
        if let (Some(al), Some(ah), Some(bl), Some(bh)) = (a.low, a.high, b.low, b.high) {
            let corners = corners([al, ah], [bl, bh])?;
            let because = [al, ah, bl, bh];
            self.refine(product.whole, Side::Low, corners.0, &because, origins)?;
            self.refine(product.whole, Side::High, corners.1, &because, origins)?;
        } else if let (Some(al), Some(bl)) = (a.low, b.low)
            && al.value >= 0
            && bl.value >= 0
        {
            let least = multiply(al.value, bl.value)?;
            self.refine(product.whole, Side::Low, least, &[al, bl], origins)?;
        }
        self.factor(product.whole, left, right, origins)?;
        self.factor(product.whole, right, left, origins)
    }

    /// Propagates `whole = factor · other` to the factor, where the other one is positive.
    fn factor(
        &mut self,
        whole: Variable,
        factor: Variable,
        other: Variable,
        origins: &mut Origins,
    ) -> Result<(), Stop> {
        let (w, o) = (self.of(whole), self.of(other));
        let Some(least) = o.low.filter(|low| low.value >= 1) else {
            return Ok(());
        };
        if let Some(high) = w.high.filter(|high| high.value >= 0) {
            let value = floor_div(high.value, least.value);
            self.refine(factor, Side::High, value, &[high, least], origins)?;
        }
        if let Some(low) = w.low.filter(|low| low.value >= 0) {
            let positive = Int::from(low.value > 0);
            self.refine(factor, Side::Low, positive, &[low, least], origins)?;
            if let Some(greatest) = o.high {
                let value = ceil_div(low.value, greatest.value);
                let because = [low, least, greatest];
                self.refine(factor, Side::Low, value, &because, origins)?;
            }
        }
        Ok(())
    }
}

/// Returns the least and the greatest product of two ends.
fn corners(a: [End; 2], b: [End; 2]) -> Result<(Int, Int), Overflow> {
    let mut least = multiply(a[0].value, b[0].value)?;
    let mut greatest = least;
    for left in a {
        for right in b {
            let corner = multiply(left.value, right.value)?;
            least = least.min(corner);
            greatest = greatest.max(corner);
        }
    }
    Ok((least, greatest))
}
