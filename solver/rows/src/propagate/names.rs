//! Variables that are just other names of others: `<r> ~ <s>`, where the content of one of the two is known and its
//! marker is not.

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::alignment::PerFlank;

use crate::ids::{RowTermId, RowVarId};
use crate::state::agenda::Equation;
use crate::state::engine::Engine;
use crate::state::inferences::Conclusion;
use crate::state::rows::{Binding, Content};

impl Engine {
    /// Makes one of two variables that are equated another name of the other, if the content of that one is known and
    /// its marker is not: the two have one marker then, in whatever order their equations are stated. What was known of
    /// the content of the first is said of the other.
    pub(super) fn name_each_other(&mut self, equation: Equation) -> bool {
        let Some((name, named)) = self.name_and_named(equation.row) else {
            return false;
        };
        if let Binding::Content(content) = self.binding(name) {
            let Content { row, reason } = self.rows.contents.get(content);
            let Some(reason) = reason else {
                return false;
            };
            let alone = self.problem.row_of(&[], Some(named), &[]);
            let row = self.problem.pair(self.row(row), alone);
            // The content of the first is said of the other because the two are equal.
            let (rule, equal) = (Rule::ReNested, Some(equation.reason));
            let reason = self.inferences.with(rule, reason, equal);
            self.agenda.equations.push_back(Equation {
                row,
                reason,
                deferred: None,
            });
        }
        self.discharge(equation.deferred);
        let row = self.content_row(&[], Some(named), &[]);
        let conclusion = Conclusion::Content(name, row);
        let reason = [Some(equation.reason), None];
        let inference = self.inferences.record(Rule::ReNested, conclusion, reason);
        self.set_content(name, row, inference);
        true
    }

    /// Returns the one of two variables that are equated which becomes another name of the second.
    #[inline]
    fn name_and_named(&self, equated: RowTermId) -> Option<(RowVarId, RowVarId)> {
        let (left, right) = (self.row(equated), self.row(equated.right()));
        if left.lead + left.trail + right.lead + right.trail > 0 {
            return None;
        }
        let (left, right) = (left.var?, right.var?);
        if self.binding(left) == Binding::Open && self.binding(right) == Binding::Open {
            return None;
        }
        let (left, right) = (self.named_by(left), self.named_by(right));
        let is_content = |var| matches!(self.binding(var), Binding::Content(_));
        if left == right || !is_content(left) && !is_content(right) {
            return None;
        }
        let end = self.open_in(Some(left));
        if end.is_some() && end == self.open_in(Some(right)) {
            return None;
        }
        let is_free = |var: RowVarId| {
            self.rows.nodes.at(var).len == PerFlank::both(0)
                && matches!(self.binding(var), Binding::Open | Binding::Content(_))
        };
        match is_content(right) && is_free(left) {
            true => Some((left, right)),
            false => (is_content(left) && is_free(right)).then_some((right, left)),
        }
    }

    /// Returns the variable of which a variable is just another name, whether that has been handed on or not; or
    /// itself.
    #[inline]
    pub(super) fn named_by(&self, mut var: RowVarId) -> RowVarId {
        while let Binding::Content(content) | Binding::Alias(content) = self.binding(var)
            && let row = self.row(self.rows.contents.at(content).row)
            && row.lead + row.trail == 0
            && self.rows.nodes.at(var).len == PerFlank::both(0)
            && let Some(named) = row.var
        {
            var = named;
        }
        var
    }
}
