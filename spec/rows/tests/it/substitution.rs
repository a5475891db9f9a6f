//! §3: substitutions splice at the marker, compose, and agree with ground substitutions.

use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimTerm, DimVar, Ground, Order, Row, RowTerm, RowVar,
    Substitution, Tag, Var,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

fn dim_var() -> impl Strategy<Value = DimVar> {
    prop_oneof![Just("a"), Just("b"), Just("c")].prop_map(DimVar::new)
}

fn row_var() -> impl Strategy<Value = RowVar> {
    prop_oneof![Just("r"), Just("s"), Just("t")].prop_map(RowVar::new)
}

fn dim() -> impl Strategy<Value = Dim> {
    prop_oneof![
        Just(Dim::Unit),
        (1u64..5).prop_map(|n| Dim::new(n).unwrap())
    ]
}

fn dim_term() -> impl Strategy<Value = DimTerm> {
    prop_oneof![
        dim().prop_map(DimTerm::Const),
        dim_var().prop_map(DimTerm::Var)
    ]
}

fn row_term() -> impl Strategy<Value = RowTerm> {
    (
        vec(dim_term(), 0..3),
        proptest::option::of(row_var()),
        vec(dim_term(), 0..3),
    )
        .prop_map(|(leading, var, trailing)| RowTerm {
            leading,
            var,
            trailing,
        })
}

fn substitution() -> impl Strategy<Value = Substitution> {
    (
        btree_map(dim_var(), dim_term(), 0..3),
        btree_map(row_var(), row_term(), 0..3),
    )
        .prop_map(|(dims, rows)| Substitution { dims, rows })
}

fn ground() -> impl Strategy<Value = Ground> {
    let row = || (vec(dim(), 0..3), vec(dim(), 0..3)).prop_map(|(l, r)| Row::new(l, r));
    let dims = (dim(), dim(), dim()).prop_map(|(a, b, c)| [("a", a), ("b", b), ("c", c)]);
    let rows = (row(), row(), row()).prop_map(|(r, s, t)| [("r", r), ("s", s), ("t", t)]);
    (dims, rows).prop_map(|(dims, rows)| Ground {
        dims: dims.into_iter().map(|(n, d)| (DimVar::new(n), d)).collect(),
        rows: rows.into_iter().map(|(n, r)| (RowVar::new(n), r)).collect(),
        ..Ground::default()
    })
}

#[test]
fn definition_3_2_the_hosts_flanks_stay_outermost() {
    let value: RowTerm = "[3 <s> 4]".parse().unwrap();
    let by = Substitution {
        rows: [(RowVar::new("r"), value)].into(),
        ..Substitution::default()
    };
    let host: RowTerm = "[1 <r> 2]".parse().unwrap();
    assert_eq!(by.row(&host).to_string(), "[1, 3 <s> 4, 2]");
    let closed = Substitution {
        rows: [(RowVar::new("s"), "[7 <> 8]".parse().unwrap())].into(),
        ..Substitution::default()
    };
    assert_eq!(
        closed.row(&by.row(&host)).to_string(),
        "[1, 3, 7 <> 8, 4, 2]"
    );
}

#[test]
fn definition_3_2_idempotency_is_disjointness() {
    let binds = |term: &str| Substitution {
        rows: [(RowVar::new("r"), term.parse().unwrap())].into(),
        ..Substitution::default()
    };
    assert!(binds("[3 <s>]").is_idempotent());
    assert!(!binds("[3 <r>]").is_idempotent());
    let to_a = |of: &str| Substitution {
        dims: [(DimVar::new(of), DimVar::new("a").into())].into(),
        ..binds("[3]")
    };
    assert!(to_a("b").is_idempotent());
    assert!(!to_a("a").is_idempotent());
}

#[test]
fn a_term_mentions_the_variables_that_occur_in_it() {
    let var = |text: &str| text.parse::<Var>().unwrap();
    let row: RowTerm = "[a, 3 <r> b]".parse().unwrap();
    let mentioned = ["a", "b", "c", "r", "<r>", "<a>"].map(|text| row.mentions(&var(text)));
    assert_eq!(mentioned, [true, true, false, false, true, false]);
    let axis: DimTerm = "a".parse().unwrap();
    let mentioned = ["a", "b", "<a>"].map(|text| axis.mentions(&var(text)));
    assert_eq!(mentioned, [true, false, false]);
    let constraint: Constraint = "[a] <= <r>".parse().unwrap();
    let mentioned = ["a", "<r>", "b", "<s>"].map(|text| constraint.mentions(&var(text)));
    assert_eq!(mentioned, [true, true, false, false]);
}

#[test]
fn a_set_is_collected_of_its_constraints_and_knows_their_tags() {
    let constraints = ["3 <= a", "<r> ~ [a]"].map(|text| text.parse::<Constraint>().unwrap());
    let mut set: ConstraintSet = constraints.iter().cloned().collect();
    assert_eq!(set.constraints, constraints);
    set.tags = "param a".parse::<ConstraintSet>().unwrap().tags;
    assert_eq!(set.tag(&"a".parse().unwrap()), Tag::Param);
    assert_eq!(
        set.tag(&"<r>".parse().unwrap()),
        Tag::Interior,
        "undeclared"
    );
}

#[test]
fn definition_3_4_the_first_constraint_that_does_not_hold_is_named() {
    let set: ConstraintSet = "3 <= a\n<r> ~ [a]\n[3] <= <r>\nb = b".parse().unwrap();
    let violated = |json: &str| {
        let gamma: Ground = serde_json::from_str(json).unwrap();
        gamma.first_violated(&set.constraints, Order::Marked)
    };
    assert_eq!(violated(r#"{"a": "5", "b": "1_", "<r>": "[5]"}"#), Some(0));
    assert_eq!(violated(r#"{"a": "3", "b": "1_", "<r>": "[5]"}"#), Some(1));
    assert_eq!(
        violated(r#"{"a": "3", "<r>": "[3]"}"#),
        Some(3),
        "b has no value"
    );
    assert_eq!(violated(r#"{"a": "3", "b": "1_", "<r>": "[3]"}"#), None);
}

proptest! {
    #[test]
    fn lemma_3_3_composition(outer in substitution(), inner in substitution(), row in row_term(), dim in dim_term()) {
        let both = outer.compose(&inner);
        prop_assert_eq!(both.row(&row), outer.row(&inner.row(&row)));
        prop_assert_eq!(both.dim(&dim), outer.dim(&inner.dim(&dim)));
    }

    #[test]
    fn a_ground_substitution_is_a_substitution(gamma in ground(), row in row_term()) {
        let as_terms = Substitution {
            dims: gamma.dims.iter().map(|(v, d)| (v.clone(), d.clone().into())).collect(),
            rows: gamma.rows.iter().map(|(v, r)| (v.clone(), r.clone().into())).collect(),
        };
        prop_assert_eq!(as_terms.row(&row).ground(), gamma.row(&row));
    }

    /// Def. 3.4: γ satisfies σ(φ) exactly when γ ∘ σ satisfies φ.
    #[test]
    fn satisfaction_commutes_with_substitution(gamma in ground(), sigma in substitution(), a in row_term(), b in row_term()) {
        let composed = Ground {
            dims: gamma.dims.keys().map(|v| (v.clone(), gamma.dim(&sigma.dim(&v.clone().into())).unwrap())).collect(),
            rows: gamma.rows.keys().map(|v| (v.clone(), gamma.row(&sigma.row(&v.clone().into())).unwrap())).collect(),
            ..Ground::default()
        };
        for constraint in [Constraint::RowLe(a.clone(), b.clone()), Constraint::RowEq(a, b)] {
            for order in [Order::Marked, Order::OneShot] {
                prop_assert_eq!(
                    gamma.satisfies(&constraint.substituted(&sigma), order),
                    composed.satisfies(&constraint, order)
                );
            }
        }
    }
}
