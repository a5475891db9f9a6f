//! The relation of a window compared with windows that walk along a list of cells.

use std::num::NonZeroU64;

use lozenge_vocabulary::{Constraint, Dim, Ground, Mode, Order, Window};

/// Returns the number of windows when they walk over `cells` real cells with margins, or `None` where the walk is
/// refused. A window is the list of the cells that its taps read. The mode decides whether a window that does not fit
/// is dropped or makes the walk refused.
fn walked(
    mode: Mode,
    cells: i64,
    stride: i64,
    dilation: i64,
    taps: i64,
    margins: [i64; 2],
) -> Option<u64> {
    let reads = |begin: i64| (0..taps).map(move |tap| begin + dilation * tap);
    let last = |begin: i64| reads(begin).next_back().unwrap_or(begin);
    let begins = |from: i64| (0..).map(move |window| from + window * stride);
    let (first, end) = (-margins[0], cells + margins[1]);
    let count = match mode {
        // Windows are taken as long as they end on a cell or a margin; exactly when the last of them ends on the last
        // one.
        Mode::Exact => {
            let fitting: Vec<i64> = begins(first)
                .take_while(|begin| last(*begin) < end)
                .collect();
            if last(*fitting.last()?) != end - 1 {
                return None;
            }
            fitting.len()
        }
        Mode::Floor => begins(first).take_while(|begin| last(*begin) < end).count(),
        // One more window is taken when the one before it has not come to the end, and it begins before the upper
        // margin.
        Mode::Ceil => {
            let mut count = 0;
            for begin in begins(first) {
                let covered = last(begin - stride) >= end - 1;
                if covered || begin >= cells {
                    break;
                }
                count += 1;
            }
            count
        }
        // A window for every stride that begins on the axis.
        Mode::Same | Mode::SameLower => begins(0).take_while(|begin| *begin < cells).count(),
    };
    u64::try_from(count).ok().filter(|count| *count > 0)
}

fn window(mode: Mode, stride: u64, taps: &[(u64, u64)], margins: [u64; 2]) -> Window<Dim> {
    let nonzero = |number: u64| NonZeroU64::new(number).expect("not 0");
    Window {
        axis: Dim::Unit,
        stride: nonzero(stride),
        over: Dim::Unit,
        taps: taps
            .iter()
            .map(|(d, k)| (nonzero(*d), Dim::new(*k).expect("not 0")))
            .collect(),
        phase: 0,
        mode,
        low: margins[0],
        high: margins[1],
    }
}

/// For every axis up to 32 cells, 9 taps, stride 5, dilation 4, margins up to 4 and all modes, the relation holds for
/// the number of windows that the walk gives and for no other.
#[test]
fn sizes_are_those_of_walking_windows() {
    let mut held = 0u64;
    for mode in Mode::ALL {
        let widest = if mode.has_margins() { 4 } else { 0 };
        for (low, high) in (0..=widest).flat_map(|low| (0..=widest).map(move |high| (low, high))) {
            for (stride, dilation) in (1..=5).flat_map(|s| (1..=4).map(move |d| (s, d))) {
                for taps in 1..=9u64 {
                    let window = window(mode, stride, &[(dilation, taps)], [low, high]);
                    for cells in 1..=32u64 {
                        let walked = walked(
                            mode,
                            cells as i64,
                            stride as i64,
                            dilation as i64,
                            taps as i64,
                            [low as i64, high as i64],
                        );
                        for over in 1..=cells + low + high + 2 {
                            let fits = window.fits(cells, over, [taps]);
                            assert_eq!(
                                fits,
                                walked == Some(over),
                                "{mode:?} stride {stride} dilation {dilation} taps {taps} margins {low}, {high}: {over} on {cells}, walked {walked:?}"
                            );
                            held += u64::from(fits);
                        }
                    }
                }
            }
        }
    }
    assert!(held > 290_000, "{held}");
}

/// Without taps a window is a block of cells, like a window with a tap as long as the block.
#[test]
fn a_window_without_taps_is_a_block_of_cells() {
    for mode in Mode::ALL {
        for stride in 1..=5u64 {
            let (block, taps) = (
                window(mode, stride, &[], [0; 2]),
                window(mode, stride, &[(1, stride)], [0; 2]),
            );
            for (cells, over) in (1..=20).flat_map(|cells| (1..=20).map(move |over| (cells, over)))
            {
                assert_eq!(
                    block.fits(cells, over, []),
                    taps.fits(cells, over, [stride])
                );
            }
        }
    }
}

/// Several taps reach as far as one tap that is as long as all of them together.
#[test]
fn reaches_add_up() {
    for (a, b) in (1..=4u64).flat_map(|a| (1..=4u64).map(move |b| (a, b))) {
        let two = window(Mode::Exact, 2, &[(1, a), (3, b)], [0; 2]);
        let reach = (a - 1) + 3 * (b - 1);
        let one = window(Mode::Exact, 2, &[(1, reach + 1)], [0; 2]);
        for (cells, over) in (1..=20).flat_map(|cells| (1..=20).map(move |over| (cells, over))) {
            assert_eq!(
                two.fits(cells, over, [a, b]),
                one.fits(cells, over, [reach + 1])
            );
        }
    }
}

#[test]
fn the_largest_numbers_do_not_wrap() {
    for mode in Mode::ALL {
        let margins = if mode.has_margins() {
            [u64::MAX; 2]
        } else {
            [0; 2]
        };
        let window = window(
            mode,
            u64::MAX,
            &[(u64::MAX, u64::MAX), (u64::MAX, u64::MAX)],
            margins,
        );
        let most = u64::MAX;
        assert!(!window.fits(most, most, [most, most]), "{mode:?}");
    }
    // One window, or as many as there are cells, on the longest axis there is.
    let one = window(Mode::Exact, u64::MAX, &[], [0; 2]);
    assert!(one.fits(u64::MAX, 1, []) && !one.fits(u64::MAX, 2, []));
    let cells = window(Mode::Exact, 1, &[], [0; 2]);
    assert!(cells.fits(u64::MAX, u64::MAX, []) && !cells.fits(u64::MAX, u64::MAX - 1, []));
}

/// Constraints, and whether they hold of ground values (§8).
const HOLDS: &[(&str, bool)] = &[
    ("7 = 2*3 + 1*3", true),
    ("8 = 2*3 + 1*3", false),
    ("8 = floor(2*3 + 1*3)", true),
    ("7 = same(2*4 + 1*3)", true),
    // The axis and the windows are atoms of one basis. The taps may be of any basis, or the unit.
    ("5 = 1*3 + 1*3_px", true),
    ("5_px = 1*3_px + 1*3", true),
    ("5_px = 1*3 + 1*3", false),
    ("5 = 1*5 + 1*1_", true),
    ("1_ = 1*1_ + 1*1_", false),
    ("1 = 1*1_ + 1*1_", false),
    ("1 = 1*1 + 1*1_", true),
    ("1_ = 1*1", false),
    ("6 = 2*3 + 1", true),
    ("7 = 2*3 + 1", false),
    ("4 >= 4", true),
    ("3_px >= 4", false),
    ("1_ >= 1", true),
    ("1_ >= 2", false),
];

#[test]
fn ground_constraints_hold_as_the_relation_says() {
    for (text, holds) in HOLDS {
        let constraint: Constraint = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let satisfied = Ground::default().satisfies(&constraint, Order::Marked);
        assert_eq!(satisfied, Some(*holds), "{text}");
    }
}
