//! A pass that only reads a problem: the least that solving it can cost.

use super::{Asserted, Problem};
use crate::ids::Id;

impl Problem {
    /// Returns a number that depends on each constraint and each axis, which are read once. Benchmarks compare the time
    /// of solving with that of this pass; equal problems may have different numbers.
    pub fn checksum(&self) -> u64 {
        let mut sum = 0u64;
        for stated in &self.asserted {
            sum = sum.rotate_left(1).wrapping_add(match stated {
                Asserted::DimEq(a, b) | Asserted::DimLe(a, b) => u64::from(a.word() ^ b.word()),
                Asserted::Window(at) => {
                    let axes = self.windows[*at].axes();
                    axes.fold(0, |sum, axis| sum.wrapping_mul(31) ^ u64::from(axis.word()))
                }
                Asserted::Composite(at) => {
                    let axes = self.composites[*at].axes();
                    axes.fold(0, |sum, axis| sum.wrapping_mul(31) ^ u64::from(axis.word()))
                }
                Asserted::Elements(at) => {
                    let axes = self.elements[*at].axes();
                    axes.fold(0, |sum, axis| sum.wrapping_mul(31) ^ u64::from(axis.word()))
                }
                Asserted::Flat(at) => {
                    let axes = self.flats[*at].axes.iter();
                    axes.fold(0, |sum, axis| sum.wrapping_mul(31) ^ u64::from(axis.word()))
                }
                Asserted::AtLeast(axis, _) => u64::from(axis.word()),
                Asserted::RowEq(at) | Asserted::RowLe(at) => {
                    let rows = &self.rows[at.index()..at.index() + 2];
                    rows.iter()
                        .map(|row| {
                            let start = row.start as usize;
                            let axes = &self.terms[start..start + (row.lead + row.trail) as usize];
                            axes.iter().fold(
                                row.var.map_or(0, |var| u64::from(var.number())),
                                |sum, axis| {
                                    sum.wrapping_mul(31).wrapping_add(u64::from(axis.word()))
                                },
                            )
                        })
                        .fold(0, u64::wrapping_add)
                }
            });
        }
        sum
    }
}
