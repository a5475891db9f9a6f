//! The types that the paper prints, and the repaired ones where it prints what does not follow.

use lozenge_axon::Table;

use crate::{inferred, inferred_with, refusal, scheme};

#[test]
fn two_results_are_a_tuple_of_one_shape() {
    let text = "f = fn(x, y) {\n  a = x + y;\n  b = x * y;\n  a, b\n}";
    assert_eq!(scheme(text, "f"), "t a, t a -> t a, t a");
}

#[test]
fn a_function_that_is_bound_has_a_type_of_its_own_at_each_call() {
    let text = "g = fn(a, b) { a + b };\nf = fn(a, b) {\n  g(a, b) + a;\n}";
    assert_eq!(scheme(text, "g"), "t a, t a -> t a");
    assert_eq!(scheme(text, "f"), "t a, t a -> t a");
    let twice = "g = fn(a, b) { a + b }\nh = fn(x : f32 [3], y : i32 [2,2]) { g(x, x), g(y, y) }";
    assert_eq!(
        scheme(twice, "h"),
        "f32 [3], i32 [2,2] -> f32 [3], i32 [2,2]"
    );
    let refused = refusal("h = fn(g, x : f32 [3], y : i32 [2,2]) { g(x, x), g(y, y) }");
    assert!(
        refused.contains("`f32`") && refused.contains("`i32`"),
        "{refused}"
    );
}

#[test]
fn the_product_of_square_matrices_is_square() {
    let text = "f = fn(x : t [n,n], y : t [n,n]) { matmul(x, y) }";
    assert_eq!(scheme(text, "f"), "t [a,a], t [a,a] -> t [a,a]");
}

#[test]
fn a_convolution_gives_the_size_of_its_input_by_the_printed_signature_alone() {
    let text = "f = fn(x : t i, f : t [4,8,8,8]) : t [4,8,1024,256] { conv(x, f) }";
    let printed = inferred_with(text, Table::Printed);
    assert!(printed.errors.is_empty());
    let types: Vec<_> = printed
        .bindings
        .iter()
        .map(|binding| binding.scheme())
        .collect();
    assert_eq!(types, ["t [4,8,1031,263], t [4,8,8,8] -> t [4,8,1024,256]"]);
    let refused = refusal(text);
    assert!(refused.contains('4') && refused.contains('8'), "{refused}");
}

#[test]
fn the_second_argument_of_a_maximum_is_a_scalar_where_the_first_one_is() {
    assert_eq!(
        scheme("f = fn(a : f32, b) { max(a, b) }", "f"),
        "f32, f32 -> f32"
    );
}

/// The program of the paper.
pub(crate) const SOFTMAX: &str = "softmax = fn (x : f32 s) {
  y = reduce(max, -inf, x);
  z = exp(x - y);
  z / reduce(+, 0f, z)
}
";

#[test]
fn softmax_takes_any_shape_of_at_least_one_axis() {
    assert_eq!(scheme(SOFTMAX, "softmax"), "f32 [a]@b -> f32 [a]@b");
}

/// The program of the paper.
const ATTENTION: &str = "softmax = fn (e : t [m,n]) {
   z = exp(e);
   s = map(
      fn (a) {
       reduce (+, 0f, a)
      },
      transpose(e)
   );
   map (fn(a) { a / s }, z)
};
attention = fn(Q, K, V) {
   matmul(softmax(matmul(Q, transpose(K))), V)
};
";

#[test]
fn attention_has_the_printed_shapes_and_the_elements_of_its_literal() {
    let expected = "f32 [a,b], f32 [c,b], f32 [c,d] -> f32 [a,d]";
    assert_eq!(scheme(ATTENTION, "attention"), expected);
    let any = ATTENTION.replace("0f", "0");
    assert_eq!(scheme(&any, "attention"), expected.replace("f32", "t"));
}

/// The program of the paper, as a function of the tensors that it leaves free.
const LSTM: &str = "lstm = fn(h, c, x, Wi, Wf, Wo, Wc, Ri, Rf, Ro, Rc, Bi, Bf, Bo, Bc) {
  cell = fn (state : (t s1, t s2), y : t s3) {
    h1, c1 = state;
    hnext, cnext = lstmStep(y, h1, c1, Wi, Wf, Wo, Wc, Ri, Rf, Ro, Rc, Bi, Bf, Bo, Bc);
    (hnext, cnext), cnext
  };
  loop((h, c), cell, x)
}
";

#[test]
fn a_long_short_term_memory_has_a_state_of_vectors_and_an_output_for_each_step() {
    let found = scheme(LSTM, "lstm");
    assert!(
        found.starts_with("t [a], t [a], t [b,c], t [a,c], "),
        "{found}"
    );
    assert!(found.ends_with(" -> (t [a], t [a]), t [b,a]"), "{found}");
    let claimed = LSTM
        .replace("lstm = fn(h, c, x,", "lstm = fn(h, c, x : t s3,")
        .replace("t s1, t s2", "t s3, t s3");
    refusal(&claimed);
}

#[test]
fn a_bidirectional_network_as_printed_joins_time() {
    let text = "bidir = fn (a, b, c, d, s) {
    _, x = loop(a, b, s);
    _, y = loop(c, d, reverse(s));
    concat(x, reverse(y))
};
residual = fn (a, b, s) {
   _, r = loop(a, b, s);
   r + s
};
cell = fn(state : t [k], x : t [i]) { state, state }
Y = fn(s0 : t [k], s0' : t [k], X : t [n,i]) { bidir(s0, cell, s0', cell, X) }
";
    assert_eq!(scheme(text, "Y"), "t [a], t [a], t [b,c] -> t [(* b 2),a]");
    assert_eq!(
        scheme(text, "residual"),
        "?S, (?S, t a -> ?S, t a), t [b]@a -> t [b]@a"
    );
}

#[test]
fn a_batch_of_matrices_is_inferred_and_a_wrong_one_is_refused_by_name() {
    let right = "f = fn(x : f32 [7,2,3], y : f32 [7,3,4]) { matmul(x, y) }";
    assert_eq!(
        scheme(right, "f"),
        "f32 [7,2,3], f32 [7,3,4] -> f32 [7,2,4]"
    );
    let wrong = refusal(&right.replace("f32 [7,3,4]", "f32 [6,3,4]"));
    for part in ["7", "6", "s@[a,b]", "f32 [7,2,3]", "f32 [6,3,4]"] {
        assert!(wrong.contains(part), "{part} is not in\n{wrong}");
    }
}

#[test]
fn what_no_type_says_stands_behind_where() {
    let text = "h = fn(x, y) { reduce(+, 0f, matmul(x, y)) }";
    assert_eq!(
        scheme(text, "h"),
        "f32 a@[b,c], f32 a@[c,d] -> f32 e where a@[b,d] = [f]@e"
    );
    let power = "f = fn(x : f32 [3]@s, y : f32 s@[3]) { x + y }";
    assert_eq!(
        scheme(power, "f"),
        "f32 [3]@a, f32 a@[3] -> f32 [3]@a where [3]@a = a@[3]"
    );
}

#[test]
fn a_scheme_with_conditions_accepts_and_refuses_by_them() {
    let power = "f = fn(x : f32 [3]@s, y : f32 s@[3]) { x + y }\n";
    for (shape, accepted) in [("[3]", true), ("[3,3]", true), ("[3,4]", false)] {
        let text = format!("{power}g = fn(x : f32 {shape}, y : f32 {shape}) {{ f(x, y) }}");
        assert_eq!(inferred(&text).errors.is_empty(), accepted, "{shape}");
    }
}

#[test]
fn the_parts_of_a_concatenation_have_at_least_one_element() {
    let text = |first: &str| {
        format!("f = fn(x : f32 {first}, y : f32 [n]@s) : f32 [7,5] {{ concat(x, y) }}")
    };
    assert_eq!(
        scheme(&text("[3,5]"), "f"),
        "f32 [3,5], f32 [4,5] -> f32 [7,5]"
    );
    refusal(&text("[7,5]"));
}

#[test]
fn a_convolution_has_checks_for_what_its_type_does_not_say() {
    let text = "f = fn(x : t [n,c,h,w], f : t [k,c,3,3]) { conv(x, f) }";
    let found = inferred(text);
    assert_eq!(
        found.bindings[0].scheme(),
        "t [a,b,c,d], t [e,b,3,3] -> t [a,e,(- c 2),(- d 2)]"
    );
    let checks: Vec<&str> = found.bindings[0]
        .checks
        .iter()
        .map(|check| check.condition.as_str())
        .collect();
    assert_eq!(
        checks,
        ["dim(x,1) = dim(f,1)", "dim(x,2) >= 3", "dim(x,3) >= 3"]
    );
}

#[test]
fn ragged_axes_are_equal_after_a_check_and_differ_from_constants() {
    let found = inferred("f = fn(x : f32 [10,*,3], y : f32 [10,*,3]) { x + y }");
    let checks = &found.bindings[0].checks;
    assert_eq!(checks.len(), 1, "{checks:?}");
    assert_eq!(checks[0].condition, "lengths(x,1) = lengths(y,1)");
    assert_eq!(checks[0].decided, "when the lengths are known");
    let same = inferred("f = fn(x : f32 [10,*,3]) { x + exp(x) }");
    assert_eq!(same.bindings[0].checks, []);
    // Each use of a function has lengths of its own.
    let twice = "g = fn(x : f32 [*]) { exp(x) }\nf = fn(a : f32 [*], b : f32 [*]) { g(a) + g(b) }";
    assert_eq!(inferred(twice).bindings[1].checks.len(), 1);
    refusal("f = fn(x : f32 [10,*,3], y : f32 [10,5,3]) { x + y }");
}

#[test]
fn doubling_is_shared_and_a_constant_beyond_64_bits_is_named() {
    let lines = |count: usize| "  x = concat(x, x);\n".repeat(count);
    let text = |count| format!("f = fn(x : t [n]) {{\n{}  x\n}}", lines(count));
    assert_eq!(
        scheme(&text(60), "f"),
        "t [a] -> t [(* a 1152921504606846976)]"
    );
    let refused = refusal(&text(64));
    assert!(refused.contains("64 bits"), "{refused}");
}
