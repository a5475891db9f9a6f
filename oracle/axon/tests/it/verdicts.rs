use lozenge_axon_oracle::{Oracle, Verdict};
use lozenge_axon_vocabulary::Set;

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Satisfiable(_) => "sat",
        Verdict::Unsatisfiable => "unsat",
        Verdict::Unknown(_) => "unknown",
    }
}

#[test]
fn both_encodings_know_the_meaning_of_every_form() {
    for (text, expected) in [
        ("s = [3]@s", "unsat"),
        ("s@t = [1,2,3]", "sat"),
        ("s@s = [1,2,3]", "unsat"),
        ("a@[2]@a = [1,2,1]", "sat"),
        ("s@[d1,d2] = [7,2,3]\ns@[d2,d3] = [6,3,4]", "unsat"),
        ("d = (+ d 1)", "unsat"),
        ("(* d 2) = 7", "unsat"),
        ("(/ d 2) = 3", "sat"),
        ("(/ (- 1 d) 2) = s'\ns' = s'", "unsat"),
        ("(+ (/ (- 1 d) 2) 5) = 4\n(+ (/ (- 1 d) 2) 1) = x", "unsat"),
        ("(+ (/ (- 2 d) 2) 5) = 4\nd = 3", "sat"),
        ("(/ 4 (- d 2)) = 4", "sat"),
        ("(/ 4 (- 2 2)) = s'", "unsat"),
        ("[(- d 3)] = s\nd = 3", "unsat"),
        ("(* a b) = 6\na = 4", "unsat"),
        ("(+ d 1) = 1", "unsat"),
        ("(/ 6 3) = 1", "unsat"),
        ("(+ (/ 7 (- d 4)) 8) = 4\nd = 2", "sat"),
        ("(+ (/ 7 (- d 4)) 8) = 5\nd = 2", "unsat"),
        ("s@[7] = [7]\ns@[8] = [8]", "sat"),
        ("s = [1,2]", "sat"),
    ] {
        let set: Set = text.parse().unwrap();
        let oracle = Oracle::default();
        let by_windows = oracle.by_windows(&set.pool, &set.equations);
        assert_eq!(word(&by_windows), expected, "windows: {text}");
        if let Verdict::Satisfiable(Some(solution)) = by_windows {
            assert_eq!(
                solution.satisfies(&set.pool, &set.equations),
                Ok(true),
                "{text}"
            );
        }
        let by_sequences = oracle.by_sequences(&set.pool, &set.equations);
        assert_eq!(word(&by_sequences), expected, "sequences: {text}");
    }
}

#[test]
fn what_a_window_does_not_show_is_not_known() {
    let oracle = Oracle {
        window: 2,
        ..Oracle::default()
    };
    let set: Set = "s@[8] = [1,2,3,8]".parse().unwrap();
    let by_windows = oracle.by_windows(&set.pool, &set.equations);
    assert_eq!(
        by_windows,
        Verdict::Unknown("no solution has ranks up to 2".to_string())
    );
    assert_eq!(
        oracle.decide(&set.pool, &set.equations),
        Verdict::Satisfiable(None)
    );
}

#[test]
fn a_ragged_dimension_is_not_asked_about() {
    let set: Set = "[3,*] = [3,*]@s".parse().unwrap();
    let expected = Verdict::Unknown("`*1` is ragged".to_string());
    for oracle in [Oracle::by_windows, Oracle::by_sequences, Oracle::decide] {
        let found = oracle(&Oracle::default(), &set.pool, &set.equations);
        assert_eq!(found, expected);
    }
}

#[test]
fn depth_overflows_no_stack() {
    let depth = 20_000;
    let text = format!("d = {}a{}", "(+ ".repeat(depth), " 1)".repeat(depth));
    let set: Set = text.parse().unwrap();
    let verdict = Oracle::default().by_windows(&set.pool, &set.equations);
    assert!(!matches!(verdict, Verdict::Unsatisfiable));
}
