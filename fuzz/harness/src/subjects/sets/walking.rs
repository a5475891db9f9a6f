//! Windows that walk along a list of cells, the meaning of a window without its formula (§8).
//!
//! The list has the cells of the margins as well. A window is the list of the places that it reads. The first one
//! begins where the lower margin begins and each further one a stride later, until the mode ends the walk.

use lozenge_vocabulary::{Mode, Window};

/// Returns the number of windows on the axis of a window whose taps have these sizes; `None` where the walk is refused,
/// or no window fits. The number that the window states for them is not read.
pub fn walked(window: &Window<u64>) -> Option<u64> {
    let reach = reads(window).into_iter().max()?;
    let cells = i128::from(window.axis);
    let end = cells + i128::from(window.high);
    let stride = i128::from(window.stride.get());
    let mut begin = match window.mode {
        Mode::Exact | Mode::Floor | Mode::Ceil => -i128::from(window.low),
        Mode::Same | Mode::SameLower => 0,
    };
    let goes_on = |begin: i128| match window.mode {
        Mode::Exact | Mode::Floor => begin + reach < end,
        // The window before this one has not come to the end, and this one begins before the upper margin.
        Mode::Ceil => begin - stride + reach < end - 1 && begin < cells,
        Mode::Same | Mode::SameLower => begin < cells,
    };
    let mut count = 0;
    while goes_on(begin) {
        count += 1;
        begin += stride;
    }
    let is_covered = begin - stride + reach == end - 1;
    (count > 0 && (window.mode != Mode::Exact || is_covered)).then_some(count)
}

/// Returns the places that a window reads, counted from where it begins: one for each choice of a place on each tap.
/// Without taps it is the block of cells up to the next window.
fn reads(window: &Window<u64>) -> Vec<i128> {
    if window.taps.is_empty() {
        return (0..i128::from(window.stride.get())).collect();
    }
    let mut places = vec![0];
    for (dilation, size) in &window.taps {
        let steps = 0..i128::from(*size);
        let further = steps.flat_map(|step| {
            let shift = i128::from(dilation.get()) * step;
            places.iter().map(move |place| place + shift)
        });
        places = further.collect();
    }
    places
}

/// Counts the cells in front of the axis where its first window begins: the lower margin or, where the margins are
/// chosen, their smaller half, and the larger one for [`Mode::SameLower`]. The windows are put down, and what does not
/// lie on the axis is counted.
pub fn in_front(window: &Window<u64>) -> u64 {
    if window.mode.has_margins() {
        return window.low;
    }
    let begins = (0..window.over).map(|at| i128::from(at) * i128::from(window.stride.get()));
    let reads = reads(window);
    let ends = begins.flat_map(|begin| reads.iter().map(move |place| begin + place));
    let last = ends.max().unwrap_or(0);
    let mut margins = [0, 0];
    for number in 0.. {
        if i128::from(window.axis) + number > last {
            break;
        }
        let first = match window.mode {
            Mode::SameLower => 0,
            _ => 1,
        };
        margins[(first + number as usize) % 2] += 1;
    }
    margins[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU64;

    fn window(mode: Mode, axis: u64, stride: u64, taps: &[(u64, u64)], over: u64) -> Window<u64> {
        let nonzero = |number| NonZeroU64::new(number).unwrap();
        Window {
            axis,
            stride: nonzero(stride),
            over,
            taps: taps.iter().map(|(d, k)| (nonzero(*d), *k)).collect(),
            phase: 0,
            mode,
            low: 0,
            high: 0,
        }
    }

    /// The table of peers: axis, taps, stride, dilation, and the windows of each mode.
    #[test]
    fn the_numbers_are_those_of_known_cases() {
        let cases = [
            (28, 5, 1, 1, [Some(24), Some(24), Some(24), Some(28)]),
            (8, 3, 2, 1, [None, Some(3), Some(4), Some(4)]),
            (7, 2, 2, 1, [None, Some(3), Some(4), Some(4)]),
            (4, 3, 1, 2, [None, None, None, Some(4)]),
            (2, 3, 2, 1, [None, None, Some(1), Some(1)]),
            (6, 1, 3, 1, [None, Some(2), Some(2), Some(2)]),
        ];
        for (axis, taps, stride, dilation, counts) in cases {
            for (mode, count) in Mode::ALL.into_iter().zip(counts) {
                let window = window(mode, axis, stride, &[(dilation, taps)], 0);
                assert_eq!(walked(&window), count, "{window:?}");
            }
        }
    }

    #[test]
    fn the_larger_half_lies_behind_the_axis_or_in_front_of_it() {
        let front = |mode, axis, taps, stride, over| {
            in_front(&window(mode, axis, stride, &[(1, taps)], over))
        };
        assert_eq!(front(Mode::Same, 5, 4, 1, 5), 1);
        assert_eq!(front(Mode::SameLower, 5, 4, 1, 5), 2);
        assert_eq!(front(Mode::Same, 8, 3, 2, 4), 0);
        assert_eq!(front(Mode::SameLower, 8, 3, 2, 4), 1);
        // Windows that end inside the axis need no margins.
        assert_eq!(front(Mode::Same, 6, 1, 3, 2), 0);
    }
}
