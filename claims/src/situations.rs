//! The premises of the closing rules and of the checks for cycles, which depend on a whole run and not on one
//! constraint and the bounds.

use lozenge_spec::Run;
use lozenge_spec::solve::End;
use lozenge_spec::trace::TraceEntry;
use lozenge_vocabulary::composite::Composition;
use lozenge_vocabulary::{Constraint, ConstraintSet, Rule};

type IsMet = fn(&ConstraintSet, &Run) -> bool;

/// The cases of each rule that a run may be in, or premises that it may violate, each with a test on the run.
pub const SITUATIONS: &[(Rule, &str, IsMet)] = &[
    (
        Rule::RankCycle,
        "a row grows, and there is no cycle",
        |_, run| met(run, Rule::RiDeficit) && run.failure().is_none(),
    ),
    (
        Rule::RankCycle,
        "there is a cycle, and nothing grows along it",
        |set, run| run.failure().is_none() && set.constraints.iter().any(|c| turns_back(set, c)),
    ),
    (
        Rule::CloseLeaf,
        "the leaf has a cap, and becomes it",
        |_, run| by(run, Rule::CloseLeaf).any(|s| !binds_top(s)),
    ),
    (
        Rule::CloseLeaf,
        "the leaf has no cap, and becomes the top",
        |_, run| by(run, Rule::CloseLeaf).any(binds_top),
    ),
    (
        Rule::CloseLeaf,
        "the variable without a cap belongs to a parameter, and is refused",
        |_, run| run.failure().is_some_and(|f| f.rule == Rule::CloseLeaf),
    ),
    (
        Rule::CloseLeaf,
        "there is a variable, and it is no leaf",
        |set, run| closes(run) && set.tags.is_empty() && !met(run, Rule::CloseLeaf),
    ),
    (
        Rule::CloseInterior,
        "there is a variable, and it is a leaf",
        |set, run| closes(run) && !set.tags.is_empty() && !met(run, Rule::CloseInterior),
    ),
    (
        Rule::CloseInterior,
        "there is a variable, and it is solved before closing",
        |set, run| !set.vars().is_empty() && run.failure().is_none() && !closes(run),
    ),
    (
        Rule::CloseDeferred,
        "an equation is deferred, and solved before closing",
        |_, run| deferred(run) && !met(run, Rule::CloseDeferred) && run.failure().is_none(),
    ),
    (
        Rule::CloseDeferred,
        "an equation is deferred, and still so when closing",
        |_, run| deferred(run) && met(run, Rule::CloseDeferred),
    ),
    (
        Rule::CoCycle,
        "an axis has parts, and is not longer than itself",
        |set, run| run.failure().is_none() && set.constraints.iter().any(is_concatenation),
    ),
    (
        Rule::CloseBasis,
        "a size is found, and its basis is known",
        |set, run| {
            ends_with_sizes(set, run) && !met(run, Rule::CloseBasis) && met(run, Rule::WiOver)
        },
    ),
    (
        Rule::CloseRow,
        "the row whose elements are counted is closed by the other rules",
        |set, run| ends_with_sizes(set, run) && counts(set) && !met(run, Rule::CloseRow),
    ),
    (
        Rule::CloseArith,
        "no size is open once the leaves are closed",
        |set, run| ends_with_sizes(set, run),
    ),
];

/// Tells whether a run through closing reaches its end on a set about sizes.
fn ends_with_sizes(set: &ConstraintSet, run: &Run) -> bool {
    set.has_sizes() && matches!(run.end, End::Solved)
}

fn is_concatenation(constraint: &Constraint) -> bool {
    matches!(constraint, Constraint::Composite(of) if of.composition == Composition::Concat)
}

fn counts(set: &ConstraintSet) -> bool {
    let mut all = set.constraints.iter();
    all.any(|constraint| matches!(constraint, Constraint::Elements(_)))
}

fn by(run: &Run, rule: Rule) -> impl Iterator<Item = &TraceEntry> {
    let steps = run.config.trace.iter().flatten();
    steps.filter(move |step| step.rule == rule)
}

fn met(run: &Run, rule: Rule) -> bool {
    by(run, rule).next().is_some()
}

fn closes(run: &Run) -> bool {
    met(run, Rule::CloseLeaf) || met(run, Rule::CloseInterior)
}

fn deferred(run: &Run) -> bool {
    met(run, Rule::ReSplit) || met(run, Rule::ReRotational)
}

/// Tells whether a closing step binds the unit or the row without axes.
fn binds_top(step: &TraceEntry) -> bool {
    let value = step.bound.as_ref().map(|(_, value)| value.as_str());
    matches!(value, Some("1_" | "[]"))
}

/// Tells whether the set also has this inequality with its two sides exchanged, between different row variables.
fn turns_back(set: &ConstraintSet, constraint: &Constraint) -> bool {
    let Constraint::RowLe(low, high) = constraint else {
        return false;
    };
    let open = low.var.is_some() && high.var.is_some() && low.var != high.var;
    let back = Constraint::RowLe(high.clone(), low.clone());
    open && set.constraints.contains(&back)
}
