//! Refusal of a problem: the rule, the constraints behind it, the policy step upstream, the variables.

use std::collections::BTreeSet;
use std::fmt;

use lozenge_vocabulary::{Constraint, Rule, Tag, Var, Verdict, rule};
use serde::{Deserialize, Serialize};

use crate::ids::{AssertedId, Id, InferenceId};
use crate::problem::Problem;
use crate::problem::text_lines::TextLines;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::Failure;
use crate::state::provenance::Provenance;
use crate::term::Term;

/// An asserted constraint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cited {
    /// Its number in the problem, from 0.
    pub index: usize,
    /// Its text in the notation.
    pub text: String,
    /// Its line in the text that was parsed, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<usize>,
    /// Its bytes in the text that was parsed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub span: Option<(usize, usize)>,
    /// The label that [`Problem::label`] gave it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub label: Option<String>,
}

impl From<&Cited> for lozenge_vocabulary::Cited {
    fn from(cited: &Cited) -> lozenge_vocabulary::Cited {
        lozenge_vocabulary::Cited {
            constraint: cited.index + 1,
            line: cited.line,
            text: cited.text.clone(),
        }
    }
}

impl Cited {
    /// Cites a constraint; `lines` is [`Problem::lines`].
    pub(crate) fn new(problem: &Problem, lines: &TextLines, index: usize) -> Cited {
        let span = problem.span(index).filter(|_| problem.text.is_some());
        Cited {
            index,
            text: problem
                .constraint(index)
                .map(|asserted| asserted.to_string())
                .unwrap_or_default(),
            line: span.as_ref().map(|span| lines.line(span.start)),
            span: span.map(|span| (span.start, span.end)),
            label: problem.label_of(index).map(str::to_string),
        }
    }
}

impl fmt::Display for Cited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.text),
            None => write!(f, "constraint {}: {}", self.index + 1, self.text),
        }?;
        match &self.label {
            Some(label) => write!(f, " ({label})"),
            None => Ok(()),
        }
    }
}

/// A commitment that may lose solutions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyStep {
    /// The rule that commits.
    pub rule: Rule,
    /// The commitment, in the notation.
    pub text: String,
    /// The constraints that asked for it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub because: Vec<Cited>,
}

impl fmt::Display for PolicyStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.rule)?;
        for (at, cited) in self.because.iter().enumerate() {
            let before = if at == 0 { " because of" } else { "," };
            write!(f, "{before} {cited}")?;
        }
        Ok(())
    }
}

/// A variable that takes part, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Involved {
    /// The variable.
    pub var: Var,
    /// The purpose of the constraint: what was said of it, or its tag.
    pub purpose: String,
}

/// A refusal: the reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// `Unsat`, or `Rejected` when a policy step lies upstream; `Unknown` where a limit was reached.
    pub verdict: Verdict,
    /// The rule that failed. Where a limit was reached it says nothing.
    pub rule: Rule,
    /// The contradiction, in words.
    pub message: String,
    /// The constraints behind the failure, in the order in which they were asserted.
    pub chain: Vec<Cited>,
    /// True if the chain is subset-minimal: dropping any one constraint makes the rest satisfiable, or refused with
    /// another verdict. Always so for up to 256 constraints. For a longer chain the search stops after [`MINIMISING`]
    /// constraints, and the chain is as short as it was then.
    pub minimal: bool,
    /// The first policy step upstream.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub policy: Option<PolicyStep>,
    /// Every commitment of closing that takes part. Where the commitments of one round contradict each other, there are
    /// at least two.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub commitments: Vec<PolicyStep>,
    /// The variables of the chain.
    pub variables: Vec<Involved>,
    /// Constraints with which closing succeeds, where it refuses because a size is open. That was tried. None where
    /// none were found.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub proposed: Vec<Constraint>,
}

impl Refusal {
    /// Returns the refusal at a limit.
    pub(crate) fn of_limit(message: String) -> Refusal {
        Refusal {
            verdict: Verdict::Unknown,
            rule: Rule::ArResidue,
            message,
            chain: Vec::new(),
            minimal: false,
            policy: None,
            commitments: Vec::new(),
            variables: Vec::new(),
            proposed: Vec::new(),
        }
    }
}

/// The number of constraints that are solved again, over all attempts, to make the chain of one refusal minimal.
pub const MINIMISING: usize = 1 << 18;

/// The number of commitments that are printed.
const SHOWN: usize = 8;

/// Chains longer than this are cut down by halves first.
const LONG: usize = 64;

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.verdict, self.message)?;
        match self.verdict {
            // No rule says where a limit lies.
            Verdict::Unknown => writeln!(f)?,
            _ => writeln!(f, " ({})", self.rule)?,
        }
        for cited in &self.chain {
            writeln!(f, "  {cited}")?;
        }
        match &*self.commitments {
            [_, _, ..] => {
                for step in self.commitments.iter().take(SHOWN) {
                    writeln!(f, "  after {step}")?;
                }
            }
            _ => {
                if let Some(policy) = &self.policy {
                    writeln!(
                        f,
                        "  after a choice of policy: {} ({})",
                        policy.text, policy.rule
                    )?;
                }
            }
        }
        // Every variable is interior unless something else was said of it.
        let told = |involved: &&Involved| involved.purpose != Tag::Interior.word();
        for Involved { var, purpose } in self.variables.iter().filter(told) {
            writeln!(f, "  {var}: {purpose}")?;
        }
        Ok(())
    }
}

/// The stage up to which a problem is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    Solve,
    Close,
}

/// The kind of a refusal, which a part of its chain has to share: the verdict, and what closing misses if it is refused
/// for that.
type Kind = (Verdict, Option<Rule>);

/// Returns the rule if it fails because nothing determines something: a parameter, or a size.
fn missing(rule: Rule) -> Option<Rule> {
    [Rule::CloseLeaf, Rule::CloseArith]
        .contains(&rule)
        .then_some(rule)
}

impl Engine {
    pub(crate) fn run_to(&mut self, goal: Goal) -> EngineResult {
        self.begin_work();
        let step = self.reach(goal);
        self.give_back_lists();
        step
    }

    fn reach(&mut self, goal: Goal) -> EngineResult {
        match goal {
            Goal::Solve => self.solve()?,
            Goal::Close => self.close()?,
        }
        self.keep_limits()
    }

    /// Returns the verdict on a failure: it depends on whether a policy step lies behind it.
    pub(crate) fn verdict_of(&self, failure: &Failure, behind: &Provenance) -> Verdict {
        let policy = behind
            .inferences
            .iter()
            .any(|at| self.inferences.get(*at).policy);
        if failure.is_limit {
            Verdict::Unknown
        } else if policy || missing(failure.rule).is_some() {
            Verdict::Rejected
        } else {
            Verdict::Unsat
        }
    }

    /// Makes a refusal of a failure, its chain as short as it can be.
    pub(crate) fn refusal(&self, failure: &Failure, goal: Goal) -> Refusal {
        let behind = self
            .inferences
            .behind(&failure.reasons, &failure.terms, &self.dims);
        let verdict = self.verdict_of(failure, &behind);
        let mut chain: Vec<AssertedId> = behind.constraints.iter().copied().collect();
        let mut shortest = None;
        let mut work = MINIMISING;
        // A failure in a part of a chain may need still less: policy does not grow with its constraints.
        while chain.len() > 1 {
            let kind = (verdict, missing(failure.rule));
            let minimal = self.minimal(chain.clone(), kind, goal, &mut work);
            let mut engine = Engine::new(self.problem.subset(&minimal));
            let Err(failure) = engine.run_to(goal) else {
                break;
            };
            let refusal = engine.explained(&failure);
            if refusal.verdict != verdict {
                break;
            }
            let cited = refusal.chain.iter().map(|cited| minimal[cited.index]);
            let fewer: Vec<AssertedId> = cited.collect();
            let done = fewer.len() == chain.len() || work == 0;
            shortest = Some((refusal, fewer.clone(), minimal));
            if done {
                break;
            }
            chain = fewer;
        }
        let Some((mut refusal, chain, solved)) = shortest else {
            let mut refusal = self.explained(failure);
            refusal.minimal = refusal.chain.len() <= 1;
            return refusal;
        };
        refusal.minimal = work > 0;
        let lines = self.problem.lines();
        let original =
            |cited: &Cited| Cited::new(&self.problem, &lines, solved[cited.index].index());
        for step in refusal.policy.iter_mut().chain(&mut refusal.commitments) {
            step.because = step.because.iter().map(original).collect();
        }
        refusal.chain = chain
            .iter()
            .map(|index| Cited::new(&self.problem, &lines, index.index()))
            .collect();
        refusal
    }

    fn explained(&self, failure: &Failure) -> Refusal {
        let behind = self
            .inferences
            .behind(&failure.reasons, &failure.terms, &self.dims);
        let lines = self.problem.lines();
        let mut commitments: Vec<PolicyStep> = behind
            .inferences
            .iter()
            .filter(|at| self.inferences.get(**at).policy)
            .map(|at| self.policy_step(*at, &lines))
            .collect();
        let policy = commitments.first().cloned();
        let closing = [Rule::CloseLeaf, Rule::CloseBasis, Rule::CloseRow];
        commitments.retain(|step| closing.contains(&step.rule));
        let mut vars = BTreeSet::new();
        for index in &behind.constraints {
            let asserted = self.problem.constraint(index.index());
            vars.extend(asserted.into_iter().flat_map(|asserted| asserted.vars()));
        }
        let named = failure.terms.iter().filter_map(|term| self.named(*term));
        vars.extend(named);
        Refusal {
            verdict: self.verdict_of(failure, &behind),
            rule: failure.rule,
            message: self.message(failure),
            chain: behind
                .constraints
                .iter()
                .map(|index| Cited::new(&self.problem, &lines, index.index()))
                .collect(),
            minimal: false,
            policy,
            commitments,
            variables: vars
                .into_iter()
                .map(|var| Involved {
                    purpose: self.problem.purpose_of(&var).to_string(),
                    var,
                })
                .collect(),
            proposed: Vec::new(),
        }
    }

    pub(crate) fn policy_step(&self, at: InferenceId, lines: &TextLines) -> PolicyStep {
        let inference = self.inferences.get(at);
        let behind = self.inferences.behind_inference(at, &self.dims);
        let cited = behind.constraints.iter();
        PolicyStep {
            rule: inference.rule,
            text: self.inference_text(&inference),
            because: cited
                .map(|index| Cited::new(&self.problem, lines, index.index()))
                .collect(),
        }
    }

    /// Drops each constraint of a chain that the failure does not need, as long as there is `work` left; of a long
    /// chain, large parts first.
    fn minimal(
        &self,
        mut chain: Vec<AssertedId>,
        kind: Kind,
        goal: Goal,
        work: &mut usize,
    ) -> Vec<AssertedId> {
        let mut part = if chain.len() > LONG { chain.len() } else { 1 };
        while part > 0 {
            let mut at = 0;
            while at < chain.len() {
                let mut fewer = chain.clone();
                fewer.drain(at..(at + part).min(chain.len()));
                *work = work.saturating_sub(fewer.len());
                if *work == 0 {
                    return chain;
                }
                if self.kind_of_part(&fewer, goal) == Some(kind) {
                    chain = fewer;
                } else {
                    at += part;
                }
            }
            part /= 2;
        }
        chain
    }

    /// Returns the kind of refusal of a part of the problem, if it is refused.
    fn kind_of_part(&self, chosen: &[AssertedId], goal: Goal) -> Option<Kind> {
        let mut engine = Engine::new(self.problem.subset(chosen));
        let failure = engine.run_to(goal).err()?;
        let behind = engine
            .inferences
            .behind(&failure.reasons, &failure.terms, &engine.dims);
        let verdict = engine.verdict_of(&failure, &behind);
        Some((verdict, missing(failure.rule)))
    }

    fn message(&self, failure: &Failure) -> String {
        if !failure.message.is_empty() {
            return match failure.terms.first().and_then(|term| self.named(*term)) {
                Some(var) => format!("{var}: {}", failure.message),
                None => failure.message.clone(),
            };
        }
        let value = |term: &Term| self.shown(self.dims.peek(*term));
        let met: Vec<String> = failure.terms.iter().take(2).map(value).collect();
        let [result, operand] = &met[..] else {
            return format!("the dimension {} is refused", met.join(", "));
        };
        match failure.rule {
            Rule::DiGround => rule::not_below(result, operand),
            _ => rule::unequal(result, operand),
        }
    }
}
