//! Small words of the vocabulary: totals of composites, the order of variables, substitution, rules by name, surroundings.

use std::path::Path;

use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::counting::permutation;
use lozenge_vocabulary::program::Surroundings;
use lozenge_vocabulary::projections::{Index, IndexMap};
use lozenge_vocabulary::term::Substitution;
use lozenge_vocabulary::{ConstraintSet, RowTerm, RowVar, Rule, notation};

#[test]
fn a_whole_is_the_sum_or_the_product_of_its_parts() {
    let of = |composition| Composite {
        composition,
        whole: (),
        parts: vec![(), ()],
    };
    for (composition, total) in [(Composition::Concat, 10), (Composition::Product, 21)] {
        assert_eq!(composition.total([3, 7]), Some(total));
        let whole = u64::try_from(total).unwrap();
        assert!(of(composition).fits(whole, [3, 7]));
        assert!(!of(composition).fits(whole + 1, [3, 7]));
    }
    assert_eq!(Composition::Product.total([u64::MAX; 3]), None);
}

#[test]
fn variables_come_in_the_order_of_their_first_occurrence() {
    let set: ConstraintSet = "c <= a\n[b <r>] ~ [c <s>]\nleaf z".parse().unwrap();
    let names: Vec<String> = set
        .vars_in_order()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["c", "a", "b", "<r>", "<s>", "z"]);
}

#[test]
fn an_axis_is_made_in_one_way() {
    for text in ["t = a ^ b * c", "t = a * b ^ c", "t = a ^ b + c"] {
        let error = notation::parse(text).unwrap_err();
        assert!(
            error.to_string().contains("an axis is made in one way"),
            "{error}"
        );
    }
}

#[test]
fn a_map_mentions_the_factors_of_its_indices() {
    let map = IndexMap(vec![Index::Fix(0), Index::affine([(2, 1), (1, 3)], 0)]);
    let mentioned: Vec<bool> = (0..4).map(|factor| map.mentions(factor)).collect();
    assert_eq!(mentioned, [false, true, false, true]);
}

#[test]
fn a_row_that_is_put_in_for_its_variable_stays_between_the_flanks() {
    let put_in = Substitution {
        rows: [(RowVar::new("r"), "[3, 4 <s> 5]".parse().unwrap())].into(),
        ..Substitution::default()
    };
    let host: RowTerm = "[1_, 2 <r> 6]".parse().unwrap();
    assert_eq!(put_in.row(&host).to_string(), "[1_, 2, 3, 4 <s> 5, 6]");
    let other: RowTerm = "[2 <t>]".parse().unwrap();
    assert_eq!(put_in.row(&other), other);
}

#[test]
fn every_rule_is_found_by_its_name() {
    for rule in Rule::ALL.iter().chain(Rule::OF_SIZES) {
        assert_eq!(Rule::named(rule.name()), Some(*rule));
    }
    assert_eq!(Rule::named("no such rule"), None);
}

#[test]
fn surroundings_of_a_folder_have_it() {
    let folder = Path::new("somewhere");
    let surroundings = Surroundings::folder(folder);
    assert_eq!(surroundings.folder.as_deref(), Some(folder));
}

/// The numbers are those of the published generator, so that runs of other machines and versions can be repeated.
#[test]
fn an_order_is_a_function_of_its_key() {
    assert_eq!(permutation(0, 8), [6, 4, 1, 7, 3, 0, 5, 2]);
    assert_eq!(permutation(7, 8), [0, 3, 4, 2, 5, 1, 6, 7]);
}
