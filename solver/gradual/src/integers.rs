//! Sets of integers that are periodic beyond a bound: what one symbol can be.
//!
//! The crate `range-set-blaze` was considered and not tried: it keeps sorted ranges alone, so that the even sizes up to
//! 2⁶³ would be as many ranges as there are even sizes, and has no set without an end.

use crate::term::{Int, gcd};
use std::fmt;
use std::sync::Arc;

/// The end of an interval that has none on that side.
const NEVER_BELOW: Int = Int::MIN;
const NEVER_ABOVE: Int = Int::MAX;

/// A set of integers. Of each residue modulo a period it holds some intervals of quotients.
#[derive(Clone, PartialEq, Eq)]
pub struct Integers {
    period: Int,
    /// For each residue `r` the disjoint intervals, in order and never adjacent, of the `k` for which `r + period*k` is
    /// in the set. Sets are copied with every box and seldom changed, so the copies share them.
    classes: Arc<[Vec<(Int, Int)>]>,
}

/// The period of a set became larger than [`MAX_PERIOD`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LongPeriod;

/// The largest period with which sets are computed.
pub(crate) const MAX_PERIOD: Int = 1 << 20;

impl Integers {
    /// Returns the set without integers.
    #[must_use]
    pub fn none() -> Self {
        Self {
            period: 1,
            classes: Arc::new([Vec::new()]),
        }
    }

    /// Returns the set of all integers.
    #[must_use]
    pub fn all() -> Self {
        Self::between(None, None)
    }

    /// Returns the set of one integer.
    #[must_use]
    pub fn just(value: Int) -> Self {
        Self::between(Some(value), Some(value))
    }

    /// Returns the integers from one to another, both included.
    #[must_use]
    pub fn between(low: Option<Int>, high: Option<Int>) -> Self {
        let (low, high) = (low.unwrap_or(NEVER_BELOW), high.unwrap_or(NEVER_ABOVE));
        Self {
            period: 1,
            classes: Arc::new([if low <= high {
                vec![(low, high)]
            } else {
                Vec::new()
            }]),
        }
    }

    /// Returns the integers `r + period*k` with `k` in the intervals of the class of `r`.
    pub(crate) fn from_classes(period: Int, classes: Vec<Vec<(Int, Int)>>) -> Self {
        let mut set = Self {
            period,
            classes: classes.into_iter().map(normal).collect(),
        };
        set.reduce();
        set
    }

    /// Says whether the set has no integer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.classes.iter().all(Vec::is_empty)
    }

    /// Says whether the integer belongs to the set.
    #[must_use]
    pub fn contains(&self, value: Int) -> bool {
        let (residue, quotient) = match self.period {
            1 => (0, value),
            period => (value.rem_euclid(period), value.div_euclid(period)),
        };
        let class = &self.classes[usize::try_from(residue).unwrap_or(0)];
        class
            .iter()
            .any(|(low, high)| *low <= quotient && quotient <= *high)
    }

    /// Counts the steps that a look at the whole set takes.
    pub(crate) fn weight(&self) -> usize {
        self.classes.iter().map(|class| 1 + class.len()).sum()
    }

    /// Returns the one integer of the set, if there is exactly one.
    #[must_use]
    pub fn single(&self) -> Option<Int> {
        let mut found = self.spans();
        match (found.next(), found.next()) {
            (Some(span), None) if span.first == span.last && span.first.is_some() => span.first,
            _ => None,
        }
    }

    /// Returns the least integer of the set that is at least `from`.
    #[must_use]
    pub fn next(&self, from: Int) -> Option<Int> {
        self.spans().filter_map(|span| span.next(from)).min()
    }

    /// Returns the greatest integer of the set that is at most `from`.
    #[must_use]
    pub fn previous(&self, from: Int) -> Option<Int> {
        self.spans().filter_map(|span| span.previous(from)).max()
    }

    /// Returns the integers from the first one of at least `from` on, in order.
    pub fn iter_from(&self, from: Int) -> impl Iterator<Item = Int> + '_ {
        std::iter::successors(self.next(from), |last| self.next(last.checked_add(1)?))
    }

    /// Returns the ends of a set that is one interval.
    fn interval(&self) -> Option<(Int, Int)> {
        match &*self.classes {
            [class] => match class.as_slice() {
                [interval] => Some(*interval),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn intersect(&self, other: &Self) -> Result<Self, LongPeriod> {
        if let (Some(one), Some(two)) = (self.interval(), other.interval()) {
            let (low, high) = (one.0.max(two.0), one.1.min(two.1));
            return Ok(if (low, high) == one {
                self.clone()
            } else if (low, high) == two {
                other.clone()
            } else if low <= high {
                Self::between(Some(low), Some(high))
            } else {
                Self::none()
            });
        }
        self.merged(other, |left, right| left && right)
    }

    pub(crate) fn unite(&self, other: &Self) -> Result<Self, LongPeriod> {
        self.merged(other, |left, right| left || right)
    }

    pub(crate) fn without(&self, other: &Self) -> Result<Self, LongPeriod> {
        self.merged(other, |left, right| left && !right)
    }

    /// Says whether each integer of the set belongs to the other one.
    pub(crate) fn is_subset(&self, other: &Self) -> Result<bool, LongPeriod> {
        if let (Some(one), Some(two)) = (self.interval(), other.interval()) {
            return Ok(two.0 <= one.0 && one.1 <= two.1);
        }
        Ok(self == other || self.without(other)?.is_empty())
    }

    /// Returns the integers `v` for which `factor * v + shift` is in the set, for a factor of 1 or -1.
    pub(crate) fn preimage(&self, factor: Int, shift: Int) -> Option<Self> {
        let mut classes = vec![Vec::new(); self.classes.len()];
        for (residue, class) in (0..).zip(&*self.classes) {
            // v = factor*(residue + period*k - shift)
            let base = Int::checked_sub(residue, shift)?.checked_mul(factor)?;
            let (to, offset) = (base.rem_euclid(self.period), base.div_euclid(self.period));
            for (low, high) in class {
                let moved = |end: Int| match end {
                    NEVER_BELOW => Some(if factor < 0 { NEVER_ABOVE } else { NEVER_BELOW }),
                    NEVER_ABOVE => Some(if factor < 0 { NEVER_BELOW } else { NEVER_ABOVE }),
                    end => end.checked_mul(factor)?.checked_add(offset),
                };
                let (one, other) = (moved(*low)?, moved(*high)?);
                classes[usize::try_from(to).ok()?].push((one.min(other), one.max(other)));
            }
        }
        Some(Self::from_classes(self.period, classes))
    }

    fn merged(&self, other: &Self, keep: fn(bool, bool) -> bool) -> Result<Self, LongPeriod> {
        if let ([one], [two]) = (&*self.classes, &*other.classes) {
            return Ok(Self {
                period: 1,
                classes: Arc::new([combined(one, two, keep)]),
            });
        }
        let period = (self.period / gcd(self.period, other.period))
            .checked_mul(other.period)
            .filter(|period| *period <= MAX_PERIOD);
        let period = period.ok_or(LongPeriod)?;
        let classes = (0..period).map(|residue| {
            combined(
                &self.class(residue, period),
                &other.class(residue, period),
                keep,
            )
        });
        Ok(Self::from_classes(period, classes.collect()))
    }

    /// Returns the class of a residue modulo a multiple of the period.
    fn class(&self, residue: Int, period: Int) -> Vec<(Int, Int)> {
        let (factor, part) = (period / self.period, residue.div_euclid(self.period));
        let class = &self.classes[usize::try_from(residue.rem_euclid(self.period)).unwrap_or(0)];
        if factor == 1 {
            return class.clone();
        }
        // k = factor*k' + part
        let class = class.iter().map(|(low, high)| {
            let low = if *low == NEVER_BELOW {
                NEVER_BELOW
            } else {
                (low - part + factor - 1).div_euclid(factor)
            };
            let high = if *high == NEVER_ABOVE {
                NEVER_ABOVE
            } else {
                (high - part).div_euclid(factor)
            };
            (low, high)
        });
        normal(class.collect())
    }

    /// Makes the period as small as it can be without more intervals than there are.
    fn reduce(&mut self) {
        for factor in prime_factors(self.period) {
            while self.period % factor == 0
                && let Some(reduced) = self.reduced(factor)
            {
                *self = reduced;
            }
        }
    }

    fn reduced(&self, factor: Int) -> Option<Self> {
        let period = self.period / factor;
        let before: usize = self.classes.iter().map(Vec::len).sum();
        let mut after = 0;
        let mut classes = Vec::new();
        for residue in 0..period {
            let parts: Vec<&Vec<(Int, Int)>> = (0..factor)
                .map(|part| &self.classes[usize::try_from(residue + part * period).unwrap_or(0)])
                .collect();
            let class = interleaved(&parts, before)?;
            after += class.len();
            if after > before {
                return None;
            }
            classes.push(class);
        }
        Some(Self {
            period,
            classes: classes.into(),
        })
    }

    /// Returns the arithmetic progressions that the set is made of, one after another.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        (0..).zip(&*self.classes).flat_map(move |(residue, class)| {
            class
                .iter()
                .map(move |interval| self.span(residue, interval))
        })
    }
}

fn prime_factors(mut number: Int) -> Vec<Int> {
    let mut factors = Vec::new();
    let mut factor = 2;
    while factor * factor <= number {
        if number % factor == 0 {
            factors.push(factor);
            while number % factor == 0 {
                number /= factor;
            }
        }
        factor += 1;
    }
    if number > 1 {
        factors.push(number);
    }
    factors
}

/// An arithmetic progression, with or without ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) first: Option<Int>,
    pub(crate) last: Option<Int>,
    residue: Int,
    pub(crate) period: Int,
}

impl Span {
    pub(crate) fn residue(self) -> Int {
        self.residue
    }

    fn next(self, from: Int) -> Option<Int> {
        let up = from.checked_add((self.residue - from).rem_euclid(self.period))?;
        let value = self.first.map_or(up, |first| first.max(up));
        self.last.is_none_or(|last| value <= last).then_some(value)
    }

    fn previous(self, from: Int) -> Option<Int> {
        let down = from.checked_sub((from - self.residue).rem_euclid(self.period))?;
        let value = self.last.map_or(down, |last| last.min(down));
        self.first
            .is_none_or(|first| value >= first)
            .then_some(value)
    }
}

/// Returns the interval that a number lies in.
fn around(intervals: &[(Int, Int)], number: Int) -> Option<(Int, Int)> {
    let mut intervals = intervals.iter().copied();
    intervals.find(|(low, high)| *low <= number && number <= *high)
}

/// Intervals in order, those that touch joined.
fn normal(mut intervals: Vec<(Int, Int)>) -> Vec<(Int, Int)> {
    intervals.retain(|(low, high)| low <= high);
    intervals.sort_unstable();
    let mut joined: Vec<(Int, Int)> = Vec::with_capacity(intervals.len());
    for (low, high) in intervals {
        match joined.last_mut() {
            Some(last) if last.1 == NEVER_ABOVE || low <= last.1.saturating_add(1) => {
                last.1 = last.1.max(high)
            }
            _ => joined.push((low, high)),
        }
    }
    joined
}

/// Returns the points where `keep` accepts what the two sets of intervals say.
pub(crate) fn combined(
    left: &[(Int, Int)],
    right: &[(Int, Int)],
    keep: impl Fn(bool, bool) -> bool,
) -> Vec<(Int, Int)> {
    let mut starts: Vec<Int> = vec![NEVER_BELOW];
    for (low, high) in left.iter().chain(right) {
        starts.push(*low);
        if *high != NEVER_ABOVE {
            starts.push(high + 1);
        }
    }
    starts.sort_unstable();
    starts.dedup();
    let (mut i, mut j) = (0, 0);
    let mut kept = Vec::new();
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(NEVER_ABOVE, |next| next - 1);
        while i < left.len() && left[i].1 < *start {
            i += 1;
        }
        while j < right.len() && right[j].1 < *start {
            j += 1;
        }
        let is_in = |intervals: &[(Int, Int)], at: usize| {
            intervals.get(at).is_some_and(|(low, _)| low <= start)
        };
        if keep(is_in(left, i), is_in(right, j)) {
            kept.push((*start, end));
        }
    }
    normal(kept)
}

/// Returns the intervals of one class that several classes of a longer period make up, unless that takes more than
/// `most` of them.
fn interleaved(parts: &[&Vec<(Int, Int)>], most: usize) -> Option<Vec<(Int, Int)>> {
    let count = Int::try_from(parts.len()).ok()?;
    let mut starts: Vec<Int> = vec![NEVER_BELOW];
    for (low, high) in parts.iter().flat_map(|part| part.iter()) {
        starts.push(*low);
        if *high != NEVER_ABOVE {
            starts.push(high + 1);
        }
    }
    starts.sort_unstable();
    starts.dedup();
    let mut result = Vec::new();
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(NEVER_ABOVE, |next| next - 1);
        let is_in =
            |part: &Vec<(Int, Int)>| part.iter().any(|(low, high)| low <= start && start <= high);
        let inside: Vec<Int> = (0..)
            .zip(parts)
            .filter(|(_, part)| is_in(part))
            .map(|(part, _)| part)
            .collect();
        if inside.is_empty() {
            continue;
        }
        if inside.len() == parts.len() {
            let low = if *start == NEVER_BELOW {
                NEVER_BELOW
            } else {
                start * count
            };
            let high = if end == NEVER_ABOVE {
                NEVER_ABOVE
            } else {
                end * count + count - 1
            };
            result.push((low, high));
        } else {
            if *start == NEVER_BELOW
                || end == NEVER_ABOVE
                || end - start > Int::try_from(most).ok()?
            {
                return None;
            }
            for quotient in *start..=end {
                result.extend(
                    inside
                        .iter()
                        .map(|part| (quotient * count + part, quotient * count + part)),
                );
            }
        }
    }
    Some(normal(result))
}

impl fmt::Debug for Integers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

/// Runs of neighbouring integers in the order of size: `29..32, 61..64, 93..96, … and 1..4`, or `>= 7 and 2, 4`.
impl fmt::Display for Integers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return formatter.write_str("none");
        }
        if let Some(gaps) = self.gaps() {
            let least = gaps.spans().filter_map(|span| span.first).min();
            return write!(formatter, "any but {}", gaps.listed(least.unwrap_or(0)));
        }
        let rest = self.whole_from().map(|start| {
            let below = Self::between(None, Some(start - 1));
            (start, self.intersect(&below))
        });
        let parts = match rest {
            Some((start, Ok(rest))) => {
                let first = std::iter::once(format!(">= {start}"));
                first.chain(rest.parts()).collect()
            }
            _ => self.parts(),
        };
        formatter.write_str(&parts.join(" and "))
    }
}

/// The number of runs of an endless set that are shown.
const SHOWN_ENDLESS: usize = 3;

/// The number of runs of a finite set that are shown before some are left out.
const SHOWN_FINITE: usize = 8;

fn run((first, last): (Int, Int)) -> String {
    match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}..{last}"),
    }
}

impl Integers {
    /// Returns the texts of what is endless upwards, of what is endless downwards, and of the rest. Of a set that lacks
    /// no integer from some on, that part is left out before.
    fn parts(&self) -> Vec<String> {
        let part = |keep: fn(&Span) -> bool| {
            let classes = self.classes.iter().zip(0..).map(|(class, residue)| {
                let is_kept = |interval: &&(Int, Int)| keep(&self.span(residue, interval));
                class.iter().filter(is_kept).copied().collect()
            });
            Self {
                period: self.period,
                classes: classes.collect(),
            }
        };
        let mut parts = Vec::new();
        let endless = part(|span| span.last.is_none());
        if let Some(start) = endless.spans().filter_map(|span| span.first).min() {
            let runs: Vec<String> = endless.runs(start).take(SHOWN_ENDLESS).map(run).collect();
            parts.push(format!("{}, …", runs.join(", ")));
        } else if !endless.is_empty() {
            let residues: Vec<String> = endless
                .spans()
                .map(|span| span.residue.to_string())
                .collect();
            parts.push(if self.period == 1 {
                "any".to_owned()
            } else {
                format!("{} modulo {}", residues.join(", "), self.period)
            });
        }
        let below = part(|span| span.first.is_none() && span.last.is_some());
        if let Some(end) = below.spans().filter_map(|span| span.last).max() {
            parts.push(if self.period == 1 {
                format!("<= {end}")
            } else {
                format!("…, {end} in steps of {}", self.period)
            });
        }
        let finite = part(|span| span.first.is_some() && span.last.is_some());
        if let Some(start) = finite.spans().filter_map(|span| span.first).min() {
            parts.push(finite.listed(start));
        }
        parts
    }

    fn span(&self, residue: Int, (low, high): &(Int, Int)) -> Span {
        let at = |end: Int| residue + self.period * end;
        let first = if *low == NEVER_BELOW {
            None
        } else {
            Some(at(*low))
        };
        Span {
            first,
            last: if *high == NEVER_ABOVE {
                None
            } else {
                Some(at(*high))
            },
            residue,
            period: self.period,
        }
    }

    /// Returns the runs of neighbouring integers from the first one of at least `from` on, up to one that is endless.
    fn runs(&self, from: Int) -> impl Iterator<Item = (Int, Int)> + '_ {
        let run = |first: Int| Some((first, self.gap_after(first)? - 1));
        std::iter::successors(self.next(from).and_then(run), move |(_, last)| {
            self.next(last + 1).and_then(run)
        })
    }

    /// Returns the least integer of at least `from` that is missing; nothing if none is.
    fn gap_after(&self, from: Int) -> Option<Int> {
        let classes = (0..).zip(&*self.classes);
        let gaps = classes.filter_map(|(residue, class): (Int, _)| {
            let start = from + (residue - from).rem_euclid(self.period);
            let quotient = (start - residue) / self.period;
            match around(class, quotient) {
                None => Some(start),
                Some((_, NEVER_ABOVE)) => None,
                Some((_, high)) => Some(residue + self.period * (high + 1)),
            }
        });
        gaps.min()
    }

    /// Returns the greatest integer of at most `from` that is missing; nothing if none is.
    fn gap_before(&self, from: Int) -> Option<Int> {
        let classes = (0..).zip(&*self.classes);
        let gaps = classes.filter_map(|(residue, class): (Int, _)| {
            let start = from - (from - residue).rem_euclid(self.period);
            let quotient = (start - residue) / self.period;
            match around(class, quotient) {
                None => Some(start),
                Some((NEVER_BELOW, _)) => None,
                Some((low, _)) => Some(residue + self.period * (low - 1)),
            }
        });
        gaps.max()
    }

    /// Returns the least integer from which on none is missing, if there is one.
    fn whole_from(&self) -> Option<Int> {
        let mut last = None;
        for (residue, class) in (0..).zip(&*self.classes) {
            match class.last() {
                Some((NEVER_BELOW, NEVER_ABOVE)) => {}
                Some((low, NEVER_ABOVE)) => {
                    last = last.max(Some(residue + self.period * (low - 1)))
                }
                _ => return None,
            }
        }
        Some(last? + 1)
    }

    /// Returns the integers that are missing, if the set is endless on both sides and they are finitely many.
    fn gaps(&self) -> Option<Self> {
        let gaps = Self::all()
            .without(self)
            .ok()
            .filter(|gaps| !gaps.is_empty())?;
        let is_finite = gaps
            .spans()
            .all(|span| span.first.is_some() && span.last.is_some());
        is_finite.then_some(gaps)
    }

    /// Returns the runs of a finite set, with those in the middle left out if there are many.
    fn listed(&self, start: Int) -> String {
        let first: Vec<(Int, Int)> = self.runs(start).take(SHOWN_FINITE + 1).collect();
        if first.len() <= SHOWN_FINITE {
            return first.into_iter().map(run).collect::<Vec<_>>().join(", ");
        }
        let last = self
            .spans()
            .filter_map(|span| span.last)
            .max()
            .unwrap_or(start);
        let begin = self.gap_before(last).map_or(last, |gap| gap + 1);
        let shown: Vec<String> = first.into_iter().take(SHOWN_ENDLESS).map(run).collect();
        format!("{}, …, {}", shown.join(", "), run((begin, last)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_that_lacks_a_few_integers_is_told_by_those() {
        let all = Integers::all();
        let without = |gaps: &[Integers]| {
            let left = gaps
                .iter()
                .try_fold(all.clone(), |left, gap| left.without(gap));
            left.map(|left| left.to_string())
        };
        assert_eq!(
            without(&[Integers::just(16_000)]),
            Ok("any but 16000".to_owned())
        );
        let range = Integers::between(Some(-2), Some(5));
        let two = [range, Integers::just(9)];
        assert_eq!(without(&two), Ok("any but -2..5, 9".to_owned()));
        let ray = Integers::between(Some(3), None);
        assert_eq!(without(&[ray]), Ok("<= 2".to_owned()));
        assert_eq!(without(&[]), Ok("any".to_owned()));
    }

    /// Returns the even numbers of some intervals, and the odd ones of others.
    fn even_and_odd(even: &[(Int, Int)], odd: &[(Int, Int)]) -> Integers {
        Integers::from_classes(2, vec![even.to_vec(), odd.to_vec()])
    }

    #[test]
    fn a_run_over_all_residues_ends_where_one_of_them_lacks_a_number() {
        // 0, 2, 4 and all from 5 on.
        let all = even_and_odd(&[(0, NEVER_ABOVE)], &[(2, NEVER_ABOVE)]);
        assert_eq!(all.to_string(), ">= 4 and 0, 2");
        // Even numbers up to 2*10^18 + 8, odd ones from 11 to 2*10^18 + 1.
        let end = 1_000_000_000_000_000_000;
        let long = even_and_odd(&[(0, end + 4)], &[(5, end)]);
        assert!(long.to_string().ends_with("2000000000000000008"), "{long}");
        assert_eq!(
            long.runs(7).take(2).collect::<Vec<_>>(),
            [(8, 8), (10, 2 * end + 2)]
        );
        assert_eq!(long.gap_before(2 * end + 2), Some(9));
        let below = even_and_odd(&[(NEVER_BELOW, NEVER_ABOVE)], &[(2, NEVER_ABOVE)]);
        assert_eq!(below.to_string(), ">= 4 and …, 2 in steps of 2");
    }

    #[test]
    fn sets_of_one_interval_are_cut_as_all_sets_are() {
        let ends = [None, Some(-3), Some(0), Some(2), Some(7)];
        let all = ends.iter().flat_map(|low| ends.map(|high| (*low, high)));
        let sets: Vec<Integers> = all
            .map(|(low, high)| Integers::between(low, high))
            .collect();
        for one in &sets {
            for two in &sets {
                let common = one.intersect(two).expect("the period is 1");
                let is_subset = one.is_subset(two).expect("the period is 1");
                assert_eq!(
                    is_subset,
                    one.without(two).expect("the period is 1").is_empty()
                );
                for value in -5..=9 {
                    let is_in_both = one.contains(value) && two.contains(value);
                    assert_eq!(common.contains(value), is_in_both, "{one}, {two}, {value}");
                }
            }
        }
    }
}
