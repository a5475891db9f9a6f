//! Windows: an axis, and how many windows of some extent lie on it (§8).
//!
//! A window is a relation between sizes. The windows move along the axis by a *stride*, and each reads some cells:
//! those that its *taps* reach. `i = 2*o + 3*k` says that cell `2·x + 3·y` of the axis i is read by tap y of window x,
//! for every x below the size of o and every y below that of k. The [`Mode`] says how the windows have to fit.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::dim::Dim;
use crate::term::DimTerm;

/// The way in which the windows fit on the axis. M is the size of the axis with its margins; the first window begins
/// where the lower margin begins, and the last one ends T cells later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The windows cover the axis exactly: M = T.
    Exact,
    /// As many windows as fit. Cells that are left over are not read.
    Floor,
    /// The windows of [`Mode::Floor`], with one more window where cells are left over. The last window begins inside
    /// the axis or its lower margin.
    Ceil,
    /// One window for every stride of the axis, and the margins are chosen to fit them, the larger one behind the axis.
    Same,
    /// The windows of [`Mode::Same`], with the larger margin in front.
    SameLower,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 5] = [
        Mode::Exact,
        Mode::Floor,
        Mode::Ceil,
        Mode::Same,
        Mode::SameLower,
    ];

    /// Returns the word of the notation. Without margins [`Mode::Exact`] is written without a word.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Exact => "pad",
            Mode::Floor => "floor",
            Mode::Ceil => "ceil",
            Mode::Same => "same",
            Mode::SameLower => "same_lower",
        }
    }

    /// Tells whether a window of this mode may be written with margins: the other modes choose their own.
    pub fn has_margins(self) -> bool {
        matches!(self, Mode::Exact | Mode::Floor | Mode::Ceil)
    }
}

/// A window. `T` is what stands for an axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Window<T = DimTerm> {
    /// The axis on which the windows lie.
    pub axis: T,
    /// The number of cells from the beginning of one window to that of the next.
    pub stride: NonZeroU64,
    /// The axis whose size is the number of windows.
    pub over: T,
    /// The axes that run over the cells of one window, each with its dilation: the distance in cells between two
    /// neighbours. Without taps a window is the block of cells up to the next window, of which one cell is read.
    pub taps: Vec<(NonZeroU64, T)>,
    /// The cell of the block that is read in a window without taps, from 0 and below the stride; else 0. It does not
    /// affect sizes.
    pub phase: u64,
    /// The way in which the windows fit.
    pub mode: Mode,
    /// The number of cells that do not exist and are counted in front of the axis.
    pub low: u64,
    /// The number of such cells that are counted behind it.
    pub high: u64,
}

impl<T> Window<T> {
    /// Returns the summands with their coefficients: the stride first.
    pub fn terms(&self) -> impl Iterator<Item = (NonZeroU64, &T)> {
        let taps = self.taps.iter().map(|(dilation, tap)| (*dilation, tap));
        std::iter::once((self.stride, &self.over)).chain(taps)
    }

    /// Returns every axis, from left to right as the notation writes them.
    pub fn axes(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.axis).chain(self.terms().map(|(_, term)| term))
    }

    /// Returns the window over other axes.
    pub fn map<U>(&self, mut axis: impl FnMut(&T) -> U) -> Window<U> {
        Window {
            axis: axis(&self.axis),
            stride: self.stride,
            over: axis(&self.over),
            taps: self
                .taps
                .iter()
                .map(|(dilation, tap)| (*dilation, axis(tap)))
                .collect(),
            phase: self.phase,
            mode: self.mode,
            low: self.low,
            high: self.high,
        }
    }

    /// Tells whether the windows fit when the axis, the axis of windows and the taps have these sizes, each at least 1.
    ///
    /// With N the size of the axis, n that of the windows and c their stride, S = 1 + Σ dⱼ·(kⱼ - 1) is the span of a
    /// window over its taps (c without taps), T = S + c·(n - 1) the extent of all windows, and M = N + low + high:
    ///
    /// | mode | holds iff |
    /// |---|---|
    /// | exact | M = T |
    /// | floor | T ≤ M < T + c |
    /// | ceil | n is the greatest number with c·(n - 1) < N + low and T - c < M |
    /// | same | c·(n - 1) < N ≤ c·n |
    ///
    /// Numbers beyond 128 bits are larger than any extent, so sums saturate there.
    pub fn fits(&self, axis: u64, over: u64, taps: impl IntoIterator<Item = u64>) -> bool {
        let stride = u128::from(self.stride.get());
        let span = match self.taps.is_empty() {
            true => stride,
            false => {
                let dilations = self.taps.iter().map(|(dilation, _)| dilation.get());
                let reaches = dilations.zip(taps).map(|(dilation, tap)| {
                    u128::from(dilation) * u128::from(tap.saturating_sub(1))
                });
                reaches.fold(1, u128::saturating_add)
            }
        };
        let (axis, low) = (u128::from(axis), u128::from(self.low));
        let padded = axis + low + u128::from(self.high);
        // The beginning of each window, and the end of the last of so many.
        let begin = |windows: u64| stride * u128::from(windows.saturating_sub(1));
        let extent = |windows: u64| begin(windows).saturating_add(span);
        match self.mode {
            Mode::Exact => extent(over) == padded,
            Mode::Floor => extent(over) <= padded && padded < extent(over).saturating_add(stride),
            Mode::Ceil => {
                let is_allowed = |last_begin: u128| {
                    last_begin < axis + low && last_begin.saturating_add(span) < padded + stride
                };
                is_allowed(begin(over)) && !is_allowed(begin(over) + stride)
            }
            Mode::Same | Mode::SameLower => begin(over) < axis && axis <= begin(over) + stride,
        }
    }
}

impl Window {
    /// Returns the window of values of its terms; `None` when one has no value.
    pub fn ground(&self, mut value: impl FnMut(&DimTerm) -> Option<Dim>) -> Option<Window<Dim>> {
        let taps: Option<Vec<(NonZeroU64, Dim)>> = self
            .taps
            .iter()
            .map(|(dilation, tap)| Some((*dilation, value(tap)?)))
            .collect();
        Some(Window {
            axis: value(&self.axis)?,
            stride: self.stride,
            over: value(&self.over)?,
            taps: taps?,
            phase: self.phase,
            mode: self.mode,
            low: self.low,
            high: self.high,
        })
    }
}

impl Window<Dim> {
    /// Tells whether the window holds of these dimensions: the axis and the windows are atoms of one basis, and the
    /// sizes fit. Of the taps only the sizes matter.
    pub fn holds(&self) -> bool {
        let (
            Dim::Atom { size, basis },
            Dim::Atom {
                size: over,
                basis: other,
            },
        ) = (&self.axis, &self.over)
        else {
            return false;
        };
        let taps = self.taps.iter().map(|(_, tap)| tap.size());
        basis == other && self.fits(size.get(), over.get(), taps)
    }
}
