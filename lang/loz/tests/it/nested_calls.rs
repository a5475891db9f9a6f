//! Functions that are called inside each other: instances of instances, recursion, and chains of functions that double.

use lozenge_lang::{parse, parse_partly};
use lozenge_vocabulary::program::{Program, Source, Surroundings};

const DATA: &str = "data x : 4|->3 = range(12)\n";

fn parameters(program: &Program) -> Vec<&str> {
    let tensors = program.tensors.iter();
    tensors
        .filter(|tensor| matches!(tensor.source, Source::Param(_)))
        .map(|tensor| &*tensor.name)
        .collect()
}

/// Returns the headline and the help of the first error.
fn error(lines: &str) -> String {
    let errors = parse(&format!("{DATA}{lines}")).expect_err(lines);
    errors[0].to_string()
}

#[test]
fn an_instance_may_be_given_another_instance_of_its_function() {
    let text = format!(
        "{DATA}def double(a): a *. 2\ndef wrap(f)(a):\n  param w\n  w * f(a) + 1\nlet g = wrap(wrap(wrap(double)))\nlet y = g(x)\nlet z = g(y)\n"
    );
    let program = parse(&text).expect("it is read");
    assert_eq!(parameters(&program), ["g.w", "g.wrap.w", "g.wrap2.w"]);
    // Two constants, then two calls: three compositions and three sums around one doubling.
    assert_eq!(program.steps.len(), 2 + 2 * 7);
}

#[test]
fn a_function_that_calls_itself_is_refused() {
    for lines in [
        "def f(a): f(a)\nlet y = f(x)\n",
        "def f(g, a): g(g, a)\nlet y = f(f, x)\n",
        "def f(n)(a): f(n)(a)\nlet y = f(1)(x)\n",
        "def f(g)(a): g(g)(a)\nlet y = f(f)(x)\n",
        "def f(g)(a):\n  let h = f(g)\n  h(g(a))\nlet y = f(f(relu))(x)\n",
    ] {
        let said = error(lines);
        assert!(said.contains("`f` calls itself"), "{lines}{said}");
    }
}

#[test]
fn a_chain_of_functions_that_double_ends_at_the_limit() {
    let mut text = format!("{DATA}def f0(a): a + 1\n");
    for level in 1..=20 {
        let before = level - 1;
        text += &format!("def f{level}(a): f{before}(f{before}(a))\n");
    }
    text += "let y = f20(x)\n";
    let mut surroundings = Surroundings::default();
    surroundings.limits.parts = 5000;
    let (program, errors) = parse_partly(&text, &surroundings);
    assert_eq!(errors.len(), 1, "{errors:?}");
    let said = errors[0].to_string();
    assert!(said.contains("more than 5000 parts"), "{said}");
    assert!(said.contains("--max-parts"), "{said}");
    // Nothing is called any more once the limit is reached: of 2^20 calls there are some thousand.
    let calls = program.calls.len();
    assert!((1000..=5000).contains(&calls), "{calls}");
}
