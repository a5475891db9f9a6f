//! The operations of programs, and their constraints with tags and origins.

use lozenge_lang::parse;
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::program::{Constraints, Family, Parameter, Program, Source, Start};
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{RowVar, Tag, Var};

fn program(source: &str) -> Program {
    parse(source).unwrap_or_else(|errors| panic!("{}", errors[0].render(source, "test", false)))
}

/// Lists the constraints in the notation, without the trivial `[] ~ []`.
fn stated(source: &str) -> Vec<String> {
    let Constraints { set, .. } = program(source).constraints().unwrap();
    let all = set.constraints.iter().map(|c| c.to_string());
    all.filter(|c| c != "[] ~ []").collect()
}

/// Returns the accumulator and the function of the last operation.
fn last(source: &str) -> (String, Function, Family) {
    let program = program(source);
    let step = program.steps.last().expect("there is an operation");
    let operation = &step.operation;
    (
        operation.accumulator.to_string(),
        operation.function.clone(),
        step.logic,
    )
}

const AB: &str = "param a\nparam b\n";

fn after_ab(line: &str) -> Vec<String> {
    stated(&format!("{AB}{line}"))
}

#[test]
fn matrix_product_of_the_second_tutorial() {
    assert_eq!(
        stated(
            "data a : 2, 3 from \"a\"\ndata b : 3, 4 from \"b\"\nc =:+ a * b \"i, j; j, k => i, k\""
        ),
        [
            "<c_batch> ~ []",
            "<c_input> ~ []",
            "<c_output> ~ [i'1, k'1]",
            "[i'1, j'1] ~ [2, 3]",
            "[j'1, k'1] ~ [3, 4]",
        ]
    );
}

#[test]
fn an_einsum_states_nine_row_equalities() {
    let program = program(&format!("{AB}c =:+ a * b \"i, j; j, k => i, k\""));
    assert_eq!(program.constraints().unwrap().set.constraints.len(), 9);
}

#[test]
fn pointwise_broadcast_of_the_second_tutorial() {
    assert_eq!(
        stated("data s : -> = [2]\ndata m : 5, 7 from \"m\"\nlet r = s *. m"),
        [
            "<r_batch> <= []",
            "<r_input> <= []",
            "<r_output> <= []",
            "<r_batch> <= []",
            "<r_input> <= []",
            "<r_output> <= [5, 7]",
        ]
    );
}

#[test]
fn summing_by_ones_of_the_second_tutorial() {
    let source = "data m : 5, 7 from \"m\"\nconst ones = 1\nr =:+ m * ones \"p, q; q => p\"";
    assert_eq!(
        stated(source),
        [
            "<r_batch> ~ []",
            "<r_input> ~ []",
            "<r_output> ~ [p'2]",
            "[p'2, q'2] ~ [5, 7]",
            "[] ~ <ones_batch>",
            "[] ~ <ones_input>",
            "[q'2] ~ <ones_output>",
        ]
    );
    let program = program(source);
    let tag = |name| {
        program
            .constraints()
            .unwrap()
            .set
            .tag(&Var::Row(RowVar::new(name)))
    };
    assert_eq!(tag("ones_output"), Tag::Leaf);
    assert_eq!(tag("r_output"), Tag::Interior);
    assert_eq!(program.steps[0].logic, Family::Fill);
    assert_eq!(program.steps[0].operation.function, Function::Constant(1.0));
    assert!(program.steps[0].operation.requirements.is_empty());
}

#[test]
fn composition_contracts_input_against_output() {
    let expected = [
        "<c_batch> <= []",
        "<c_batch> <= []",
        "<c_input> <= <b_input>",
        "<c_output> <= <a_output>",
        "<a_input> <= <b_output>",
    ];
    assert_eq!(after_ab("let c = a * b"), expected);
    assert_eq!(after_ab("c =:+ a * b \"@\""), expected);
    let sums = ("=:+".to_string(), Function::Multiply, Family::Compose);
    assert_eq!(last(&format!("{AB}let c = a * b")), sums);
}

#[test]
fn transposition_swaps_input_and_output() {
    let expected = [
        "<t_batch> <= []",
        "<t_input> <= <a_output>",
        "<t_output> <= <a_input>",
    ];
    assert_eq!(after_ab("let t = transpose(a)"), expected);
    assert_eq!(after_ab("t =: a \"T\""), expected);
    assert_eq!(after_ab("t =: transpose(a)"), expected);
}

#[test]
fn every_primitive_has_its_function() {
    for (expression, function) in [
        ("a + b", Function::Add),
        ("a - b", Function::Subtract),
        ("a *. b", Function::Multiply),
        ("a / b", Function::Divide),
        ("max(a, b)", Function::Max),
        ("min(a, b)", Function::Min),
        ("a == b", Function::Equal),
        ("a < b", Function::Less),
        ("relu(a)", Function::Relu),
        ("exp(a)", Function::Exp),
        ("log(a)", Function::Log),
        ("sqrt(a)", Function::Sqrt),
        ("square(a)", Function::Square),
        ("recip(a)", Function::Reciprocal),
        ("neg(a)", Function::Negate),
        ("-a", Function::Negate),
        ("a", Function::Identity),
    ] {
        let expected = ("=:".to_string(), function, Family::Pointwise);
        assert_eq!(
            last(&format!("{AB}let c = {expression}")),
            expected,
            "{expression}"
        );
    }
}

#[test]
fn every_accumulator_is_read() {
    for (sign, erase, combine) in [
        ("=:", true, Combine::Replace),
        ("=:+", true, Combine::Add),
        ("=:-", true, Combine::Subtract),
        ("=:*", true, Combine::Multiply),
        ("=:max", true, Combine::Max),
        ("=:min", true, Combine::Min),
        ("=+", false, Combine::Add),
        ("=-", false, Combine::Subtract),
        ("=*", false, Combine::Multiply),
        ("=max", false, Combine::Max),
        ("=min", false, Combine::Min),
    ] {
        let target = if erase { "c" } else { "a" };
        let program = program(&format!("{AB}{target} {sign} b"));
        let accumulator = program.steps[0].operation.accumulator;
        assert_eq!(accumulator, Accumulator { erase, combine });
        assert_eq!(accumulator.to_string(), sign);
    }
}

/// A name that begins like an accumulator is a name.
#[test]
fn an_accumulator_ends_at_a_word() {
    let source = "param maximum\nc =:maximum";
    assert_eq!(last(source).0, "=:");
}

#[test]
fn precedence_and_grouping() {
    let shape_of = |expression: &str| {
        let program = program(&format!("param a\nparam b\nparam c\nlet r = {expression}"));
        let show = |step: &lozenge_vocabulary::program::Assignment| {
            let names: Vec<_> = step
                .operation
                .slots
                .iter()
                .map(|id| &*program[*id].name)
                .collect();
            format!("{} {}", step.word, names.join(" "))
        };
        program
            .steps
            .iter()
            .map(show)
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(shape_of("a + b *. c"), "*. r'1 b c; + r a r'1");
    assert_eq!(shape_of("(a + b) *. c"), "+ r'1 a b; *. r r'1 c");
    assert_eq!(shape_of("a - b - c"), "- r'1 a b; - r r'1 c");
    assert_eq!(shape_of("a / b * c"), "/ r'1 a b; * r r'1 c");
    assert_eq!(
        shape_of("a + b < c - a"),
        "+ r'1 a b; - r'2 c a; < r r'1 r'2"
    );
    assert_eq!(shape_of("-a *. b"), "neg r'1 a; *. r r'1 b");
    assert_eq!(shape_of("-(a *. b)"), "*. r'1 a b; neg r r'1");
    assert_eq!(shape_of("a - -b"), "neg r'1 b; - r a r'1");
    assert_eq!(
        shape_of("max(a + b, min(b, c))"),
        "+ r'1 a b; min r'2 b c; max r r'1 r'2"
    );
    assert_eq!(shape_of("(a + b)"), "+ r a b");
}

#[test]
fn an_ellipsis_is_a_row_variable_of_its_kind() {
    assert_eq!(
        after_ab("c =: a \"..., k|... -> i, ..., j => k, ...|... -> ...\""),
        [
            "<c_batch> ~ [k'1 <batch'1>]",
            "<c_input> ~ <input'1>",
            "<c_output> ~ <output'1>",
            "[<batch'1> k'1] ~ []",
            "<input'1> ~ <a_input>",
            "[i'1 <output'1> j'1] ~ <a_output>",
        ]
    );
}

#[test]
fn the_comma_beside_an_ellipsis_is_optional() {
    let spaced = after_ab("c =: a \"... b | ... -> ... => b ... | ... -> ...\"");
    let commas = after_ab("c =: a \"..., b | ... -> ... => b, ... | ... -> ...\"");
    assert_eq!(spaced, commas);
    assert_eq!(spaced[0], "<c_batch> ~ [b'1 <batch'1>]");
}

#[test]
fn a_named_row_variable_moves_between_kinds() {
    assert_eq!(
        after_ab("c =: a \"..x.. -> i => i -> ..x..\""),
        [
            "<c_batch> ~ []",
            "<c_input> ~ [i'1]",
            "<c_output> ~ <x'1>",
            "<x'1> ~ <a_input>",
            "[i'1] ~ <a_output>",
        ]
    );
}

/// Rem. 2.15(i): `...` means `..batch..`, `..input..` or `..output..`, according to its place.
#[test]
fn an_ellipsis_is_the_variable_with_the_name_of_its_kind() {
    assert_eq!(
        after_ab("c =: a \"...|i => ..batch.., i\""),
        after_ab("c =: a \"..batch..|i => ..batch.., i\"")
    );
}

#[test]
fn a_number_in_a_spec_is_a_pin_of_its_own() {
    let program = program(&format!("{AB}c =: a + b \"0, i; 0, 2 => i\""));
    let pins: Vec<_> = program.steps[0]
        .operation
        .pins
        .iter()
        .map(|(var, index)| (var.name(), index.clone()))
        .collect();
    assert_eq!(
        pins,
        [
            ("at_0'1'1", Index::Fix(0)),
            ("at_0'1'2", Index::Fix(0)),
            ("at_2'1'3", Index::Fix(2)),
        ]
    );
    let stated = after_ab("c =: a + b \"0, i; 0, 2 => i\"");
    assert!(stated.contains(&"[at_0'1'1, i'1] ~ <a_output>".to_string()));
    assert!(stated.contains(&"[at_0'1'2, at_2'1'3] ~ <b_output>".to_string()));
}

#[test]
fn a_repeated_label_is_one_axis() {
    assert!(after_ab("c =:+ a \"i, i => \"").contains(&"[i'1, i'1] ~ <a_output>".to_string()));
}

#[test]
fn parentheses_around_the_whole_make_a_tensor() {
    let direct = program(&format!("{AB}c =:+ a *. b \"n; n => \""));
    let grouped = program(&format!("{AB}c =:+ (a *. b) \"n => \""));
    assert_eq!((direct.steps.len(), grouped.steps.len()), (1, 2));
    assert_eq!(grouped.steps[1].operation.function, Function::Identity);
    assert_eq!(&*grouped[grouped.steps[1].operation.slots[1]].name, "c'1");
}

#[test]
fn a_number_has_one_tensor_with_empty_rows() {
    let program = program("param a\nlet c = a *. 2 + 2 - -1");
    let numbers: Vec<_> = program
        .tensors
        .iter()
        .filter(|t| matches!(t.source, Source::Constant(_)))
        .map(|t| (&*t.name, t.shape.output.to_string()))
        .collect();
    assert_eq!(numbers, [("2", "[]".to_string()), ("-1", "[]".to_string())]);
}

#[test]
fn parameters_are_tagged_and_filled_only_with_a_value() {
    let program = program("param a\nparam b = 0.5\nlet c = a + b");
    let set = program.constraints().unwrap().set;
    let tag = |name| set.tag(&Var::Row(RowVar::new(name)));
    assert_eq!(
        [tag("a_input"), tag("b_output"), tag("c_output")],
        [Tag::Param, Tag::Param, Tag::Interior]
    );
    assert!(
        program.tensors[0].shape.batch.ground().is_some(),
        "a parameter has no batch axes"
    );
    assert_eq!(program.steps.len(), 2);
    assert_eq!(program.steps[0].operation.function, Function::Constant(0.5));
    assert_eq!(
        program.tensors[0].source,
        Source::Param(Parameter {
            start: Start::Outside,
            state: false
        })
    );
}

#[test]
fn an_update_writes_the_tensor_that_is_there() {
    let program = program(&format!("{AB}a =- 0.1 *. b"));
    let names: Vec<_> = program.steps[1]
        .operation
        .slots
        .iter()
        .map(|id| &*program[*id].name)
        .collect();
    assert_eq!(names, ["a", "0.1", "b"]);
}

#[test]
fn names_of_variables_are_unique_and_in_the_notation() {
    // `a'1_b` cannot be written, and a label may be named like a row.
    let source = "param a\nparam a_batch\nlet c = a + a_batch + a\nc_output =: c \"c_output => c_output\"\na =+ (a + 1) \"i => i\"";
    let program = program(source);
    let rows: usize = program
        .tensors
        .iter()
        .flat_map(|t| t.shape.rows())
        .filter(|r| r.var.is_some())
        .count();
    assert_eq!(program.tags().len(), rows);
    for constraint in program.constraints().unwrap().set.constraints {
        let text = constraint.to_string();
        let read =
            lozenge_vocabulary::notation::parse(&text).expect("what is printed is in the notation");
        assert_eq!(read.set.constraints, [constraint]);
    }
}

#[test]
fn origins_say_operation_words_and_place() {
    let source = "param images\nparam b\nlet sums = images + b\nc =:+ sums * b \"i; j => i\"";
    let constraints = program(source).constraints().unwrap();
    let at = |n: usize| {
        let origin = &constraints.origins[n];
        (
            origin.step,
            origin.requirement,
            origin.words.as_str(),
            &source[origin.span.clone()],
        )
    };
    assert_eq!(constraints.origins.len(), constraints.set.constraints.len());
    assert_eq!(
        at(2),
        (
            0,
            2,
            "result `sums`'s output row below operand `images`'s output row, by pointwise `+`",
            "images"
        )
    );
    assert_eq!(
        at(6),
        (
            1,
            0,
            "result `c`'s batch row equal to the spec's [], by einsum `*`",
            "sums * b"
        )
    );
    assert_eq!(
        at(14),
        (
            1,
            8,
            "the spec's [j'2] equal to operand `b`'s output row, by einsum `*`",
            "b"
        )
    );
}

#[test]
fn shapes_of_data_are_closed_rows_with_the_marker_in_front() {
    let shown = |shape: &str| {
        let program = program(&format!("data a : {shape} from \"a\""));
        program.tensors[0]
            .shape
            .rows()
            .map(|row| row.to_string())
            .join(" ")
    };
    assert_eq!(shown("1797|->64"), "[1797] [] [64]");
    assert_eq!(shown("1797|"), "[1797] [] []");
    assert_eq!(shown("8, 8"), "[] [] [8, 8]");
    assert_eq!(shown("2|3_rgb->4, 1_"), "[2] [3_rgb] [4, 1_]");
    assert_eq!(shown("3->"), "[] [3] []");
    assert_eq!(shown("->"), "[] [] []");
    assert_eq!(shown("2|3"), "[2] [] [3]");
    assert_eq!(shown("2_default"), "[] [] [2]");
}

#[test]
fn lines_may_break_inside_brackets_only() {
    assert_eq!(
        program("data a = [1,\n  2, # two\n  3,\n]\nlet b = (a +\n a)")
            .steps
            .len(),
        1
    );
    assert!(parse("data a = [1]\nlet b = a +\n a").is_err());
}

/// Before parentheses the name of a function of the language means the function; elsewhere it means the tensor.
#[test]
fn a_tensor_may_be_called_like_a_function() {
    let read = program(
        "data count : n:3|->2 = range(6)\ndata max : 3| = range(3)\ndata map : 3| = range(3)\n\
         let sum = sum(count, \"n|->c => n|\") / count(count, \"n|->c => n|\")\n\
         let relu = relu(max(max, sum)) + max\nlet y = relu - map @| 0\n",
    );
    let names: Vec<&str> = read.tensors.iter().map(|tensor| &*tensor.name).collect();
    for name in ["count", "max", "map", "sum", "relu", "y"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let words: Vec<&str> = read.steps.iter().map(|step| step.word).collect();
    assert!(
        words.contains(&"max") && words.contains(&"relu"),
        "{words:?}"
    );
    // A keyword cannot be a name, and a tensor without the name of a function cannot be called.
    assert!(parse("let in = 1\n").is_err());
    assert!(parse("data f : 3 = range(3)\nlet y = f(f)\n").is_err());
}

#[test]
fn backward_takes_an_expression() {
    let source = "data x : 5|->3 = range(15)\nparam w : 3->2\nbackward sum(square(w * x))\nw =- 0.1 *. w.grad\n";
    let read = program(source);
    assert_eq!(read.losses.len(), 1);
    assert_eq!(&source[read.losses[0].1.clone()], "sum(square(w * x))");
    assert!(read.steps.iter().any(|step| step.record.is_some()));
    assert!(parse("data x : 5 = range(5)\nbackward x + 1\n").is_err());
}
