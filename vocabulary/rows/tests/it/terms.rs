//! Terms, constraints and their variables, and when values satisfy them (Defs. 3.1 to 3.4).

use lozenge_vocabulary::alignment::inherited_split;
use lozenge_vocabulary::operation::{Accumulator, Combine};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation, Sum};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{
    Basis, Constraint, ConstraintSet, Dim, DimTerm, Ground, Order, Row, RowTerm, RowVar, Rule, Tag,
    Var, Verdict,
};

fn var(text: &str) -> Var {
    text.parse().expect("a variable")
}

fn constraint(text: &str) -> Constraint {
    text.parse().expect("a constraint")
}

#[test]
fn a_term_mentions_its_variables() {
    let row: RowTerm = "[a, 2 <r> b]".parse().unwrap();
    let empty: RowTerm = RowVar::new("s").into();
    for (name, here) in [("a", true), ("b", true), ("<r>", true), ("r", false)] {
        assert_eq!(row.mentions(&var(name)), here, "{name}");
    }
    assert!(!row.mentions(&var("<s>")));
    assert!(empty.mentions(&var("<s>")) && !empty.mentions(&var("<r>")));
    assert_eq!(empty.to_string(), "<s>");
    let a: DimTerm = "a".parse().unwrap();
    assert!(a.mentions(&var("a")) && !a.mentions(&var("b")) && !a.mentions(&var("<a>")));
    for (text, name, here) in [
        ("[a] ~ <r>", "a", true),
        ("[a] ~ <r>", "<r>", true),
        ("[a] <= <r>", "b", false),
        ("i = 2*o + k", "k", true),
        ("i = 2*o + k", "a", false),
    ] {
        assert_eq!(constraint(text).mentions(&var(name)), here, "{text}");
    }
}

#[test]
fn the_rows_of_a_constraint_are_those_between_rows() {
    let between = constraint("[a] <= <r>");
    let rows = between.rows().expect("rows");
    assert_eq!(rows.map(ToString::to_string), ["[a]", "<r>"]);
    assert_eq!(constraint("a <= b").rows(), None);
}

#[test]
fn a_set_has_the_variables_of_its_constraints_and_declarations() {
    let names = |vars: std::collections::BTreeSet<Var>| -> Vec<String> {
        vars.iter().map(ToString::to_string).collect()
    };
    let set: ConstraintSet = "[a] <= <r>\nleaf <s>".parse().unwrap();
    assert_eq!(names(set.vars()), ["a", "<r>", "<s>"]);
    assert_eq!(names(set.constraints[0].vars()), ["a", "<r>"]);
    assert_eq!(set.tag(&var("<s>")), Tag::Leaf);
    assert_eq!(set.tag(&var("<r>")), Tag::Interior);
    assert!(!set.has_sizes());
    let sized: ConstraintSet = [constraint("a = b"), constraint("a >= 2")]
        .into_iter()
        .collect();
    assert!(sized.has_sizes());
    assert_eq!(sized.constraints.len(), 2);
}

#[test]
fn a_closed_row_of_atoms_is_ground() {
    let two = DimTerm::from(Dim::new(2).expect("not 0"));
    let closed = RowTerm::closed(vec![two.clone()], vec![Dim::Unit.into()]);
    assert_eq!(closed.to_string(), "[2 <> 1_]");
    let ground: Row = "[2 <> 1_]".parse().unwrap();
    assert_eq!(closed.ground(), Some(ground.clone()));
    assert_eq!(RowTerm::from(ground), closed);
    assert_eq!(
        RowTerm::open(vec![two], RowVar::new("r"), vec![]).ground(),
        None
    );
}

#[test]
fn values_satisfy_constraints_as_def_3_4_says() {
    let ground: Ground = serde_json::from_str(r#"{"a": "3", "b": "1_", "<r>": "[3 <> 5]"}"#)
        .expect("values of variables");
    let row = |text: &str| ground.row(&text.parse().unwrap());
    let value = row("[b <r> a]").expect("all have values");
    assert_eq!(value.to_string(), "[1_, 3 <> 5, 3]");
    assert_eq!(row("[c]"), None);
    assert_eq!(row("<s>"), None);
    for (text, holds) in [
        ("a = 3", Some(true)),
        ("a = b", Some(false)),
        ("a <= b", Some(true)),
        ("b <= a", Some(false)),
        ("<r> ~ [3, 5]", Some(true)),
        ("<r> ~ [3, 3]", Some(false)),
        ("<r> <= []", Some(true)),
        ("<r> <= [5 <>]", Some(false)),
        ("a >= 3", Some(true)),
        ("a >= 4", Some(false)),
        ("a = b * 3", Some(true)),
        ("a = 2*b + b", Some(false)),
        ("a = 1*b + b + b", Some(false)),
        ("a = c", None),
    ] {
        let found = ground.satisfies(&constraint(text), Order::Marked);
        assert_eq!(found, holds, "{text}");
    }
    let set: ConstraintSet = "a = 3\n<r> ~ [3, 5]\na = b\na = c".parse().unwrap();
    let first = |from: usize| ground.first_violated(&set.constraints[from..], Order::Marked);
    assert_eq!((first(0), first(1), first(3)), (Some(2), Some(1), Some(0)));
    assert_eq!(
        ground.first_violated(&set.constraints[..2], Order::Marked),
        None
    );
    assert_eq!(ground.to_string(), "a = 3\nb = 1_\n<r> ~ [3 <> 5]\n");
    let text = serde_json::to_string(&ground).unwrap();
    assert_eq!(serde_json::from_str::<Ground>(&text).unwrap(), ground);
}

#[test]
fn dimensions_have_sizes_and_bases() {
    let mono = Dim::based(3, Basis::named("mono")).expect("not 0");
    assert!(mono.is_atom() && !Dim::Unit.is_atom());
    assert_eq!(Basis::named("mono").name(), "mono");
    assert_eq!(Basis::Default.name(), "default");
    assert_eq!(Basis::named("default"), Basis::Default);
}

/// Def. 4.3(b).
#[test]
fn a_marker_is_inherited_where_it_is_declared_or_at_the_nearest_edge() {
    let places: Vec<usize> = (0..6)
        .map(|declared| inherited_split(2..=4, declared))
        .collect();
    assert_eq!(places, [2, 2, 2, 3, 4, 4]);
}

#[test]
fn answers_rules_and_equations_have_words() {
    let words = [
        (Verdict::Sat, "sat"),
        (Verdict::Unsat, "unsat"),
        (Verdict::Rejected, "rejected"),
        (Verdict::Unknown, "unknown"),
    ];
    for (verdict, word) in words {
        assert_eq!(verdict.word(), word);
        assert_eq!(verdict.to_string(), word);
    }
    assert_eq!(Rule::RiShort.to_string(), "ri_short");
    assert_eq!(
        Rule::ReSame.printed(),
        "R₁ ≈ R₂ open with ρ₁ = ρ₂: discard without surplus, fail on unequal totals"
    );
    assert!(Rule::RiShort.is_of_shapes() && !Rule::P4.is_of_shapes());
    let added = |erase| Accumulator {
        erase,
        combine: Combine::Add,
    };
    assert_eq!(
        (added(true).to_string(), added(false).to_string()),
        ("=:+".into(), "=+".into())
    );
    let axis = |slot, axis| AxisId { slot, axis };
    let sum = Sum {
        terms: vec![(2.try_into().unwrap(), axis(1, 0))],
        offset: -1,
    };
    let fixed = Atom::Sol(Index::Fix(2));
    for (equation, text) in [
        (
            Equation::Eq(Atom::Proj(axis(0, 1)), fixed.clone()),
            "slot 0 axis 1 = index 2",
        ),
        (Equation::Iter(fixed), "index 2 is iterated"),
        (
            Equation::Derive(axis(0, 0), sum),
            "slot 0 axis 0 = -1 + 2 * (slot 1 axis 0)",
        ),
    ] {
        assert_eq!(equation.to_string(), text);
    }
}
