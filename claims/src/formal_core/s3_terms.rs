//! §3: terms, substitutions, satisfaction, and the example without a least model.

use crate::formal_core::case::{Case, through, universe};
use crate::formal_core::populations::rank;
use crate::formal_core::reading::Reading;
use crate::formal_core::s2_rows;
use crate::formal_core::s5_metatheory::principality;
use crate::machinery::Check::{Proof, Search, Survey, Theorem};
use crate::machinery::{Claim, Effort, Finding, Witness};
use lozenge_testkit::enumeration::Universe;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::TwoSorted;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar, Substitution};
use lozenge_vocabulary::verdict::Order;

fn axes() -> Vec<DimTerm> {
    let three = Dim::new(3).into_iter().map(DimTerm::Const);
    three.chain([DimTerm::Var(DimVar::new("a"))]).collect()
}

/// Returns the row terms of at most one axis over 3 and `a`, closed or at `<r>` or `<s>`.
fn row_terms() -> Vec<RowTerm> {
    let vars = [None, Some(RowVar::new("r")), Some(RowVar::new("s"))];
    let mut all = Vec::new();
    for var in vars {
        let row = |leading: Vec<DimTerm>, trailing: Vec<DimTerm>| RowTerm {
            leading,
            var: var.clone(),
            trailing,
        };
        all.push(row(Vec::new(), Vec::new()));
        for axis in axes() {
            all.push(row(vec![axis.clone()], Vec::new()));
            all.push(row(Vec::new(), vec![axis]));
        }
    }
    all
}

/// Returns every idempotent substitution of `a`, `<r>` and `<s>` by those terms.
fn substitutions() -> Vec<Substitution> {
    let rows: Vec<Option<RowTerm>> = std::iter::once(None)
        .chain(row_terms().into_iter().map(Some))
        .collect();
    let mut all = Vec::new();
    for a in [None, Dim::new(3).map(DimTerm::Const)] {
        for r in &rows {
            for s in &rows {
                let mut sigma = Substitution::default();
                sigma.dims.extend(a.clone().map(|t| (DimVar::new("a"), t)));
                sigma.rows.extend(r.clone().map(|t| (RowVar::new("r"), t)));
                sigma.rows.extend(s.clone().map(|t| (RowVar::new("s"), t)));
                all.push(sigma);
            }
        }
    }
    all.retain(Substitution::is_idempotent);
    all
}

const SCOPE: &str =
    "idempotent substitutions of a, <r>, <s> by terms of at most one axis over 3 and a";

fn shown(sigma: &Substitution) -> String {
    let dims = sigma.dims.iter().map(|(v, t)| format!("{v} = {t}"));
    let rows = sigma.rows.iter().map(|(v, t)| format!("{v} ~ {t}"));
    dims.chain(rows).collect::<Vec<_>>().join("\n")
}

/// Checks that a term has at most one row variable by its type, and substitution gives a term again, spliced at the
/// marker.
fn def_3_1(_: Effort) -> Finding {
    let (mut count, mut witness) = (0, None);
    for sigma in substitutions() {
        for term in row_terms() {
            count += 1;
            let image = sigma.row(&term);
            let expected = match term.var.as_ref().and_then(|v| sigma.rows.get(v)) {
                Some(value) => term.explicit() + value.explicit(),
                None => term.explicit(),
            };
            if image.explicit() != expected {
                witness = Some(Witness {
                    text: shown(&sigma),
                    why: format!("{term} becomes {image}"),
                });
            }
        }
    }
    Finding::exhaustive(SCOPE, count, witness)
}

/// Checks that `dom ∩ vars(ran) = ∅` makes application idempotent.
fn def_3_2(_: Effort) -> Finding {
    let (mut count, mut witness) = (0, None);
    for sigma in substitutions() {
        for term in row_terms() {
            count += 1;
            let once = sigma.row(&term);
            if sigma.row(&once) != once {
                witness = Some(Witness {
                    text: shown(&sigma),
                    why: format!("{term} changes twice"),
                });
            }
        }
    }
    Finding::exhaustive(SCOPE, count, witness)
}

fn lemma_3_3(effort: Effort) -> Finding {
    let mut all = substitutions();
    if effort == Effort::Quick {
        all = all.into_iter().step_by(3).collect();
    }
    let terms = row_terms();
    let (mut count, mut witness) = (0, None);
    for sigma in &all {
        for tau in &all {
            count += 1;
            let composite = sigma.compose(tau);
            if let Some(term) = terms
                .iter()
                .find(|t| composite.row(t) != sigma.row(&tau.row(t)))
            {
                witness.get_or_insert(Witness {
                    text: format!("{}\n{}", shown(sigma), shown(tau)),
                    why: format!("the composite differs on {term}"),
                });
            }
        }
    }
    let which = if effort == Effort::Quick {
        "every third of the "
    } else {
        ""
    };
    let scope = format!("pairs of {which}{SCOPE}; the composite itself need not be idempotent");
    Finding::exhaustive(scope, count, witness)
}

/// Checks that the three formulations of row equality agree, and so do two ways of stating `⊨`.
fn def_3_4(effort: Effort) -> Finding {
    let rows = Universe {
        rank: rank(effort).min(3),
        ..universe(0)
    }
    .rows();
    let (mut count, mut witness) = (0, None);
    for a in &rows {
        for b in &rows {
            count += 1;
            let equal = a.flat_equivalent(b);
            let rigid = TwoSorted::Rigid(a.flat()) == TwoSorted::Rigid(b.flat());
            let mutual = a.below_one_shot(b) && b.below_one_shot(a);
            let judged = Ground::default().satisfies(
                &Constraint::RowEq(a.clone().into(), b.clone().into()),
                Order::Marked,
            );
            if equal != rigid || equal != mutual || judged != Some(equal) {
                witness = Some(Witness {
                    text: format!("{a} ~ {b}"),
                    why: "the formulations differ".into(),
                });
            }
        }
    }
    for (sigma, gamma) in substitutions()
        .iter()
        .flat_map(|s| grounds().into_iter().map(move |g| (s, g)))
    {
        for term in row_terms() {
            count += 1;
            let constraint = Constraint::RowLe(term.clone(), RowVar::new("r").into());
            let composed = through(sigma, &gamma);
            if composed.satisfies(&constraint, Order::Marked)
                != gamma.satisfies(&constraint.substituted(sigma), Order::Marked)
            {
                witness = Some(Witness {
                    text: format!("{constraint}\n{}", shown(sigma)),
                    why: "γ∘σ and γ(σΦ) differ".into(),
                });
            }
        }
    }
    Finding::exhaustive(
        format!("pairs of rows up to rank 3; {SCOPE}, with ground substitutions"),
        count,
        witness,
    )
}

fn grounds() -> Vec<Ground> {
    let rows = Universe {
        rank: 1,
        ..universe(0)
    }
    .rows();
    let pick = |i: usize| rows[i % rows.len()].clone();
    (0..rows.len())
        .map(|i| {
            let mut gamma = Ground::default();
            gamma
                .dims
                .extend(Dim::new(3).map(|d| (DimVar::new("a"), d)));
            gamma.rows.insert(RowVar::new("r"), pick(i));
            gamma.rows.insert(RowVar::new("s"), pick(2 * i + 1));
            gamma
        })
        .collect()
}

/// Checks that, of the targets of α, exactly 3 and 1∅ model `3 ⊑ α`, and a variable does not. No substitution maps one
/// of the two models to the other.
fn ex_3_5(_: Effort) -> Finding {
    let alpha = DimVar::new("a");
    let targets: Vec<DimTerm> = ["1_", "1", "2", "3", "3_rgb", "4", "5", "a", "b"]
        .iter()
        .filter_map(|t| t.parse().ok())
        .collect();
    let values: Vec<Dim> = (1..=5).filter_map(Dim::new).chain([Dim::Unit]).collect();
    let to = |var: &DimVar, target: &DimTerm| {
        let mut sigma = Substitution::default();
        sigma.dims.insert(var.clone(), target.clone());
        sigma
    };
    let is_model = |target: &&DimTerm| {
        let below = Dim::new(3).map(|three| Constraint::DimLe(three.into(), (*target).clone()));
        let holds = |value: &Dim| {
            let mut gamma = Ground::default();
            let vars = [alpha.clone(), DimVar::new("b")];
            gamma.dims.extend(vars.map(|var| (var, value.clone())));
            below
                .as_ref()
                .and_then(|c| gamma.satisfies(c, Order::Marked))
                == Some(true)
        };
        values.iter().all(holds)
    };
    let models: Vec<&DimTerm> = targets.iter().filter(is_model).collect();
    let names: Vec<String> = models.iter().map(|m| m.to_string()).collect();
    let after = |first: &DimTerm, second: &DimTerm| {
        let term = DimTerm::Var(alpha.clone());
        let vars = [alpha.clone(), DimVar::new("b")];
        let all = vars
            .iter()
            .flat_map(|var| targets.iter().map(move |t| to(var, t)));
        all.into_iter()
            .any(|u| u.dim(&to(&alpha, first).dim(&term)) == *second)
    };
    let comparable =
        models.len() != 2 || after(models[0], models[1]) || after(models[1], models[0]);
    let witness = (names != ["1_", "3"] || comparable).then(|| Witness {
        text: "3 <= a".into(),
        why: format!("the models are {names:?}, or one is an instance of the other"),
    });
    Finding::exhaustive(
        "atoms, the unit and variables as the target of α; every substitution by one of them as u",
        targets.len() as u64,
        witness,
    )
}

/// The claims of §3.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Def. 3.1",
        "Each row term contains at most one row variable, at the marker: an invariant preserved by everything below.",
        &[Theorem(&["Term.one_variable"]), Search(def_3_1)],
    ),
    Claim::new(
        "Def. 3.2",
        "A substitution is finite, sort-respecting, with dom(σ) ∩ vars(ran(σ)) = ∅ (idempotency); application is structural except at the marker, where flanks are spliced.",
        &[Theorem(&["Term.sub_bare", "Term.sub_marker", "Term.idempotent_twice"]), Search(def_3_2)],
    ),
    Claim::new(
        "Lemma 3.3",
        "(σ∘τ)(X) = σ(τ(X)) for all terms X, where σ∘τ is the usual composite substitution.",
        &[Theorem(&["Term.compose_d", "Term.compose_r"]), Search(lemma_3_3)],
    ),
    Claim::new(
        "Def. 3.4",
        "Ground row equality is ≈; equivalently identity of the rigidifications, equivalently mutual ⊑¹: the three formulations coincide. σ ⊨ Φ iff γ∘σ ∈ Sol(Φ) for every γ, equivalently σ(Φ) is valid.",
        &[Theorem(&["Satisfaction.equality_formulations", "Satisfaction.sat_after", "Satisfaction.models_valid"]), Proof(s2_rows::one_shot_order), Search(def_3_4)],
    ),
    Claim::new(
        "Ex. 3.5",
        "{3 ⊑ α} has models but no ≤-least one: any model maps α to 3 or to 1∅, and these are incomparable.",
        &[Theorem(&["Satisfaction.example_3_5_models", "Satisfaction.example_3_5"]), Search(ex_3_5)],
    ),
    Claim::new(
        "Ex. 3.5(consequence)",
        "A principal model in the original sense exists exactly when the residual store is empty.",
        &[Survey(Reading::Repaired, principality::exactly_without_caps)],
    )
    .repaired(
        "When a run by semantic steps leaves an empty store, σ⋆ is the principal model: σ⋆ ⊨ Φ₀, and every solution is an instance of it.",
        &[Survey(Reading::Repaired, principality::principal_with_empty_store)],
    ),
];
