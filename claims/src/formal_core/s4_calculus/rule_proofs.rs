//! §4 in Z3. A rule of `lozenge-spec` is applied to a constraint whose axes are all different variables. The
//! constraints that it emits, stores and binds are compared with the original one, for symbolic axes and for values of
//! the row variables of any length.

use crate::machinery::{Effort, Finding};
use crate::printed::{ByTotals, RowLe};
use lozenge_spec::cause::Cause;
use lozenge_spec::cause::Pending;
use lozenge_spec::configuration::Configuration;
use lozenge_spec::firing::{Firing, Value};
use lozenge_spec::rules::{RULES, Rules};
use lozenge_vocabulary::{Constraint, ConstraintSet, DimTerm, RowTerm, Rule};
use z3::ast::{Bool, Int};

use super::shapes::{longest, term};
use super::word_equations;
use crate::symbolic::prover::Prover;
use crate::symbolic::unbounded::{AnyRow, Fact, Values, number};

/// Decides Def. 4.3(a).
pub fn closed(effort: Effort) -> Finding {
    row_rule(longest(effort), &[Rule::ReClosed])
}

/// Decides Def. 4.3(b).
pub fn open_closed(effort: Effort) -> Finding {
    row_rule(longest(effort), &[Rule::ReOpenClosed])
}

/// Decides Def. 4.3(c), nested.
pub fn nested(effort: Effort) -> Finding {
    row_rule(longest(effort), &[Rule::ReNested])
}

/// Decides Def. 4.3(c), split.
pub fn split(effort: Effort) -> Finding {
    row_rule(longest(effort), &[Rule::ReSplit])
}

/// Decides Def. 4.3(i), repaired.
pub fn cap(effort: Effort) -> Finding {
    row_rule(longest(effort), &[Rule::RiCap])
}

/// Decides Def. 4.3(ii), repaired.
pub fn closed_operand(effort: Effort) -> Finding {
    row_rule(longest(effort), &[Rule::RiClosedOperand])
}

/// Decides Def. 4.3(iii), by flanks.
pub fn short(effort: Effort) -> Finding {
    row_rule(longest(effort), &[Rule::RiShort])
}

/// Decides Def. 4.3(iv), repaired.
pub fn deficit(effort: Effort) -> Finding {
    row_rule(longest(effort), &[Rule::RiDeficit, Rule::RankCycle])
}

const SCOPE: &str =
    "every flank shape of both rows within the bounds, values of row variables of any length";

fn bounds(flank: usize) -> String {
    format!("flanks up to {flank}")
}

/// Proves (d): the constraints that the step leaves are right, and so are the known facts about the word equation among
/// them.
pub fn same_variable(effort: Effort) -> Finding {
    let flank = longest(effort);
    let mut prover = Prover::new();
    let rules = [Rule::ReSame, Rule::ReRotational];
    row_rules(&mut prover, flank, &rules, RULES);
    (1..=flank).for_each(|n| word_equations::rotational(&mut prover, n));
    prover
        .finding(&format!(
            "{SCOPE}; the word equation by induction on the place, its step put to Z3"
        ))
        .within(bounds(flank))
}

/// Decides (iii) as printed, where "shorter" compares totals.
pub fn printed_shortness(effort: Effort) -> Finding {
    let flank = longest(effort);
    let by_totals = Rules {
        row_le: ByTotals::row_le,
        ..RULES
    };
    let mut prover = Prover::new();
    row_rules(&mut prover, flank, &[Rule::RiShort], by_totals);
    prover.finding(SCOPE).within(bounds(flank))
}

fn shapes(longest: usize) -> Vec<(usize, usize)> {
    (0..=longest)
        .flat_map(|l| (0..=longest).map(move |t| (l, t)))
        .collect()
}

/// Tells whether these rules apply to equalities between rows.
fn equates(rules: &[Rule]) -> bool {
    rules.iter().all(|rule| rule.name().starts_with("re_"))
}

/// Returns every constraint between rows with flanks up to a length, in which all axes are different variables.
fn constraints(flank: usize, equality: bool) -> Vec<Constraint> {
    let vars = [
        (None, None),
        (Some("r"), None),
        (None, Some("r")),
        (Some("r"), Some("s")),
        (Some("r"), Some("r")),
    ];
    let mut all = Vec::new();
    for (left, right) in vars {
        for x in shapes(flank) {
            for y in shapes(flank) {
                let (a, b) = (term("x", x, left), term("y", y, right));
                all.push(if equality {
                    Constraint::RowEq(a, b)
                } else {
                    Constraint::RowLe(a, b)
                });
            }
        }
    }
    all
}

/// Proves one of the rules on every constraint between rows to which it applies first, or that it refuses.
fn row_rule(flank: usize, rules: &[Rule]) -> Finding {
    let mut prover = Prover::new();
    row_rules(&mut prover, flank, rules, RULES);
    prover.finding(SCOPE).within(bounds(flank))
}

fn row_rules(prover: &mut Prover, flank: usize, rules: &[Rule], calculus: Rules) {
    for constraint in constraints(flank, equates(rules)) {
        match first(&constraint, calculus) {
            Ok(firing) if rules.contains(&firing.rule) => {
                preserves(prover, flank, &constraint, &firing);
            }
            Err(rule) if rules.contains(&rule) => refuses(prover, flank, &constraint),
            _ => {}
        }
    }
}

/// Returns the firing of the calculus on a single constraint, or the rule that refuses it.
fn first(constraint: &Constraint, calculus: Rules) -> Result<Firing, Rule> {
    let set: ConstraintSet = [constraint.clone()].into_iter().collect();
    let mut config = Configuration::new(&set, false);
    let firing = calculus.fire(constraint, &config);
    let on = Pending {
        constraint: constraint.clone(),
        cause: Cause::input(0),
    };
    match config.apply(firing.clone(), Some(&on)) {
        Ok(()) => Ok(firing),
        Err(failure) => Err(failure.rule),
    }
}

fn any_values(constraint: &Constraint) -> Values {
    let mut values = Values::default();
    values.extend(constraint.vars());
    values
}

/// Proves that no values satisfy the constraint.
fn refuses(prover: &mut Prover, flank: usize, constraint: &Constraint) {
    let values = any_values(constraint);
    let said = values.says(constraint).unwrap_or_default();
    let premises = [values.formed(), said].concat();
    prover.entails(&premises, &[Fact::never()], flank, || {
        format!("{constraint} is refused")
    });
}

/// Proves that the step keeps exactly the solutions or, for a policy step, that it loses solutions only by placements:
/// its content is entailed.
fn preserves(prover: &mut Prover, flank: usize, constraint: &Constraint, firing: &Firing) {
    let values = any_values(constraint);
    let known = values.formed();
    let what = || format!("{constraint} by {}", firing.rule);
    let (Some(before), Some(left)) = (values.says(constraint), left(&values, constraint, firing))
    else {
        return prover.entails(&[], &[Fact::never()], flank, || {
            format!("{}: a variable without a value", what())
        });
    };
    let exact = [left.bound, left.rest.clone()].concat();
    if firing.is_policy() {
        prover.entails(&[known.clone(), exact].concat(), &before, flank, || {
            format!("{}: not refined", what())
        });
        let content = [left.content, left.rest].concat();
        prover.equivalent(&known, &before, &content, flank, || {
            format!("{}: content", what())
        });
    } else {
        prover.equivalent(&known, &before, &exact, flank, what);
    }
}

/// The facts into which a step turns a constraint.
#[derive(Default)]
struct Left {
    /// Its binding.
    bound: Vec<Fact>,
    /// The binding up to `≈`.
    content: Vec<Fact>,
    /// Everything emitted and stored.
    rest: Vec<Fact>,
}

fn left(values: &Values, constraint: &Constraint, firing: &Firing) -> Option<Left> {
    let mut values = values.clone();
    let mut left = Left::default();
    if let Some(Value::Row(var, term)) = firing.binds.as_ref().map(|binding| &binding.value) {
        let own = values.rows.get(var)?.clone();
        let fits = determine(&mut values, term, &own);
        let bound = values.row(term)?;
        left.bound = [vec![fits.clone()], own.identical(&bound)].concat();
        left.content = own.same_content(&bound);
    }
    let emitted = firing.emits.iter().map(|(constraint, _)| constraint);
    let kept = firing.stores.iter().chain(&firing.defers);
    let again = Some(constraint).filter(|_| firing.again);
    for constraint in emitted.chain(kept).chain(again) {
        left.rest.extend(values.says(constraint)?);
    }
    Some(left)
}

/// Gives the fresh variables of a binding the values that follow from the bound row. The fact returned says that such
/// values exist: the row is at least as long as the explicit axes of the term.
fn determine(values: &mut Values, term: &RowTerm, row: &AnyRow) -> Fact {
    let (front, back) = (term.leading.len(), term.trailing.len());
    let fronts = term
        .leading
        .iter()
        .zip(0..)
        .map(|axis| (axis, &row.leading));
    let backs = term.trailing.iter().rev().zip(0..);
    let backs = backs.map(|axis| (axis, &row.trailing));
    for ((axis, place), flank) in fronts.chain(backs) {
        if let DimTerm::Var(var) = axis {
            let axis = flank.axis(&number(place));
            values.dims.entry(var.clone()).or_insert(axis);
        }
    }
    if let Some(rest) = &term.var {
        let inner = AnyRow {
            leading: row.leading.without(front),
            trailing: row.trailing.without(back),
        };
        values.rows.entry(rest.clone()).or_insert(inner);
    }
    Fact::Plain(Bool::and(&[
        row.leading.length.ge(number(front)),
        row.trailing.length.ge(number(back)),
    ]))
}

fn natural(name: &str) -> (Int, Bool) {
    let n = Int::new_const(name);
    let natural = n.ge(Int::from_i64(0));
    (n, natural)
}

pub fn binding_facts(_: Effort) -> Finding {
    let [(l, a), (r, b), (own, c), (rest, d)] = ["l", "r", "own", "rest"].map(natural);
    let mut prover = Prover::new();
    // The content of ρ is that of l·⟨ρ'⟩·r, wherever the marker of ρ is.
    let bound = own.eq(&l + &rest + &r);
    prover.prove(&[a, b, c, d, bound], &own.ge(&rest + &l + &r), || {
        "a binding".into()
    });
    prover.finding("any lengths")
}

/// Returns the leading and trailing lengths of the explicit axes and of the values, with flank fit.
fn flank_fit() -> (Vec<Bool>, Int, Int, Int, Int) {
    let names = ["res.l", "res.r", "op.l", "op.r", "x.l", "x.r", "y.l", "y.r"];
    let lengths = names.map(natural);
    let n = |i: usize| lengths[i].0.clone();
    let mut facts: Vec<Bool> = lengths.iter().map(|(_, natural)| natural.clone()).collect();
    facts.push((n(0) + n(4)).ge(n(2) + n(6)));
    facts.push((n(1) + n(5)).ge(n(3) + n(7)));
    (facts, n(0) + n(1), n(2) + n(3), n(4) + n(5), n(6) + n(7))
}

pub fn equal_flanks(_: Effort) -> Finding {
    let (mut facts, result, operand, low, high) = flank_fit();
    facts.push(result.eq(&operand));
    let mut prover = Prover::new();
    prover.prove(&facts, &low.ge(&high), || "equal totals".into());
    prover.finding("any lengths")
}

pub fn deficits(_: Effort) -> Finding {
    let (facts, result, operand, low, high) = flank_fit();
    let mut prover = Prover::new();
    prover.prove(&facts, &(&low + &result).ge(&high + &operand), || {
        "a deficit or a surplus".into()
    });
    // A fact with weight 0 at a surplus is not entailed: its negation has a model.
    let surplus = [
        result.eq(Int::from_i64(1)),
        operand.eq(Int::from_i64(0)),
        low.eq(Int::from_i64(0)),
        high.eq(Int::from_i64(1)),
    ];
    let solver = z3::Solver::new();
    facts.iter().chain(&surplus).for_each(|f| solver.assert(f));
    let unsound = solver.check() == z3::SatResult::Sat;
    prover.prove(&[], &Bool::from_bool(unsound), || {
        "a surplus entails weight 0".into()
    });
    prover.finding("any lengths")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lozenge_spec::firing::by;

    /// Z3 finds a counterexample for each refuted printed rule, which compares totals.
    #[test]
    fn the_printed_inequalities_are_refuted() {
        let by_totals = Rules {
            row_le: ByTotals::row_le,
            ..RULES
        };
        for rule in [Rule::RiCap, Rule::RiClosedOperand] {
            let mut prover = Prover::new();
            row_rules(&mut prover, 1, &[rule], by_totals);
            let finding = prover.finding("");
            assert!(
                finding.witness.is_some(),
                "{rule} is as printed, and proved"
            );
        }
    }

    /// A step that loses a solution, adds one, or refuses a satisfiable constraint is not proved.
    #[test]
    fn a_wrong_step_is_refuted() {
        let constraint: Constraint = "[x0 <r>] ~ [<s> y0]".parse().unwrap();
        let wrong = [
            ("[x0 <r>] ~ [<s> y0]", None),
            ("<r> ~ <s>", Some("no equation is left")),
            ("[x0, x0 <r>] ~ [<s> y0, y0]", Some("one axis more")),
            ("[y0 <r>] ~ [<s> x0]", Some("the axes exchanged")),
        ];
        for (stored, why) in wrong {
            let firing = by(Rule::ReSplit).defers(stored.parse().unwrap());
            let mut prover = Prover::new();
            preserves(&mut prover, 1, &constraint, &firing);
            assert_eq!(
                prover.finding("").witness.is_some(),
                why.is_some(),
                "{stored}"
            );
        }
        let mut prover = Prover::new();
        refuses(&mut prover, 1, &constraint);
        assert!(prover.finding("").witness.is_some());
    }

    /// Every constraint between rows is decided by a rule that some claim proves.
    #[test]
    fn the_rules_share_all_shapes() {
        let proved = [
            Rule::ReClosed,
            Rule::ReOpenClosed,
            Rule::ReNested,
            Rule::ReSplit,
            Rule::ReSame,
            Rule::ReRotational,
            Rule::RiCap,
            Rule::RiClosedOperand,
            Rule::RiShort,
            Rule::RiDeficit,
            Rule::RankCycle,
        ];
        for constraint in [constraints(2, true), constraints(2, false)].concat() {
            let rule = first(&constraint, RULES).map_or_else(|rule| rule, |f| f.rule);
            assert!(proved.contains(&rule), "{constraint} is decided by {rule}");
        }
    }

    #[test]
    fn every_rule_is_proved_at_short_flanks() {
        let proofs = [
            closed,
            open_closed,
            nested,
            split,
            word_equations::split,
            same_variable,
            cap,
            closed_operand,
            printed_shortness,
            short,
            deficit,
        ];
        for (i, proof) in proofs.iter().enumerate() {
            let finding = proof(Effort::Quick);
            assert!(finding.witness.is_none(), "{i}: {:?}", finding.witness);
            assert!(finding.instances > 0, "{i}");
        }
    }
}
