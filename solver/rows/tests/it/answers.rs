//! All that the solver says of a set, as text: what it solves, closes, derives, refuses, decides, certifies and takes
//! back, and what that cost. Each small change to the solver's sources that one of 4187 random sets noticed is noticed
//! by one of the sets in `tests/answers/sets.txt`, which were chosen for that. Their answers are in `answers.txt`;
//! `LOZENGE_WRITE=1` writes it anew, and the difference says what has changed. Other tests and campaigns
//! ask whether answers are right.

use std::fmt::Write;
use std::path::Path;

use lozenge_solver::{
    Cited, Decider, Decision, Derivation, Entailment, Footing, Limits, Options, Order, Problem,
    Refusal, Solver, Standing, Var,
};
use lozenge_vocabulary::{Constraint, ConstraintSet};

/// Small, so that each answer takes milliseconds.
const LIMITS: Limits = Limits {
    branches: 300,
    clauses: 300,
    work: 1 << 18,
    runs: 1 << 10,
    rank: 64,
    size_work: 1 << 16,
    policy_work: 1 << 20,
    policy_records: 1 << 18,
};

fn marked() -> Options {
    Options {
        order: Order::Marked,
        limits: LIMITS,
    }
}

fn lines(cited: &[Cited]) -> String {
    let one = |cited: &Cited| format!(" {}", cited.index);
    cited.iter().map(one).collect()
}

fn refusal(out: &mut String, refusal: &Refusal) {
    let _ = write!(
        out,
        "refused {:?} {} {}{} | {}",
        refusal.verdict,
        refusal.rule,
        if refusal.minimal { "minimal" } else { "cut" },
        lines(&refusal.chain),
        refusal.message
    );
    for step in refusal.policy.iter().chain(&refusal.commitments) {
        let _ = write!(
            out,
            " | {}: {}{}",
            step.rule,
            step.text,
            lines(&step.because)
        );
    }
    for involved in &refusal.variables {
        let _ = write!(out, " | {}", involved.var);
    }
    for constraint in &refusal.proposed {
        let _ = write!(out, " | try {constraint}");
    }
    out.push('\n');
}

fn derivation(out: &mut String, derivation: &Derivation) {
    let _ = write!(out, "why {} = {}:", derivation.var, derivation.value);
    for step in &derivation.steps {
        let _ = write!(
            out,
            " {}{} {}",
            step.rule,
            if step.policy { "*" } else { "" },
            step.text
        );
        for at in &step.uses {
            let _ = write!(out, " by {at}");
        }
        out.push_str(&lines(&step.constraints));
        out.push(';');
    }
    out.push('\n');
}

fn standing(out: &mut String, var: &Var, standing: &Standing) {
    let _ = write!(out, "{var} ");
    match standing {
        Standing::Forced => out.push_str("forced"),
        Standing::Chosen { steps } => {
            out.push_str("chosen");
            for step in steps {
                let _ = write!(
                    out,
                    " {}: {}{};",
                    step.rule,
                    step.text,
                    lines(&step.because)
                );
            }
        }
        Standing::Free {
            atom,
            size,
            at_least,
            bounds,
        } => {
            let _ = write!(out, "free {atom:?} {size:?} {at_least:?}{}", lines(bounds));
        }
    }
    out.push('\n');
}

fn values(out: &mut String, solver: &Solver) {
    let solution = solver.solution();
    let values = solution.values();
    for footing in [
        Footing::Forced,
        Footing::Placed,
        Footing::Chosen,
        Footing::Free,
    ] {
        for (name, dim) in values.dims_on(footing) {
            let _ = write!(out, "{footing:?} {name} = {dim}; ");
        }
        for (name, row) in values.rows_on(footing) {
            let _ = write!(out, "{footing:?} <{name}> = {row}; ");
        }
        for name in values.zeros_on(footing) {
            let _ = write!(out, "{footing:?} {name} = 0; ");
        }
    }
    let _ = writeln!(
        out,
        "rank {} greatest {} more {}",
        solution.total_rank(),
        solution.is_greatest(),
        solution.has_more_axes_than(3)
    );
    for step in solution.policy_steps(20) {
        let _ = writeln!(out, "{}: {}{}", step.rule, step.text, lines(&step.because));
    }
    for (var, bound) in values.bounds() {
        standing(out, &var, &bound);
    }
}

fn of_each(out: &mut String, solver: &Solver, vars: &[Var]) {
    let solution = solver.solution();
    for var in vars {
        if let Some(found) = solver.explain(var) {
            derivation(out, &found);
        }
        if let Some((found, left)) = solver.explain_first(var, 1) {
            let _ = write!(out, "first, {left} left: ");
            derivation(out, &found);
        }
        let _ = writeln!(out, "behind {:?}", solver.constraints_behind(var));
        if let Some(found) = solution.standing(var) {
            standing(out, var, &found);
        }
        if let Var::Row(name) = var {
            let _ = writeln!(
                out,
                "{:?} {:?}",
                solution.rank(name.name()),
                solution.row_up_to(name.name(), 1)
            );
        }
    }
}

fn decision(out: &mut String, decision: &Decision) {
    let _ = write!(
        out,
        "{:?} rank {:?} least {} branches {} clauses {} limit {:?} cited {:?}",
        decision.verdict,
        decision.rank,
        decision.least,
        decision.branches,
        decision.clauses,
        decision.limit,
        decision.cited
    );
    if let Some(ground) = &decision.solution {
        let _ = write!(out, " {ground:?}");
    }
    if let Some(runs) = &decision.in_runs {
        let _ = write!(out, " {runs}");
    }
    out.push('\n');
    if let Some(found) = &decision.refusal {
        refusal(out, found);
    }
}

fn entailment(out: &mut String, found: &Entailment) {
    match found {
        Entailment::Holds(cited) => {
            let _ = writeln!(out, "entailed{}", lines(cited));
        }
        other => {
            let _ = writeln!(out, "{other:?}");
        }
    }
}

fn statistics(out: &mut String, solver: &Solver) {
    let found = solver.statistics();
    let _ = writeln!(
        out,
        "{} placements, {} resolutions, {} inferences, {} {} {} {}, {} steps",
        found.placements,
        found.resolutions,
        found.inferences,
        found.dims,
        found.dim_inequalities,
        found.rows,
        found.axes,
        found.steps
    );
}

fn policy(out: &mut String, problem: Problem, order: Order, vars: &[Var]) {
    let options = Options {
        order,
        limits: LIMITS,
    };
    let mut solver = Solver::with(problem, options);
    match solver.solve() {
        Err(found) => {
            refusal(out, &found);
            if order == Order::Marked {
                let _ = writeln!(out, "{:?}", solver.certify_refusal(&found));
            }
        }
        Ok(()) => {
            values(out, &solver);
            if order == Order::Marked {
                of_each(out, &solver, vars);
            }
            statistics(out, &solver);
        }
    }
    solver.snapshot();
    match solver.close() {
        Err(found) => refusal(out, &found),
        Ok(()) => {
            values(out, &solver);
            of_each(out, &solver, vars);
        }
    }
    statistics(out, &solver);
    solver.rollback();
    let _ = writeln!(out, "{:?}", solver.verdict());
    values(out, &solver);
}

/// Closes a set without its last constraint, then with it; takes it back and asks whether it follows from the others.
fn step_by_step(out: &mut String, first: &ConstraintSet, last: &Constraint, vars: &[Var]) {
    let mut solver = Solver::with(Problem::from(first), marked());
    solver.snapshot();
    let _ = solver.close();
    solver.add(last);
    match solver.close() {
        Err(found) => refusal(out, &found),
        Ok(()) => values(out, &solver),
    }
    solver.rollback();
    let (found, certificate) = solver.entails(last);
    entailment(out, &found);
    let _ = writeln!(out, "{certificate:?}");
    solver.add(last);
    if let Err(found) = solver.solve_so_far() {
        refusal(out, &found);
    }
    for var in vars {
        if let Var::Row(name) = var
            && let Ok(row) = solver.problem_mut().row(&[], Some(name.name()), &[])
        {
            let _ = writeln!(out, "{:?}", solver.known(row));
        }
    }
    statistics(out, &solver);
}

/// Writes the answers of complete mode: at once, and by a decider that gets the last constraint later and takes it
/// back.
fn complete(out: &mut String, problem: &Problem, first: &ConstraintSet, last: &Constraint) {
    let solver = Solver::with(problem.clone(), marked());
    let (found, certificate) = solver.certify();
    decision(out, &found);
    let _ = writeln!(out, "{certificate:?}");
    let _ = writeln!(out, "{:?}", solver.forced(&found));
    let mut decider = Decider::with(Problem::from(first), marked());
    decision(out, &decider.decide());
    decider.snapshot();
    decider.add(last);
    decision(out, &decider.decide());
    decider.rollback();
    decision(out, &decider.decide());
}

/// Returns all answers to a text.
fn answers(text: &str) -> String {
    let mut out = String::new();
    let problem = match Problem::parse(text) {
        Ok(problem) => problem,
        Err(error) => return format!("not read: {error:?}\n"),
    };
    let set = problem.to_set();
    let vars: Vec<Var> = set.vars().into_iter().collect();
    policy(&mut out, problem.clone(), Order::Marked, &vars);
    if let Some((last, before)) = set.constraints.split_last()
        && !before.is_empty()
    {
        let mut first = set.clone();
        first.constraints = before.to_vec();
        step_by_step(&mut out, &first, last, &vars);
        complete(&mut out, &problem, &first, last);
        policy(&mut out, problem, Order::OneShot, &vars);
    }
    out
}

#[test]
fn every_answer_is_the_one_that_was_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a text");
    let sets = read("sets.txt");
    let sets = sets.split("\n----\n");
    let found: Vec<String> = sets
        .map(|set| format!("{set}\n----\n{}", answers(set)))
        .collect();
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        let all = found.join("====\n");
        std::fs::write(folder.join("answers.txt"), all).expect("the answers are written");
        return;
    }
    let kept = read("answers.txt");
    let kept: Vec<&str> = kept.split("====\n").collect();
    assert_eq!(found.len(), kept.len());
    for (found, kept) in found.iter().zip(kept) {
        let mut lines = found.lines().zip(kept.lines());
        let differ = lines.find(|(found, kept)| found != kept);
        assert!(
            found == kept,
            "the first lines that differ, of what is said and of what was kept: {differ:#?}\nall that is said:\n{found}"
        );
    }
}
