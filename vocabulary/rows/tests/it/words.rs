//! Small words of the vocabulary: totals of composites, names and variables, substitution, rules by name, surroundings.

use std::path::Path;

use lozenge_vocabulary::composite::{Composite, Composition};
use lozenge_vocabulary::counting::permutation;
use lozenge_vocabulary::operation::{Formula, Function, Instruction};
use lozenge_vocabulary::program::{Column, Columns, Csv, Rows, Surroundings};
use lozenge_vocabulary::projections::{Index, IndexMap};
use lozenge_vocabulary::term::Substitution;
use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimVar, NumberedName, RowTerm, RowVar, Rule, notation, rule,
};

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

/// The parts of a concatenation have the basis of the whole, and the factors of a product may have any.
#[test]
fn a_composite_holds_of_dimensions() {
    let holds = |composition, whole: &str, parts: [&str; 2]| {
        let dim = |text: &str| text.parse::<Dim>().expect("a dimension");
        let composite = Composite {
            composition,
            whole: dim(whole),
            parts: parts.map(dim).into(),
        };
        composite.holds()
    };
    assert!(holds(Composition::Concat, "5_x", ["2_x", "3_x"]));
    assert!(!holds(Composition::Concat, "5_x", ["2_x", "3_y"]));
    assert!(!holds(Composition::Concat, "5", ["2_x", "3_x"]));
    assert!(!holds(Composition::Concat, "6_x", ["2_x", "3_x"]));
    assert!(!holds(Composition::Concat, "3", ["2", "1_"]));
    assert!(holds(Composition::Product, "6", ["2_x", "3_y"]));
    assert!(holds(Composition::Product, "2", ["2", "1_"]));
    assert!(!holds(Composition::Product, "5", ["2", "3"]));
    assert!(!holds(Composition::Product, "1_", ["1_", "1_"]));
}

#[test]
fn constraints_of_sizes_are_windows_composites_and_bounds() {
    let of_sizes = |text: &str| text.parse::<Constraint>().unwrap().is_of_sizes();
    for text in ["i = 2*o + k", "t = a ^ b", "t = a * b", "a >= 3"] {
        assert!(of_sizes(text), "{text}");
    }
    for text in ["a = b", "a <= b", "[a] ~ <r>", "<r> <= [3]"] {
        assert!(!of_sizes(text), "{text}");
    }
}

#[test]
fn a_name_of_a_word_and_a_number_has_its_parts() {
    let parts = |name| NumberedName::of(name).map(|name| (name.word.to_be_bytes(), name.number));
    assert_eq!(parts("x12"), Some((*b"x0000000", 12)));
    assert_eq!(parts("abcdefgh0"), Some((*b"abcdefgh", 0)));
    assert_eq!(parts("7"), Some((*b"00000000", 7)));
    let longest = "a999999999999999999";
    assert_eq!(
        parts(longest),
        Some((*b"a0000000", 999_999_999_999_999_999))
    );
    for other in [
        "",
        "x",
        "x01",
        "x1y",
        "x1_",
        "abcdefghi0",
        "a1000000000000000000",
    ] {
        assert_eq!(parts(other), None, "{other}");
    }
}

#[test]
fn a_clash_is_said_in_words() {
    assert_eq!(
        rule::unequal("2", "3_x"),
        "the dimensions 2 and 3_x cannot be equal"
    );
    assert_eq!(
        rule::not_below("1_", "3"),
        "an axis 1_ of the result faces an axis 3 of the operand, which only 3 can"
    );
}

#[test]
fn archives_hold_several_arrays() {
    let file = |path: &str| Csv {
        path: path.into(),
        ..Csv::default()
    };
    for (path, array, archive) in [
        ("a.npz", true, true),
        ("a.npy", true, false),
        ("npz", false, false),
        ("a.npz.gz", false, false),
        ("a.csv", false, false),
    ] {
        assert_eq!(file(path).is_array(), array, "{path}");
        assert_eq!(file(path).is_archive(), archive, "{path}");
    }
}

#[test]
fn columns_and_rows_of_a_file_are_counted_where_the_program_says_how_many() {
    let number = Column::Number;
    let counts = [
        Columns::One(number(7)),
        Columns::Range(number(2), Some(number(6))),
        Columns::Range(number(6), Some(number(2))),
        Columns::Range(number(2), None),
    ]
    .map(|columns| columns.count());
    assert_eq!(counts, [Some(1), Some(4), Some(0), None]);
    let rows = |from, to| Rows { from, to }.count();
    assert_eq!(rows(3, Some(10)), Some(7));
    assert_eq!((rows(10, Some(3)), rows(3, None)), (Some(0), None));
}

#[test]
fn a_formula_has_the_operands_that_it_is_given() {
    use Instruction::{Apply, Read};
    let code = vec![Read(0), Read(2), Apply(Function::Add)];
    let formula = Formula::new(3, code.clone()).expect("it leaves one value");
    assert_eq!(formula.arity(), 3);
    assert_eq!(formula.code(), code);
    let add = |_: &Function, taken: &[i32]| taken.iter().sum();
    assert_eq!(formula.fold(&[1, 20, 300], add), Some(301));
    assert_eq!(formula.fold(&[1, 20], add), None);
    assert_eq!(Function::Formula(Box::new(formula)).arity(), 3);
    assert_eq!(Formula::new(2, code), None, "it has no operand 2");
    assert_eq!(Formula::new(1, vec![Read(0), Read(0)]), None);
    assert_eq!(Formula::new(1, vec![Apply(Function::Add)]), None);
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
fn an_open_row_has_its_variable_between_the_flanks() {
    let terms = |text: &str| text.parse::<RowTerm>().unwrap().trailing;
    let row = RowTerm::open(terms("[a, 2]"), RowVar::new("r"), terms("[3]"));
    assert_eq!(row.to_string(), "[a, 2 <r> 3]");
}

fn substitution(dims: &[(&str, &str)], rows: &[(&str, &str)]) -> Substitution {
    let dims = dims
        .iter()
        .map(|(var, term)| (DimVar::new(var), term.parse().unwrap()));
    let rows = rows
        .iter()
        .map(|(var, term)| (RowVar::new(var), term.parse().unwrap()));
    Substitution {
        dims: dims.collect(),
        rows: rows.collect(),
    }
}

/// Lemma 3.3: to apply the composite is to apply the first substitution and then the second one.
#[test]
fn a_composite_applies_one_substitution_after_the_other() {
    let first = substitution(&[("a", "b")], &[("r", "[a <s> c]")]);
    let second = substitution(&[("b", "3"), ("c", "4"), ("a", "5")], &[("s", "[6]")]);
    let term: RowTerm = "[a, b <r> c]".parse().unwrap();
    let composite = second.compose(&first);
    assert_eq!(composite.row(&term), second.row(&first.row(&term)));
    assert_eq!(composite.row(&term).to_string(), "[3, 3, 5 <> 6, 4, 4]");
}

/// Def. 3.2.
#[test]
fn a_substitution_is_idempotent_if_it_replaces_no_variable_that_it_puts_in() {
    assert!(substitution(&[("a", "b")], &[("r", "[b <s>]")]).is_idempotent());
    assert!(!substitution(&[("a", "b"), ("b", "3")], &[]).is_idempotent());
    assert!(!substitution(&[("b", "3")], &[("r", "[b]")]).is_idempotent());
    assert!(!substitution(&[], &[("r", "[2 <s>]"), ("s", "[]")]).is_idempotent());
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
    let sized = surroundings.with_size("n", 5).with_size("m", 6);
    assert_eq!(sized.folder.as_deref(), Some(folder));
    assert_eq!(sized.sizes, [("m".into(), 6), ("n".into(), 5)].into());
}

/// The numbers are those of the published generator, so that runs of other machines and versions can be repeated.
#[test]
fn an_order_is_a_function_of_its_key() {
    assert_eq!(permutation(0, 8), [6, 4, 1, 7, 3, 0, 5, 2]);
    assert_eq!(permutation(7, 8), [0, 3, 4, 2, 5, 1, 6, 7]);
}
