use lozenge_axon_vocabulary::{Set, Variable};
use proptest::prelude::*;

fn printed(text: &str) -> String {
    text.parse::<Set>().unwrap().to_string()
}

#[test]
fn every_form_is_read_and_printed() {
    for (text, expected) in [
        ("s@[d1,d2] = [n,n]", "s@[d1,d2] = [n,n]\n"),
        ("s = []", "s = []\n"),
        ("[a]@[b]@[]@s = [ ]@t # a comment", "[a,b]@s = t\n"),
        ("d = (+ a 1)", "d = (+ a 1)\n"),
        ("[-4] = [007]", "[-4] = [7]\n"),
        (
            "[10,*,3] = [10,*1,(+ * *3)]",
            "[10,*4,3] = [10,*1,(+ *5 *3)]\n",
        ),
        ("s = t\r\n\r\nt = u", "s = t\nt = u\n"),
        ("a = b\ndim a", "dim a, b\na = b\n"),
        ("a = b\nb = [c]", "a = b\nb = [c]\n"),
        ("a = b\nb = 3", "dim a\na = b\nb = 3\n"),
        ("shape r\ndim q", "dim q\nshape r\n"),
        ("", ""),
    ] {
        assert_eq!(printed(text), expected, "{text}");
        let once = printed(text);
        assert_eq!(printed(&once), once);
    }
}

#[test]
fn names_are_numbered_by_the_alphabet_whatever_the_order_of_lines() {
    let numbers = |text: &str| {
        let set: Set = text.parse().unwrap();
        ["s", "t", "x", "y"].map(|name| set.pool.named(name))
    };
    let one = numbers("t@[y] = s\n[x] = t");
    assert_eq!(one, numbers("[x] = t\nt@[y] = s"));
    assert!(matches!(one[0], Some(Variable::Shape(variable)) if variable.0 == 0));
}

#[test]
fn an_error_says_its_place() {
    for (text, expected) in [
        (
            "s@[n] = n",
            "line 1, column 9: `n` is a shape here and a dimension on line 1",
        ),
        (
            "s = t\nt = (+ u 1)\nu = [s]",
            "line 3, column 1: `u` is a shape here and a dimension on line 2",
        ),
        (
            "a = b\nb = 3\n[a]@s = t\nb@s = t",
            "line 4, column 1: `b` is a shape here and a dimension on line 2",
        ),
        (
            "s = ",
            "line 1, column 4: a shape or a dimension should stand here",
        ),
        ("s@3 = t", "line 1, column 3: a shape should stand here"),
        (
            "(a + b) = 3",
            "line 1, column 2: `+`, `-`, `*` or `/` should stand here",
        ),
        ("(+ a b = 3", "line 1, column 8: `)` should stand here"),
        (
            "[a,] = s",
            "line 1, column 4: a dimension should stand here",
        ),
        ("[a = s", "line 1, column 4: `,` or `]` should stand here"),
        (
            "[a] = 3",
            "line 1, column 5: one side is a shape, the other a dimension",
        ),
        (
            "s = t = u",
            "line 1, column 7: `@` or the end of the line should stand here",
        ),
        (
            "s t",
            "line 1, column 3: `=`, `@` or the end of the line should stand here",
        ),
        ("dim", "line 1, column 4: `=` should stand here"),
        (
            "dim a b",
            "line 1, column 7: `,` or the end of the line should stand here",
        ),
        ("s = é", "line 1, column 5: `é` has no meaning here"),
        (
            "d = 9223372036854775808",
            "line 1, column 5: `9223372036854775808` does not fit 64 bits",
        ),
        (
            "d = *4294967296",
            "line 1, column 5: `*4294967296` is no identity of a ragged dimension",
        ),
    ] {
        let error = text.parse::<Set>().unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

#[test]
fn depth_costs_memory_only() {
    let depth = 200_000;
    let text = format!("d = {}a{}", "(+ ".repeat(depth), " 1)".repeat(depth));
    let set: Set = text.parse().unwrap();
    assert_eq!(set.to_string(), format!("{text}\n"));
    let mut pool = set.pool;
    let lozenge_axon_vocabulary::Equation::Dims(_, right) = set.equations[0] else {
        panic!("a dimension");
    };
    let canonical = pool.canonical(right).unwrap();
    assert_eq!(pool.show(canonical).to_string(), format!("(+ a {depth})"));
    assert!("(".repeat(depth).parse::<Set>().is_err());
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = text.parse::<Set>();
    }

    #[test]
    fn what_is_made_of_words_reads_back_or_is_refused(
        words in prop::collection::vec(prop_oneof![
            "s", "t", "n", "m", "dim", "shape", "\\(", "\\)", "\\[", "\\]", ",", "@", "=", "\\+", "-", "\\*", "/", "7", "-2", "\\*1", "\n", " ", "#", "'", "é",
        ], 0..24)
    ) {
        let text: String = words.concat();
        if let Ok(set) = text.parse::<Set>() {
            let printed = set.to_string();
            let again: Set = printed.parse().unwrap();
            prop_assert_eq!(&again.to_string(), &printed);
            prop_assert_eq!(again.equations.len(), set.equations.len());
            prop_assert_eq!(again.pool.dim_count(), set.pool.dim_count());
            prop_assert_eq!(again.pool.shape_count(), set.pool.shape_count());
        }
    }
}
