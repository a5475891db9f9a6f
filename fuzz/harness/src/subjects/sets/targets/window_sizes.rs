//! `window_sizes`: one window of which at most one size is not stated, compared with windows that walk along a list of
//! cells.
//!
//! Every size that the open axis could have is tried. The sizes that fit are compared with the relation, with the sizes
//! that the rules and the solver find, and with the verdict of complete mode.

use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimTerm, DimVar, Ground, Verdict, Window,
};

use super::comparison::{limit, unsound};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;
use crate::subjects::sets::walking::walked;
use crate::subjects::sets::{COMPLETE, Question, RULES, SOLVER, SetAnswer};

/// A window whose axes have sizes, but for one.
struct Puzzle {
    window: Window<Option<u64>>,
    open: Option<DimVar>,
}

impl Puzzle {
    /// Reads the puzzle of a set; `None` for a set that is not one window with sizes in the default basis, all but one
    /// of them stated once.
    fn of(set: &ConstraintSet) -> Option<Puzzle> {
        let (mut windows, mut stated) = (Vec::new(), Vec::new());
        for constraint in &set.constraints {
            match constraint {
                Constraint::Window(window) => windows.push(window),
                Constraint::DimEq(DimTerm::Var(var), DimTerm::Const(dim)) => {
                    stated.push((var, dim));
                }
                _ => return None,
            }
        }
        let [window] = windows.as_slice() else {
            return None;
        };
        if stated
            .iter()
            .any(|(_, dim)| dim.is_atom() && Dim::new(dim.size()).as_ref() != Some(*dim))
        {
            return None;
        }
        // A tap may be the unit; where windows lie, or are counted, an axis is an atom.
        let size = |term: &DimTerm, may_be_unit: bool| {
            let dim = match term {
                DimTerm::Const(dim) => Some(dim),
                DimTerm::Var(var) => {
                    let mut own = stated.iter().filter(|(other, _)| *other == var);
                    let dim = own.next().map(|(_, dim)| *dim);
                    if own.next().is_some() {
                        return Err(());
                    }
                    dim
                }
            };
            match dim {
                Some(Dim::Unit) if !may_be_unit => Err(()),
                dim => Ok(dim.map(Dim::size)),
            }
        };
        let axis = size(&window.axis, false).ok()?;
        let over = size(&window.over, false).ok()?;
        let mut taps = Vec::new();
        for (dilation, tap) in &window.taps {
            taps.push((*dilation, size(tap, true).ok()?));
        }
        let sized = Window {
            axis,
            over,
            taps,
            ..window.map(|_| None)
        };
        let mut open: Option<&DimVar> = None;
        for (term, size) in window.axes().zip(sized.axes()) {
            match (term, size, open) {
                (_, Some(_), _) => {}
                (DimTerm::Var(var), None, None) => open = Some(var),
                (DimTerm::Var(var), None, Some(other)) if var == other => {}
                _ => return None,
            }
        }
        let open = open.cloned();
        // Whoever walks along cells has time for few.
        let is_short = |numbers: Vec<u64>| numbers.into_iter().fold(0, u64::saturating_add) < 200;
        let sizes = sized.axes().copied().flatten().collect();
        let coefficients = sized.terms().map(|(coefficient, _)| coefficient.get());
        let written = coefficients.chain([sized.low, sized.high]).collect();
        let is_short = is_short(sizes) && is_short(written);
        is_short.then_some(Puzzle {
            window: sized,
            open,
        })
    }

    /// Returns a size for the open axis from which on nothing changes: it is longer than all windows together, or they
    /// are longer than it.
    fn most(&self) -> u64 {
        let window = &self.window;
        let coefficients: u64 = window.terms().map(|(c, _)| c.get()).sum();
        let sizes: u64 = window.axes().flatten().sum();
        2 + coefficients * (1 + sizes) + window.low + window.high
    }

    /// Lists each size that the open axis may have, with whether windows that walk fit, and whether the relation says
    /// so.
    fn tried(&self) -> impl Iterator<Item = (u64, bool, bool)> {
        let last = self.open.as_ref().map_or(1, |_| self.most());
        (1..=last).map(|open| {
            let window = self.window.map(|size| size.unwrap_or(open));
            let walk = walked(&window) == Some(window.over);
            let taps = window.taps.iter().map(|(_, tap)| *tap);
            (open, walk, window.fits(window.axis, window.over, taps))
        })
    }

    /// Returns the size of the open axis in a solution.
    fn found(&self, ground: Option<&Ground>) -> Option<u64> {
        let dim = ground?.dims.get(self.open.as_ref()?)?;
        Some(dim.size())
    }
}

/// Compares one window with the sizes around it.
pub fn window_sizes(set: &ConstraintSet, parties: &mut Parties) -> Option<Comparison> {
    let puzzle = Puzzle::of(set)?;
    let mut fitting = Vec::new();
    for (size, walk, relation) in puzzle.tried() {
        if walk != relation {
            let walk = Disagreement::new("the relation of a window differs from windows that walk")
                .answered("size", size)
                .answered("walking", walk)
                .answered("relation", relation);
            return Some(comparison("different", walk.into()));
        }
        fitting.extend(walk.then_some(size));
    }
    let rules = parties.ask(&RULES, Question::Close, set)?;
    let solver = parties.ask(&SOLVER, Question::Close, set)?;
    let complete = parties.ask(&COMPLETE, Question::Decide, set)?;
    let closed = [("spec", &rules), ("solver", &solver)];
    let all = [closed[0], closed[1], ("complete", &complete)];
    let outcome = unsound(set, &all)
        .or_else(|| limit(&all))
        .or_else(|| against_walking(&puzzle, &fitting, &closed, &complete))
        .unwrap_or(Outcome::Agree);
    let answer = match fitting.len() {
        0 => "nothing fits",
        1 => "one size fits",
        _ => "several sizes fit",
    };
    Some(comparison(answer, outcome))
}

fn comparison(answer: &'static str, outcome: Outcome) -> Comparison {
    Comparison {
        outcome,
        useful: true,
        answer,
    }
}

/// Compares the parties with a walk over all sizes. Where nothing fits every party says so. Where one size fits every
/// party finds it. Where several do, complete mode finds one of them, and closing refuses to choose.
fn against_walking(
    puzzle: &Puzzle,
    fitting: &[u64],
    closed: &[(&str, &SetAnswer)],
    complete: &SetAnswer,
) -> Option<Outcome> {
    let decided = match fitting.is_empty() {
        true => Verdict::Unsat,
        false => Verdict::Sat,
    };
    let closes = match fitting.len() {
        2.. => Verdict::Rejected,
        _ => decided,
    };
    let expected = closed.iter().map(|(who, answer)| (*who, *answer, closes));
    for (who, answer, verdict) in expected.chain([("complete", complete, decided)]) {
        let found = puzzle.found(answer.ground.as_ref());
        let is_right = found.is_none_or(|size| fitting.contains(&size));
        if answer.verdict != verdict || !is_right {
            let fits = match fitting {
                [first, second, third, ..] => format!("{first}, {second}, {third}, ..."),
                few => format!("{few:?}"),
            };
            let disagreement = Disagreement::new("a size differs from that of windows that walk")
                .answered("walking: what fits", fits)
                .answered(who, answer);
            return Some(disagreement.into());
        }
    }
    None
}
