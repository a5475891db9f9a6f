//! §4: configurations and rules, as printed. The Z3 proofs that each rule preserves solutions are in `rule_proofs.rs`.

use super::{dimension_proofs, rule_proofs, word_equations};
use crate::formal_core::case::{Case, STRATEGIES, line, parsed, run, solved, store, witness};
use crate::formal_core::divergence::divergence;
use crate::formal_core::property::Outcome;
use crate::formal_core::reading::Reading;
use crate::machinery::Check::{Proof, Search, Survey, Theorem};
use crate::machinery::{Claim, Effort, Finding, Subject, Witness};
use crate::printed::{ByFlanks, RowLe, Unguarded, row_eq_without_facts};
use lozenge_spec::cause::Cause;
use lozenge_spec::firing::RankFact;
use lozenge_spec::rank_graph::RankGraph;
use lozenge_spec::rules::{RULES, Rules};
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::enumeration::words;
use lozenge_testkit::minimise::minimise;
use lozenge_vocabulary::alignment::Flank;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{RowTerm, RowVar, Var};
use lozenge_vocabulary::verdict::Verdict;

/// Checks the invariants of a configuration at the end of a run.
fn def_4_1(case: &Case) -> Outcome {
    let run = case.run();
    let unsolved = run.config.unsolved();
    let stored = store(run)
        .iter()
        .all(|c| c.vars().iter().all(|v| unsolved.contains(v)));
    let stored = stored || !solved(run);
    Some(if run.config.bindings.is_idempotent() && stored {
        Ok(())
    } else {
        Err("σ is not idempotent, or a bound is of a solved variable".into())
    })
}

/// Checks a single inequality that the printed case decides: if the run succeeds, there is a solution.
fn printed_case(case: &Case, rule: Rule) -> Outcome {
    let [Constraint::RowLe(..)] = case.set.constraints.as_slice() else {
        return None;
    };
    let run = case.run();
    (run.config.trace.as_ref()?.first()?.rule == rule).then_some(())?;
    let gamma = run.greatest()?;
    Some(if case.is_solution(&gamma) {
        Ok(())
    } else {
        Err(format!(
            "the case compares totals and succeeds; {} is no solution",
            line(&gamma)
        ))
    })
}

fn def_4_3_i(case: &Case) -> Outcome {
    printed_case(case, Rule::RiCap)
}

fn def_4_3_ii(case: &Case) -> Outcome {
    printed_case(case, Rule::RiClosedOperand)
}

fn def_4_3_iv(case: &Case) -> Outcome {
    printed_case(case, Rule::RiDeficit)
}

/// Checks "The closing stage's upward close of either variable selects the corresponding extremal solution."
fn def_4_3_c(case: &Case) -> Outcome {
    let [Constraint::RowEq(..)] = case.set.constraints.as_slice() else {
        return None;
    };
    let run = case.run();
    (run.config.trace.as_ref()?.first()?.rule == Rule::ReSplit && case.has_solution()?)
        .then_some(())?;
    Some(if solved(run) {
        Ok(())
    } else {
        Err("satisfiable, and closing either variable to [] fails".into())
    })
}

fn atoms() -> Vec<Dim> {
    [Dim::new(3), Dim::new(5)].into_iter().flatten().collect()
}

/// Checks that `s·x₁ = x₂·t` has no solutions besides the principal family and at most |s| sporadic ones.
fn def_4_3_c_repaired(effort: Effort) -> Finding {
    let length = if effort == Effort::Quick { 2 } else { 3 };
    let (flanks, values) = (words(&atoms(), length), words(&atoms(), length + 2));
    let (mut count, mut against) = (0, None);
    for s in flanks.iter().filter(|s| !s.is_empty()) {
        for t in flanks.iter().filter(|t| !t.is_empty()) {
            count += 1;
            let mut sporadic = 0;
            for x2 in &values {
                let word = [x2.as_slice(), t].concat();
                let Some(x1) = word.strip_prefix(s.as_slice()) else {
                    continue;
                };
                let family = x2
                    .strip_prefix(s.as_slice())
                    .is_some_and(|w| [w, t].concat() == x1);
                let prefix = x2.len() < s.len() && s.starts_with(x2);
                sporadic += usize::from(!family);
                if !family && !prefix {
                    against = Some((s.clone(), t.clone()));
                }
            }
            if sporadic > s.len() {
                against = Some((s.clone(), t.clone()));
            }
        }
    }
    let lost = "[<r> 1_] ~ [3 <s>]";
    let case = Case::new(parsed(lost));
    let loses = case.run().verdict() == Verdict::Rejected && case.has_solution() == Some(true);
    let witness = against
        .map(|(s, t)| (word_equation(&s, &t, "s"), "another solution"))
        .or((!loses).then(|| (lost.to_string(), "the upward close loses nothing")))
        .map(|(text, why)| Witness {
            text,
            why: why.into(),
        });
    Finding::exhaustive(
        format!(
            "words s, t up to length {length} over 3 and 5, values up to {}; `{lost}` for what is lost",
            length + 2
        ),
        count,
        witness,
    )
}

fn word_equation(s: &[Dim], t: &[Dim], other: &str) -> String {
    let left = RowTerm::from(Row::new(s.to_vec(), Vec::new()));
    let right = RowTerm::from(Row::new(Vec::new(), t.to_vec()));
    let left = RowTerm {
        var: Some(RowVar::new("r")),
        ..left
    };
    let right = RowTerm {
        var: Some(RowVar::new(other)),
        ..right
    };
    Constraint::RowEq(left, right).to_string()
}

/// Checks that `s·x = x·t` is satisfiable exactly for conjugate words, by `x = u(vu)^k`; the policy accepts exactly
/// `s = t`.
fn def_4_3_d(effort: Effort) -> Finding {
    let length = if effort == Effort::Quick { 2 } else { 3 };
    let (flanks, values) = (words(&atoms(), length), words(&atoms(), 2 * length + 1));
    let (mut count, mut against) = (0, None);
    for s in &flanks {
        for t in flanks
            .iter()
            .filter(|t| t.len() == s.len() && !s.is_empty())
        {
            count += 1;
            let solutions: Vec<&Vec<Dim>> = values
                .iter()
                .filter(|x| [s.as_slice(), x].concat() == [x.as_slice(), t].concat())
                .collect();
            let splits: Vec<usize> = (0..s.len())
                .filter(|i| [&s[*i..], &s[..*i]].concat() == *t)
                .collect();
            let periodic = |x: &Vec<Dim>| {
                splits.contains(&(x.len() % s.len()))
                    && x.iter().enumerate().all(|(i, d)| *d == s[i % s.len()])
            };
            let text = word_equation(s, t, "r");
            let accepted = text
                .parse::<ConstraintSet>()
                .is_ok_and(|set| solved(&run(&set, Strategy::First, RULES, false)));
            if solutions.is_empty() != splits.is_empty()
                || !solutions.iter().all(|x| periodic(x))
                || accepted != (s == t)
            {
                against = Some(text);
            }
        }
    }
    let witness = against.map(|text| Witness {
        text,
        why: "not as Lyndon and Schützenberger have it".into(),
    });
    Finding::exhaustive(
        format!(
            "words s, t of equal length up to {length} over 3 and 5, values up to {}",
            2 * length + 1
        ),
        count,
        witness,
    )
}

/// Checks "Any fair strategy is allowed": runs by each of four strategies end.
fn def_4_4(case: &Case) -> Outcome {
    let endless = (0..STRATEGIES.len()).any(|i| case.by(i).verdict() == Verdict::Unknown);
    Some(if endless {
        Err("a strategy does not end".into())
    } else {
        Ok(())
    })
}

/// The calculus without Def. 4.5.
const UNGUARDED: Rules = Rules {
    row_eq: row_eq_without_facts,
    row_le: Unguarded::<ByFlanks>::row_le,
    ..RULES
};

fn diverges(set: &ConstraintSet) -> bool {
    run(set, Strategy::First, UNGUARDED, false).verdict() == Verdict::Unknown
        && divergence(set, UNGUARDED, Strategy::First).is_some()
}

fn ex_4_5a(_: Effort) -> Finding {
    let texts = ["<r> <= [2 <s>]\n<s> <= [3 <r>]", "<r> <= [7 <r>]"];
    let fine = |text: &&str| {
        let set = parsed(text);
        let guarded = run(&set, Strategy::First, RULES, false);
        diverges(&set)
            && guarded.failure().is_some_and(|f| f.rule == Rule::RankCycle)
            && Case::new(set).has_solution() == Some(false)
    };
    let witness = texts.iter().find(|t| !fine(t)).map(|text| Witness {
        text: text.to_string(),
        why: "the set has a solution, or the run ends, or the check does not fire".into(),
    });
    Finding::exhaustive(
        "the two printed sets: no solution, divergence confirmed, caught by the check",
        2,
        witness,
    )
}

/// Checks "For the abstract rules, the two-variable cycle above is the minimal divergence."
fn rem_4_5b(_: Effort) -> Finding {
    let smallest = minimise(&parsed("<r> <= [2 <s>]\n<s> <= [3 <r>]"), diverges);
    let argument = divergence(&smallest, UNGUARDED, Strategy::First)
        .map(|d| d.to_string())
        .unwrap_or_default();
    let found = (smallest.vars().len() < 2).then(|| {
        witness(
            &smallest,
            format!("one variable diverges without the check: {argument}"),
        )
    });
    Finding::exhaustive(
        "sets one step smaller than the printed one, and so on",
        1,
        found,
    )
    .under("repaired throughout, without the cycle check of Def. 4.5")
}

/// Returns the sets of one constraint with at most one axis, and of two without axes.
fn smallest_sets() -> Vec<ConstraintSet> {
    let scope = |constraints, axes| lozenge_testkit::sets::Scope {
        constraints,
        axes,
        dims: Dim::new(3).into_iter().chain([Dim::Unit]).collect(),
        dim_vars: 1,
        row_vars: 2,
    };
    let mut sets: Vec<ConstraintSet> = Vec::new();
    for scope in [scope(1, 1), scope(2, 0)] {
        let family = lozenge_testkit::sets::Family::new(&scope);
        sets.extend((0..family.starts()).flat_map(|i| family.starting_at(i)));
    }
    sets.retain(|set| axes(set) <= 1);
    sets
}

/// Checks that no smaller set diverges, no other set of its size does, and cycles of two and three variables are
/// rejected.
fn rem_4_5b_repaired(_: Effort) -> Finding {
    let sets = smallest_sets();
    let count = sets.len() as u64;
    // Neither the size of the axis nor its side matters: the family is closed under reflection.
    let itself = ["<r> <= [1_ <r>]", "<r> <= [3 <r>]", "<r> <= [a <r>]"].map(parsed);
    let smaller = sets.iter().find(|set| {
        let ends = run(set, Strategy::First, UNGUARDED, false).verdict() != Verdict::Unknown;
        ends == itself.iter().any(|own| same_up_to_mirror(own, set))
    });
    let cycles = [
        "<r> <= [<s> 2]\n<s> <= [<t> 3]\n<t> <= [<r> 4]",
        "<r> <= [2 <s>]\n<s> <= [3 <t>]\n<t> <= [4 <r>]",
        "<r> <= [1_ <r>]",
    ];
    let caught = |text: &&str| {
        diverges(&parsed(text))
            && run(&parsed(text), Strategy::First, RULES, false).verdict() == Verdict::Unsat
    };
    let missed = cycles.iter().find(|t| !caught(t)).map(|text| Witness {
        text: text.to_string(),
        why: "not caught".into(),
    });
    let witness = smaller
        .map(|set| witness(set, "a divergence that is not the cycle, or the cycle ends"))
        .or(missed);
    Finding::exhaustive(
        "all sets of one constraint with at most one axis, and of two without axes, over 3, 1_, a dimension variable and two row variables; three cycles",
        count + 3,
        witness,
    )
}

/// Counts the explicit axes of a set.
fn axes(set: &ConstraintSet) -> usize {
    let of = |c: &Constraint| match c {
        Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => a.explicit() + b.explicit(),
        _ => 0,
    };
    set.constraints.iter().map(of).sum()
}

fn same_up_to_mirror(own: &ConstraintSet, set: &ConstraintSet) -> bool {
    let renamed = set.to_string().replace("<s>", "<r>");
    let mirrored = |row: &RowTerm| RowTerm {
        leading: row.trailing.iter().rev().cloned().collect(),
        var: row.var.clone(),
        trailing: row.leading.iter().rev().cloned().collect(),
    };
    let other = own.constraints.iter().map(|c| match c {
        Constraint::RowLe(a, b) => Constraint::RowLe(mirrored(a), mirrored(b)),
        other => other.clone(),
    });
    let one_variable = set
        .vars()
        .iter()
        .filter(|v| matches!(v, Var::Row(_)))
        .count()
        == 1;
    one_variable
        && [
            own.to_string(),
            other.collect::<ConstraintSet>().to_string(),
        ]
        .contains(&renamed)
}

/// Checks facts about ranks: "recording a negative weight … is unnecessary for the check's purpose".
fn def_4_5(case: &Case) -> Outcome {
    if case.run().verdict() != Verdict::Unknown {
        return Some(Ok(()));
    }
    divergence(&case.set, case.reading().rules(), Strategy::First)
        .map(|d| Err(format!("with facts about ranks the run does not end: {d}")))
}

/// Checks that, for every graph on three vertices, the check fails exactly when no ranks satisfy the facts.
fn prop_4_6(effort: Effort) -> Finding {
    let weights = if effort == Effort::Quick { 2 } else { 3 };
    let choices = weights + 1;
    let names = ["r", "s", "t"].map(RowVar::new);
    let total = (choices as u64).pow(9);
    let mut against = None;
    for code in 0..total {
        let mut rest = code;
        let mut graph = RankGraph::default();
        let mut facts = Vec::new();
        let mut failed = false;
        for pair in 0..9 {
            let choice = (rest % choices as u64) as usize;
            rest /= choices as u64;
            if choice > 0 && !failed {
                facts.push((pair / 3, pair % 3, choice - 1));
                let fact = RankFact {
                    flank: Flank::Leading,
                    from: names[pair / 3].clone(),
                    to: names[pair % 3].clone(),
                    by: choice - 1,
                };
                failed = graph.record(&fact, &Cause::default()).is_err();
            }
        }
        let highest = 2 * weights;
        let holds = |r: [usize; 3]| facts.iter().all(|(a, b, k)| r[*a] >= r[*b] + k);
        let satisfiable =
            (0..=highest).any(|a| (0..=highest).any(|b| (0..=highest).any(|c| holds([a, b, c]))));
        if satisfiable == failed {
            against = Some(format!("{facts:?}"));
        }
    }
    let witness = against.map(|text| Witness {
        text,
        why: "the guard and the facts disagree".into(),
    });
    Finding::exhaustive(
        format!(
            "graphs on three variables, loops included, weights up to {}",
            weights - 1
        ),
        total,
        witness,
    )
}

/// The claims of §4.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Def. 4.1",
        "⟨Φ; σ; B⟩ with accumulated (idempotent) bindings; each unsolved dimension variable has at most one atom lower bound; binding re-emits every bound stored for the variable.",
        &[Theorem(&["Calculus.run_invariants", "Calculus.bounds_are_emitted"]), Survey(Reading::Repaired, def_4_1)],
    ),
    Claim::new(
        "Def. 4.2",
        "DE-refl, DE-clash, DE-bind, DI-top, DI-refl, DI-ground, DI-pin, DI-pin-top, DI-cap, DI-adj (and DI-antisym of §10): each rule preserves Sol.",
        &[Theorem(&["Rules.de_refl", "Rules.de_clash", "Rules.de_bind", "Rules.di_top", "Rules.di_refl", "Rules.di_ground", "Rules.di_pin", "Rules.di_pin_top", "Rules.di_cap", "Rules.di_adj", "Rules.di_antisym"]), Proof(dimension_proofs::rules)],
    ),
    Claim::new(
        "Def. 4.3(a)",
        "Both closed: fail iff the ranks differ; at equal rank the constraint is the flat zip.",
        &[Theorem(&["Equations.re_closed"]), Proof(rule_proofs::closed)],
    ),
    Claim::new(
        "Def. 4.3(b)",
        "One side open: fail iff total overflow; else the flanks zip and the variable's flat content is entailed (no occurs check is needed); the placement is a policy step.",
        &[Theorem(&["Equations.re_overflow", "Equations.re_content"]), Proof(rule_proofs::open_closed)],
    ),
    Claim::new(
        "Def. 4.3(c-nested)",
        "Nested: content entailed (the variable without a surplus has the content of the other row's surpluses around its variable).",
        &[Theorem(&["Equations.re_nested"]), Proof(rule_proofs::nested)],
    ),
    Claim::new(
        "Def. 4.3(c-split)",
        "Split: the aligned pairs, and a residue that is deferred and stays in flight, are equivalent to the equation.",
        &[Theorem(&["Equations.re_split"]), Proof(rule_proofs::split)],
    ),
    Claim::new(
        "Def. 4.3(c)",
        "Nested: content entailed. Split: s·x₁ = x₂·t is the principal family plus at most |s| sporadic solutions; the rule defers, and the upward close of either variable selects the corresponding extremal solution, which the re-emitted equation validates.",
        &[Survey(Reading::Repaired, def_4_3_c)],
    )
    .repaired(
        "s·x₁ = x₂·t is the principal family plus at most |s| sporadic solutions with x₂ a proper prefix of s; the upward close is a commitment that may have no solution although the equation has.",
        &[Theorem(&["Equations.word_family", "Equations.word_sporadic", "Equations.word_sporadic_unique", "Equations.close_is_commitment"]), Proof(word_equations::split), Search(def_4_3_c_repaired)],
    ),
    Claim::new(
        "Def. 4.3(d)",
        "Same variable: discard if the surpluses are empty. Unequal totals: no finite row is a solution. Equal totals with shifted splits: deferred; x·t = s·x is satisfiable exactly for conjugate s, t with cyclically periodic x; closing ρ upward accepts exactly s = t.",
        &[Theorem(&["Equations.re_same", "Equations.re_occurs", "Equations.re_aligned", "Equations.word_rotation", "Equations.word_conjugate", "Equations.word_closed"]), Proof(rule_proofs::same_variable), Search(def_4_3_d)],
    ),
    Claim::new(
        "Def. 4.3(i)",
        "Operand open, result supplies ≥ the operand's flanks (in total): record the result's interior residue as a cap.",
        &[Survey(Reading::Printed, def_4_3_i)],
    )
    .repaired(
        "Operand open, each flank of the result at least as long: the aligned pairs and the residue as a cap are equivalent to the inequality.",
        &[Theorem(&["Rules.ri_cap"]), Proof(rule_proofs::cap)],
    ),
    Claim::new(
        "Def. 4.3(ii)",
        "Operand closed, result rank ≥ operand flanks: aligned overlaps; the interior positions are unconstrained, discard them.",
        &[Survey(Reading::Printed, def_4_3_ii)],
    )
    .repaired(
        "Operand closed, each flank of the result at least as long: the aligned pairs are equivalent to the inequality.",
        &[Theorem(&["Rules.ri_closed_operand"]), Proof(rule_proofs::closed_operand)],
    ),
    Claim::new(
        "Def. 4.3(iii)",
        "Result closed and shorter than the operand's known flanks: fail (genuine rank mismatch).",
        &[Theorem(&["Rules.ri_short_total"]), Proof(rule_proofs::printed_shortness)],
    ),
    Claim::new(
        "Def. 4.3(iii) by flanks",
        "Result closed and one of its flanks shorter than the operand's: fail; there is no solution.",
        &[Theorem(&["Rules.ri_short"]), Proof(rule_proofs::short)],
    ),
    Claim::new(
        "Def. 4.3(iv)",
        "Result open and shorter than the operand's known flanks (deficit k > 0): grow by fresh variables sized to clear the deficit, then reprocess.",
        &[Survey(Reading::Printed, def_4_3_iv)],
    )
    .repaired(
        "Result open and some flank shorter: each flank grows by its own deficit; every solution extends, none is added.",
        &[Theorem(&["Rules.ri_deficit_extends", "Rules.ri_deficit_adds_none"]), Proof(rule_proofs::deficit)],
    ),
    Claim::new(
        "Def. 4.4",
        "A run processes constraints until Φ = ∅ or fail; any fair strategy is allowed.",
        &[Theorem(&["Progress.progress"]), Survey(Reading::Repaired, def_4_4)],
    ),
    Claim::new(
        "Ex. 4.5a",
        "{ρ₁ ⊑ [a]·⟨ρ₂⟩, ρ₂ ⊑ [b]·⟨ρ₁⟩} has no solution and diverges without the cycle check; the self-cyclic instance diverges the same way.",
        &[Theorem(&["Divergence.cycle_of_two", "Divergence.cycle_of_one"]), Search(ex_4_5a)],
    ),
    Claim::new(
        "Rem. 4.5b",
        "For the abstract rules, the two-variable cycle above is the minimal divergence.",
        &[Search(rem_4_5b)],
    )
    .repaired(
        "The one-constraint cycle `<r> <= [1_ <r>]`, with any axis on either side of the marker, is the minimal divergence: no other set of one constraint with at most one axis and none of two constraints without axes diverges; cycles of up to three variables are rejected by the check.",
        &[Search(rem_4_5b_repaired)],
    ),
    Claim::new(
        "Def. 4.5",
        "Facts about ranks at three points, nonpositive ones omitted: every divergence closes a cycle of positive weight (a negative weight is unnecessary for the check's purpose).",
        &[Survey(Reading::ByFlanks, def_4_5)],
    )
    .repaired(
        "With facts about each flank's length every run ends.",
        &[Survey(Reading::Repaired, def_4_4)],
    ),
    Claim::new(
        "Def. 4.5(by flanks)",
        "The facts about the length of each flank that semantic steps record hold of every solution; so a cycle of positive weight, at which the guard fails, means that there is none.",
        &[Theorem(&["Divergence.facts_entailed", "Divergence.guard_sound"])],
    ),
    Claim::new(
        "Def. 4.5(1)",
        "Binding ρ ↦ l·⟨ρ'⟩·r entails rank(ρ) = rank(ρ') + |l| + |r|.",
        &[Theorem(&["Rules.fact_binding"]), Proof(rule_proofs::binding_facts)],
    ),
    Claim::new(
        "Def. 4.5(2)",
        "R_res ⊑ R_op, both open, equal known flank lengths, entails rank(ρ_res) ≥ rank(ρ_op).",
        &[Theorem(&["Rules.fact_equal_flanks"]), Proof(rule_proofs::equal_flanks)],
    ),
    Claim::new(
        "Def. 4.5(3)",
        "A deficit k entails rank(ρ_res) ≥ rank(ρ_op) + k; a surplus s only rank(ρ_res) ≥ rank(ρ_op) − s, and recording 0 there is unsound.",
        &[Theorem(&["Rules.fact_deficit", "Rules.fact_surplus", "Rules.fact_surplus_zero_unsound"]), Proof(rule_proofs::deficits)],
    ),
    Claim::new(
        "Prop. 4.6",
        "The recorded facts are satisfiable over ℕ iff G has no positive-weight cycle; hence the guard fails exactly when the facts are jointly unsatisfiable.",
        &[Theorem(&["RankFacts.facts_satisfiable"]), Search(prop_4_6)],
    ),
];
