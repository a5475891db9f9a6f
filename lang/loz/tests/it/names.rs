//! The definitions and uses of names, and the changes of renaming.

use lozenge_lang::{Edit, Sort, names, rename};

/// Finds the lines of the text in which the places of the symbol at `needle` stand, counted from 1, and what it is.
/// `needle` has a `^` before the name.
fn places(source: &str, needle: &str) -> (Sort, Vec<usize>) {
    let byte = at(source, needle);
    let names = names(source);
    let (symbol, _) = names
        .at(byte)
        .unwrap_or_else(|| panic!("{needle} has no name"));
    let line = |start: usize| source[..start].matches('\n').count() + 1;
    (
        symbol.sort,
        symbol
            .places
            .iter()
            .map(|place| line(place.start))
            .collect(),
    )
}

fn at(source: &str, needle: &str) -> usize {
    let offset = needle.find('^').expect("a place");
    let text = needle.replace('^', "");
    let found: Vec<_> = source.match_indices(&text).collect();
    assert_eq!(found.len(), 1, "`{text}` stands once");
    found[0].0 + offset
}

fn renamed(source: &str, needle: &str, name: &str) -> Result<String, String> {
    rename(source, at(source, needle), name).map(|edits| Edit::apply(&edits, source))
}

const PROGRAM: &str = "\
size h = 4
data x : n:8|->h = range(32)
data t : n|->2 = range(16)
def layer(width, by = h)(a):
  param w : ...->width = normal() / by
  param b : width = 0
  let x = w * a + b
  relu(x)
let first = layer(16, by = 2)
let y = first(x)
for i in 0..3 carry y:
  let h2 = layer(4)(y)
  let y = y + sum(h2 * y, \"n|->c; n|->d => n|->d\" [c]) / c / i
let all = [f(y, i) for i in 0..n]
let i = 3
let z = layer(2)(y) - t + first.w + h
out =:+ z * all \"n|->c; n|->d => c->d, n:h\"
out =+ 1
op mul(v1, v2) \"n|->c; n|->c => n|->c\":
  v =: v1 * v2
  g1 =+ g * v2
let g = mul(z, z)
";

#[test]
fn names_have_their_definitions_and_uses() {
    let of = |needle| places(PROGRAM, needle);
    assert_eq!(of("data ^x"), (Sort::Data, vec![2, 10]));
    assert_eq!(of("let ^x ="), (Sort::Let, vec![7, 8]));
    assert_eq!(of("size ^h"), (Sort::Size, vec![1, 2, 4, 16, 17]));
    assert_eq!(of("data t : ^n"), (Sort::Size, vec![2, 3, 14]));
    assert_eq!(of("^width, by"), (Sort::Argument, vec![4, 5, 6]));
    assert_eq!(of("(width, ^by"), (Sort::Argument, vec![4, 5, 9]));
    assert_eq!(of("def ^layer"), (Sort::Function, vec![4, 9, 12, 16]));
    assert_eq!(of("param ^w"), (Sort::Param, vec![5, 7, 16]));
    assert_eq!(of("first.^w"), (Sort::Param, vec![5, 7, 16]));
    assert_eq!(
        of("let ^y = first"),
        (Sort::Let, vec![10, 11, 12, 13, 13, 13, 14, 16])
    );
    assert_eq!(of("for ^i in 0..3"), (Sort::Turn, vec![11, 13]));
    assert_eq!(of("[f(y, ^i)"), (Sort::Turn, vec![14, 14]));
    assert_eq!(of("let ^i"), (Sort::Let, vec![15]));
    assert_eq!(of("[^c]"), (Sort::Size, vec![13, 13, 13]));
    assert_eq!(of("\"n|->^c; n|->d => c"), (Sort::Label, vec![17, 17]));
    assert_eq!(of("^out =:+"), (Sort::Let, vec![17, 18]));
    assert_eq!(of("op mul(^v1"), (Sort::Argument, vec![19, 20]));
    assert_eq!(of("^relu"), (Sort::Language, vec![8]));
}

#[test]
fn a_text_with_errors_has_names() {
    let source = "data x : 3 = range(3)\nlet y = (x\nlet z = x + nobody\n";
    assert_eq!(places(source, "data ^x"), (Sort::Data, vec![1, 3]));
    assert!(names(source).at(source.len() - 2).is_none());
}

#[test]
fn turns_of_lists_are_seen_in_their_elements_only() {
    let source = "let i = 2\nlet a = [[i * j for i in 0..i] for j in 0..i]\n";
    assert_eq!(places(source, "let ^i"), (Sort::Let, vec![1, 2, 2]));
    assert_eq!(places(source, "[^i * j"), (Sort::Turn, vec![2, 2]));
}

#[test]
fn renaming_changes_one_thing_everywhere() {
    let source = PROGRAM;
    let new = renamed(source, "[^c]", "width_of").unwrap();
    assert!(
        new.contains("\"n|->width_of; n|->d => n|->d\" [width_of]) / width_of / i"),
        "{new}"
    );
    assert!(
        new.contains("\"n|->c; n|->d => c->d, n:h\""),
        "another spec keeps its labels: {new}"
    );
    let new = renamed(source, "param ^w", "weight").unwrap();
    assert!(
        new.contains("param weight : ...->width") && new.contains("first.weight"),
        "{new}"
    );
    let new = renamed(source, "let ^y = first", "value").unwrap();
    assert!(
        new.contains("carry value:") && new.contains("let value = value + sum"),
        "{new}"
    );
    // Renaming back gives the original text.
    assert_eq!(renamed(&new, "let ^value = first", "y").unwrap(), source);
}

#[test]
fn renaming_is_refused_where_it_would_change_what_a_name_means() {
    let refused = |needle, name| renamed(PROGRAM, needle, name).unwrap_err();
    assert!(
        refused("data ^t", "x").contains("has a meaning here"),
        "{}",
        refused("data ^t", "x")
    );
    assert!(refused("let ^x =", "a").contains("has a meaning"));
    assert!(renamed(PROGRAM, "data ^t", "relu").is_ok_and(|new| new.contains("relu(x)")));
    assert!(refused("data ^t", "for").contains("a word of the language"));
    assert!(refused("data ^t", "let").contains("a word of the language"));
    assert!(refused("data ^t", "2x").contains("is no name"));
    assert!(refused("data ^t", "").contains("is no name"));
    assert!(refused("^relu", "f").contains("a name of the language"));
    // The new name would hide a function of the prelude that the text calls.
    let source = "data x : 3 = range(3)\nlet y = mean(x)\n";
    assert!(
        renamed(source, "let ^y", "mean").is_err() || renamed(source, "data ^x", "mean").is_err()
    );
    // The `w` that the argument has is unknown.
    let hidden = "def f()(a):\n  param w\n  w * a\ndef g(net): net.w\n";
    assert!(
        renamed(hidden, "param ^w", "v")
            .unwrap_err()
            .contains("change it by hand")
    );
}

#[test]
fn deep_expressions_cost_no_stack() {
    let source = format!(
        "let a = 1\nlet b = {}a{}\n",
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    assert_eq!(places(&source, "let ^a"), (Sort::Let, vec![1, 2]));
    let nested = format!(
        "let a = {}i{}\n",
        "[".repeat(20_000),
        " for i in 0..i]".repeat(20_000)
    );
    assert!(names(&nested).symbols.len() > 20_000);
}
