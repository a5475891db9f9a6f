use lozenge_axon_vocabulary::{Equation, Set, TooLarge};
use proptest::prelude::*;

/// Returns the normal form of the left side of the only equation, as text.
fn canonical(text: &str) -> Result<String, TooLarge> {
    let mut set: Set = format!("{text} = 1").parse().unwrap();
    let Equation::Dims(left, _) = set.equations[0] else {
        panic!("a dimension");
    };
    let canonical = set.pool.canonical(left)?;
    Ok(set.pool.show(canonical).to_string())
}

#[test]
fn terms_have_a_normal_form_with_the_constant_last() {
    for (term, expected) in [
        ("(+ 1 (- h r))", "(+ (- h r) 1)"),
        ("(+ 1 (- h 8))", "(- h 7)"),
        ("(+ 1 (* 2 n))", "(+ (* n 2) 1)"),
        ("(- 5 d)", "(- 5 d)"),
        ("(- (+ a b) (+ b a))", "0"),
        ("(* (* a 2) (* b 3))", "(* (* a b) 6)"),
        ("(* a (* b c))", "(* (* a b) c)"),
        ("(* (* c a) b)", "(* (* a b) c)"),
        ("(* (+ a 1) (+ 1 a))", "(* (+ a 1) (+ a 1))"),
        ("(/ (+ (* 4 a) 6) 2)", "(+ (* a 2) 3)"),
        ("(/ (+ (* 4 a) 7) 2)", "(+ (* a 2) 3)"),
        ("(/ (+ (* 3 a) 7) 2)", "(+ (+ a (/ (+ a 1) 2)) 3)"),
        ("(/ a -2)", "(- (/ a 2) a)"),
        ("(/ 7 0)", "(/ 7 0)"),
        ("(/ a b)", "(/ a b)"),
    ] {
        assert_eq!(canonical(term).as_deref(), Ok(expected), "{term}");
    }
}

#[test]
fn a_number_past_64_bits_is_an_error_that_names_the_term() {
    let term = "(* d (* 4294967296 4294967296))";
    assert_eq!(
        canonical(term),
        Err(TooLarge("(* 4294967296 4294967296)".into()))
    );
    assert!(canonical("(- 0 -9223372036854775808)").is_err());
}

#[test]
fn sixty_doublings_are_a_short_term_and_sixty_four_an_error() {
    let doubled = |times| {
        let mut set: Set = "e = e\ndim e".parse().unwrap();
        let Equation::Dims(mut term, _) = set.equations[0] else {
            panic!("a dimension");
        };
        for _ in 0..times {
            term = set.pool.op(lozenge_axon_vocabulary::Op::Add, term, term);
        }
        assert!(set.pool.nodes().len() < 2 * times + 3);
        let term = set.pool.canonical(term)?;
        Ok::<_, TooLarge>(set.pool.show(term).to_string())
    };
    assert_eq!(doubled(60).as_deref(), Ok("(* e 1152921504606846976)"));
    assert!(doubled(64).is_err());
}

/// Terms over the names a, b, c, as text.
fn term() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (-3_i64..9).prop_map(|number| number.to_string()),
        prop_oneof!["a", "b", "c"].prop_map(String::from),
    ];
    leaf.prop_recursive(5, 24, 2, |inner| {
        (prop_oneof!["\\+", "-", "\\*", "/"], inner.clone(), inner)
            .prop_map(|(op, left, right)| format!("({op} {left} {right})"))
    })
}

proptest! {
    #[test]
    fn a_normal_form_has_the_value_of_its_term(text in term(), a in 1_i64..7, b in 1_i64..7, c in 1_i64..7) {
        let mut set: Set = format!("{text} = 1\n(+ a (+ b c)) = 1").parse().unwrap();
        let Equation::Dims(left, _) = set.equations[0] else { panic!("a dimension") };
        let canonical = set.pool.canonical(left).unwrap();
        let pool = &set.pool;
        let values = lozenge_axon_vocabulary::Assignment::default()
            .with_dim(pool, "a", a)
            .with_dim(pool, "b", b)
            .with_dim(pool, "c", c);
        if let Some(value) = values.value(pool, left).unwrap() {
            prop_assert_eq!(values.value(pool, canonical).unwrap(), Some(value), "{}", pool.show(canonical));
        }
        let again = set.pool.canonical(canonical).unwrap();
        prop_assert_eq!(again, canonical, "{} became {}", set.pool.show(canonical), set.pool.show(again));
    }
}
