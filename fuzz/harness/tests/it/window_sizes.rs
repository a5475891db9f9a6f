//! Every small window, solved for each of its sizes, against windows that walk along a list of cells.
//! `LOZENGE_GRID=full` takes axes up to 32 cells, 9 taps, stride 5, dilation 4 and margins up to 4, a million windows,
//! in some minutes.

use std::num::NonZeroU64;

use lozenge_fuzz::outcome::Outcome;
use lozenge_fuzz::subject::party::Parties;
use lozenge_fuzz::subjects::sets::Sets;
use lozenge_fuzz::subjects::sets::walking::walked;
use lozenge_fuzz::subjects::target;
use lozenge_vocabulary::{Mode, Window};

/// The largest axis, and numbers of taps, stride, dilation and margins.
struct Grid {
    axis: u64,
    taps: u64,
    stride: u64,
    dilation: u64,
    margin: u64,
}

fn windows(grid: &Grid) -> Vec<Window<u64>> {
    let nonzero = |number| NonZeroU64::new(number).expect("not 0");
    let mut windows = Vec::new();
    for mode in Mode::ALL {
        let margin = if mode.has_margins() { grid.margin } else { 0 };
        for (low, high) in (0..=margin).flat_map(|low| (0..=margin).map(move |high| (low, high))) {
            for stride in 1..=grid.stride {
                for dilation in 1..=grid.dilation {
                    for taps in 1..=grid.taps {
                        windows.extend((1..=grid.axis).map(|axis| Window {
                            axis,
                            stride: nonzero(stride),
                            over: 1,
                            taps: vec![(nonzero(dilation), taps)],
                            phase: 0,
                            mode,
                            low,
                            high,
                        }));
                    }
                }
            }
        }
    }
    windows
}

/// Returns the notation of the window with one of its sizes left out: that of the axis, of the windows or of the tap.
fn puzzle(window: &Window<u64>, left_out: usize) -> String {
    let (dilation, taps) = window.taps[0];
    let margins = match window.mode.has_margins() {
        true => format!(", {}, {}", window.low, window.high),
        false => String::new(),
    };
    let (word, stride) = (window.mode.word(), window.stride);
    let mut text = format!("i = {word}({stride}*o + {dilation}*k{margins})\n");
    let sizes = [("i", window.axis), ("o", window.over), ("k", taps)];
    for (at, (name, size)) in sizes.into_iter().enumerate() {
        if at != left_out {
            text += &format!("{name} = {size}\n");
        }
    }
    text
}

#[test]
fn every_small_window_is_solved_for_each_of_its_sizes() {
    let grid = match std::env::var("LOZENGE_GRID").as_deref() {
        Ok("full") => Grid {
            axis: 32,
            taps: 9,
            stride: 5,
            dilation: 4,
            margin: 4,
        },
        _ => Grid {
            axis: 9,
            taps: 4,
            stride: 3,
            dilation: 2,
            margin: 1,
        },
    };
    let target = target::<Sets>("window_sizes").expect("the target");
    let mut parties = Parties::default();
    let mut answers = std::collections::BTreeMap::new();
    for mut window in windows(&grid) {
        let fitting = walked(&window);
        window.over = fitting.unwrap_or(1);
        for left_out in 0..3 {
            let text = puzzle(&window, left_out);
            let input = text.parse().unwrap_or_else(|error| panic!("{text}{error}"));
            let examined = target.examine(&input, &mut parties).expect("a puzzle");
            if let Outcome::Disagree(disagreement) = &examined.outcome {
                panic!("{text}{disagreement}");
            }
            assert_eq!(examined.outcome, Outcome::Agree, "{text}");
            *answers.entry((left_out, examined.answer)).or_insert(0u64) += 1;
        }
    }
    println!("{answers:?}");
    // The number of windows follows from the axis and the taps, or there is none.
    assert!(
        !answers.contains_key(&(1, "several sizes fit")),
        "{answers:?}"
    );
    assert!(answers[&(0, "one size fits")] > 100 && answers[&(2, "one size fits")] > 100);
}
