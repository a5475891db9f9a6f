//! Every error of a program: its place, what it says, and the mend.

use lozenge_lang::{Diagnostic, MAX_ERRORS, parse};

/// What stands before the line under test.
const BEFORE: &str = "param a\nparam b\ndata d = [1, 2]\nconst k = 1\n";

fn errors(line: &str) -> (String, Vec<Diagnostic>) {
    let source = format!("{BEFORE}{line}");
    let errors = parse(&source).expect_err("the program has an error");
    (source, errors)
}

/// The line has one error: with the text at fault, the message, and a help that holds `help`.
#[track_caller]
fn refused(line: &str, at: &str, message: &str, help: &str) {
    let (source, errors) = errors(line);
    let all: Vec<_> = errors.iter().map(|e| e.to_string()).collect();
    assert_eq!(errors.len(), 1, "{all:?}");
    let error = &errors[0];
    assert_eq!(&source[error.span.clone()], at, "{}", all[0]);
    assert_eq!(error.message, message);
    let given = error.help.as_deref().expect("every error has a mend");
    assert!(given.contains(help), "{given}");
    assert!(!error.label.is_empty());
}

#[test]
fn names() {
    refused(
        "let c = alpha + b",
        "alpha",
        "there is no tensor `alpha`",
        "`param alpha`",
    );
    let weights = "param weights\nlet c = wieghts + b";
    refused(
        weights,
        "wieghts",
        "there is no tensor `wieghts`",
        "did you mean `weights`?",
    );
    refused(
        "let c = e\nlet e = a",
        "e",
        "`e` is used before it is defined",
        "put the definition first",
    );
    refused(
        "let c = c + a",
        "c",
        "`c` is used before it is defined",
        "put the definition first",
    );
    refused("let a = b", "a", "`a` is defined twice", "use another name");
    refused("a =:+ b", "a", "`a` is defined twice", "`=+`");
    refused(
        "let max = b",
        "max",
        "`max` is a word of the language",
        "another name",
    );
    refused(
        "param data",
        "data",
        "`data` is a word of the language",
        "another name",
    );
    refused("let =:+ b", "=:+", "a name is expected", "let c = a + b");
    refused("d =+ a", "d", "`d` is data and cannot be written", "`=:+`");
    refused(
        "k =+ a",
        "k",
        "`k` is a constant and cannot be written",
        "`=:+`",
    );
    refused("c =+ a", "c", "there is no tensor `c` to update", "colon");
    refused(
        "param total\ntotl =+ a",
        "totl",
        "there is no tensor `totl` to update",
        "did you mean `total`?",
    );
}

#[test]
fn statements() {
    refused(
        "parm c",
        "parm",
        "`parm` begins no statement",
        "did you mean `param`?",
    );
    refused(
        "c + a",
        "+",
        "an assignment such as `=:+` is expected",
        "`data`, `param`, `const` or `let`",
    );
    refused("3", "3", "a statement is expected", "a line begins with");
    refused(
        "c = a",
        "=",
        "`=` does not say how values are written",
        "`let c = …`",
    );
    refused("let c =+ a", "=+", "`=` is expected", "with spaces");
    refused("const c", "", "`=` is expected", "`const ones = 1`");
    refused(
        "const c = x",
        "x",
        "a number is expected",
        "`const ones = 1`",
    );
    refused("param c 3", "3", "`=` is expected", "`param w = 0.5`");
    refused(
        "let c = a b",
        "b",
        "the end of the line is expected",
        "operator between",
    );
    refused(
        "let c = a * b \"i; j => i\"",
        "\"i; j => i\"",
        "`let` takes no spec",
        "`c =:+ …`",
    );
}

#[test]
fn operators_and_functions() {
    refused("let c = a ^ b", "^", "unknown operator `^`", "square(a)");
    refused("let c = a ** b", "**", "unknown operator `**`", "square(a)");
    refused(
        "let c = a <= b",
        "<=",
        "unknown operator `<=`",
        "1 - (b < a)",
    );
    refused(
        "let c = a >= b",
        ">=",
        "unknown operator `>=`",
        "1 - (a < b)",
    );
    refused(
        "let c = a != b",
        "!=",
        "unknown operator `!=`",
        "1 - (a == b)",
    );
    refused("let c = a > b", ">", "unknown operator `>`", "b < a");
    refused("let c = a .* b", ".*", "unknown operator `.*`", "`*.`");
    refused("let c = a @ b", "@", "unknown operator `@`", "`*`");
    refused(
        "let c = a ~ b",
        "~",
        "unknown operator `~`",
        "`+ - * *. / == <`",
    );
    refused(
        "let c = a € b",
        "€",
        "unknown operator `€`",
        "`+ - * *. / == <`",
    );
    refused(
        "let c = sqr(a)",
        "sqr",
        "unknown function `sqr`",
        "did you mean `sqrt`?",
    );
    refused(
        "let c = convolve(a)",
        "convolve",
        "unknown function `convolve`",
        "`relu`, `exp`",
    );
    refused("let c = relu", "relu", "`relu` is a function", "`relu(…)`");
    refused(
        "let c = max(a)",
        "max(a)",
        "`max` has 2 operands",
        "`max(a, b)`",
    );
    refused(
        "let c = exp(a, b)",
        "exp(a, b)",
        "`exp` has 1 operand",
        "`exp(a)`",
    );
    refused(
        "let c = a < b < a",
        "<",
        "comparisons do not chain",
        "(a < b) *. (b < c)",
    );
    refused(
        "let c = a *.5",
        "*.5",
        "`*.` and a number with nothing between them",
        "0.5",
    );
    refused(
        "c =:+ a * b",
        "a * b",
        "`*` in an assignment needs a spec",
        "`*.`",
    );
}

#[test]
fn expressions() {
    refused(
        "let c =",
        "",
        "an operand is expected",
        "a tensor, a number",
    );
    refused(
        "let c = a +",
        "",
        "an operand is expected",
        "a tensor, a number",
    );
    refused(
        "let c = a + * b",
        "*",
        "an operand is expected",
        "a tensor, a number",
    );
    refused(
        "let c = ()",
        ")",
        "an operand is expected",
        "a tensor, a number",
    );
    refused(
        "let c = (a + b",
        "",
        "`)` is expected",
        "close the parenthesis",
    );
    refused(
        "let c = max(a, b\nlet e = a",
        "",
        "`)` is expected",
        "close the parenthesis",
    );
    refused(
        "let c = a)",
        ")",
        "the end of the line is expected",
        "operator between",
    );
    refused(
        "let c = (a, b)",
        ",",
        "a comma stands between operands of a function",
        "name of a function",
    );
    refused(
        "let c = a + let",
        "let",
        "`let` begins a statement",
        "line of its own",
    );
    refused(
        "let c = a + 1e39",
        "1e39",
        "the number does not fit",
        "3.4028235e38",
    );
}

#[test]
fn specs() {
    let spec = |text: &str| format!("c =:+ a * b \"{text}\"");
    let two = "the spec is for 2 operands, the expression has 1";
    refused(
        "c =:+ a \"i; j => i\"",
        "\"i; j => i\"",
        two,
        "a shape for each operand",
    );
    let one = "the spec is for 1 operand, the expression has 2";
    refused(&spec("i => i"), "\"i => i\"", one, "`;` between them");
    refused("c =: a \"@\"", "\"@\"", two, "a shape for each operand");
    refused(&spec("T"), "\"T\"", one, "a shape for each operand");
    refused(
        &spec("i; j => k"),
        "k",
        "no operand has the label `k`",
        "a label of an operand",
    );
    refused(
        &spec("i; j => ..."),
        "...",
        "no operand has the row variable `..output..`",
        "its own kind",
    );
    refused(
        &spec("...|; j => ..."),
        "...",
        "no operand has the row variable `..output..`",
        "`..name..`",
    );
    refused(
        &spec("i; j"),
        "",
        "malformed spec: `=>` is expected",
        "n|->c; n|->p => c|->p",
    );
    refused(
        &spec("i; j => i => j"),
        "=>",
        "malformed spec: the end of the spec is expected",
        "`=>`",
    );
    refused(
        &spec("i; j => i; j"),
        ";",
        "malformed spec: the end of the spec is expected",
        "`=>`",
    );
    refused(
        &spec("i j; k => i"),
        "j",
        "malformed spec: two labels with no comma between them",
        "`n, p`",
    );
    refused(
        &spec("i,; k => i"),
        ";",
        "malformed spec: an axis label is expected",
        "labels have commas",
    );
    refused(
        &spec(",i; k => i"),
        ",",
        "malformed spec: `=>` is expected",
        "labels have commas",
    );
    refused(
        &spec("...i...; k => i"),
        "...",
        "malformed spec: a second row variable in one row",
        "keep one",
    );
    refused(
        &spec("..x; k => i"),
        ";",
        "malformed spec: `..` is expected",
        "`..name..`",
    );
    refused(
        &spec("..3..; k => i"),
        "3",
        "malformed spec: the name of a row variable is expected",
        "`..name..`",
    );
    refused(
        &spec("a|b|c; k => a"),
        "|",
        "malformed spec: `|` does not fit here",
        "`batch|input->output`",
    );
    refused(
        &spec("a->b->c; k => a"),
        "->",
        "malformed spec: `->` does not fit here",
        "`batch|input->output`",
    );
    refused(
        &spec("a->b|c; k => a"),
        "|",
        "malformed spec: `|` does not fit here",
        "`batch|input->output`",
    );
    refused(
        &spec("i'; k => i"),
        "'",
        "malformed spec: unknown operator `'`",
        "n|->c; n|->p => c|->p",
    );
    refused(
        &spec("1.5; k => k"),
        "1.5",
        "malformed spec: a fixed position is a whole number",
        "digits",
    );
    let large = "malformed spec: a fixed position does not fit 64 bits";
    refused(
        &spec("99999999999999999999; k => k"),
        "99999999999999999999",
        large,
        "18446744073709551615",
    );
}

#[test]
fn shapes_of_data() {
    let data = |shape: &str| format!("data c : {shape} from \"c.csv\"");
    refused(&data("0"), "0", "a size is zero", "the least size is 1");
    refused(
        &data("99999999999999999999"),
        "99999999999999999999",
        "a size does not fit 64 bits",
        "18446744073709551615",
    );
    refused(
        &data("1.5"),
        "1.5",
        "a size is a whole number",
        "digits only",
    );
    refused(&data("n|->3"), "n", "`n` is no size", "`64_pixel`");
    refused(
        &data("3_"),
        "3_",
        "the basis of a size is a word that starts with a letter",
        "`3_rgb`",
    );
    refused(
        &data("3__x"),
        "3__x",
        "the basis of a size is a word that starts with a letter",
        "`3_rgb`",
    );
    refused(
        &data("3, "),
        "from",
        "a size is expected",
        "`batch|input->output`",
    );
    refused(
        &data("3 4"),
        "4",
        "`from` or `=` is expected",
        "`= range(10)`",
    );
    refused(&data(""), "from", "a shape is expected", "`->` alone");
    refused(
        &data("1|2|3"),
        "|",
        "`|` does not fit here",
        "`batch|input->output`",
    );
    refused(
        &data("65536, 65536"),
        "65536, 65536",
        "the shape has too many values",
        "fewer columns",
    );
    let overflow = "4294967296, 4294967296, 4294967296";
    refused(
        &data(overflow),
        overflow,
        "the shape has too many values",
        "fewer columns",
    );
}

#[test]
fn values_of_data() {
    refused(
        "data c : 3 = [1, 2]",
        "[1, 2]",
        "the shape has 3 values, the list 2",
        "change the shape or the list",
    );
    refused(
        "data c : 3 = range(4)",
        "range(4)",
        "the shape has 3 values, the list 4",
        "one output axis",
    );
    refused("data c = []", "]", "a number is expected", "`[0, 1.5, -2]`");
    refused("data c = [1 2]", "2", "`]` is expected", "`[0, 1.5, -2]`");
    refused(
        "data c = [x]",
        "x",
        "a number is expected",
        "`[0, 1.5, -2]`",
    );
    refused("data c = [1, 2", "", "`]` is expected", "`[0, 1.5, -2]`");
    refused(
        "data c = [1e39]",
        "1e39",
        "the number does not fit",
        "32-bit",
    );
    refused(
        "data c = range(0)",
        "0",
        "the range is empty",
        "least bound is 1",
    );
    refused(
        "data c = range(16777217)",
        "16777217",
        "the bound of the range is too large",
        "16777216",
    );
    refused(
        "data c = 3",
        "3",
        "`[` or `range` is expected",
        "`= range(10)`",
    );
    refused(
        "data c",
        "",
        "`from` or `=` is expected",
        "`from \"file.csv\" columns 0..64`",
    );
    refused(
        "data c from \"c\"",
        "\"c\"",
        "the shape of the data is missing",
        "data x : 1797|->64",
    );
    refused(
        "data c : 3 from c",
        "c",
        "the name of a file in quotes is expected",
        "`from \"file.csv\"",
    );
    refused(
        "data c : 3 from \"c",
        "\"",
        "a quote is not closed",
        "on the same line",
    );
    refused(
        "data c : 3 from \"c\" columns 3",
        "",
        "`..` is expected",
        "`columns 0..64`",
    );
    refused(
        "data c : 3 from \"c\" columns 3..3",
        "3..3",
        "a range of columns is empty",
        "`0..64`",
    );
    refused(
        "data c : 3 from \"c\" column x",
        "x",
        "the number of a column is expected",
        "counted from 0",
    );
    refused(
        "data c : 3 from \"c\" column 99999999",
        "99999999",
        "a file has no such column",
        "below 16777216",
    );
    let uneven = "2 columns cannot make up the 3 values of the shape";
    refused(
        "data c : 3 from \"c\" columns 0..2",
        "\"c\" columns 0..2",
        uneven,
        "a multiple",
    );
}

/// A line that cannot be read does not make its tensor unknown, and hides no other error.
#[test]
fn errors_are_collected_and_do_not_cascade() {
    let (source, errors) =
        errors("let c = a ^ b\nlet e = c + nosuch + neither\nlet f = e\nx =:+ f * c\nlet g = x");
    let at: Vec<_> = errors.iter().map(|e| &source[e.span.clone()]).collect();
    assert_eq!(at, ["^", "nosuch", "neither"]);
}

#[test]
fn a_forgotten_bracket_costs_one_line() {
    let (source, errors) = errors("data c = [1, 2\nlet e = (a\nlet f = nosuch");
    let lines: Vec<_> = errors.iter().map(|e| e.place(&source).0).collect();
    assert_eq!(lines, [5, 6, 7]);
}

#[test]
fn a_flood_of_errors_is_cut() {
    let source = "let a = b\n".repeat(1000);
    let errors = parse(&source).expect_err("every line is wrong");
    assert_eq!(errors.len(), MAX_ERRORS + 1);
    assert_eq!(errors[MAX_ERRORS].message, "950 more errors");
}

#[test]
fn rendered_with_both_places_and_the_mend() {
    let source = "# Größen\nparam wärme\nlet e = wärme\nlet wärme = e";
    let errors = parse(source).expect_err("defined twice");
    let expected = "\
error: `wärme` is defined twice
 --> p.loz:4:5
  |
2 | param wärme
  |       ----- first defined here
3 | let e = wärme
4 | let wärme = e
  |     ^^^^^ defined again
  |
  = help: use another name; `=+`, `=-`, `=max` and `=min` update a tensor that is there";
    assert_eq!(errors[0].render(source, "p.loz", false), expected);
    assert_eq!(errors[0].place(source), (4, 5));
    assert!(errors[0].render(source, "p.loz", true).contains("\u{1b}["));
}
