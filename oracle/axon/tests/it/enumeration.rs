use lozenge_axon_oracle::{Bounds, enumerate};
use lozenge_axon_vocabulary::Set;

fn count(text: &str, bounds: &Bounds) -> usize {
    let set: Set = text.parse().unwrap();
    let found = enumerate(&set.pool, &set.equations, bounds, usize::MAX);
    assert!(found.is_complete, "{text}");
    for solution in &found.solutions {
        assert_eq!(
            solution.satisfies(&set.pool, &set.equations),
            Ok(true),
            "{text}"
        );
    }
    found.solutions.len()
}

#[test]
fn every_solution_within_bounds_is_found_once() {
    let bounds = Bounds::default();
    for (text, expected) in [
        ("s@t = [1,2,3]", 4),
        ("s = s", 1 + 4 + 16 + 64),
        ("a@b@a = [1,2,1]", 2),
        ("s@s = [1,2,3]", 0),
        ("(/ d 2) = 2", 1),
        ("(* a b) = 4", 3),
        ("[3,4] = [x]@s@[y]", 1),
        ("s = [3]@s", 0),
        ("", 1),
        ("[] = []", 1),
        ("1 = 2", 0),
        ("[(/ 1 0)] = s", 0),
        ("[(- d 1)] = [(- e 1)]", 3),
        ("(- d 1) = (- e 1)", 3),
        ("dim d\nd = d", 4),
    ] {
        assert_eq!(count(text, &bounds), expected, "{text}");
    }
}

#[test]
fn a_limit_is_said() {
    let set: Set = "s@t@u@v = w".parse().unwrap();
    let bounds = Bounds {
        tries: 1000,
        ..Bounds::default()
    };
    assert!(!enumerate(&set.pool, &set.equations, &bounds, usize::MAX).is_complete);
}
