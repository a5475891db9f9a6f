//! Refutations made smaller: equations are left out for which the rest has no solution either.

use lozenge_axon_vocabulary::{Equation, Pool};

use crate::decide::{Verdict, decide};
use crate::limits::Limits;
use crate::stop::Clash;

/// The number of equations in all questions together after which no further one is asked, so that a long refutation
/// takes no longer than several of its own length.
const MOST_ASKED: usize = 1 << 16;

/// Returns fewer equations without a common solution, with the last step of their refutation and whether none can be
/// left out.
pub(crate) fn minimised(
    pool: &mut Pool,
    equations: &[Equation],
    given: Vec<u32>,
    clash: Clash,
    limits: &Limits,
) -> (Vec<u32>, Clash, bool) {
    let (mut given, mut clash, mut is_minimal) = (given, clash, true);
    let (mut questions, mut asked) = (0, 0);
    let limits = &limits.for_a_smaller_set();
    // Blocks of half the size each time, at last single equations.
    let mut block = given.len().div_ceil(2);
    while block > 0 {
        let mut start = 0;
        while start < given.len() && given.len() > 1 {
            if questions == limits.minimising || asked > MOST_ASKED {
                return (given, clash, false);
            }
            questions += 1;
            asked += given.len();
            let end = (start + block).min(given.len());
            let rest: Vec<u32> = [&given[..start], &given[end..]].concat();
            match decide(pool, equations, &rest, &[], limits) {
                Verdict::Unsatisfiable {
                    given: fewer,
                    clash: step,
                } => {
                    // The facts before the block were not left out in vain, so they are looked at again only if the
                    // block shrank.
                    let next = rest.get(start).copied().unwrap_or(u32::MAX);
                    start = fewer.partition_point(|index| *index < next);
                    (given, clash) = (fewer, step);
                }
                Verdict::Satisfiable(_) => start = end,
                Verdict::Unknown(_) | Verdict::TooLarge(_) => {
                    is_minimal = false;
                    start = end;
                }
            }
        }
        block = if block == 1 { 0 } else { block.div_ceil(2) };
    }
    (given, clash, is_minimal)
}
