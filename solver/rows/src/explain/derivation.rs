//! The derivation of a value as a short numbered list of steps.

use std::collections::BTreeMap;
use std::fmt;

use lozenge_vocabulary::alignment::{Flank, PerFlank};
use lozenge_vocabulary::{Dim, DimVar, Rule, Var};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::explain::refusal::Cited;
use crate::explain::solution::Solution;
use crate::ids::{Id, InferenceId, RowVarId};
use crate::state::engine::Engine;
use crate::state::inferences::{Conclusion, Inference, Reason};
use crate::state::rows::Binding;
use crate::term::Term;

/// One step of a derivation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DerivationStep {
    /// The rule that concludes.
    pub rule: Rule,
    /// True if it is a policy step.
    pub policy: bool,
    /// The conclusion, in the notation.
    pub text: String,
    /// The steps that it uses, by their number from 1.
    pub uses: Vec<usize>,
    /// The asserted constraints that it uses.
    pub constraints: Vec<Cited>,
}

/// The steps by which a variable came to have its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Derivation {
    /// The variable.
    pub var: Var,
    /// Its value in the notation.
    pub value: String,
    /// The purpose of the constraint: what was said of it, or its tag.
    pub purpose: String,
    /// The steps, each after those that it uses. None: nothing determines the variable, and it stands at its top.
    pub steps: Vec<DerivationStep>,
}

impl fmt::Display for Derivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} = {} ({})", self.var, self.value, self.purpose)?;
        for (number, step) in self.steps.iter().enumerate() {
            write!(f, "{}. {} [{}", number + 1, step.text, step.rule)?;
            if step.policy {
                f.write_str(", a choice")?;
            }
            f.write_str("]")?;
            for used in &step.uses {
                write!(f, " by {used}")?;
            }
            writeln!(f)?;
            for cited in &step.constraints {
                writeln!(f, "     {cited}")?;
            }
        }
        if self.steps.is_empty() && self.value == "0" {
            writeln!(
                f,
                "Of the choices of which parts are 0 this is the first with a solution."
            )?;
        } else if self.steps.is_empty() {
            writeln!(f, "No step determines it: it stands at its top.")?;
        }
        Ok(())
    }
}

impl Engine {
    /// Returns the derivation of a variable with its first steps, and how many steps there are; `None` when the problem
    /// does not mention it.
    pub(crate) fn derivation(&self, var: &Var, most: usize) -> Option<(Derivation, usize)> {
        let solution = Solution::new(self);
        let value = match var {
            Var::Dim(name) if solution.is_zero(name.name()) => "0".to_string(),
            Var::Dim(name) => solution.dim(name.name())?.to_string(),
            Var::Row(name) => solution.row(name.name())?.to_string(),
        };
        let (reasons, terms) = self.value_reasons(var)?;
        let (listed, number) = self.numbered(&reasons, &terms);
        let shown = &listed[..listed.len().min(most)];
        let derivation = Derivation {
            var: var.clone(),
            value,
            purpose: self.problem.purpose_of(var).to_string(),
            steps: self.steps(shown, &number),
        };
        Some((derivation, listed.len()))
    }

    /// Returns the constraints that the derivation of a variable cites, each once, those of the last steps first.
    /// Nothing is put into words.
    pub(crate) fn constraints_behind(&self, var: &Var) -> Option<Vec<usize>> {
        let (reasons, terms) = self.value_reasons(var)?;
        let (listed, number) = self.numbered(&reasons, &terms);
        let mut seen = FxHashSet::default();
        let steps = listed.iter().rev();
        let constraints = steps.flat_map(|at| self.used_by(*at, &number).1);
        Some(constraints.filter(|index| seen.insert(*index)).collect())
    }

    /// Collects the reasons for the value of a variable; `None` when the problem does not mention it.
    fn value_reasons(&self, var: &Var) -> Option<(Vec<Reason>, Vec<Term>)> {
        Some(match var {
            Var::Dim(name) => {
                let term = Term::var(self.problem.dim_names.find(name.name())?);
                let root = self.dims.peek(term);
                let cap = match root.is_var() && root.id().index() < self.dims.len() {
                    true => self.dims.cap_reason(root).into_iter().collect(),
                    false => Vec::new(),
                };
                (cap, vec![term])
            }
            Var::Row(name) => self.row_reasons(self.problem.row_names.find(name.name())?),
        })
    }

    /// Collects the reasons for a row's length, content and axes.
    pub(crate) fn row_reasons(&self, var: RowVarId) -> (Vec<Reason>, Vec<Term>) {
        let (mut reasons, mut terms) = (Vec::new(), Vec::new());
        self.add_row_reasons(var, &mut reasons, &mut terms);
        (reasons, terms)
    }

    /// Appends what the row's length, content and axes rest on.
    pub(crate) fn add_row_reasons(
        &self,
        var: RowVarId,
        reasons: &mut Vec<Reason>,
        terms: &mut Vec<Term>,
    ) {
        if !self.rows.knows(var) {
            return;
        }
        let mut var = var;
        loop {
            let node = self.rows.nodes.at(var);
            let PerFlank([lead, trail]) = node.length_reasons;
            reasons.extend([lead, trail, node.fixed].into_iter().flatten());
            for flank in Flank::BOTH {
                let axes = 0..node.len[flank].min(self.rows.room(var, flank));
                terms.extend(axes.filter_map(|at| self.rows.axis(var, flank, at)));
            }
            let (Binding::Content(content) | Binding::Alias(content)) = node.binding else {
                return;
            };
            let content = self.rows.contents.at(content);
            reasons.extend(content.reason);
            let row = self.row(content.row);
            let (start, count) = (row.start as usize, (row.lead + row.trail) as usize);
            terms.extend_from_slice(&self.problem.terms[start..start + count]);
            match row.var {
                None => return,
                Some(inner) => var = inner,
            }
        }
    }

    /// Returns the inferences behind something that a derivation lists, and for each its number from 1.
    fn numbered(
        &self,
        reasons: &[Reason],
        terms: &[Term],
    ) -> (Vec<InferenceId>, BTreeMap<InferenceId, usize>) {
        let behind = self.inferences.behind(reasons, terms, &self.dims);
        let listed: Vec<InferenceId> = behind
            .inferences
            .into_iter()
            .filter(|at| self.inferences.get(*at).conclusion != Conclusion::Both)
            .collect();
        let number: BTreeMap<InferenceId, usize> = listed
            .iter()
            .enumerate()
            .map(|(n, at)| (*at, n + 1))
            .collect();
        (listed, number)
    }

    fn steps(
        &self,
        listed: &[InferenceId],
        number: &BTreeMap<InferenceId, usize>,
    ) -> Vec<DerivationStep> {
        let lines = self.problem.lines();
        listed
            .iter()
            .map(|at| {
                let inference = self.inferences.get(*at);
                let (uses, constraints) = self.used_by(*at, number);
                DerivationStep {
                    rule: inference.rule,
                    policy: inference.policy,
                    text: self.inference_text(&inference),
                    uses,
                    constraints: constraints
                        .into_iter()
                        .map(|index| Cited::new(&self.problem, &lines, index))
                        .collect(),
                }
            })
            .collect()
    }

    /// Returns the numbered steps and the constraints that a fact uses directly, each in order.
    fn used_by(
        &self,
        at: InferenceId,
        number: &BTreeMap<InferenceId, usize>,
    ) -> (Vec<usize>, Vec<usize>) {
        let inference = self.inferences.get(at);
        let (mut uses, mut constraints) = (Vec::new(), Vec::new());
        let mut todo: Vec<Reason> = inference.parents.into_iter().flatten().collect();
        if let Conclusion::Equal(a, b) | Conclusion::Cap(a, b) = inference.conclusion {
            self.dims.links(a, Some(at), &mut todo);
            self.dims.links(b, Some(at), &mut todo);
        }
        // Conjunctions share their parts: without what was seen a chain of them would be walked along each of its
        // paths.
        let mut seen = FxHashSet::default();
        while let Some(reason) = todo.pop() {
            if let Some(index) = reason.as_constraint() {
                constraints.push(index.index());
            } else if let Some(parent) = reason.as_inference().filter(|parent| seen.insert(*parent))
            {
                match number.get(&parent) {
                    Some(number) => uses.push(*number),
                    None => {
                        let parents = self.inferences.get(parent).parents;
                        todo.extend(parents.into_iter().flatten());
                    }
                }
            }
        }
        uses.sort_unstable();
        uses.dedup();
        constraints.sort_unstable();
        constraints.dedup();
        (uses, constraints)
    }

    /// Returns a fact in words.
    pub(crate) fn inference_text(&self, inference: &Inference) -> String {
        match (inference.rule, inference.conclusion) {
            (Rule::CloseLeaf | Rule::CloseBasis, Conclusion::Cap(term, value)) => {
                format!(
                    "{} = {}, to which closing commits it",
                    self.shown(term),
                    self.shown(value)
                )
            }
            (Rule::CloseLeaf | Rule::CloseRow, Conclusion::Placed(var)) => {
                let var = self.outer_row(var);
                let value = Solution::new(self).row_value(var);
                let row = self.row_called(var);
                format!("{row} = {value}, to which closing commits it")
            }
            _ => self.conclusion_text(&inference.conclusion),
        }
    }

    /// Returns a conclusion in words.
    pub(crate) fn conclusion_text(&self, conclusion: &Conclusion) -> String {
        match *conclusion {
            Conclusion::Equal(a, b) => {
                let (left, right) = (self.shown_beside(a, b), self.shown_beside(b, a));
                format!("{left} = {right}")
            }
            Conclusion::Cap(high, low) => match self.dims.peek(low) {
                root if root.is_var() && self.dims.cap(root).is_some() => {
                    let cap = self.dims.cap(root).unwrap_or(root);
                    format!("{} <= {}", self.shown(cap), self.shown(high))
                }
                root => format!("{} <= {}", self.shown(root), self.shown(high)),
            },
            Conclusion::AtLeast(var, flank, len) => format!(
                "{} has at least {len} {} axes",
                self.row_called(var),
                if flank == Flank::Leading {
                    "leading"
                } else {
                    "trailing"
                }
            ),
            Conclusion::Content(var, row) => format!(
                "{} holds {} between its known flanks, up to the marker",
                self.row_called(var),
                self.row_shown(row)
            ),
            Conclusion::Placed(var) => {
                format!("the marker of {} is placed", self.row_called(var))
            }
            Conclusion::Both => "both".to_string(),
            Conclusion::Atom(term) => format!("{} is not 1_", self.shown(term)),
            Conclusion::Size(term, atom) => {
                let size = self.problem.constants.dim(atom.constant_id()).size();
                let size = size - u64::from(self.sizes.is_rest(term));
                format!("the size of {} is {size}", self.shown(term))
            }
            Conclusion::Basis(term, atom) => match self.problem.constants.dim(atom.constant_id()) {
                Dim::Atom { basis, .. } => {
                    format!("the basis of {} is {}", self.shown(term), basis.name())
                }
                Dim::Unit => "both".to_string(),
            },
        }
    }

    /// Shows a term that is equal to another one. A rest is one less than the term that is equal to it.
    fn shown_beside(&self, term: Term, other: Term) -> String {
        match self.sizes.is_rest(other) {
            true => {
                let size = self.size_of(term).unwrap_or(1);
                (size - 1).to_string()
            }
            false => self.shown(term),
        }
    }

    /// Returns a term: an axis of a row that has no name of its own is called by its place.
    pub(crate) fn shown(&self, term: Term) -> String {
        match self.axis_of(term) {
            Some((var, flank, at)) => self.axis_text(var, flank, at),
            None => self.problem.show_dim(term).to_string(),
        }
    }

    /// Returns an axis of a row variable, counted from the outer edge of a flank.
    pub(crate) fn axis_text(&self, var: RowVarId, flank: Flank, at: u32) -> String {
        let end = if flank == Flank::Leading {
            "front"
        } else {
            "back"
        };
        let row = self.row_called(var);
        format!("axis {} from the {end} of {row}", at + 1)
    }

    /// Returns the row variable, the flank and the position whose axis a dimension variable is.
    pub(crate) fn axis_of(&self, term: Term) -> Option<(RowVarId, Flank, u32)> {
        if !term.is_var() {
            return None;
        }
        let axes = self.minted.as_slice();
        let at = axes
            .binary_search_by_key(&term.id(), |axis| axis.dim)
            .ok()?;
        let axis = axes[at];
        Some((axis.var, axis.place.flank(), axis.place.position()))
    }

    /// Returns the variable of the problem that a term is, or is an axis of.
    pub(crate) fn named(&self, term: Term) -> Option<Var> {
        if !term.is_var() {
            return None;
        }
        match self.axis_of(term) {
            Some((var, ..)) => Some(Var::Row(self.row_called(self.outer_row(var)))),
            None => Some(Var::Dim(DimVar::new(
                self.problem.dim_names.name(term.id()),
            ))),
        }
    }
}
