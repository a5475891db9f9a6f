//! What is inferred beyond the examples of the paper.

use crate::{inferred, refusal, scheme};

#[test]
fn a_name_of_two_sorts_is_an_error_at_its_second_place() {
    let refused = refusal("f = fn(x : t n, y : t [n]) { x }");
    assert!(
        refused.contains("`n` names a shape and a dimension"),
        "{refused}"
    );
}

#[test]
fn sizes_that_no_tensor_has_are_errors() {
    for (shape, said) in [
        ("[(/ n 0)]", "divided by 0"),
        ("[0]", "at least 1"),
        ("[(- 1 5)]", "-4"),
        ("[007]", "`7`"),
        ("[99999999999999999999]", "64 bits"),
        ("[(* 9223372036854775807 2)]", "64 bits"),
    ] {
        let refused = refusal(&format!("f = fn(x : f32 {shape}) {{ x }}"));
        assert!(refused.contains(said), "{shape}: {refused}");
    }
}

#[test]
fn a_name_that_becomes_constant_is_warned_of_and_a_rigid_one_refused() {
    let text = "f = fn(x : t [n], y : t [4]) { x + y }";
    let found = inferred(text);
    assert_eq!(found.bindings[0].scheme(), "t [4], t [4] -> t [4]");
    assert_eq!(found.warnings.len(), 1);
    assert!(found.warnings[0].message.contains("`n` can only be 4"));
    let refused = refusal(&text.replace("[n]", "['n]"));
    assert!(refused.contains("'n"), "{refused}");
    let two = refusal(
        "f = fn(x : t ['n], y : t [m]) { x + y }\ng = fn(x : t ['n], y : t ['m]) { x + y }",
    );
    assert!(two.contains("general"), "{two}");
    assert_eq!(
        scheme("f = fn(x : t ['n,_]) { x + x }", "f"),
        "t [a,b] -> t [a,b]"
    );
}

#[test]
fn characters_of_no_word_are_named_with_a_repair() {
    let refused = refusal("f = fn(x : f32 s∈[n]) { x }");
    assert!(refused.contains('∈') && refused.contains('@'), "{refused}");
}

#[test]
fn recursion_is_an_error_that_names_the_other_ways() {
    let refused = refusal("f = fn(x) { f(x) }");
    assert!(
        refused.contains("own definition") && refused.contains("loop"),
        "{refused}"
    );
}

#[test]
fn conditions_follow_every_use_and_are_never_dropped() {
    let text = "f = fn(x : f32 a@b, y : f32 a) { y }";
    assert_eq!(scheme(text, "f"), "f32 a@b, f32 a -> f32 a");
    let used =
        |second: &str| format!("{text}\ng = fn(x : f32 [3,4], y : f32 {second}) {{ f(x, y) }}");
    assert!(inferred(&used("[3]")).errors.is_empty());
    refusal(&used("[7]"));
}

#[test]
fn an_input_that_ends_as_another_one_is_checked_for_it() {
    let found = inferred("f = fn(x, y) { y - x }");
    let checks: Vec<&str> = found.bindings[0]
        .checks
        .iter()
        .map(|check| check.condition.as_str())
        .collect();
    assert_eq!(checks, ["shape(y) ends with shape(x)"]);
}

#[test]
fn an_inner_function_that_is_bound_is_general_and_sees_what_is_around_it() {
    let text = "f = fn(x : f32 [n], y : f32 [m,m]) {
  add = fn(a) { a + a };
  scaled = fn(a) { add(a) - x };
  add(y), scaled(x)
}";
    assert_eq!(
        scheme(text, "f"),
        "f32 [a], f32 [b,b] -> f32 [b,b], f32 [a]"
    );
}

#[test]
fn deep_nesting_takes_no_stack() {
    let depth = 20_000;
    let text = format!(
        "f = fn(x) {{ {}x{} }}",
        "exp(".repeat(depth),
        ")".repeat(depth)
    );
    assert_eq!(scheme(&text, "f"), "t a -> t a");
    let parentheses = format!(
        "f = fn(x) {{ {}x{} }}",
        "(".repeat(depth),
        ")".repeat(depth)
    );
    assert_eq!(scheme(&parentheses, "f"), "t a -> t a".replace("t a", "?S"));
    let functions = format!("f = {}x{}", "fn(x) { ".repeat(depth), " }".repeat(depth));
    assert!(refusal(&functions).contains("at most 128 deep"));
}
