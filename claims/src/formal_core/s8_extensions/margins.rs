//! Reads of windows beyond the ends of their axis: the margin of Prop. 8.1, and where the index of each mode lies.
//! Strides and dilations are concrete; sizes and margins are symbolic.

use crate::machinery::{Effort, Finding, Witness};
use crate::symbolic::prover::Prover;
use lozenge_vocabulary::window::Mode;
use z3::ast::{Bool, Int};

fn int(value: i64) -> Int {
    Int::from_i64(value)
}

/// Returns the largest stride and dilation.
fn most(effort: Effort) -> i64 {
    if effort == Effort::Quick { 3 } else { 5 }
}

/// Windows over an axis: cell `stride·o + dilation·k - front` is read by tap `k` of window `o`.
struct Windows {
    stride: Int,
    /// The sizes of the axis, of the windows and of the tap.
    axis: Int,
    count: Int,
    taps: Int,
    dilation: Int,
}

impl Windows {
    fn any(stride: i64, dilation: i64) -> Windows {
        let [axis, count, taps] = ["axis", "count", "taps"].map(Int::new_const);
        Windows {
            stride: int(stride),
            axis,
            count,
            taps,
            dilation: int(dilation),
        }
    }

    fn span(&self) -> Int {
        int(1) + &self.dilation * (&self.taps - int(1))
    }

    /// Returns the beginning of the window of this number.
    fn begin(&self, window: &Int) -> Int {
        &self.stride * (window - int(1))
    }

    /// Returns the length from the beginning of the first window to the end of the last one.
    fn extent(&self) -> Int {
        self.begin(&self.count) + self.span()
    }

    /// Returns a point of the loops: that it is inside of them, with every size at least 1, and its index.
    fn point(&self) -> (Vec<Bool>, Int) {
        let [window, tap] = ["o", "k"].map(Int::new_const);
        let inside = [
            self.axis.ge(int(1)),
            self.count.ge(int(1)),
            self.taps.ge(int(1)),
            window.ge(int(0)),
            window.lt(&self.count),
            tap.ge(int(0)),
            tap.lt(&self.taps),
        ];
        let index = &self.stride * &window + &self.dilation * &tap;
        (inside.to_vec(), index)
    }

    /// Returns the table of §8 for a mode, with margins.
    fn fits(&self, mode: Mode, low: &Int, high: &Int) -> Bool {
        let padded = &self.axis + low + high;
        let extent = self.extent();
        let is_last = |count: &Int| {
            let begin = self.begin(count);
            let inside = begin.lt(&self.axis + low);
            Bool::and(&[inside, (begin + self.span()).lt(&padded + &self.stride)])
        };
        match mode {
            Mode::Exact => padded.eq(&extent),
            Mode::Floor => Bool::and(&[extent.le(&padded), padded.lt(&extent + &self.stride)]),
            Mode::Ceil => {
                let next = &self.count + int(1);
                Bool::and(&[is_last(&self.count), is_last(&next).not()])
            }
            Mode::Same | Mode::SameLower => {
                let begin = self.begin(&self.count);
                let inside = begin.lt(&self.axis);
                Bool::and(&[inside, self.axis.le(begin + &self.stride)])
            }
        }
    }
}

/// Proves Prop. 8.1 with a margin on each side: the largest that any reader needs in front, and the largest behind.
pub fn sides(effort: Effort) -> Finding {
    let most = most(effort);
    let mut prover = Prover::new();
    for (stride, dilation) in (1..=most).flat_map(|s| (1..=most).map(move |d| (s, d))) {
        let windows = Windows::any(stride, dilation);
        let [front, left, right] = ["front", "left", "right"].map(Int::new_const);
        let (mut assumed, index) = windows.point();
        // The margins are at least what this reader needs; other readers only make them larger.
        assumed.push(left.ge(&front));
        assumed.push(right.ge(windows.extent() - &windows.axis - &front));
        let cell = index - &front;
        let allocated = [cell.ge(int(0) - &left), cell.lt(&windows.axis + &right)];
        prover.prove(&assumed, &Bool::and(&allocated), || {
            format!("stride {stride}, dilation {dilation}")
        });
    }
    prover
        .finding("a reader of any sizes and any front margin, among any others")
        .within(format!("strides and dilations up to {most}"))
}

/// Decides the margin as it is implemented: `taps - ⌈taps/2⌉` cells in front and `⌈taps/2⌉` behind, whatever the
/// dilation.
pub fn printed(_: Effort) -> Finding {
    let mut tried = 0;
    let mut outside = Vec::new();
    for stride in 1..=3i64 {
        for dilation in 1..=3 {
            for taps in 1..=5 {
                for windows in 1..=5 {
                    tried += 1;
                    let (front, behind) = (taps - (taps + 1) / 2, (taps + 1) / 2);
                    let last_allocated = stride * windows + behind - 1;
                    let last_read = stride * (windows - 1) + dilation * (taps - 1) - front;
                    if last_read > last_allocated {
                        outside.push((stride, dilation, taps, windows, last_read, last_allocated));
                    }
                }
            }
        }
    }
    let dilated = outside.iter().filter(|case| case.1 > 1).count();
    let scope = format!(
        "strides and dilations up to 3, up to 5 taps and windows, on an axis of stride · windows cells: in {} of them the last cell \
         that is read is not allocated, {dilated} of which are dilated",
        outside.len()
    );
    let witness = outside
        .first()
        .map(|(stride, dilation, taps, windows, read, allocated)| {
            Witness::new(
                format!("i = same({stride}*o + {dilation}*k)\nk = {taps}\no = {windows}"),
                format!(
                    "cell {read} is read, and the last one with its margin is cell {allocated}"
                ),
            )
        });
    Finding::exhaustive(scope, tried, witness)
}

/// Decides where the index of each mode lies: within the axis and the margins that the mode counts, so that without
/// them no point is skipped.
pub fn modes(effort: Effort) -> Finding {
    let most = most(effort);
    let mut prover = Prover::new();
    for mode in Mode::ALL {
        for (stride, dilation) in (1..=most).flat_map(|s| (1..=most).map(move |d| (s, d))) {
            let windows = Windows::any(stride, dilation);
            let [low, high, made] = ["low", "high", "made"].map(Int::new_const);
            let (mut assumed, index) = windows.point();
            assumed.extend([low.ge(int(0)), high.ge(int(0))]);
            assumed.push(windows.fits(mode, &low, &high));
            let overhang = windows.extent() - &windows.axis;
            assumed.push(made.eq(overhang.ge(int(0)).ite(&overhang, &int(0))));
            let half = made.div(int(2));
            let [front, behind] = match mode {
                Mode::Exact | Mode::Floor => [low, high],
                // One more window may hang over, by less than its stride.
                Mode::Ceil => [low, high + int(stride - 1)],
                Mode::Same => [half.clone(), &made - &half],
                Mode::SameLower => [&made - &half, half.clone()],
            };
            let cell = index - &front;
            let reached = [cell.ge(int(0) - &front), cell.lt(&windows.axis + &behind)];
            prover.prove(&assumed, &Bool::and(&reached), || {
                format!("{}, stride {stride}, dilation {dilation}", mode.word())
            });
        }
    }
    prover
        .finding("each of the five modes, one tap, any sizes and margins")
        .within(format!("strides and dilations up to {most}"))
}

/// Proves for a written axis with a window that the loop over the windows that reach a cell visits the points that
/// write it, in their order.
pub fn gather(effort: Effort) -> Finding {
    let most = most(effort);
    let mut prover = Prover::new();
    for (stride, dilation) in (1..=most).flat_map(|s| (1..=most).map(move |d| (s, d))) {
        let windows = Windows::any(stride, dilation);
        let [front, cell, window, tap] = ["front", "cell", "o", "k"].map(Int::new_const);
        let (inside, index) = windows.point();
        let writes = Bool::and(&[Bool::and(&inside), (index - &front).eq(&cell)]);
        // The part of the cell's position that is left for the tap, once the window is chosen.
        let place = &cell + &front;
        let left = &place - &windows.stride * &window;
        let reach = &windows.dilation * (&windows.taps - int(1));
        let first = (&place - &reach + int(stride - 1)).div(&windows.stride);
        let last = place.div(&windows.stride);
        let sizes = [&windows.axis, &windows.count, &windows.taps].map(|size| size.ge(int(1)));
        let visited = Bool::and(&[
            Bool::and(&sizes),
            window.ge(int(0)),
            window.lt(&windows.count),
            window.ge(first),
            window.le(last),
            left.modulo(&windows.dilation).eq(int(0)),
            tap.eq(left.div(&windows.dilation)),
            tap.ge(int(0)),
            tap.lt(&windows.taps),
        ]);
        let what = || format!("stride {stride}, dilation {dilation}");
        prover.prove(&[], &writes.iff(&visited), what);
        // One tap for each window: the order of the windows is that of the points that write the cell.
        let other = Int::new_const("other");
        let again = (&windows.stride * &window + &windows.dilation * &other - &front).eq(&cell);
        prover.prove(&[writes, again], &other.eq(&tap), what);
    }
    prover
        .finding("one strided label and one tap of any sizes, any front margin and any cell")
        .within(format!("strides and dilations up to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighty_of_the_small_cases_read_outside_and_all_of_them_are_dilated() {
        let finding = printed(Effort::Quick);
        assert_eq!(finding.instances, 225);
        assert!(finding.scope.contains("in 80 of them"), "{}", finding.scope);
        assert!(
            finding.scope.ends_with("80 of which are dilated"),
            "{}",
            finding.scope
        );
    }
}
