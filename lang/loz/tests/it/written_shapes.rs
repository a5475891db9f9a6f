//! The constraints of written shapes, named sizes, and sizes and positions in specs.

use lozenge_lang::parse;
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::Program;

fn read(source: &str) -> Program {
    parse(source).unwrap_or_else(|errors| panic!("{}", errors[0].render(source, "test", false)))
}

/// Returns the rows of a tensor, batch, input and output.
fn rows(program: &Program, name: &str) -> String {
    let id = program.find(name).expect("a tensor");
    let shape = &program[id].shape;
    Kind::ALL.map(|kind| shape.row(kind).to_string()).join(" ")
}

/// Returns the constraints of the last operation.
fn last(program: &Program) -> Vec<String> {
    let constraints = program.constraints().unwrap();
    let last = program.steps.len() - 1;
    let stated = constraints.set.constraints.iter().zip(&constraints.origins);
    stated
        .filter(|(_, origin)| origin.step == last)
        .map(|(constraint, _)| constraint.to_string())
        .collect()
}

#[test]
fn a_written_shape_is_exact_and_dots_leave_it_open() {
    let program = read(
        "size h = 128\ndata x : n:100|->p:64_pixel from \"x\"\nparam a : ...->h\nparam b : h\nparam c : k->k\n\
         const d : 2 <> n = 1\nparam e : ->",
    );
    assert_eq!(rows(&program, "x"), "[100] [] [64_pixel]");
    assert_eq!(rows(&program, "a"), "[] <a_input> [128]");
    assert_eq!(rows(&program, "b"), "[] [] [128]");
    assert_eq!(rows(&program, "c"), "[] [k] [k]");
    assert_eq!(rows(&program, "d"), "[] [] [2 <> 100]");
    assert_eq!(rows(&program, "e"), "[] [] []");
}

/// A label has the size that it is given anywhere in the program, also further down.
#[test]
fn a_label_is_one_size_in_the_whole_program() {
    let program = read("param w : p->h\ndata x : n:5|->p from \"x\"\nsize h = 7\nsize p = 3");
    assert_eq!(rows(&program, "w"), "[] [3] [7]");
    assert_eq!(rows(&program, "x"), "[5] [] [3]");
}

#[test]
fn a_label_that_nobody_sizes_is_a_variable_of_parameters() {
    let program = read("param w : ...->h\nparam v : h->...");
    assert_eq!(rows(&program, "w"), "[] <w_input> [h]");
    assert_eq!(rows(&program, "v"), "[] [h] <v_output>");
    let tags: Vec<String> = program
        .tags()
        .iter()
        .map(|(var, tag)| format!("{var} {}", tag.word()))
        .collect();
    assert!(tags.contains(&"h param".to_string()), "{tags:?}");
}

#[test]
fn a_size_is_a_number_in_an_expression() {
    let program = read("size h = 16\nparam a\nlet b = a / sqrt(h)");
    // The divisor `sqrt(h)` is known before inference, and is computed before it.
    assert!(program.find("4").is_some());
}

#[test]
fn a_let_with_a_shape_equals_it() {
    let program = read("data x : n:5|->3 from \"x\"\nlet y : n|->... = x + x");
    let stated = last(&program);
    assert_eq!(stated.len(), 9, "{stated:?}");
    assert_eq!(
        stated[6..],
        [
            "<y_batch> ~ [5]",
            "<y_input> ~ []",
            "<y_output> ~ <output'1>"
        ]
    );
}

#[test]
fn a_spec_states_sizes_and_places_results() {
    let program = read("size h = 4\nparam a\nr =: a \"i:h => 2:5, i, j:3_rgb\"");
    let stated = last(&program);
    assert_eq!(
        stated[6..],
        ["at_2'1'1 = 5", "j'1 = 3_rgb", "i'1 = 4"],
        "{stated:?}"
    );
    assert_eq!(stated[2], "<r_output> ~ [at_2'1'1, i'1, j'1]");
    assert_eq!(program.steps[0].operation.pins.len(), 1);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_program() {
    assert_eq!(read("\u{feff}param a").tensors.len(), 1);
    assert!(parse("param a\n\u{feff}param b").is_err());
}

#[test]
fn powers_group_to_the_right_and_bind_more_tightly_than_a_sign() {
    let steps = |source: &str| -> Vec<&str> {
        let program = read(&format!("param a\nparam b\nlet c = {source}"));
        program.steps.iter().map(|step| step.word).collect()
    };
    assert_eq!(steps("-a ** b"), ["**", "neg"]);
    assert_eq!(steps("a ** -b *. a"), ["neg", "**", "*."]);
    let program = read("param a\nparam b\nlet c = a ** b ** a");
    let first = &program.steps[0].operation;
    let names: Vec<&str> = first.slots[1..]
        .iter()
        .map(|id| &*program[*id].name)
        .collect();
    assert_eq!(names, ["b", "a"]);
}

/// The first shape of a `let` or an `assert` that has a label without a size makes it the name of one size, for all
/// lines below.
#[test]
fn a_label_of_a_let_or_an_assert_names_a_size_that_inference_finds() {
    let program =
        read("param x\nlet y : n|->k = relu(x)\nassert y : n|->k\nlet z = y / k\nlet u : k = z");
    let stated = |step: usize| {
        let constraints = program.constraints().unwrap();
        let stated = constraints.set.constraints.iter().zip(&constraints.origins);
        let stated = stated.filter(|(_, origin)| origin.step == step);
        stated
            .map(|(constraint, _)| constraint.to_string())
            .collect::<Vec<_>>()
    };
    let (first, last) = (stated(0), last(&program));
    let output = first.iter().find(|one| one.starts_with("<y_output> ~ "));
    let k = output
        .expect("the shape of `y`")
        .trim_start_matches("<y_output> ~ ");
    assert_eq!(
        first
            .iter()
            .filter(|one| *one == &format!("<y_output> ~ {k}"))
            .count(),
        2,
        "{first:?}"
    );
    assert!(last.contains(&format!("<u_output> ~ {k}")), "{last:?}");
}
