//! §4 in Z3. The code of `lozenge-spec` runs one step on a constraint whose axes are all different variables; what the step
//! emitted, stored and bound is read from its trace and held against the constraint, for symbolic letters and for values of
//! the row variables of every shape within the bounds.

use lozenge_spec::claims::{Effort, Finding};
use lozenge_spec::trace::Step;
use lozenge_spec::{
    Constraint, ConstraintSet, DimTerm, DimVar, Nature, Options, RowTerm, RowVar, Rule, Var, solve,
};
use z3::ast::{Bool, Int};

use super::prover::{Dim, Prover, Row, Values};

/// The proof of a claim, if there is one here.
pub fn proof(id: &str, effort: Effort) -> Option<Finding> {
    let bounds = if effort == Effort::Quick {
        Bounds { flank: 1, value: 1 }
    } else {
        Bounds { flank: 3, value: 3 }
    };
    Some(match id {
        "Def. 4.2" => dimension_rules(),
        "Def. 4.3(a)" => row_rule(bounds, &[Rule::ReClosed]),
        "Def. 4.3(b)" => row_rule(bounds, &[Rule::ReOpenClosed]),
        "Def. 4.3(c-nested)" => row_rule(bounds, &[Rule::ReNested]),
        "Def. 4.3(i) repaired" => row_rule(bounds, &[Rule::RiCap]),
        "Def. 4.3(ii) repaired" => row_rule(bounds, &[Rule::RiClosedOperand]),
        "Def. 4.3(iv) repaired" => {
            row_rule(bounds, &[Rule::RiDeficit, Rule::RiShort, Rule::RankCycle])
        }
        "Def. 4.5(1)" => binding_facts(),
        "Def. 4.5(2)" => equal_flanks(),
        "Def. 4.5(3)" => deficits(),
        _ => return None,
    })
}

/// How long flanks of the terms, and of the values of their variables, are.
#[derive(Clone, Copy)]
struct Bounds {
    flank: usize,
    value: usize,
}

impl Bounds {
    fn words(self) -> String {
        format!(
            "every flank shape up to length {} a side, values of row variables up to length {} a side",
            self.flank, self.value
        )
    }
}

fn dimension_rules() -> Finding {
    let [t, u, v, d, e] = ["t", "u", "v", "d", "e"].map(Dim::any);
    let formed: Vec<Bool> = [&t, &u, &v, &d, &e].map(Dim::well_formed).to_vec();
    let (yes, no) = (Bool::from_bool(true), Bool::from_bool(false));
    let atoms = Bool::and(&[d.is_unit().not(), e.is_unit().not()]);
    let distinct = d.equals(&e).not();
    let unit = Dim::unit();
    let both = |a: Bool, b: Bool| Bool::and(&[a, b]);
    // The premise, the constraint, and what the rule makes of it.
    let rules = [
        (Rule::DeRefl, yes.clone(), t.equals(&t), yes.clone()),
        (Rule::DeClash, distinct.clone(), d.equals(&e), no.clone()),
        (
            Rule::DeBind,
            yes.clone(),
            both(t.equals(&u), t.below(&v)),
            both(t.equals(&u), u.below(&v)),
        ),
        (Rule::DiTop, yes.clone(), t.below(&unit), yes.clone()),
        (Rule::DiRefl, yes.clone(), t.below(&t), yes.clone()),
        (
            Rule::DiGround,
            both(distinct.clone(), e.is_unit().not()),
            d.below(&e),
            no,
        ),
        (Rule::DiPin, d.is_unit().not(), t.below(&d), t.equals(&d)),
        (Rule::DiPinTop, yes.clone(), unit.below(&t), t.equals(&unit)),
        (
            Rule::DiCap,
            both(atoms, distinct),
            both(d.below(&t), e.below(&t)),
            t.equals(&unit),
        ),
        // Caps travel: what is below t is below u when t is.
        (
            Rule::DiAdj,
            yes.clone(),
            both(t.below(&u), d.below(&t)),
            Bool::and(&[t.below(&u), d.below(&t), d.below(&u)]),
        ),
        (
            Rule::DiAntisym,
            yes,
            Bool::and(&[t.below(&u), u.below(&v), v.below(&t)]),
            Bool::and(&[t.equals(&u), u.equals(&v)]),
        ),
    ];
    let mut prover = Prover::new();
    for (rule, premise, before, after) in rules {
        let assumed: Vec<Bool> = formed.iter().cloned().chain([premise]).collect();
        prover.prove(&assumed, &before.iff(&after), || rule.name().into());
    }
    prover.finding("each rule, its constraint equivalent to what it leaves")
}

/// A term with these flanks whose axes are variables that occur nowhere else.
fn term(prefix: &str, (leading, trailing): (usize, usize), var: Option<&str>) -> RowTerm {
    let axes = |side: &str, n: usize| {
        (0..n)
            .map(|i| DimTerm::Var(DimVar::new(&format!("{prefix}{side}{i}"))))
            .collect()
    };
    RowTerm {
        leading: axes("l", leading),
        var: var.map(RowVar::new),
        trailing: axes("t", trailing),
    }
}

fn shapes(longest: usize) -> Vec<(usize, usize)> {
    (0..=longest)
        .flat_map(|l| (0..=longest).map(move |t| (l, t)))
        .collect()
}

/// Every constraint between rows whose first step is by one of the rules, or that such a rule refuses.
fn row_rule(bounds: Bounds, rules: &[Rule]) -> Finding {
    let mut prover = Prover::new();
    let equality = rules
        .iter()
        .any(|r| matches!(r, Rule::ReClosed | Rule::ReOpenClosed | Rule::ReNested));
    let vars = [
        (None, None),
        (Some("r"), None),
        (None, Some("r")),
        (Some("r"), Some("s")),
        (Some("r"), Some("r")),
    ];
    for (left, right) in vars {
        for x in shapes(bounds.flank) {
            for y in shapes(bounds.flank) {
                let (a, b) = (term("x", x, left), term("y", y, right));
                let constraint = if equality {
                    Constraint::RowEq(a, b)
                } else {
                    Constraint::RowLe(a, b)
                };
                let set: ConstraintSet = [constraint.clone()].into_iter().collect();
                let run = solve(&set, &Options::default());
                let step = run.config.trace.as_ref().and_then(|t| t.first());
                let refused = run.failure().map(|f| f.rule).filter(|_| step.is_none());
                match (step, refused) {
                    (Some(step), _) if rules.contains(&step.rule) => {
                        preserves(&mut prover, bounds, &constraint, step)
                    }
                    (_, Some(rule)) if rules.contains(&rule) => {
                        refuses(&mut prover, bounds, &constraint)
                    }
                    _ => {}
                }
            }
        }
    }
    prover.finding(&bounds.words())
}

/// Values of every shape for the row variables of a constraint, and letters for its axes.
fn each_value(bounds: Bounds, constraint: &Constraint, mut look: impl FnMut(&Values, &str)) {
    let vars = constraint.vars();
    let rows: Vec<&RowVar> = vars
        .iter()
        .filter_map(|v| {
            if let Var::Row(row) = v {
                Some(row)
            } else {
                None
            }
        })
        .collect();
    let mut choices: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    for _ in &rows {
        choices = choices
            .iter()
            .flat_map(|c| {
                shapes(bounds.value)
                    .into_iter()
                    .map(move |s| [c.as_slice(), &[s]].concat())
            })
            .collect();
    }
    for choice in choices {
        let mut values = Values::default();
        for var in &vars {
            if let Var::Dim(var) = var {
                values.dims.insert(var.clone(), Dim::any(var.name()));
            }
        }
        for (row, shape) in rows.iter().zip(&choice) {
            values
                .rows
                .insert((*row).clone(), Row::any(row.name(), *shape));
        }
        look(
            &values,
            &format!("{constraint} with values of shapes {choice:?}"),
        );
    }
}

fn refuses(prover: &mut Prover, bounds: Bounds, constraint: &Constraint) {
    each_value(bounds, constraint, |values, what| {
        prover.relate(&[], values.holds(constraint), None, true, || what.into());
    });
}

/// The step keeps exactly the solutions; a policy step only refines them, and its content is entailed.
fn preserves(prover: &mut Prover, bounds: Bounds, constraint: &Constraint, step: &Step) {
    each_value(bounds, constraint, |values, what| {
        let before = values.holds(constraint);
        let (after, content) = left(values, step);
        match step.rule.nature() {
            Nature::Semantic => prover.relate(&[], before, after, true, || what.into()),
            Nature::Policy => {
                prover.relate(&[], after, before.clone(), false, || {
                    format!("{what}: not refined")
                });
                prover.relate(&[], before, content, false, || {
                    format!("{what}: content not entailed")
                });
            }
        }
    });
}

/// What a step leaves: everything emitted and stored, with its binding; and the same with the binding up to content.
fn left(values: &Values, step: &Step) -> (Option<Bool>, Option<Bool>) {
    let mut values = values.clone();
    let (mut exact, mut content) = (Some(Vec::new()), Some(Vec::new()));
    if let Some((Var::Row(var), text)) = &step.bound {
        let Ok(term) = text.parse::<RowTerm>() else {
            return (None, None);
        };
        let Some(own) = values.rows.get(var).cloned() else {
            return (None, None);
        };
        determine(&mut values, &term, &own);
        let bound = values.row(&term);
        exact = bound
            .as_ref()
            .and_then(|b| own.identical(b))
            .map(|b| vec![b]);
        content = bound
            .as_ref()
            .and_then(|b| own.same_content(b))
            .map(|b| vec![b]);
    }
    for constraint in step.emitted.iter().chain(&step.stored) {
        let holds = values.holds(constraint);
        let and = |all: Option<Vec<Bool>>| {
            all.zip(holds.clone()).map(|(mut all, one)| {
                all.push(one);
                all
            })
        };
        exact = and(exact);
        content = and(content);
    }
    let all = |of: Option<Vec<Bool>>| of.map(|all| Bool::and(&all));
    (all(exact), all(content))
}

/// Fresh variables of a binding have the values that the bound row gives them; there are none where it is too short.
fn determine(values: &mut Values, term: &RowTerm, row: &Row) {
    let (front, back) = (term.leading.len(), term.trailing.len());
    if row.leading.len() < front || row.trailing.len() < back {
        return;
    }
    let inner = row.trailing.len() - back;
    let pairs = term
        .leading
        .iter()
        .zip(&row.leading)
        .chain(term.trailing.iter().zip(&row.trailing[inner..]));
    for (axis, dim) in pairs {
        if let DimTerm::Var(var) = axis {
            values
                .dims
                .entry(var.clone())
                .or_insert_with(|| dim.clone());
        }
    }
    if let Some(rest) = &term.var {
        let value = Row {
            leading: row.leading[front..].to_vec(),
            trailing: row.trailing[..inner].to_vec(),
        };
        values.rows.entry(rest.clone()).or_insert(value);
    }
}

fn natural(name: &str) -> (Int, Bool) {
    let n = Int::new_const(name);
    let natural = n.ge(Int::from_i64(0));
    (n, natural)
}

fn binding_facts() -> Finding {
    let [(l, a), (r, b), (own, c), (rest, d)] = ["l", "r", "own", "rest"].map(natural);
    let mut prover = Prover::new();
    // The content of ρ is that of l·⟨ρ'⟩·r, wherever its marker is.
    let bound = own.eq(&l + &rest + &r);
    prover.prove(&[a, b, c, d, bound], &own.ge(&rest + &l + &r), || {
        "a binding".into()
    });
    prover.finding("any lengths")
}

/// Leading and trailing lengths of the explicit axes and of the values, with flank fit.
fn flank_fit() -> (Vec<Bool>, Int, Int, Int, Int) {
    let names = ["res.l", "res.r", "op.l", "op.r", "x.l", "x.r", "y.l", "y.r"];
    let lengths = names.map(natural);
    let n = |i: usize| lengths[i].0.clone();
    let mut facts: Vec<Bool> = lengths.iter().map(|(_, natural)| natural.clone()).collect();
    facts.push((n(0) + n(4)).ge(n(2) + n(6)));
    facts.push((n(1) + n(5)).ge(n(3) + n(7)));
    (facts, n(0) + n(1), n(2) + n(3), n(4) + n(5), n(6) + n(7))
}

fn equal_flanks() -> Finding {
    let (mut facts, result, operand, low, high) = flank_fit();
    facts.push(result.eq(&operand));
    let mut prover = Prover::new();
    prover.prove(&facts, &low.ge(&high), || "equal totals".into());
    prover.finding("any lengths")
}

fn deficits() -> Finding {
    let (facts, result, operand, low, high) = flank_fit();
    let mut prover = Prover::new();
    prover.prove(&facts, &(&low + &result).ge(&high + &operand), || {
        "a deficit or a surplus".into()
    });
    // Recording 0 at a surplus: the fact is not entailed, so its negation has a model, shown by one.
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
