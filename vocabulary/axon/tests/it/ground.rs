use lozenge_axon_vocabulary::{Assignment, Set, Undecided};

fn set(text: &str) -> Set {
    text.parse().unwrap()
}

fn holds(set: &Set, values: &Assignment) -> bool {
    values.satisfies(&set.pool, &set.equations).unwrap()
}

#[test]
fn an_appended_shape_has_the_axes_of_its_parts_in_order() {
    let set = set("s@[d]@t = [2,3,4]");
    let with = |s: &[i64], d, t: &[i64]| {
        Assignment::default()
            .with_shape(&set.pool, "s", s.iter().copied())
            .with_dim(&set.pool, "d", d)
            .with_shape(&set.pool, "t", t.iter().copied())
    };
    assert!(holds(&set, &with(&[2], 3, &[4])));
    assert!(holds(&set, &with(&[], 2, &[3, 4])));
    assert!(!holds(&set, &with(&[2], 3, &[])));
    assert!(!holds(&set, &with(&[4], 3, &[2])));
}

#[test]
fn an_axis_a_side_and_a_name_are_at_least_1_and_a_part_of_a_term_need_not_be() {
    let axis = set("[(- d 3)] = [(- d 3)]");
    let side = set("(- d 3) = (- d 3)");
    let part = set("(+ (- d 3) 4) = (+ d 1)");
    for (d, expected) in [(3, false), (4, true)] {
        let values = Assignment::default().with_dim(&axis.pool, "d", d);
        assert_eq!(holds(&axis, &values), expected);
        assert_eq!(holds(&side, &values), expected);
        assert!(holds(&part, &values));
    }
    let name = set("(+ d 1) = 1");
    let zero = Assignment::default().with_dim(&name.pool, "d", 0);
    assert!(!holds(&name, &zero));
}

#[test]
fn division_rounds_down_and_by_0_has_no_value() {
    let set = set("(/ d e) = (/ d e)\n(/ (- 0 d) 2) = (- 0 d)\nd = d");
    let quotient = &set.equations[..1];
    let by = |d, e| {
        let values = Assignment::default()
            .with_dim(&set.pool, "d", d)
            .with_dim(&set.pool, "e", e);
        values.satisfies(&set.pool, quotient)
    };
    assert_eq!(by(7, 7), Ok(true));
    assert_eq!(by(6, 7), Ok(false));
    let by_zero: Set = "(/ 4 (- d d)) = (/ 4 (- d d))".parse().unwrap();
    let values = Assignment::default().with_dim(&by_zero.pool, "d", 2);
    assert!(!holds(&by_zero, &values));
}

#[test]
fn what_cannot_be_decided_is_said() {
    let set = set("s@[(* d d)] = [*,4]");
    let some = Assignment::default().with_dim(&set.pool, "d", 2);
    let ragged = some.satisfies(&set.pool, &set.equations);
    assert_eq!(ragged, Err(Undecided::Ragged("*1".to_string())));
    let named: Set = "s@[(* d d)] = t".parse().unwrap();
    let some = Assignment::default().with_dim(&named.pool, "d", 2);
    let missing = some.satisfies(&named.pool, &named.equations);
    assert_eq!(missing, Err(Undecided::NoValue("s".to_string())));
    let large: Set = "(* (* d d) (* d d)) = 1".parse().unwrap();
    let some = Assignment::default().with_dim(&large.pool, "d", i64::MAX);
    assert!(matches!(
        some.satisfies(&large.pool, &large.equations),
        Err(Undecided::TooLarge(_))
    ));
}
