//! The standard layout.

/// Lays out a text, and checks that this changes nothing the second time and nothing that the text means.
fn laid_out(text: &str) -> String {
    let once = lozenge_axon::format(text).expect("it is a program");
    assert_eq!(lozenge_axon::format(&once).expect("it is a program"), once);
    let kinds = |text: &str| -> Vec<_> {
        let program = lozenge_axon::parse(text).expect("it is a program");
        program
            .nodes
            .into_iter()
            .map(|node| node.kind)
            .map(|kind| format!("{kind:?}"))
            .collect()
    };
    let without_places = |kinds: Vec<String>| -> Vec<String> {
        let digits = |c: char| c.is_ascii_digit() || c == '.';
        kinds
            .into_iter()
            .map(|kind| kind.replace(digits, ""))
            .collect()
    };
    assert_eq!(without_places(kinds(text)), without_places(kinds(&once)));
    once
}

#[test]
fn types_stand_as_the_paper_prints_them_and_lists_have_spaces() {
    assert_eq!(
        laid_out(
            "f=fn (x:t [n , (+ m 1)]@ s ,y) : t [ 2,3 ]{x+y}\ndata d:f32 [2,2]=[1,2,  -3,4]\nprint f( d,d )"
        ),
        "f = fn(x : t [n,(+ m 1)]@s, y) : t [2,3] {\n  x + y\n}\ndata d : f32 [2,2] = [1, 2, -3, 4]\nprint f(d, d)\n"
    );
}

#[test]
fn what_opens_on_one_line_indents_once() {
    let text = "# sums\nf = fn(e) {\n s = map(\n  fn(a) {\n reduce(+, 0f, a)\n },\n transpose(e)\n );\n\n map(fn(a) { a / s }, e) # rows\n};\n";
    assert_eq!(
        laid_out(text),
        "# sums\nf = fn(e) {\n  s = map(\n    fn(a) {\n      reduce(+, 0f, a)\n    },\n    transpose(e)\n  );\n\n  map(fn(a) {\n    a / s\n  }, e) # rows\n};\n"
    );
}

#[test]
fn numbers_below_zero_and_operators_as_values_keep_their_form() {
    assert_eq!(
        laid_out("g = fn(x) { reduce(max,- inf,x)-1 }\nh=fn(x){ reduce( + ,-1f,x) }"),
        "g = fn(x) {\n  reduce(max, -inf, x) - 1\n}\nh = fn(x) {\n  reduce(+, -1f, x)\n}\n"
    );
}

#[test]
fn lists_of_ragged_data_have_spaces() {
    assert_eq!(
        laid_out("data x:f32 [2,*]=[[1,2],[3]]\nf = fn(x:f32 [?n]) { x }"),
        "data x : f32 [2,*] = [[1, 2], [3]]\nf = fn(x : f32 [?n]) {\n  x\n}\n"
    );
}
