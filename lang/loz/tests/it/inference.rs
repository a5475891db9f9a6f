//! Programs of the language under the calculus: their inferred shapes.

use lozenge_lang::parse;
use lozenge_spec::{Options, Run, solve};

/// Returns the run, and the shape of each named tensor in the notation of the language's rows.
fn inferred(source: &str) -> (Run, Vec<String>) {
    let program = parse(source)
        .unwrap_or_else(|errors| panic!("{}", errors[0].render(source, "test", false)));
    let options = Options {
        close: true,
        ..Options::default()
    };
    let run = solve(&program.constraints().unwrap().set, &options);
    let shapes = run.greatest().map(|ground| {
        let shown = program.tensors.iter().map(|tensor| {
            let row = |row| {
                ground
                    .row(row)
                    .expect("every variable has a value")
                    .to_string()
            };
            let rows = tensor.shape.rows().map(row);
            format!("{} {}", tensor.name, rows.join(" "))
        });
        shown.collect()
    });
    (run, shapes.unwrap_or_default())
}

#[test]
fn ones_grow_to_the_axis_that_is_summed() {
    let (_, shapes) =
        inferred("data m : 5, 7 from \"m\"\nconst ones = 1\nr =:+ m * ones \"p, q; q => p\"");
    assert_eq!(shapes, ["m [] [] [5, 7]", "ones [] [] [7]", "r [] [] [5]"]);
}

#[test]
fn a_hidden_size_is_said_by_data() {
    let source = "
data x : 100|->3 from \"x.csv\"
data width = [0, 0, 0, 0]
param w1
param w2
inner  =:+ w1 * x             \"i->h; n|->i => n|->h\"
hidden =:  max(inner, width)  \"n|->h; h => n|->h\"
result =:+ w2 * hidden        \"h->; n|->h => n|\"";
    let (_, shapes) = inferred(source);
    assert!(shapes.contains(&"w1 [] [3] [4]".to_string()), "{shapes:?}");
    assert!(shapes.contains(&"w2 [] [4] []".to_string()), "{shapes:?}");
}

/// The forgotten hidden dimension of the first tutorial.
#[test]
fn a_hidden_size_that_nothing_says_is_refused() {
    let source = "
data x : 100|->3 from \"x.csv\"
data t : 100|->2 from \"t.csv\"
param w1
param w2
let error = w2 * relu(w1 * x) - t";
    let (run, shapes) = inferred(source);
    assert!(shapes.is_empty());
    let reason = &run.failure().expect("it is refused").reason;
    assert!(reason.contains("unspecified hidden dimension"), "{reason}");
}

/// A leaf closes to the largest shape that its uses allow; a parameter cannot grow to batch axes, because it has none.
#[test]
fn under_broadcasting_a_parameter_does_not_grow_over_the_batch() {
    let source = "
data x : 100|->3 from \"x.csv\"
data width = [0, 0, 0, 0]
param w1
param w2
let hidden = max(w1 * x, width)
let result = w2 * hidden";
    let (_, shapes) = inferred(source);
    assert!(shapes.contains(&"w1 [] [3] [4]".to_string()), "{shapes:?}");
    assert!(shapes.contains(&"w2 [] [4] []".to_string()), "{shapes:?}");
}

#[test]
fn a_number_adds_no_axis() {
    let (_, shapes) = inferred("data n : 5| from \"n\"\nlet r = n *. 2 + 1");
    assert!(shapes.contains(&"r [5] [] []".to_string()), "{shapes:?}");
}
