//! Shapes of whole programs, and refusals with the operations behind them.

use lozenge::{Options, Reason, infer, parse, shape_text};
use lozenge_vocabulary::Var;
use lozenge_vocabulary::operation::Kind;

fn shapes(text: &str) -> Vec<String> {
    let program = parse(text).expect("a program");
    let inference = infer(&program, &Options::default()).expect("shapes");
    let tensors = program.tensors.iter().zip(inference.shapes.iter());
    tensors
        .map(|(tensor, shape)| format!("{} : {}", tensor.name, shape_text(shape)))
        .collect()
}

#[test]
fn a_spec_gives_a_parameter_its_axes() {
    let text = "data x : 8|->3 = range(24)\ndata t : 8|->5 = range(40)\nparam c\n\
                d =:+ x * c \"n|->i; i->k => n|->k\"\nlet e = d - t\n";
    assert_eq!(
        shapes(text),
        [
            "x : 8|->3",
            "t : 8|->5",
            "c : 3->5",
            "d : 8|->5",
            "e : 8|->5"
        ]
    );
}

/// The cellwise result of a reduction has the axes of the reduction, and a slice of it has one less.
#[test]
fn a_slice_of_what_a_reduction_goes_into_has_one_axis_less() {
    let text = "data x : 8, 2|->3 = range(48)\nlet y = mean(x, \"n, m|->c => n, m|\")\nlet z = y @| 0\n\
                let w = relu(sum(x, \"n, m|->c => n, m|->c\"))\nlet v = w @| 1\n";
    let shapes = shapes(text);
    for shape in ["y : 8, 2|->", "z : 2|->", "w : 8, 2|->3", "v : 2|->3"] {
        assert!(
            shapes.iter().any(|known| known == shape),
            "{shape}: {shapes:?}"
        );
    }
}

#[test]
fn a_conflict_names_the_operations_that_make_it() {
    let text = "data x : 4|->3 = range(12)\ndata w : 5->2 = range(10)\nlet y = w * x\n";
    let program = parse(text).expect("a program");
    let refusal = infer(&program, &Options::default()).expect_err("5 inputs face 3 outputs");
    let Reason::Shapes(conflict) = &refusal.reason else {
        panic!("{refusal}");
    };
    assert_eq!(conflict.because.len(), 1);
    let origin = &conflict.because[0].origin;
    assert_eq!((origin.step, &text[origin.span.clone()]), (0, "x"));
    let rendered = refusal.diagnostic(&program).render(text, "p.loz", false);
    assert!(rendered.contains("p.loz:3:9"), "{rendered}");
}

#[test]
fn a_limit_says_which_and_where() {
    let program =
        parse("data x : 4|->3 = range(12)\nlet y = x + x\nlet z = y + y\n").expect("a program");
    let mut options = Options::default();
    options.max_axes = 5;
    let refusal = infer(&program, &options).expect_err("six axes");
    assert_eq!(
        refusal.to_string(),
        "unknown: the limit of 5 axes was reached at the tensor z; --max-axes raises it"
    );
    options.max_axes = 6;
    assert!(infer(&program, &options).is_ok());
}

/// The constraints behind a row are those that its whole derivation cites, so a caller may word only a part of it.
#[test]
fn the_constraints_behind_a_row_are_those_of_its_derivation() {
    let text = "data x : 8|->3 = range(24)\ndata t : 8|->5 = range(40)\nparam w\nparam b\n\
                let h = relu(w * x + b)\nlet e = sum(square(h - t), \"n|->c => n|\")\n";
    let program = parse(text).expect("a program");
    let inference = infer(&program, &Options::default()).expect("shapes");
    let mut seen = 0;
    for tensor in &program.tensors {
        for kind in Kind::ALL {
            let Some(var) = &tensor.shape.row(kind).var else {
                continue;
            };
            let var = Var::Row(var.clone());
            let derivation = inference.explain(&var).expect("a derivation");
            let mut cited = Vec::new();
            for constraint in derivation
                .steps
                .iter()
                .rev()
                .flat_map(|step| &step.constraints)
            {
                if !cited.contains(&constraint.index) {
                    cited.push(constraint.index);
                }
            }
            seen += usize::from(cited.len() > 1);
            assert_eq!(inference.constraints_behind(&var), Some(cited), "{var}");
        }
    }
    assert!(seen > 3, "{seen} rows rest on several constraints");
}

/// The variable of a label in a function has the path of the call in front, of which a loop takes nothing.
#[test]
fn loops_have_the_labels_of_shapes_in_functions() {
    let text = "data x : 4|->3 = range(12)\ndef f(a):\n  let y : n|->c = relu(a)\n  sum(y, \"n|->c => n|\") / c\nlet y = f(x)\n";
    let program = parse(text).expect("a program");
    let inference = infer(&program, &Options::default()).expect("shapes");
    let names: Vec<Vec<&str>> = inference
        .nests
        .iter()
        .map(|nest| nest.factors().iter().map(|factor| &*factor.name).collect())
        .collect();
    assert_eq!(names[..2], [["n", "c"], ["n", "c"]]);
}
