//! The state of a solve, and the order in which it proceeds.
//!
//! 1. *Propagation*. Dimension constraints take effect at once. Then row inequalities extend the flanks of their
//!    results, operands before results, and compare axes. Then row equalities are processed one by one, each followed
//!    by propagation, in the order in which they were asserted, or by variable where that keeps memory accesses close
//!    together (`propagate/assert.rs`). This stage concludes flat contents and never places a marker.
//! 2. *Placement*. Each variable that has a known content and stands in an inequality gets its marker, once nothing is
//!    left to be guessed about the rows above it ([`crate::policy::unsettled`]). Each placement is followed by
//!    propagation.
//! 3. *Deferred equations*. Those that share variables are resolved together by closing the shortest of these, those
//!    that others wait for first, and stage 1 begins again. Rows that wait for each other's markers come last.
//! 4. *Sizes*. Windows and bounds take part in propagation ([`crate::arithmetic`]). The rest is decided at
//!    the end.
//!
//! Stages 1 and 4 are semantic, 2 and 3 are policy (Lemma 5.1).

use std::sync::OnceLock;

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::alignment::Flank;

use crate::ids::{AssertedId, DeferredId, DimSet, DimVarId, Id, RowTermId, RowVarId, WatchId};
use crate::problem::{Asserted, Problem, Size};
use crate::state::agenda::{Agenda, Counters, Progress};
use crate::state::dims::Dims;
use crate::state::expanded::Expanded;
pub(crate) use crate::state::inferences::EngineResult;
use crate::state::inferences::{Failure, Inferences, Reason};
use crate::state::meter::Meter;
use crate::state::rows::{Binding, Middles, Rows};
use crate::state::sizes::Sizes;
use crate::term::RowId;
use crate::tracked::Tracked;

/// An equation that no rule resolves yet (Def. 4.3(c) and (d)), by the number of its left row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deferred {
    pub(crate) row: RowTermId,
    pub(crate) reason: Reason,
    /// Resolved: it follows from what has been concluded.
    pub(crate) done: bool,
}

/// A deferred equation in the list of a row variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    pub(crate) deferred: DeferredId,
    pub(crate) next: Option<WatchId>,
}

/// Everything that is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Engine {
    pub(crate) problem: Problem,
    pub(crate) inferences: Inferences,
    pub(crate) dims: Dims,
    pub(crate) rows: Rows,
    pub(crate) sizes: Sizes,
    pub(crate) deferred: Tracked<DeferredId, Deferred>,
    pub(crate) watches: Tracked<WatchId, Watch>,
    /// Row variables with known content, in the order in which it became known.
    pub(crate) contents_found: Tracked<u32, RowVarId>,
    pub(crate) progress: Progress,
    /// The number of entered constraints that have been looked at for equations between rows.
    pub(crate) equated: usize,
    /// The number of contents that were known when constraints were last entered, and true if an inequality has taken
    /// axes from one of them since. An equation may have copied the place of its marker before, and would find another
    /// one if it came after that inequality.
    pub(crate) contents_before: usize,
    pub(crate) is_taken_from: bool,
    pub(crate) agenda: Agenda,
    pub(crate) round: u32,
    pub(crate) meter: Meter,
    /// The row and the axis of each minted dimension variable, by ascending number.
    pub(crate) minted: Tracked<u32, MintedAxis>,
    /// True if the rows of which more becomes known are to be listed, and that list.
    pub(crate) watching: bool,
    pub(crate) changed: Vec<RowVarId>,
    /// The two rows of the last equation of a run, spelled out, to be written to again; none between runs.
    pub(crate) spelled: Option<Box<[Expanded; 2]>>,
    /// The names of anonymous rows, once they have been asked for since the last run.
    pub(crate) middles: OnceLock<Middles>,
    marks: Vec<Mark>,
}

/// The axis that a minted dimension variable is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MintedAxis {
    pub(crate) dim: DimVarId,
    pub(crate) var: RowVarId,
    pub(crate) place: Place,
}

/// A flank, and a position in it from its outer edge, in one word: there is one for each minted axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place(u32);

impl Place {
    pub(crate) fn new(flank: Flank, position: u32) -> Place {
        Place(2 * position + flank as u32)
    }

    pub(crate) fn flank(self) -> Flank {
        Flank::BOTH[(self.0 % 2) as usize]
    }

    pub(crate) fn position(self) -> u32 {
        self.0 / 2
    }
}

/// The state at an open snapshot that is no table.
#[derive(Clone, Copy, Debug)]
struct Mark {
    size: Size,
    progress: Progress,
}

impl Engine {
    pub(crate) fn new(problem: Problem) -> Engine {
        let mut engine = Engine {
            problem,
            ..Engine::default()
        };
        engine.sizes.rests = engine.problem.rests().0.into_keys().collect();
        engine.begin_work();
        engine
    }

    /// Copies the set of rests from the problem. False if the problem has to be solved by cases: another summand may be
    /// 0, or a constraint that is registered has other rests than before.
    pub(crate) fn takes_rests(&mut self) -> bool {
        let (found, are_others) = self.problem.rests();
        let rests: DimSet = found.keys().copied().collect();
        let before = &self.sizes.rests;
        let is_as_taken =
            |(id, at): (&DimVarId, &usize)| *at >= self.progress.entered || before.contains(id);
        let fits = self.progress.entered == 0
            || before.iter().all(|id| rests.contains(id)) && found.iter().all(is_as_taken);
        if !fits || are_others {
            return false;
        }
        self.sizes.rests = rests;
        true
    }

    /// Enters the constraints that were asserted since the last solve, and concludes all that follows (stage 1).
    pub(crate) fn propagate(&mut self) -> EngineResult {
        if self.progress.entered < self.problem.len() {
            (self.contents_before, self.is_taken_from) = (self.rows.contents.len(), false);
        }
        self.assert_pending()?;
        self.settle()
    }

    /// Says whether policy has chosen anything, or may have.
    pub(crate) fn has_chosen(&self) -> bool {
        let Counters {
            placements,
            resolutions,
        } = self.progress.counters;
        placements + resolutions > 0 || self.progress.declared_when_closed.is_some()
    }

    /// Says whether the constraints that were entered last would have been met otherwise by the equations that were
    /// entered before: where markers stand may differ then, and nothing else.
    pub(crate) fn is_late(&self) -> bool {
        self.is_taken_from
    }

    /// Says whether constraints are taken in beside others of which something was concluded before.
    pub(crate) fn is_going_on(&self) -> bool {
        self.contents_before > 0
    }

    /// Says whether equations of rows have had a consequence, or are deferred. Which of the two may depend on what was
    /// concluded before; the rest of propagation comes to the same end in each order.
    pub(crate) fn has_equations(&self) -> bool {
        self.rows.contents.len() > 0 || self.deferred.len() > 0
    }

    /// Says whether policy has to choose something before everything is in solved form.
    pub(crate) fn is_to_choose(&self) -> bool {
        let found = (self.progress.placed..self.contents_found.len()).map(|at| at as u32);
        let is_content = |at| {
            matches!(
                self.binding(self.contents_found.get(at)),
                Binding::Content(_)
            )
        };
        let mut left = (self.progress.resolved as usize..self.deferred.len()).map(DeferredId::at);
        found.into_iter().any(is_content) || left.any(|id| !self.deferred.at(id).done)
    }

    /// Brings everything to a solved form (stages 1 to 3).
    pub(crate) fn solve(&mut self) -> EngineResult {
        self.propagate()?;
        self.relate_lengths()?;
        loop {
            while self.place_next()? {
                self.step(1)?;
                self.settle()?;
            }
            if !self.resolve_next()? && !self.place_on_cycle()? {
                self.decide_sizes()?;
                return self.refuse_side_by_side();
            }
            self.step(1)?;
            self.settle()?;
        }
    }

    /// Returns the failure that rows side by side are not decided here, if there are some.
    pub(crate) fn refuse_side_by_side(&self) -> EngineResult {
        if self.problem.flats.is_empty() {
            return Ok(());
        }
        let is_flat = |asserted: &Asserted| matches!(asserted, Asserted::Flat(_));
        let Some(at) = self.problem.asserted.iter().position(is_flat) else {
            return Ok(());
        };
        Err(Box::new(Failure {
            rule: Rule::ArResidue,
            reasons: vec![Reason::constraint(AssertedId::at(at))],
            terms: Vec::new(),
            message: "rows side by side (`++`) are decided by `lozenge oracle` alone".to_string(),
            is_limit: true,
        }))
    }

    /// Propagates to a fixpoint.
    pub(crate) fn settle(&mut self) -> EngineResult {
        loop {
            self.repair_lengths()?;
            self.compare_axes()?;
            if let Some(equation) = self.next_equation() {
                self.step(1)?;
                self.equate(equation)?;
            } else if !self.settle_sizes()? {
                return Ok(());
            }
        }
    }

    pub(crate) fn row(&self, id: RowTermId) -> RowId {
        self.problem.rows[id.index()]
    }

    pub(crate) fn binding(&self, var: RowVarId) -> Binding {
        self.rows.nodes.at(var).binding
    }

    pub(crate) fn snapshot(&mut self) {
        self.marks.push(Mark {
            size: self.problem.size_now(),
            progress: self.progress,
        });
        self.dims.snapshot();
        self.sizes.snapshot();
        self.rows.each(|part| part.snapshot());
        self.inferences.snapshot();
        self.deferred.snapshot();
        self.watches.snapshot();
        self.contents_found.snapshot();
        self.minted.snapshot();
    }

    /// Takes everything back to the last open snapshot; false when there is none.
    pub(crate) fn rollback(&mut self) -> bool {
        let Some(mark) = self.marks.pop() else {
            return false;
        };
        self.middles.take();
        self.problem.truncate(mark.size);
        // A snapshot is taken at rest, when nothing that was taken in is left to be looked at.
        self.progress = mark.progress;
        self.equated = mark.progress.entered;
        self.dims.rollback();
        self.sizes.rollback();
        self.dims.follow(self.sizes.is_on);
        self.rows.each(|part| part.rollback());
        self.inferences.rollback();
        self.deferred.rollback();
        self.watches.rollback();
        self.contents_found.rollback();
        self.minted.rollback();
        self.forget_work();
        true
    }

    pub(crate) fn commit(&mut self) {
        if self.marks.pop().is_none() {
            return;
        }
        self.dims.commit();
        self.sizes.commit();
        self.rows.each(|part| part.commit());
        self.inferences.keep();
        self.deferred.commit();
        self.watches.commit();
        self.contents_found.commit();
        self.minted.commit();
    }

    /// Empties the work lists, which a failure leaves half done.
    fn forget_work(&mut self) {
        self.agenda.clear();
        self.sizes.forget_work();
    }

    /// Gives back the lists that are used again within a run only.
    pub(crate) fn give_back_lists(&mut self) {
        self.spelled = None;
        self.agenda.give_back();
    }

    /// Gives back the memory that only more work would need. There is no work left to do.
    pub(crate) fn shrink(&mut self) {
        self.problem.shrink();
        self.dims.shrink();
        self.rows.each(|part| part.shrink());
        self.inferences.shrink();
        self.minted.shrink();
        self.agenda.shrink();
    }

    /// Returns the bytes held beyond the problem.
    pub(crate) fn bytes(&self) -> usize {
        let tables = [
            self.dims.bytes(),
            self.sizes.bytes(),
            self.rows.bytes(),
            self.inferences.bytes(),
            self.deferred.bytes(),
            self.watches.bytes(),
            self.contents_found.bytes(),
            self.minted.bytes(),
            self.agenda.bytes(),
        ];
        let spelled = self.spelled.iter().flat_map(|rows| {
            let axes = rows.iter().map(Expanded::bytes);
            axes.chain([size_of_val(&**rows)])
        });
        tables.into_iter().chain(spelled).sum()
    }
}
