//! The notation: printed text parses back to the same value, and errors have a place.

use std::num::NonZeroU64;

use lozenge_vocabulary::notation::parse;
use lozenge_vocabulary::{
    Basis, Composite, Composition, Constraint, ConstraintSet, Dim, DimTerm, DimVar, Elements,
    Factor, Flat, Mode, Row, RowTerm, RowVar, Tag, Var, Window,
};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

fn dim() -> impl Strategy<Value = Dim> {
    prop_oneof![
        Just(Dim::Unit),
        (1..=u64::MAX, "[a-z][a-z0-9_]{0,3}")
            .prop_map(|(n, b)| Dim::based(n, Basis::named(&b)).unwrap()),
        (1u64..9).prop_map(|n| Dim::new(n).unwrap()),
    ]
}

fn name() -> impl Strategy<Value = String> {
    "([a-z_]|leaf|param|interior|summand|ρ)[a-z0-9_']{0,3}"
}

fn dim_term() -> impl Strategy<Value = DimTerm> {
    prop_oneof![
        dim().prop_map(DimTerm::Const),
        name().prop_map(|n| DimTerm::Var(DimVar::new(&n)))
    ]
}

fn row_term() -> impl Strategy<Value = RowTerm> {
    (
        vec(dim_term(), 0..4),
        proptest::option::of(name()),
        vec(dim_term(), 0..4),
    )
        .prop_map(|(leading, var, trailing)| RowTerm {
            leading,
            var: var.map(|n| RowVar::new(&n)),
            trailing,
        })
}

fn constraint() -> impl Strategy<Value = Constraint> {
    prop_oneof![
        (dim_term(), dim_term()).prop_map(|(a, b)| Constraint::DimEq(a, b)),
        (dim_term(), dim_term()).prop_map(|(a, b)| Constraint::DimLe(a, b)),
        (row_term(), row_term()).prop_map(|(a, b)| Constraint::RowEq(a, b)),
        (row_term(), row_term()).prop_map(|(a, b)| Constraint::RowLe(a, b)),
        window().prop_map(Constraint::Window),
        composite().prop_map(Constraint::Composite),
        elements().prop_map(Constraint::Elements),
        flat().prop_map(Constraint::Flat),
        (dim_term(), 1..=u64::MAX).prop_map(|(dim, size)| Constraint::AtLeast {
            dim,
            size: NonZeroU64::new(size).unwrap()
        }),
    ]
}

fn composite() -> impl Strategy<Value = Composite> {
    let composition = proptest::sample::select(Composition::ALL.to_vec());
    let parts = (composition, dim_term(), vec(dim_term(), 2..5));
    parts.prop_map(|(composition, whole, parts)| Composite {
        composition,
        whole,
        parts,
    })
}

fn flat() -> impl Strategy<Value = Flat> {
    let rows = vec(row_term(), 2..4);
    (rows, vec(dim_term(), 0..4)).prop_map(|(rows, axes)| Flat { rows, axes })
}

fn elements() -> impl Strategy<Value = Elements> {
    let factor = prop_oneof![
        dim_term().prop_map(Factor::Axis),
        row_term().prop_map(Factor::Row)
    ];
    let all = (dim_term(), vec(factor, 0..4), row_term(), 0usize..4);
    all.prop_map(|(whole, mut factors, row, at)| {
        factors.insert(at.min(factors.len()), Factor::Row(row));
        Elements { whole, factors }
    })
}

#[test]
fn rows_among_factors_are_read_and_counted() {
    let set: ConstraintSet = "n = 2 * a * |[3 <r> 4]|\nm = |[]|".parse().unwrap();
    assert_eq!(
        set.to_string(),
        "n = 2_default * a * |[3 <r> 4]|\nm = |[]|\n"
    );
    assert_eq!(set.constraints[0].occurrences().len(), 3);
    let mut ground = lozenge_vocabulary::Ground::default();
    let mut dim = |name: &str, size| {
        ground
            .dims
            .insert(DimVar::new(name), Dim::new(size).unwrap());
    };
    dim("n", 2 * 5 * 3 * 7 * 4);
    dim("a", 5);
    dim("m", 1);
    let row = "[7 <>]".parse().unwrap();
    ground.rows.insert(RowVar::new("r"), row);
    let order = lozenge_vocabulary::Order::Marked;
    assert_eq!(ground.first_violated(&set.constraints, order), None);
    ground.dims.insert(DimVar::new("a"), Dim::new(6).unwrap());
    assert_eq!(ground.first_violated(&set.constraints, order), Some(0));
}

/// Returns a margin: small, or the largest number.
fn cells() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..4, Just(u64::MAX)]
}

fn window() -> impl Strategy<Value = Window> {
    let term = || (prop_oneof![1u64..4, Just(u64::MAX)], dim_term());
    let mode = proptest::sample::select(Mode::ALL.to_vec());
    let sizes = (any::<u64>(), cells(), cells());
    let parts = (dim_term(), term(), vec(term(), 0..3), mode, sizes);
    parts.prop_map(|(axis, (stride, over), taps, mode, (phase, low, high))| {
        let margins = mode.has_margins();
        Window {
            axis,
            stride: NonZeroU64::new(stride).unwrap(),
            over,
            phase: if taps.is_empty() { phase % stride } else { 0 },
            taps: taps
                .into_iter()
                .map(|(dilation, tap)| (NonZeroU64::new(dilation).unwrap(), tap))
                .collect(),
            mode,
            low: if margins { low } else { 0 },
            high: if margins { high } else { 0 },
        }
    })
}

fn tagged() -> impl Strategy<Value = (Var, Tag)> {
    let var = prop_oneof![
        name().prop_map(|n| Var::Dim(DimVar::new(&n))),
        name().prop_map(|n| Var::Row(RowVar::new(&n))),
    ];
    (
        var,
        prop_oneof![Just(Tag::Leaf), Just(Tag::Param), Just(Tag::Interior)],
    )
}

proptest! {
    #[test]
    fn a_printed_set_parses_back(constraints in vec(constraint(), 0..6), tags in btree_map(name(), tagged(), 0..4), summands in btree_set(name().prop_map(|name| DimVar::new(&name)), 0..3)) {
        let set = ConstraintSet { constraints, tags: tags.into_values().collect(), summands };
        let located = parse(&set.to_string()).map_err(|e| TestCaseError::fail(format!("{e}\n{set}")))?;
        prop_assert_eq!(&located.set, &set);
        prop_assert_eq!(located.spans.len(), set.constraints.len());
    }

    #[test]
    fn json_goes_both_ways(constraint in constraint(), row in (vec(dim(), 0..3), vec(dim(), 0..3))) {
        let text = serde_json::to_string(&constraint).unwrap();
        prop_assert_eq!(serde_json::from_str::<Constraint>(&text).unwrap(), constraint);
        let row = Row::new(row.0, row.1);
        prop_assert_eq!(serde_json::from_str::<Row>(&serde_json::to_string(&row).unwrap()).unwrap(), row);
    }

    #[test]
    fn no_text_panics(text in "(pad|floor|ceil|same|same_lower|[a-z0-9_<>=~#\\[\\], \n⋄≈⊑∅'+*(),]){0,40}") {
        if let Ok(located) = parse(&text) {
            prop_assert_eq!(parse(&located.set.to_string()).unwrap().set, located.set);
        }
    }

    #[test]
    fn no_bytes_panic(text in "\\PC{0,60}") {
        let _ = parse(&text);
    }
}

#[test]
fn the_printed_examples_parse() {
    let text = "# Example\n3 <= a\n<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>  # a marker\n\n<r> ⊑ [2 <s>]\n[⋄ 1∅] ≈ [a <r> 4]\nleaf a, <b>\r\nparam x\ninterior <y>\n1_mono = 3_rgb\nleaf = 3\n1_ <= leaf";
    let set = parse(text).unwrap().set;
    let printed: Vec<String> = set.constraints.iter().map(|c| c.to_string()).collect();
    let expected = [
        "3 <= a",
        "<r> ~ [3, 5]",
        "[3 <> 9, 5] <= <r>",
        "<r> <= [2 <s>]",
        "[1_] ~ [a <r> 4]",
        "1_mono = 3_rgb",
        "leaf = 3",
        "1_ <= leaf",
    ];
    assert_eq!(printed, expected);
    assert_eq!(set.tags[&"<b>".parse::<Var>().unwrap()], Tag::Leaf);
    assert_eq!(set.tags[&"x".parse::<Var>().unwrap()], Tag::Param);
    assert_eq!("3_default".parse::<Dim>().unwrap(), Dim::new(3).unwrap());
}

/// Text, line, column, and a word of the message or of what was expected.
const WRONG: &[(&str, usize, usize, &str)] = &[
    ("i = 2*o + 2", 1, 11, "`1*2`"),
    ("i = 2*o + 0", 1, 11, "`1*0`"),
    ("i = 2*o + k + 1", 1, 15, "`1*1`"),
    ("i = 2*o + 3_px", 1, 11, "`1*3_px`"),
    ("i = 5 + k", 1, 5, "`1*5`"),
    ("i = 0*o", 1, 5, "coefficient is zero"),
    ("i = 2*", 1, 7, "the text ends"),
    ("i = 18446744073709551616*o", 1, 5, "64 bits"),
    ("i = pad(2*o + k)", 1, 16, "leave `pad` out"),
    ("i = same(2*o + k, 1)", 1, 19, "makes its own margins"),
    ("i = floor(2*o + k, x)", 1, 20, "a number of cells"),
    ("i = floor(2*o + k", 1, 10, "parenthesis is not closed"),
    ("i = floor(2*o k)", 1, 15, "`,` or `)`"),
    ("i <= 2*o", 1, 7, "end of the line"),
    ("a >= b", 1, 6, "a size"),
    ("a >= 0", 1, 6, "zero"),
    ("a = 18446744073709551616", 1, 5, "64 bits"),
    ("a = 3\n0 <= a", 2, 1, "zero"),
    ("[3, 5 ~ <r>", 1, 7, "`,`, a marker or `]`"),
    ("[3, 5", 1, 1, "bracket is not closed"),
    ("[3 <> 4 <> 5] ~ <r>", 1, 9, "second marker"),
    ("[3 <> 4 <r>] ~ <r>", 1, 9, "second marker"),
    ("[<s> 1, <t>] ~ [3, 4]", 1, 9, "second marker"),
    ("[<s> 1 <t>] ~ [3, 4]", 1, 8, ".shapes files"),
    ("a = [3]", 1, 5, "a dimension is compared with a dimension"),
    ("<r> <= 3", 1, 8, "a row is compared with a row"),
    ("<r> = [3]", 1, 5, "`~` or `<=`"),
    ("a ~ 3", 1, 3, "`=` or `<=`"),
    ("a = 3 b = 4", 1, 7, "end of the line"),
    ("a < 3", 1, 3, "`=` or `<=`"),
    ("a = 2_", 1, 7, "basis"),
    ("a = 3x", 1, 5, "neither a size nor a name"),
    ("leaf a\nparam a", 2, 7, "declared leaf already"),
    ("leaf a,", 1, 8, "variable to declare"),
    ("<> ~ [3]", 1, 1, "bare marker"),
    ("[3,, 4] ~ <r>", 1, 4, "a dimension"),
    ("<r ~ [3]", 1, 4, "`>`"),
    ("⋄", 1, 1, "a dimension"),
    ("α = 3x4", 1, 5, "neither"),
    ("a = 3x4", 1, 5, "`3x4` is neither"),
    ("a = 10_rgb'", 1, 5, "`10_rgb'` is neither"),
    ("a = 1_4", 1, 5, "`1_4` is neither"),
    ("a = 3_4", 1, 7, "the basis of the size"),
    ("<= 3", 1, 1, "expected a dimension"),
    ("² = 3", 1, 1, "expected a dimension"),
    ("a = 3 b2x = 4", 1, 7, "`b2x` stands here"),
    ("a = 3 , 4", 1, 7, "`,` stands here"),
    ("a = 3 ⋄", 1, 7, "`⋄` stands here"),
    ("a = b (c)", 1, 7, "`(` stands here"),
    ("a = 2 (c)", 1, 7, "`(` stands here"),
];

#[test]
fn errors_have_a_place_and_a_mend() {
    for (text, line, column, word) in WRONG {
        let error = parse(text).expect_err(text);
        assert_eq!(
            (error.line, error.column),
            (*line, *column),
            "{text}: {error}"
        );
        assert!(error.to_string().contains(word), "{text}: {error}");
    }
}

/// The bytes at fault, for an editor to underline.
#[test]
fn errors_underline_what_is_wrong() {
    for (text, wrong) in [
        ("a = b\n<> ~ [3]", "<>"),
        ("a = b\n[3, 5", "["),
        ("a = b\n<r", "<"),
        ("a = b\ni = floor(2*o + k", "("),
        ("a = b\nb2x c3y = 4", "c3y"),
        ("leaf a\nparam a", "a"),
        ("a = 33x4", "33x4"),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(&text[error.span.clone()], wrong, "{error}");
    }
}

#[test]
fn signs_beyond_ascii_need_no_blanks() {
    let constraint = |text: &str| text.parse::<Constraint>().map(|c| c.to_string());
    assert_eq!(constraint("3⊑a").unwrap(), "3 <= a");
    assert_eq!(constraint("a⊑b").unwrap(), "a <= b");
    assert_eq!(constraint("[3⋄4]≈<ρ>").unwrap(), "[3 <> 4] ~ <ρ>");
}

#[test]
fn a_text_with_more_than_one_constraint_is_no_constraint() {
    for text in ["a = 3\nb = 3", "a = 3\nleaf a", "leaf a", ""] {
        let error = text.parse::<Constraint>().expect_err(text);
        assert!(error.to_string().contains("a single constraint"), "{error}");
    }
}

#[test]
fn a_variable_may_be_declared_the_same_twice() {
    let set = parse("leaf a, a\nleaf a").unwrap().set;
    assert_eq!(set.tags, [("a".parse().unwrap(), Tag::Leaf)].into());
}

#[test]
fn long_input_does_not_overflow() {
    let row = format!("[{}1]", "1,".repeat(1_000_000));
    let set = parse(&format!("{row} <= <r>")).unwrap().set;
    let Constraint::RowLe(row, _) = &set.constraints[0] else {
        panic!("{set}")
    };
    assert_eq!(row.explicit(), 1_000_001);
}

/// A text, and how it is printed after being read.
const WINDOWS: &[(&str, &str)] = &[
    ("i=2*o+k", "i = 2*o + k"),
    ("i = 1*o", "i = 1*o"),
    ("i = 2 * o + 1", "i = 2*o + 1"),
    ("7 = 2*3 + 1*3_px", "7 = 2*3 + 1*3_px"),
    ("i = o + 1*1_", "i = o + 1*1_"),
    (
        "i = pad ( 2*o + 3*k , 1, 2 ) # margins",
        "i = pad(2*o + 3*k, 1, 2)",
    ),
    ("i = pad(o + k, 1)", "i = pad(o + k, 1)"),
    ("i = pad(1*o, 0)", "i = 1*o"),
    ("i = floor(o, 1, 1)", "i = floor(o, 1)"),
    ("i = ceil(3*o + 2)", "i = ceil(3*o + 2)"),
    ("i = same(2*o + k)", "i = same(2*o + k)"),
    ("i = same_lower(o + k)", "i = same_lower(o + k)"),
    ("floor = same", "floor = same"),
    ("same = same(same)", "same = same(same)"),
    ("a>=4", "a >= 4"),
    ("t=a^b ^3", "t = a ^ b ^ 3"),
    ("5 = 2^3_px # parts", "5 = 2_default ^ 3_px"),
    ("n=a * b", "n = a * b"),
    ("n = a*2*1_", "n = a * 2 * 1_"),
    ("n = 3_default * b", "n = 3_default * b"),
    ("n = 1_ * b", "n = 1_ * b"),
    ("pad = floor * same", "pad = floor * same"),
];

#[test]
fn windows_are_read_and_printed() {
    for (text, printed) in WINDOWS {
        let constraint: Constraint = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(constraint.to_string(), *printed);
        assert_eq!(printed.parse::<Constraint>().unwrap(), constraint);
    }
}
