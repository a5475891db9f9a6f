//! The reasons for a solution: which variables are forced, which are free within which bounds, and what policy chose.

use std::num::NonZeroU64;

use lozenge_vocabulary::alignment::PerFlank;
use lozenge_vocabulary::{Dim, Rule, Var};
use serde::{Deserialize, Serialize};

use crate::explain::refusal::{Cited, PolicyStep};
use crate::explain::solution::Solution;
use crate::ids::{Id, RowVarId};
use crate::problem::text_lines::TextLines;
use crate::state::engine::Engine;
use crate::state::inferences::Reason;
use crate::state::rows::Binding;
use crate::term::Term;

/// The number of constraints relating an open size to others that are listed: a size may stand in very many.
const MOST_RELATED: usize = 8;

/// The standing of a variable in a solution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "standing", rename_all = "kebab-case")]
pub enum Standing {
    /// Every solution gives it this value.
    Forced,
    /// Its value rests on choices of policy; another choice may give another value.
    Chosen {
        /// The choices, in the order in which they were made.
        steps: Vec<PolicyStep>,
    },
    /// It is not solved. The solution gives it its top; any other value within the bounds may do.
    Free {
        /// The atom that lies below a dimension variable.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        atom: Option<Dim>,
        /// The size of a dimension variable, if every solution has it and its basis alone is open.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        size: Option<NonZeroU64>,
        /// The least numbers of leading and trailing axes of a row variable.
        at_least: [u32; 2],
        /// The asserted inequalities, and constraints that relate its size to others, that still bound it.
        bounds: Vec<Cited>,
    },
}

impl Solution<'_> {
    /// Returns the standing of a variable; `None` when the problem does not mention it.
    ///
    /// ```
    /// use lozenge_solver::{Problem, Solver, Standing};
    ///
    /// let mut solver = Solver::new(Problem::parse("a = 3\n4 <= b\n<r> ~ [3, 5]")?);
    /// solver.solve()?;
    /// let standing = |var: &str| solver.solution().standing(&var.parse().unwrap()).unwrap();
    /// assert_eq!(standing("a"), Standing::Forced);
    /// assert!(matches!(standing("b"), Standing::Free { atom: Some(_), .. }));
    /// // The content of <r> is forced. Where its marker stands is a choice: [3 <> 5] is a solution as well.
    /// assert!(matches!(standing("<r>"), Standing::Chosen { .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn standing(&self, var: &Var) -> Option<Standing> {
        let lines = self.engine().problem.lines();
        self.engine().standing_of(var, &lines)
    }

    /// Returns the first choices of policy that the solution rests on, in the order in which they were made, and `most`
    /// of them at the most. When there is none and no size is open, the solution is the greatest one.
    pub fn policy_steps(&self, most: usize) -> Vec<PolicyStep> {
        let engine = self.engine();
        if self.is_greatest() {
            return Vec::new();
        }
        let lines = engine.problem.lines();
        let inferences = engine
            .inferences
            .ids()
            .filter(|at| engine.inferences.get(*at).policy);
        let rows = engine.rows.nodes.ids();
        inferences
            .map(|at| engine.policy_step(at, &lines))
            .chain(rows.filter_map(|var| engine.unplaced(var, &lines)))
            .take(most)
            .collect()
    }

    /// Says whether the solution rests on no choice of policy, so that it is the greatest solution (Prop. 5.4). Where a
    /// size is open, or a variable that may be 0, there is none: different sizes are in no order, and 0 is in none with
    /// a dimension.
    pub fn is_greatest(&self) -> bool {
        let engine = self.engine();
        let zeros_are_open =
            engine.problem.zeros_are_open || engine.problem.has_loose_summands(&engine.sizes.rests);
        if zeros_are_open || engine.has_open_sizes() {
            return false;
        }
        let mut inferences = engine.inferences.ids();
        let mut rows = engine.rows.nodes.ids();
        !inferences.any(|at| engine.inferences.get(at).policy)
            && !rows.any(|var| engine.is_unplaced(var))
    }
}

impl Engine {
    pub(crate) fn standing_of(&self, var: &Var, lines: &TextLines) -> Option<Standing> {
        let (reasons, terms, free) = match var {
            Var::Dim(name) => {
                let id = self.problem.dim_names.find(name.name())?;
                if self.problem.zeros.contains(&id) {
                    let steps = Vec::new();
                    return Some(match self.problem.zeros_are_open {
                        true => Standing::Chosen { steps },
                        false => Standing::Forced,
                    });
                }
                let term = Term::var(id);
                let root = self.dims.peek(term);
                let free = root.is_var().then(|| self.free_dim(root, lines));
                (Vec::new(), vec![term], free)
            }
            Var::Row(name) => {
                let id = self.problem.row_names.find(name.name())?;
                let (reasons, terms) = self.row_reasons(id);
                (reasons, terms, self.free_row(id, lines))
            }
        };
        if let Some(free) = free {
            return Some(free);
        }
        let behind = self.inferences.behind(&reasons, &terms, &self.dims);
        let mut steps: Vec<PolicyStep> = behind
            .inferences
            .iter()
            .filter(|at| self.inferences.get(**at).policy)
            .map(|at| self.policy_step(*at, lines))
            .collect();
        if let Var::Row(name) = var
            && let Some(id) = self.problem.row_names.find(name.name())
        {
            steps.extend(self.unplaced(id, lines));
        }
        // A value that is forced where some variables are 0 may be otherwise where others are.
        Some(match steps.is_empty() && !self.problem.zeros_are_open {
            true => Standing::Forced,
            false => Standing::Chosen { steps },
        })
    }

    fn cited(&self, reasons: &[Reason], lines: &TextLines) -> Vec<Cited> {
        let behind = self.inferences.behind(reasons, &[], &self.dims);
        let constraints = behind.constraints.iter();
        constraints
            .map(|index| Cited::new(&self.problem, lines, index.index()))
            .collect()
    }

    /// Says whether a constraint of sizes leaves something open: a size, its basis, or the axes of a row.
    fn has_open_sizes(&self) -> bool {
        let mut terms = Vec::new();
        !self.sizes.open.is_empty()
            || self.sizes.all().iter().any(|id| {
                self.list_terms(*id, &mut terms);
                terms.iter().any(|term| self.dims.peek(*term).is_var())
            })
    }

    /// Returns the standing of a dimension variable that is not solved.
    fn free_dim(&self, root: Term, lines: &TextLines) -> Standing {
        let mut reasons = Vec::new();
        let atom = self.bounds_of_dim(root, &mut reasons);
        Standing::Free {
            atom,
            size: self.forced_size(root),
            at_least: [0; 2],
            bounds: self.cited(&reasons, lines),
        }
    }

    /// Returns the size of a class whose basis is open, if it rests on no choice.
    fn forced_size(&self, root: Term) -> Option<NonZeroU64> {
        let (size, reason) = self.sizes.known(root).size?;
        let behind = self.inferences.behind(&[reason], &[], &self.dims);
        let mut inferences = behind.inferences.iter();
        let is_chosen = inferences.any(|at| self.inferences.get(*at).policy);
        (!is_chosen && !self.sizes.is_rest(root) && !self.problem.zeros_are_open).then_some(size)
    }

    /// Adds what bounds an unsolved dimension variable; returns the atom below it.
    fn bounds_of_dim(&self, root: Term, reasons: &mut Vec<Reason>) -> Option<Dim> {
        if root.id().index() >= self.dims.len() {
            return None;
        }
        let mut above = Vec::new();
        self.dims.above(root, &mut above);
        reasons.extend(above.into_iter().map(|(.., reason)| reason));
        let related = self.sizes.uses_of(root).take(MOST_RELATED);
        reasons.extend(related.map(Reason::constraint));
        let cap = self.dims.cap(root)?;
        reasons.extend(self.dims.cap_reason(root));
        Some(self.problem.constants.dim(cap.constant_id()).clone())
    }

    /// Returns the standing of a row variable whose rank or one of whose axes is not solved; `None` for another one.
    fn free_row(&self, var: RowVarId, lines: &TextLines) -> Option<Standing> {
        if !self.rows.knows(var) {
            return Some(Standing::Free {
                atom: None,
                size: None,
                at_least: [0; 2],
                bounds: Vec::new(),
            });
        }
        let (mut open, mut at_least) = (var, PerFlank::both(0));
        loop {
            let node = self.rows.nodes.at(open);
            at_least = at_least.zip(node.len, |sum, len| sum + len);
            match node.binding {
                Binding::Open => break,
                Binding::Closed => return self.free_axes(var, at_least, lines),
                Binding::Content(content) | Binding::Alias(content) => {
                    let row = self.row(self.rows.contents.at(content).row);
                    at_least = PerFlank::each(|flank| at_least[flank] + row.flank(flank));
                    match row.var {
                        None => return self.free_axes(var, at_least, lines),
                        Some(inner) => open = inner,
                    }
                }
            }
        }
        let mut reasons = Vec::new();
        let node = self.rows.nodes.at(open);
        let (mut result, mut operand) = (node.results, node.operands);
        while let Some(id) = result {
            let inequality = self.rows.inequalities.at(id);
            reasons.push(inequality.reason);
            result = inequality.next_result;
        }
        while let Some(id) = operand {
            let inequality = self.rows.inequalities.at(id);
            reasons.push(inequality.reason);
            operand = inequality.next_operand;
        }
        let counting = self.sizes.spelling.watching(open).take(MOST_RELATED);
        reasons.extend(counting.map(Reason::constraint));
        Some(Standing::Free {
            atom: None,
            size: None,
            at_least: at_least.0,
            bounds: self.cited(&reasons, lines),
        })
    }

    /// Returns the standing of a row variable of known rank, some of whose axes are not solved; `None` where all are.
    fn free_axes(
        &self,
        var: RowVarId,
        at_least: PerFlank<u32>,
        lines: &TextLines,
    ) -> Option<Standing> {
        if !self.is_free_row(var) {
            return None;
        }
        let (reasons, terms) = self.row_reasons(var);
        let open = |term: &&Term| self.dims.peek(**term).is_var();
        let mut reasons = reasons;
        for term in terms.iter().filter(open) {
            self.bounds_of_dim(self.dims.peek(*term), &mut reasons);
        }
        Some(Standing::Free {
            atom: None,
            size: None,
            at_least: at_least.0,
            bounds: self.cited(&reasons, lines),
        })
    }

    /// Says whether the content of a row is known and no inequality has asked where its marker stands. A solution shows
    /// it where the content was split.
    pub(crate) fn is_unplaced(&self, var: RowVarId) -> bool {
        let mut var = var;
        while let Binding::Content(content) = self.binding(var) {
            let row = self.row(self.rows.contents.at(content).row);
            if row.lead + row.trail > 0 {
                return true;
            }
            match row.var {
                None => return false,
                Some(inner) => var = inner,
            }
        }
        false
    }

    /// Returns the choice of the marker of such a row.
    fn unplaced(&self, var: RowVarId, lines: &TextLines) -> Option<PolicyStep> {
        let Binding::Content(content) = self.binding(var) else {
            return None;
        };
        self.is_unplaced(var).then(|| {
            let reason = self.rows.contents.at(content).reason;
            PolicyStep {
                rule: Rule::ReOpenClosed,
                text: format!(
                    "the marker of {} is placed where {} has it",
                    self.row_called(var),
                    Solution::new(self).row_value(var)
                ),
                because: self.cited(reason.as_slice(), lines),
            }
        })
    }
}
