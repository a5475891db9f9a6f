//! Inference beyond the examples of the paper.

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

/// The axes before those of y are the same axes of x and of z: [1], [] and [] are no inputs.
#[test]
fn a_part_that_two_inputs_share_is_checked() {
    let checks = |text: &str| {
        let found = inferred(text);
        let checks = found.bindings[0].checks.iter();
        let checks: Vec<String> = checks.map(|check| check.condition.clone()).collect();
        checks
    };
    let alike = checks("f = fn(x : f32 a@b, y : f32 b, z : f32 a@b) { y }");
    assert_eq!(
        alike,
        ["shape(x) ends with shape(y)", "shape(z) = shape(x)"]
    );
    let apart = "f = fn(x : f32 a@b, y : f32 b, z : f32 a@c, u : f32 c) { y }";
    assert_eq!(
        checks(apart),
        ["shape(x) = a@shape(y) and shape(z) = a@shape(u) for some a"]
    );
    // Every shape is one shape behind another, and not every one has an axis of 3 or is one shape twice.
    let open = "f = fn(x : f32 a@b, z : f32 a@b) { x }";
    assert_eq!(checks(open), ["shape(z) = shape(x)"]);
    let inside = "f = fn(x : f32 a@[3]@b, y : f32 c@c) { x }";
    assert_eq!(
        checks(inside),
        [
            "shape(x) = a@[3]@b for some a, b",
            "shape(y) = c@c for some c"
        ]
    );
    // The axes before and behind are checked by themselves.
    let around = "f = fn(x : f32 [n]@a@b@[m], y : f32 b@[m], z : f32 [n]@a@b@[k]) { x }";
    assert_eq!(
        checks(around),
        [
            "dim(x,-1) = dim(y,-1)",
            "dim(x,0) = dim(z,0)",
            "shape(x)[1..-1] ends with shape(y)[..-1]",
            "shape(z)[1..-1] = shape(x)[1..-1]"
        ]
    );
    let twice = "f = fn(x : f32 s@[n], y : f32 s@s) { x }";
    assert_eq!(checks(twice), ["shape(y) = shape(x)[..-1]@shape(x)[..-1]"]);
}

/// Returns the checks of a function of some parameters.
fn conditions(parameters: &str, results: &str) -> String {
    let found = inferred(&format!("f = fn({parameters}) {{ {results} }}"));
    assert!(found.errors.is_empty(), "{parameters}: {:?}", found.errors);
    let checks = found.bindings[0].checks.iter();
    let conditions: Vec<String> = checks.map(|check| check.condition.clone()).collect();
    conditions.join(", ")
}

/// By hand: which sizes are such a term for some sizes of the names that no input gives.
#[test]
fn names_that_no_input_gives_are_chosen_or_said_to_be_chosen() {
    for (parameters, expected) in [
        ("x : t [a*b]", ""),
        ("x : t [a*b], y : t [a]", "dim(x,0) % dim(y,0) = 0"),
        (
            "x : t [2*a*b+1], y : t [a]",
            "(dim(x,0) - 1) % (2*dim(y,0)) = 0, dim(x,0) >= 2",
        ),
        (
            "x : t [3*n,n*m]",
            "dim(x,0) % 3 = 0, (3*dim(x,1)) % dim(x,0) = 0",
        ),
        ("x : t [a/b]", ""),
        ("x : t [a/2]", ""),
        ("x : t [a-b]", ""),
        ("x : t [a+b]", "dim(x,0) >= 2"),
        ("x : t [a*b+c]", "dim(x,0) >= 2"),
        ("x : t [a*b+c], y : t [c]", "dim(x,0) >= dim(y,0) + 1"),
        ("x : t [c-a*b], y : t [c]", "dim(y,0) >= dim(x,0) + 1"),
        ("x : t [2*a*b]", "dim(x,0) % 2 = 0"),
        ("x : t [2*a+4*b]", "dim(x,0) % 2 = 0, dim(x,0) >= 6"),
        ("x : t [2*a-3*b]", ""),
        ("x : t [4*a-6*b]", "dim(x,0) % 2 = 0"),
        ("x : t [(n/2)*2]", "dim(x,0) % 2 = 0"),
        ("x : t [a*b], y : t [b*a]", "dim(x,0) = dim(y,0)"),
        (
            "x : t [a*b], y : t [b*a+c], z : t [c]",
            "dim(y,0) = dim(x,0) + dim(z,0)",
        ),
        ("x : t [a*a]", "dim(x,0) = (* a a) for some a"),
        (
            "x : t [2*a+3*b]",
            "dim(x,0) = (+ (* a 2) (* b 3)) for some a, b",
        ),
        ("x : t [7/a]", "dim(x,0) = (/ 7 a) for some a"),
        (
            "x : t [n/a], y : t [n]",
            "dim(x,0) = (/ dim(y,0) b) for some b",
        ),
        // A half that is at least 1 says that the name is above 1.
        (
            "x : t [n/2], y : t [n+3]",
            "dim(x,0) = (/ (dim(y,0) - 3) 2)",
        ),
        (
            "x : t [a+b], y : t [a*b]",
            "dim(x,0) = (+ a b) and dim(y,0) = (* a b) for some a, b",
        ),
        (
            "x : t [a*b], y : t [a*c], z : t [b*c]",
            "dim(x,0) = (* a b) and dim(y,0) = (* a c) and dim(z,0) = (* b c) for some a, b, c",
        ),
    ] {
        assert_eq!(conditions(parameters, "x"), expected, "{parameters}");
    }
    // Another condition on a term is said of its axis where that is possible.
    let conv = "x : t [1,1,a*b,4], f : t [1,1,3,3]";
    assert_eq!(conditions(conv, "conv(x, f)"), "dim(x,2) >= 3");
    let conv = "x : t [1,1,4,4], y : t [a*a+a], f : t [1,1,5-a,3]";
    // By hand: 5-a is the size of f, so a*a+a is (5-f)(5-f) + 5-f.
    assert_eq!(
        conditions(conv, "conv(x, f), y"),
        "dim(y,0) = dim(f,2)*dim(f,2) - 11*dim(f,2) + 30, dim(f,2) <= 4"
    );
    let strides = "x : t [n], y : t [(n+1)/2], z : t [3*(n-1)*((n+2)/2)]";
    assert_eq!(
        conditions(strides, "x"),
        "dim(y,0) = (/ (+ dim(x,0) 1) 2), dim(z,0) = (+ (/ dim(x,0) 2) 1)*(- (* dim(x,0) 3) 3)"
    );
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

#[test]
fn what_has_a_solution_for_every_type_is_no_condition() {
    let attention = "attention = fn(Q, K, V) {
  scores = matmul(Q, transpose(K));
  weights = map(fn(row) { row / reduce(+, 0f, row) }, scores);
  matmul(weights, V)
}";
    let expected = "f32 a@[b,c], f32 a@[d,c], f32 a@[d,e] -> f32 a@[b,e]";
    assert_eq!(scheme(attention, "attention"), expected);
    // The rank of a product of vectors is too low, and that is found at the use.
    let used = "f = fn(x : f32 s, y) { map(fn(row) { reduce(+, 0f, row) }, x + y) }";
    assert_eq!(scheme(used, "f"), "f32 [a,b]@c, f32 [a,b]@c -> f32 [a]@c");
}

#[test]
fn sizes_with_one_value_have_it_in_the_type() {
    for (text, expected) in [
        (
            "f = fn(x : t [n]) : t [(* n n)] { concat(x, x) }",
            "t [2] -> t [4]",
        ),
        (
            "f = fn(x : t [n]) : t [12] { concat(concat(x, x), x) }",
            "t [4] -> t [12]",
        ),
        (
            "f = fn(x : t [n,m], y : t [m,n], z : t [3,2]) : t [5] { concat(reduce(+, 0, x + z), reduce(+, 0, y + transpose(z))) }",
            "t [3,2], t [2,3], t [3,2] -> t [5]",
        ),
        (
            "f = fn(x : t [(* n n)], y : t [n]) : t [9] { x }",
            "t [9], t [3] -> t [9]",
        ),
    ] {
        assert_eq!(scheme(text, "f"), expected, "{text}");
    }
}

#[test]
fn sides_that_are_never_equal_are_named_as_the_types_beside_them() {
    let refused = refusal("halve = fn(x : t [(* n 2)]) : t [n] { x }");
    assert!(
        refused.contains("(* a 2) and a have to be equal"),
        "{refused}"
    );
    let refused = refusal("g = fn(a, b) { concat(a, b) - b }");
    assert!(
        refused.contains("(+ a b) and b have to be equal"),
        "{refused}"
    );
    let refused = refusal("f = fn(x : f32 [2,3]) : f32 [3,2] { x }");
    assert!(refused.contains("; it is f32 [2,3]"), "{refused}");
    let refused = refusal("f = fn(x : t [n]) : t [10] { concat(concat(x, x), x) }");
    assert!(
        refused.contains("(* a 3) and 10 have to be equal"),
        "{refused}"
    );
}

#[test]
fn a_refused_use_tells_the_type_of_the_function() {
    let refused = refusal("add = fn(x, y) { x + y }\nprint add(1f, exp)");
    assert!(refused.contains("add : t a, t a -> t a"), "{refused}");
}

#[test]
fn a_function_is_not_shown_and_values_are_counted() {
    let refused = refusal("f = fn(x) { x }\nprint (1f, f)");
    assert!(refused.contains("no values"), "{refused}");
    let refused = refusal("data x : f32 [2,2] = [1, 2, 3]");
    assert!(
        refused.contains("4 cells, and there are 3 values"),
        "{refused}"
    );
}

#[test]
fn the_type_of_a_parameter_that_is_a_function_needs_no_parentheses() {
    let text = "f = fn(x : f32 [n], g : f32 [n] -> f32 [m]) : f32 [m] { g(x) }";
    assert_eq!(
        scheme(text, "f"),
        "f32 [a], (f32 [a] -> f32 [b]) -> f32 [b]"
    );
}

#[test]
fn an_intermediate_size_is_written_over_the_sizes_of_inputs() {
    let text = "f = fn(x, k, l) { relu(conv(relu(conv(x, k)), l)) }";
    let expected =
        "t [a,b,c,d], t [e,b,f,g], t [h,e,i,j] -> t [a,h,(+ (- (- c f) i) 2),(+ (- (- d g) j) 2)]";
    assert_eq!(scheme(text, "f"), expected);
    let found = inferred("f = fn(x : f32 [(* h d)], y : f32 [h,d]) { x, y }");
    assert_eq!(
        found.bindings[0].checks[0].condition,
        "dim(x,0) = dim(y,0)*dim(y,1)"
    );
}

#[test]
fn terms_of_one_name_are_tied_where_it_stands_alone_at_no_axis() {
    // From an equation of coprime multiples follows that each divides.
    let text = "x : t [(* n 2)], y : t [(* n 3)]";
    assert_eq!(conditions(text, "x, y"), "2*dim(y,0) = 3*dim(x,0)");
    let text = "x : t [(* n 2)], y : t [(* n 4)]";
    let expected = "dim(x,0) % 2 = 0, dim(y,0) = 2*dim(x,0)";
    assert_eq!(conditions(text, "x, y"), expected);
    // The value without a multiple is taken, and what the other axes say of it is not said again.
    let text = "x : t [(* n 2),(+ n 1),(- n 1)]";
    let expected = "dim(x,0) = 2*dim(x,1) - 2, dim(x,2) = dim(x,1) - 2";
    assert_eq!(conditions(text, "x"), expected);
    let text = "x : t [(- 10 n),(+ n m)], y : t [(* m 2)]";
    let expected = "dim(x,0) <= 9, dim(y,0) = 2*dim(x,0) + 2*dim(x,1) - 20";
    assert_eq!(conditions(text, "x, y"), expected);
    let text = "x : t [(* n 2),(* m 2),(+ n m)]";
    let expected = "dim(x,0) % 2 = 0, dim(x,1) % 2 = 0, 2*dim(x,2) = dim(x,0) + dim(x,1)";
    assert_eq!(conditions(text, "x"), expected);
    let text = "x : t [(/ n m)], y : t [n,m]";
    let expected = "dim(x,0) = (/ dim(y,0) dim(y,1))";
    assert_eq!(conditions(text, "x, y"), expected);
}

/// Whoever calls the function has such a size at hand.
#[test]
fn a_size_that_is_written_as_late_at_an_input_is_that_of_the_input() {
    assert_eq!(
        scheme("f = fn(x : f32 [3,?n]) { x }", "f"),
        "f32 [3,a] -> f32 [3,a]"
    );
    assert_eq!(conditions("x : f32 [3,?n]", "x"), "");
    let equal = "dim(x,0) = dim(y,0)";
    assert_eq!(conditions("x : f32 [?n], y : f32 [?n]", "x"), equal);
    assert_eq!(conditions("x : f32 [?n], y", "x + y"), equal);
    assert_eq!(conditions("x : f32 [?n], y : f32 [5]", "x + y"), "");
    let late = conditions("x : f32 [?n], y : f32 [m]", "x + compress(y, y)");
    assert_eq!(late, "?1 = dim(x,0)");
}

#[test]
fn a_size_that_is_known_late_is_checked_late() {
    let text = "kept = fn(m, x) { compress(m, x) }
sum = fn(m, x, y : f32 [n]) { compress(m, x) + y }
five = fn(m, x) : f32 [5] { compress(m, x) }
two = fn(m, x) { compress(m, x) + compress(m, x) }
used = fn(m, x) { sum(m, x, compress(x, m)) }";
    let found = inferred(text);
    assert!(found.errors.is_empty(), "{:?}", found.errors);
    let shown = |name: &str| {
        let mut bindings = found.bindings.iter();
        let binding = bindings.find(|binding| binding.name == name).unwrap();
        let late = binding.checks.iter();
        let late = late.filter(|check| check.decided.contains("so far"));
        let late: Vec<String> = late.map(|check| check.condition.clone()).collect();
        format!("{} | {}", binding.scheme(), late.join(", "))
    };
    assert_eq!(shown("kept"), "t [a], u [a]@b -> u [?1]@b | ");
    assert_eq!(
        shown("sum"),
        "t [a], f32 [a], f32 [b] -> f32 [b] | ?1 = dim(y,0)"
    );
    assert_eq!(shown("five"), "t [a], f32 [a] -> f32 [5] | ?1 = 5");
    assert_eq!(shown("two"), "t [a], u [a]@b -> u [?1]@b | ?2 = ?1");
    assert_eq!(shown("used"), "f32 [a], f32 [a] -> f32 [?1] | ?2 = ?1");
    let refused = refusal("f = fn(x : f32 ?s) { x }");
    assert!(refused.contains("rank"), "{refused}");
}

#[test]
fn ragged_data_have_a_list_for_each_element() {
    let text = "data x : f32 [3,*] = [[1, 2], [3], [4, 5, 6]]\ny = exp(x)";
    assert_eq!(scheme(text, "y"), "f32 [3,*1]");
    for (text, said) in [
        ("data x : f32 [2,*] = [[1], [2], [3]]", "there are 3 lists"),
        ("data x : f32 [2,*] = [[1], []]", "list 2 has no values"),
        (
            "data x : f32 [2,*,2] = [[1, 2], [3]]",
            "list 2 has 1 values",
        ),
        ("data x : f32 [2,*] = [1, 2]", "one ragged axis"),
        ("data x : f32 [*] = [[1, 2]]", "constant shape"),
        ("data x : f32 [2,2] = [[1, 2], [3, 4]]", "several lists"),
        ("data x : i32 [2,*] = [[1, 2], [3.5]]", "`3.5`"),
    ] {
        let refused = refusal(text);
        assert!(refused.contains(said), "{text}: {refused}");
    }
}

#[test]
fn every_table_has_its_own_sums() {
    let text = "f = fn(x, y) { x + y }";
    let shown = |table| crate::inferred_with(text, table).bindings[0].scheme();
    assert_eq!(shown(lozenge_axon::Table::Paper), "t a, t a -> t a");
    assert_eq!(shown(lozenge_axon::Table::Broadcast), "t a@b, t b -> t a@b");
}

/// By hand: `e` and the sum are held with `x` while `e` is divided; the product only with `x` and `y`.
#[test]
fn the_most_bytes_at_one_time_are_a_term() {
    let peak = |text: &str| {
        let found = inferred(text);
        found.bindings[0].peak.clone().unwrap_or_default()
    };
    assert_eq!(
        peak("f = fn(x : f32 [n]) { e = exp(x); e / reduce(+, 0f, e) }"),
        "4 + 12*a"
    );
    assert_eq!(
        peak("f = fn(x : f32 [n,k], y : f32 [k,m]) { reduce(+, 0f, matmul(x, y)) }"),
        "4*a*b + 4*a*c + 4*b*c + 4*c"
    );
    assert_eq!(peak("f = fn(x : f64 s) { x }"), "8*size(a)");
    assert_eq!(
        peak("f = fn(x : f32 [n]) { y = exp(exp(exp(x))); z = concat(x, x); y }"),
        "16*a"
    );
}

#[test]
fn one_ragged_axis_of_two_inputs_is_checked() {
    let found = inferred("f = fn(x : f32 [n,*], y : f32 [n,m]) { x + y }");
    let checks = found.bindings[0].checks.iter();
    let checks: Vec<&str> = checks.map(|check| check.condition.as_str()).collect();
    assert_eq!(
        checks,
        ["dim(x,0) = dim(y,0)", "lengths(x,1) = lengths(y,1)"]
    );
    let found = inferred("f = fn(x : f32 [n,*]) { x + x }");
    assert_eq!(found.bindings[0].checks, []);
}

/// By hand: a product has two axes at least, and the function counts along three.
#[test]
fn a_condition_on_a_rank_is_kept() {
    let text = "f = fn(x, y) {
  count = fn(t) { reduce(+, 0f, map(fn(p) { 1f }, t)) };
  counts = fn(t) { reduce(+, 0f, map(count, t)) };
  reduce(+, 0f, map(counts, matmul(x, y)))
}";
    let shown = scheme(text, "f");
    assert_eq!(
        shown,
        "t a@[b,c], t a@[c,d] -> f32 where a@[b,d] = [e,f,g]@h"
    );
    let used = |shape: &str| format!("{text}\ng = fn(x : f32 {shape}) {{ f(x, x) }}");
    assert!(inferred(&used("[2,3,3]")).errors.is_empty());
    refusal(&used("[3,3]"));
}

#[test]
fn a_parameter_has_one_type_in_functions_inside_as_well() {
    let refused = refusal("f = fn(x) { g = fn(y) { x(y) }; a = g(1f); b = g((1f, 1f)); a }");
    assert!(refused.contains("`g`"), "{refused}");
}

#[test]
fn two_element_types_do_not_fit_in_either_order() {
    for (one, other) in [("f32", "i32"), ("i32", "f32")] {
        let refused = refusal(&format!(
            "f = fn(x : {one} [2], y : {other} [2]) {{ x + y }}"
        ));
        assert!(refused.contains(&format!("`{other}`")), "{refused}");
    }
}

/// A tuple of two tuples has the parts of both, so 60 doublings have 2^60.
#[test]
fn a_type_that_is_too_long_to_be_written_is_not_known() {
    let doublings = |count: usize| {
        let lines = (0..count).map(|at| format!("  x{} = (x{at}, x{at});\n", at + 1));
        let lines: String = lines.collect();
        format!("f = fn(x0) {{\n{lines}  x{count}\n}}\n")
    };
    let few = inferred(&doublings(10));
    assert!(few.unknown.is_empty() && few.bindings[0].bytes.is_empty());
    assert_eq!(few.bindings[0].scheme().matches("?S").count(), 1 + 1024);
    let many = format!("{}data x : f32 [2] = [1,2]\nprint f(x)\n", doublings(60));
    let schemes = (0..30).map(|at| format!("p{} = fn(x) {{ y = p{at}(x); y, y }}\n", at + 1));
    let schemes = format!("p0 = fn(x) {{ x }}\n{}", schemes.collect::<String>());
    for text in [many, schemes] {
        let found = inferred(&text);
        assert!(found.errors.is_empty());
        let doubts: Vec<&str> = found.unknown.iter().map(|doubt| &*doubt.message).collect();
        assert!(!doubts.is_empty());
        for doubt in doubts {
            assert_eq!(doubt, "a type has more than 4096 parts");
        }
    }
}

/// The n-th function is 2^n uses of the first one: its tuples, or the axes that it takes, double each time.
#[test]
fn nothing_is_inferred_after_a_type_that_is_too_long() {
    let tuples = (1..40).map(|at| format!("f{at} = fn(x) {{ f{0}(f{0}(x)) }}\n", at - 1));
    let tuples = format!("f0 = fn(x) {{ (x, x) }}\n{}", tuples.collect::<String>());
    let axes = (1..40).map(|at| format!("f{at} = fn(x) {{ f{0}(f{0}(x)) }}\n", at - 1));
    let axes = format!(
        "f0 = fn(x) {{ reduce(+, 0f, x) }}\n{}",
        axes.collect::<String>()
    );
    for text in [tuples, axes] {
        let found = inferred(&text);
        let doubts: Vec<String> = found.unknown.iter().map(ToString::to_string).collect();
        let [doubt] = doubts.as_slice() else {
            panic!("{doubts:?}");
        };
        assert!(doubt.contains("4096 parts"), "{doubt}");
        assert!(
            found.errors.is_empty() && found.bindings.len() < 13,
            "{text}"
        );
    }
    // A function that is bound inside another one is solved with it.
    let inside = (1..40).map(|at| format!("  f{at} = fn(x) {{ f{0}(f{0}(x)) }};\n", at - 1));
    let inside: String = inside.collect();
    let text = format!("g = fn(y) {{\n  f0 = fn(x) {{ (x, x) }};\n{inside}  f39(y)\n}}\n");
    let refused = refusal(&text);
    assert!(refused.contains("2000000 types of values"), "{refused}");
}
