//! §5: preservation, termination, solved form, decision, representation, principal models; each as a property of one
//! constraint set.

use std::collections::BTreeSet;

use super::case::{
    Case, STRATEGIES, equations, line, not_below, only_placements, purely_semantic, restricted,
    run, solved, store, through, took_policy, universe,
};
use super::divergence::divergence;
use super::rank_models::{
    Lengths, assignments, models_flanks, models_ranks, rank_assignments, through_bindings,
};
use super::{Effort, Finding, Witness};
use lozenge_spec::literal::Literal;
use lozenge_spec::solve::Run;
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet, Tag};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{DimTerm, RowTerm, Var};
use lozenge_vocabulary::verdict::{Order, Verdict};

pub(super) type Seen = Option<Result<(), String>>;

pub(super) fn check(holds: bool, why: impl FnOnce() -> String) -> Seen {
    Some(if holds { Ok(()) } else { Err(why()) })
}

pub(super) fn against(found: Option<String>) -> Seen {
    Some(found.map_or(Ok(()), Err))
}

/// The greatest solution of a run is a solution of the set.
fn sound(case: &Case, run: &Run) -> Seen {
    let gamma = run.greatest()?;
    check(case.is_solution(&gamma), || {
        format!(
            "the run succeeds with {}, which is no solution",
            line(&gamma)
        )
    })
}

pub(super) fn printed_success_is_sound(case: &Case) -> Seen {
    sound(case, case.printed())
}

pub(super) fn success_is_sound(case: &Case) -> Seen {
    STRATEGIES
        .iter()
        .enumerate()
        .find_map(|(i, _)| sound(case, case.by(i)).filter(|s| s.is_err()))
        .or_else(|| sound(case, case.run()))
}

pub(super) fn semantic_failure_is_sound(case: &Case) -> Seen {
    let failed = (0..STRATEGIES.len()).any(|i| case.by(i).verdict() == Verdict::Unsat);
    failed.then_some(())?;
    check(!case.has_solution()?, || {
        "a semantic step fails, and there is a solution".into()
    })
}

/// "The bound variable's flat content is entailed" at every policy step.
pub(super) fn policy_content_is_entailed(case: &Case) -> Seen {
    let run = case.run();
    (solved(run) && took_policy(run)).then_some(())?;
    let bound = run.config.commitments.iter().filter_map(|c| match &c.var {
        Var::Row(var) if case.set.vars().contains(&c.var) => {
            Some((var, run.config.bindings.rows.get(var)?.ground()?))
        }
        _ => None,
    });
    let bound: Vec<_> = bound.collect();
    against(case.solutions().iter().find_map(|gamma| {
        let (var, value) = bound.iter().find(|(var, value)| {
            gamma
                .rows
                .get(*var)
                .is_some_and(|own| !own.flat_equivalent(value))
        })?;
        Some(format!(
            "the run binds {var} to {value}, and {} is a solution",
            line(gamma)
        ))
    }))
}

pub(super) fn lemma_5_1_repaired(case: &Case) -> Seen {
    match (success_is_sound(case), semantic_failure_is_sound(case)) {
        (Some(Err(why)), _) | (_, Some(Err(why))) => Some(Err(why)),
        (None, None) => None,
        _ => exact_representation(case).or(Some(Ok(()))),
    }
}

pub(super) fn solutions_induce_rank_models(case: &Case) -> Seen {
    let lengths = |gamma: &Ground| {
        gamma
            .rows
            .iter()
            .map(|(v, row)| (v.clone(), (row.leading.len(), row.trailing.len())))
            .collect()
    };
    against(
        case.solutions()
            .iter()
            .find(|g| !models_ranks(&case.set, &lengths(g)))
            .map(|g| format!("{} induces none", line(g))),
    )
}

/// "The converse fails: the abstraction forgets dimensions and bases."
pub(super) fn converse_of_rank_models(_: Effort) -> Finding {
    let texts = [
        "[3 <r>] ~ [5 <r>]",
        "[3 <r>] ~ [3_rgb <s>]",
        "[3 <r>] <= [5 <r>]",
    ];
    let forgets = |text: &&str| {
        text.parse::<ConstraintSet>().is_ok_and(|set| {
            let models = rank_assignments(&set, 1)
                .iter()
                .any(|m| models_ranks(&set, m));
            // Whatever the values of <r> and <s>: the letters in front of them differ.
            let refused = run(&set, Strategy::First, Literal::default(), false);
            models
                && refused.verdict() == Verdict::Unsat
                && Case::new(set).has_solution() == Some(false)
        })
    };
    let witness = texts
        .iter()
        .find(|text| !forgets(text))
        .map(|text| Witness {
            text: text.to_string(),
            why: "no rank model, or a solution".into(),
        });
    Finding::exhaustive(
        "three sets that differ in sizes or in bases: each has a rank model and no solution",
        3,
        witness,
    )
}

fn first_deficit(run: &Run) -> Option<(&lozenge_vocabulary::term::RowVar, &Constraint)> {
    let step = run.config.trace.as_ref()?.first()?;
    match (&step.bound, step.rule) {
        (Some((Var::Row(var), _)), Rule::RiDeficit) => Some((var, step.constraint.as_ref()?)),
        _ => None,
    }
}

/// The deficits of a constraint's flanks.
fn deficits(constraint: &Constraint) -> Option<(usize, usize)> {
    let Constraint::RowLe(low, high) = constraint else {
        return None;
    };
    Some((
        high.leading.len().saturating_sub(low.leading.len()),
        high.trailing.len().saturating_sub(low.trailing.len()),
    ))
}

/// "The deficit rule extends by r(ρ') := r(ρ_res) − k ≥ 0."
pub(super) fn rank_conservativity(case: &Case) -> Seen {
    let (var, constraint) = first_deficit(case.run())?;
    let (leading, trailing) = deficits(constraint)?;
    let mut models = rank_assignments(&case.set, 3)
        .into_iter()
        .filter(|m| models_ranks(&case.set, m));
    against(models.find(|m| m[var].1 < leading + trailing).map(|m| {
        format!(
            "the rank model with rank {var} = {} leaves {} axes for the rest of {var}",
            m[var].1,
            m[var].1 as i64 - (leading + trailing) as i64
        )
    }))
}

/// Every model of the set's flank lengths extends along a run by semantic steps: through each binding, which leaves no
/// variable shorter than nothing, to a model of the store.
pub(super) fn flank_conservativity(case: &Case) -> Seen {
    let run = case.run();
    purely_semantic(run).then_some(())?;
    let kept: ConstraintSet = store(run).into_iter().collect();
    let models = assignments(&case.set, 3)
        .into_iter()
        .filter(|model| models_flanks(&case.set, model));
    let broken = |model: &Lengths| match through_bindings(model, &run.config.bindings) {
        Ok(extended) => (!models_flanks(&kept, &extended)).then(|| "the store".to_string()),
        Err(var) => Some(var),
    };
    let mut broken = models.filter_map(|model| broken(&model));
    against(
        broken
            .next()
            .map(|what| format!("a model of flank lengths does not extend to {what}")),
    )
}

fn unguarded(case: &Case) -> Run {
    let literal = Literal {
        unguarded: true,
        ..Literal::default()
    };
    run(&case.set, Strategy::First, literal, false)
}

/// "Every fair run terminates, with or without the cycle check; moreover the check never fires on such inputs."
fn terminates(case: &Case) -> Seen {
    let cycle = case
        .run()
        .failure()
        .is_some_and(|f| f.rule == Rule::RankCycle);
    if cycle {
        return Some(Err(
            "there is a rank model, and the cycle check fires".into()
        ));
    }
    check(unguarded(case).verdict() != Verdict::Unknown, || {
        "there is a rank model, and the run without the check does not end".into()
    })
}

pub(super) fn thm_5_2_a(case: &Case) -> Seen {
    rank_assignments(&case.set, 3)
        .iter()
        .any(|m| models_ranks(&case.set, m))
        .then(|| terminates(case))?
}

/// "In particular whenever Sol(Φ₀) ≠ ∅."
pub(super) fn thm_5_2_a_satisfiable(case: &Case) -> Seen {
    let uneasy = case
        .run()
        .failure()
        .is_some_and(|f| f.rule == Rule::RankCycle)
        || unguarded(case).verdict() == Verdict::Unknown;
    if !uneasy {
        return Some(Ok(()));
    }
    case.has_solution()?.then(|| Err("there is a solution, and the cycle check fires: the place of a marker was chosen before".into()))
}

/// The same without a policy step upstream.
pub(super) fn thm_5_2_a_repaired(case: &Case) -> Seen {
    assignments(&case.set, 3)
        .iter()
        .any(|m| models_flanks(&case.set, m))
        .then_some(())?;
    let cycle = case
        .run()
        .failure()
        .is_some_and(|f| f.rule == Rule::RankCycle && f.commitments.is_empty());
    let endless = unguarded(case);
    let endless = endless.verdict() == Verdict::Unknown && endless.config.commitments.is_empty();
    check(!cycle && !endless, || {
        "a model of flank lengths, and the check fires without a commitment".into()
    })
}

/// The check converts divergence into failure, with a grown constraint at the end of the queue (Defs. 4.3(iv), 4.4).
pub(super) fn detection(case: &Case) -> Seen {
    let literal = Literal {
        requeue: true,
        ..Literal::default()
    };
    let run = run(&case.set, Strategy::First, literal, false);
    if run.verdict() != Verdict::Unknown {
        return Some(Ok(()));
    }
    divergence(&case.set, literal, Strategy::First)
        .map(|argument| Err(format!("the fair run by a queue does not end: {argument}")))
}

pub(super) fn every_run_ends(case: &Case) -> Seen {
    let endless = (0..STRATEGIES.len()).find(|i| case.by(*i).verdict() == Verdict::Unknown);
    against(endless.map(|i| format!("no end within the limit by {:?}", STRATEGIES[i])))
}

/// What Def. 5.3 says of a final configuration.
fn solved_form(case: &Case, pins: fn(&Case, &Run) -> Option<String>) -> Seen {
    let run = case.run();
    solved(run).then_some(())?;
    if !run.config.bindings.is_idempotent() {
        return Some(Err("σ⋆ is not idempotent".into()));
    }
    let unsolved: BTreeSet<Var> = run.config.unsolved().into_iter().collect();
    let stored: BTreeSet<Var> = store(run).iter().flat_map(Constraint::vars).collect();
    if let Some(var) = stored.iter().find(|v| !unsolved.contains(v)) {
        return Some(Err(format!("{var} is solved and in the store")));
    }
    against(pins(case, run))
}

/// A variable with something stored for it that has one value only: a pin that no rule performed.
fn pending_pin(case: &Case, run: &Run) -> Option<String> {
    let stored: BTreeSet<Var> = store(run).iter().flat_map(Constraint::vars).collect();
    let (first, rest) = case.solutions().split_first()?;
    let pinned = stored.iter().find(|var| {
        case.set.vars().contains(var) && rest.iter().all(|g| value(g, var) == value(first, var))
    })?;
    Some(format!(
        "{pinned} is unsolved with a stored bound, and every solution has {pinned} = {}",
        value(first, pinned)?
    ))
}

fn pending_dimension_pin(case: &Case, run: &Run) -> Option<String> {
    pending_pin(case, run).filter(|why| !why.starts_with('<'))
}

fn value(gamma: &Ground, var: &Var) -> Option<String> {
    match var {
        Var::Dim(var) => gamma.dims.get(var).map(Dim::to_string),
        Var::Row(var) => gamma.rows.get(var).map(Row::to_string),
    }
}

pub(super) fn def_5_3(case: &Case) -> Seen {
    solved_form(case, pending_pin)
}

pub(super) fn def_5_3_repaired(case: &Case) -> Seen {
    solved_form(case, pending_dimension_pin)
}

/// `γ↑` on all variables, minted ones too.
fn upward(run: &Run) -> Ground {
    lozenge_spec::closing::upward(&run.config)
}

pub(super) fn prop_5_4_i(case: &Case) -> Seen {
    let run = case.run();
    solved(run).then_some(())?;
    let all: Vec<Constraint> = store(run)
        .into_iter()
        .chain(equations(&run.config.bindings))
        .collect();
    let gamma = upward(run);
    check(gamma.first_violated(&all, Order::Marked).is_none(), || {
        format!("{} violates the store", line(&gamma))
    })
}

/// Solutions of the store and of eqns(σ) with `≈` between rows, as Lemma 5.1 reads them.
pub(super) fn prop_5_4_ii(case: &Case) -> Seen {
    let run = case.run();
    (solved(run) && run.config.minted.is_empty()).then_some(())?;
    let set: ConstraintSet = store(run)
        .into_iter()
        .chain(equations(&run.config.bindings))
        .collect();
    let top = upward(run);
    against(
        Solutions::new(&set, &universe(2), Order::Marked)
            .find_map(|gamma| not_below(&gamma, &top, Row::below)),
    )
}

/// The ground substitutions of the unsolved variables that satisfy the store, each carried through σ.
fn residual(run: &Run, rank: usize) -> Vec<Ground> {
    let mut set: ConstraintSet = store(run).into_iter().collect();
    set.tags = run
        .config
        .unsolved()
        .into_iter()
        .map(|v| (v, Tag::Interior))
        .collect();
    let few = Universe {
        rank: if set.tags.len() > 3 { 1 } else { rank },
        ..universe(0)
    };
    Solutions::new(&set, &few, Order::Marked)
        .take(3000)
        .map(|gamma| through(&run.config.bindings, &gamma))
        .collect()
}

pub(super) fn prop_5_4_ii_repaired(case: &Case) -> Seen {
    let run = case.run();
    solved(run).then_some(())?;
    let top = upward(run);
    against(
        residual(run, 2)
            .iter()
            .find_map(|gamma| not_below(gamma, &top, Row::below)),
    )
}

/// Satisfiable without any row inequality, so that no placement is discriminated: "runs cannot fail, so they decide".
pub(super) fn cor_5_5(case: &Case) -> Seen {
    (case.has_no_row_inequality() && case.has_solution()?).then_some(())?;
    check(solved(case.run()), || {
        "satisfiable, no inequality could discriminate a placement, and the run fails".into()
    })
}

fn defers(run: &Run) -> bool {
    run.config
        .trace
        .iter()
        .flatten()
        .any(|s| matches!(s.rule, Rule::ReSplit | Rule::ReRotational))
}

pub(super) fn cor_5_5_repaired(case: &Case) -> Seen {
    let sound = success_is_sound(case)
        .filter(Result::is_err)
        .or_else(|| semantic_failure_is_sound(case).filter(Result::is_err));
    if sound.is_some() {
        return sound;
    }
    (case.has_no_row_inequality() && !defers(case.run()) && case.has_solution()?).then_some(())?;
    check(solved(case.run()), || {
        "satisfiable without deferral, and the run fails".into()
    })
}

/// "A fair run fails iff the policy-strengthened system is unsatisfiable": with what the run had committed to when it failed,
/// nothing is a solution; with what it had committed to when it succeeded, something is. The commitments are in σ, and
/// what else is in σ is entailed.
pub(super) fn cor_5_5_policy(case: &Case) -> Seen {
    let run = case.run();
    let vars = case.set.vars();
    let extends = |gamma: &Ground| instance(run, gamma, &vars, true).is_some();
    match run.verdict() {
        Verdict::Unknown => None,
        Verdict::Sat => {
            let top = run.greatest()?;
            check(case.is_solution(&top) && extends(&top), || {
                format!("the run succeeds; {} does not go with it", line(&top))
            })
        }
        Verdict::Unsat | Verdict::Rejected => {
            let commitments = committed(run)?;
            let goes = |gamma: &&Ground| extends(gamma) && keeps(gamma, &commitments);
            let solution = case.solutions().iter().find(goes);
            against(solution.map(|gamma| {
                let gamma = line(gamma);
                format!("the run fails; {gamma} goes with all that it committed to")
            }))
        }
    }
}

/// What the run committed: a commitment that failed while it was made is not in σ. `None` where one speaks of a variable
/// that a rule minted, which has no value in a solution.
fn committed(run: &Run) -> Option<Vec<Constraint>> {
    let stated = run.config.commitments.iter().map(|commitment| {
        let relation = match commitment.var {
            Var::Row(_) => '~',
            Var::Dim(_) => '=',
        };
        let text = format!("{} {relation} {}", commitment.var, commitment.value);
        text.parse::<Constraint>().ok()
    });
    stated.collect()
}

/// Whether the values are the committed ones, markers and all.
fn keeps(gamma: &Ground, commitments: &[Constraint]) -> bool {
    commitments.iter().all(|stated| match stated {
        Constraint::RowEq(a, b) => gamma.row(a) == gamma.row(b),
        other => gamma.satisfies(other, Order::Marked) == Some(true),
    })
}

/// Values of the fresh variables that make γ an instance of σ⋆ on the input variables: rows by content, or exactly.
fn instance(run: &Run, gamma: &Ground, vars: &BTreeSet<Var>, exact: bool) -> Option<Ground> {
    let mut found = restricted(gamma, vars);
    let bind_dim = |found: &mut Ground, term: &DimTerm, dim: &Dim| match term {
        DimTerm::Const(own) => own == dim,
        DimTerm::Var(var) => found.dims.entry(var.clone()).or_insert_with(|| dim.clone()) == dim,
    };
    for (var, term) in &run.config.bindings.dims {
        if let Some(dim) = gamma.dims.get(var) {
            bind_dim(&mut found, term, dim).then_some(())?;
        }
    }
    for (var, term) in &run.config.bindings.rows {
        let Some(row) = gamma.rows.get(var) else {
            continue;
        };
        let middle = cut(term, row, exact, |t, d| bind_dim(&mut found, t, d))?;
        match &term.var {
            Some(rest) => {
                let known = found
                    .rows
                    .entry(rest.clone())
                    .or_insert_with(|| middle.clone());
                (if exact {
                    *known == middle
                } else {
                    known.flat_equivalent(&middle)
                })
                .then_some(())?;
            }
            None => (middle.rank() == 0).then_some(())?,
        }
    }
    Some(found)
}

/// Matches the flanks of a term against a row; what is left is the value of its variable.
fn cut(
    term: &RowTerm,
    row: &Row,
    exact: bool,
    mut bind: impl FnMut(&DimTerm, &Dim) -> bool,
) -> Option<Row> {
    let flat = row.flat();
    let end = flat
        .len()
        .checked_sub(term.trailing.len())
        .filter(|end| term.leading.len() <= *end)?;
    let start = term.leading.len();
    let fits = row.leading.len() >= start && row.leading.len() <= end;
    (!exact || fits).then_some(())?;
    let pairs = term
        .leading
        .iter()
        .zip(&flat[..start])
        .chain(term.trailing.iter().zip(&flat[end..]));
    pairs.into_iter().all(|(t, d)| bind(t, d)).then_some(())?;
    let split = row.leading.len().clamp(start, end);
    Some(Row::new(
        flat[start..split].to_vec(),
        flat[split..end].to_vec(),
    ))
}

/// With its caveat: the forward direction after re-placing markers, on sets without any row inequality.
pub(super) fn thm_5_6_1(case: &Case) -> Seen {
    (case.has_no_row_inequality() && solved(case.run())).then_some(())?;
    let vars = case.set.vars();
    against(case.solutions().iter().find(|g| instance(case.run(), g, &vars, false).is_none()).map(|g| {
        format!("{} is a solution, and no extension of it satisfies γ = γ∘σ⋆, whatever its placements", line(g))
    }))
}

/// By semantic steps alone exactly; where only placements are committed, on sets without any row inequality, up to them.
pub(super) fn thm_5_6_1_repaired(case: &Case) -> Seen {
    exact_representation(case).or_else(|| {
        is_only_placements(case).then_some(())?;
        thm_5_6_1(case)
    })
}

/// By semantic steps alone: γ ∈ Sol(Φ₀) iff it extends to a solution of the store with γ = γ∘σ⋆, placements and all.
pub(super) fn exact_representation(case: &Case) -> Seen {
    let run = case.run();
    purely_semantic(run).then_some(())?;
    let vars = case.set.vars();
    let extends = |g: &Ground| {
        instance(run, g, &vars, true)
            .is_some_and(|all| all.first_violated(&store(run), Order::Marked).is_none())
    };
    if let Some(gamma) = case.solutions().iter().find(|g| !extends(g)) {
        return Some(Err(format!(
            "{} is a solution that the final configuration loses",
            line(gamma)
        )));
    }
    let lost = residual(run, 1)
        .into_iter()
        .map(|g| restricted(&g, &vars))
        .find(|g| !case.is_solution(g));
    against(lost.map(|g| {
        format!(
            "{} satisfies the final configuration and is no solution",
            line(&g)
        )
    }))
}

pub(super) fn most_general(case: &Case) -> Seen {
    solved(case.run()).then_some(())?;
    let vars = case.set.vars();
    against(
        case.solutions()
            .iter()
            .find(|g| instance(case.run(), g, &vars, false).is_none())
            .map(|g| {
                format!(
                    "the ground model {} is no instance of σ⋆, not even up to ≈",
                    line(g)
                )
            }),
    )
}

pub(super) fn most_general_repaired(case: &Case) -> Seen {
    is_only_placements(case).then_some(())?;
    (purely_semantic(case.run()) || case.has_no_row_inequality()).then(|| most_general(case))?
}

/// "σ⋆ binds only variables whose values are entailed."
pub(super) fn cor_5_7_bound(case: &Case) -> Seen {
    let run = case.run();
    solved(run).then_some(())?;
    let vars = case.set.vars();
    let other = case
        .solutions()
        .iter()
        .find(|g| instance(run, g, &vars, true).is_none());
    against(other.map(|gamma| format!("σ⋆ binds what {} has otherwise", line(gamma))))
}

/// "Every variable left unsolved genuinely admits at least two solutions or carries only its top default."
pub(super) fn cor_5_7(case: &Case) -> Seen {
    solved(case.run()).then_some(())?;
    against(pending_pin(case, case.run()))
}

pub(super) fn cor_5_7_repaired(case: &Case) -> Seen {
    let run = case.run();
    purely_semantic(run).then_some(())?;
    let vars = case.set.vars();
    if let Some(gamma) = case
        .solutions()
        .iter()
        .find(|g| instance(run, g, &vars, true).is_none())
    {
        return Some(Err(format!("σ⋆ binds what {} has otherwise", line(gamma))));
    }
    against(pending_dimension_pin(case, run))
}

/// "The ground content of solutions is strategy-independent": every run that succeeds has the same `γ↑` up to ≈.
pub fn content_is_independent_of_the_strategy(case: &Case) -> Seen {
    let mut solved: Vec<Ground> = (0..STRATEGIES.len())
        .filter_map(|i| case.by(i).greatest())
        .collect();
    let first = solved.pop()?;
    against(solved.iter().find_map(|other| {
        let dims = first.dims == other.dims;
        let rows = first
            .rows
            .iter()
            .all(|(var, row)| other.rows.get(var).is_some_and(|r| r.flat_equivalent(row)));
        (!(dims && rows)).then(|| {
            format!(
                "one strategy ends with {}, another with {}",
                line(&first),
                line(other)
            )
        })
    }))
}

/// Where no run takes a policy step, all four end alike, with the same `γ↑`.
pub fn strategies_agree_without_policy(case: &Case) -> Seen {
    let runs: Vec<&Run> = (0..STRATEGIES.len()).map(|i| case.by(i)).collect();
    runs.iter().all(|run| !took_policy(run)).then_some(())?;
    let differ = runs
        .iter()
        .find(|run| run.verdict() != runs[0].verdict() || run.greatest() != runs[0].greatest());
    against(differ.map(|run| {
        format!(
            "{} by one strategy, {} by another",
            runs[0].verdict(),
            run.verdict()
        )
    }))
}

/// No strategy succeeds where another fails at a semantic step, and where no policy step is taken all four agree.
pub fn strategies_agree(case: &Case) -> Seen {
    let verdicts: Vec<Verdict> = (0..STRATEGIES.len())
        .map(|i| case.by(i).verdict())
        .collect();
    if verdicts.contains(&Verdict::Sat) && verdicts.contains(&Verdict::Unsat) {
        return Some(Err("sat by one strategy, unsat by another".into()));
    }
    strategies_agree_without_policy(case).or(Some(Ok(())))
}

pub(super) fn is_only_placements(case: &Case) -> bool {
    solved(case.run()) && only_placements(case.run())
}

/// γ is an instance of the final configuration up to placements, its store satisfied.
pub(super) fn extends_up_to_placement(case: &Case, gamma: &Ground) -> bool {
    let run = case.run();
    instance(run, gamma, &case.set.vars(), false)
        .is_some_and(|all| all.first_violated(&store(run), Order::Marked).is_none())
}
