//! One size of a window from all others.
//!
//! With N the size of the axis, n that of the windows and c their stride, S is the span of a window, T = S + c·(n - 1)
//! the extent of all windows, and M = N + low + high the axis with its margins. Each function solves the relation of
//! its mode for one size. A number that leaves 128 bits leaves the size open, and the decision of the whole says so.

use lozenge_vocabulary::{Mode, Window};

/// The values of one size that all other sizes leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solved {
    /// It is this.
    Is(u64),
    /// It lies between these two, which differ; every number between them fits.
    Between(u64, u64),
    /// It may be anything.
    Any,
    /// No size fits.
    Nothing,
    /// A number is too large.
    TooLarge,
}

impl Solved {
    /// Returns the sizes between two numbers, of those that are at least 1.
    fn between(low: Option<i128>, high: Option<i128>) -> Solved {
        let (Some(low), Some(high)) = (low, high) else {
            return Solved::TooLarge;
        };
        let low = low.max(1);
        if low > high {
            return Solved::Nothing;
        }
        match (u64::try_from(low), u64::try_from(high)) {
            (Ok(low), Ok(high)) if low == high => Solved::Is(low),
            (Ok(low), Ok(high)) => Solved::Between(low, high),
            _ => Solved::TooLarge,
        }
    }

    fn exactly(value: Option<i128>) -> Solved {
        Solved::between(value, value)
    }
}

/// The numbers of a window, without its axes.
struct Numbers {
    stride: i128,
    mode: Mode,
    low: i128,
    /// Both margins.
    margins: i128,
}

impl Numbers {
    fn of<T>(window: &Window<T>) -> Numbers {
        Numbers {
            stride: window.stride.get().into(),
            mode: window.mode,
            low: window.low.into(),
            margins: i128::from(window.low) + i128::from(window.high),
        }
    }

    /// Computes c·(n - 1)
    fn begin(&self, windows: u64) -> Option<i128> {
        self.stride.checked_mul(i128::from(windows) - 1)
    }
}

/// Returns the span of a window over taps of these sizes; `None` when it is too large.
pub(crate) fn span<T>(window: &Window<T>, taps: impl IntoIterator<Item = u64>) -> Option<i128> {
    if window.taps.is_empty() {
        return Some(window.stride.get().into());
    }
    let dilations = window.taps.iter().map(|(dilation, _)| dilation.get());
    dilations
        .zip(taps)
        .try_fold(1i128, |span, (dilation, tap)| {
            // A product of numbers with 128 bits takes many instructions, and nearly all spans are short.
            let reach = match tap
                .checked_sub(1)
                .and_then(|more| dilation.checked_mul(more))
            {
                Some(reach) => i128::from(reach),
                None => i128::from(dilation).checked_mul(i128::from(tap) - 1)?,
            };
            span.checked_add(reach)
        })
}

fn ceiling(number: i128, by: i128) -> i128 {
    -(-number).div_euclid(by)
}

/// Counts the windows of a span on an axis.
pub(crate) fn over<T>(window: &Window<T>, axis: u64, span: i128) -> Solved {
    let numbers = Numbers::of(window);
    let (axis, stride) = (i128::from(axis), numbers.stride);
    let room = axis + numbers.margins - span;
    match numbers.mode {
        Mode::Exact if room < 0 || room % stride != 0 => Solved::Nothing,
        Mode::Floor if room < 0 => Solved::Nothing,
        Mode::Exact | Mode::Floor => Solved::exactly(Some(room / stride + 1)),
        Mode::Ceil => {
            let begun = ceiling(axis + numbers.low, stride);
            Solved::exactly(Some(begun.min(ceiling(room, stride) + 1)))
        }
        Mode::Same | Mode::SameLower => Solved::exactly(Some(ceiling(axis, stride))),
    }
}

/// Finds the length of an axis on which so many windows of a span lie.
pub(crate) fn axis<T>(window: &Window<T>, over: u64, span: i128) -> Solved {
    let numbers = Numbers::of(window);
    let (Some(begin), Some(next)) = (
        numbers.begin(over),
        numbers.stride.checked_mul(i128::from(over)),
    ) else {
        return Solved::TooLarge;
    };
    let Some(extent) = begin.checked_add(span) else {
        return Solved::TooLarge;
    };
    let covered = extent - numbers.margins;
    let (low, stride) = (numbers.low, numbers.stride);
    match numbers.mode {
        Mode::Exact => Solved::exactly(Some(covered)),
        Mode::Floor => Solved::between(Some(covered), covered.checked_add(stride - 1)),
        Mode::Ceil => Solved::between(
            Some((begin - low).max(covered - stride) + 1),
            Some((next - low).max(covered)),
        ),
        Mode::Same | Mode::SameLower => Solved::between(Some(begin + 1), Some(next)),
    }
}

/// Finds the length of the tap with a dilation when the other taps have a span.
pub(crate) fn tap<T>(
    window: &Window<T>,
    dilation: u64,
    axis: u64,
    over: u64,
    others: i128,
) -> Solved {
    let numbers = Numbers::of(window);
    let (Some(begin), Some(next)) = (
        numbers.begin(over),
        numbers.stride.checked_mul(i128::from(over)),
    ) else {
        return Solved::TooLarge;
    };
    let (axis, stride) = (i128::from(axis), numbers.stride);
    // The longest span with which the last window ends on the axis with its margins.
    let exact = axis + numbers.margins - begin;
    let reached = axis + numbers.low;
    let (least, most) = match numbers.mode {
        Mode::Exact => (Some(exact), exact),
        Mode::Floor => (Some(exact - stride + 1), exact),
        Mode::Ceil if begin >= reached => return Solved::Nothing,
        // No further window would begin on the axis, so that the last one may end before it does.
        Mode::Ceil if next >= reached => (None, exact + stride - 1),
        Mode::Ceil => (Some(exact), exact + stride - 1),
        Mode::Same | Mode::SameLower => {
            return match begin < axis && axis <= next {
                true => Solved::Any,
                false => Solved::Nothing,
            };
        }
    };
    let dilation = i128::from(dilation);
    let least = least.map_or(1, |least| ceiling(least - others, dilation) + 1);
    Solved::between(Some(least), Some((most - others).div_euclid(dilation) + 1))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    fn window(mode: Mode, stride: u64, dilations: &[u64], margins: [u64; 2]) -> Window<()> {
        let nonzero = |number| NonZeroU64::new(number).expect("not 0");
        Window {
            axis: (),
            stride: nonzero(stride),
            over: (),
            taps: dilations.iter().map(|d| (nonzero(*d), ())).collect(),
            phase: 0,
            mode,
            low: margins[0],
            high: margins[1],
        }
    }

    /// Finds by a search through all sizes those that fit.
    fn searched(most: u64, fits: impl Fn(u64) -> bool) -> Solved {
        let all: Vec<u64> = (1..=most).filter(|size| fits(*size)).collect();
        match all[..] {
            [] => Solved::Nothing,
            [only] => Solved::Is(only),
            [first, .., last] => {
                assert_eq!(last - first + 1, all.len() as u64, "they have no gap");
                Solved::Between(first, last)
            }
        }
    }

    /// Each size of every small window, against a search by the relation.
    #[test]
    fn each_size_is_the_one_that_fits() {
        let mut seen = [0u64; 3];
        for mode in Mode::ALL {
            let widest = if mode.has_margins() { 4 } else { 0 };
            for (low, high) in (0..=widest).flat_map(|l| (0..=widest).map(move |h| (l, h))) {
                for (stride, dilation) in (1..=5u64).flat_map(|s| (1..=4u64).map(move |d| (s, d))) {
                    let window = window(mode, stride, &[dilation], [low, high]);
                    for taps in 1..=9u64 {
                        let span = span(&window, [taps]).expect("small");
                        for cells in 1..=32u64 {
                            let found = searched(cells + low + high + 2, |over| {
                                window.fits(cells, over, [taps])
                            });
                            assert_eq!(
                                over(&window, cells, span),
                                found,
                                "{window:?} on {cells} with {taps}"
                            );
                            seen[0] += u64::from(found != Solved::Nothing);
                        }
                        for count in 1..=12u64 {
                            let found = searched(100, |cells| window.fits(cells, count, [taps]));
                            assert_eq!(
                                axis(&window, count, span),
                                found,
                                "{count} of {window:?} with {taps}"
                            );
                            seen[1] += u64::from(found != Solved::Nothing);
                        }
                    }
                    for (cells, count) in (1..=32u64).flat_map(|n| (1..=12u64).map(move |o| (n, o)))
                    {
                        let most = 60;
                        let found = searched(most, |taps| window.fits(cells, count, [taps]));
                        let solved = tap(&window, dilation, cells, count, 1);
                        let same = match solved {
                            // Whatever its length.
                            Solved::Any => found == Solved::Between(1, most),
                            solved => solved == found,
                        };
                        assert!(
                            same,
                            "{window:?} on {cells} with {count}: {solved:?}, {found:?}"
                        );
                        seen[2] += u64::from(found != Solved::Nothing);
                    }
                }
            }
        }
        assert!(seen.into_iter().all(|count| count > 100_000), "{seen:?}");
    }

    #[test]
    fn large_numbers_are_left_open() {
        let window = window(Mode::Exact, u64::MAX, &[u64::MAX, u64::MAX], [u64::MAX; 2]);
        let most = u64::MAX;
        assert_eq!(span(&window, [most, most]), None);
        assert_eq!(axis(&window, most, 1), Solved::TooLarge);
        assert_eq!(tap(&window, 1, most, most, 1), Solved::TooLarge);
        assert_eq!(over(&window, most, i128::MAX), Solved::Nothing);
    }
}
