//! Sets with their verdicts and forced values, each found by hand.

use lozenge_axon_solver::Solver;
use lozenge_axon_vocabulary::{Conclusion, Decide, Equation, Goal, Satisfiable, Set, Simplified};

/// Returns `unsat` with the lines, `unknown`, `too large`, or `sat` with the forced values.
fn answer(text: &str) -> String {
    let mut set: Set = text.parse().unwrap();
    let solver = Solver::default();
    match solver.simplify(&mut set.pool, &set.equations) {
        Simplified::Unsatisfiable {
            reasons,
            is_minimal,
            ..
        } => {
            let lines: Vec<String> = reasons
                .iter()
                .map(|index| set.lines[*index as usize].to_string())
                .collect();
            format!(
                "unsat {}{}",
                lines.join(","),
                if is_minimal { "" } else { " perhaps" }
            )
        }
        Simplified::TooLarge(error) => error.to_string(),
        Simplified::Solved {
            satisfiable: Satisfiable::Unknown(why),
            ..
        } => format!("unknown: {why}"),
        Simplified::Solved {
            satisfiable: Satisfiable::Yes(witness),
            ..
        } => {
            let forced = solver.forced(&mut set.pool, &set.equations, &witness);
            let mut values: Vec<String> = Vec::new();
            for (name, value) in &forced.values.dims {
                values.push(format!("{}={value}", set.pool.dim_name(*name)));
            }
            for (name, value) in &forced.values.shapes {
                values.push(format!("{}={value:?}", set.pool.shape_name(*name)));
            }
            for name in &forced.unknown {
                values.push(format!("{}?", set.pool.name(*name)));
            }
            format!("sat {}", values.join(" ")).trim_end().to_string()
        }
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let found = answer(text);
        if found != *expected {
            wrong.push(format!("{text:?}: {found}, and not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_name_that_contains_itself_is_refused() {
    check(&[
        ("s = [3]@s", "unsat 1"),
        ("d = (+ d 1)", "unsat 1"),
        ("a = (+ b 1)\nb = (+ a 1)", "unsat 1,2"),
        ("s = t\nt = s@[1]", "unsat 1,2"),
        ("s = s@t", "sat t=[]"),
        ("s = s@s", "sat s=[]"),
        ("b = [a]@b", "unsat 1"),
    ]);
}

#[test]
fn arithmetic_is_decided_over_sizes() {
    check(&[
        ("(* d 2) = 7", "unsat 1"),
        ("(+ d 5) = 3", "unsat 1"),
        ("(* d 2) = -4", "unsat 1"),
        ("(+ a b) = 5\n(- a b) = 1", "sat a=3 b=2"),
        ("(- 5 d) = 2", "sat d=3"),
        ("(/ d 2) = 3", "sat"),
        ("(+ (- h 8) 1) = (- h 7)", "sat"),
        ("(+ a (+ b c)) = 5\n(+ (+ a b) c) = 6", "unsat 1,2"),
        ("(- b a) = 3\n(- a b) = 3", "unsat 1,2"),
        ("[(/ 1 0)] = s", "unsat 1"),
        ("[0] = s", "unsat 1"),
        ("(* a b) = 6", "sat"),
        ("(* a b) = 1", "sat a=1 b=1"),
        ("(/ a b) = 2\na = 7", "sat a=7 b=3"),
        ("(/ a (- b 3)) = 2\na = 4", "sat a=4 b=5"),
        ("n = 4\nk = 4\n(+ 1 (- h 8)) = 1024", "sat h=1031 k=4 n=4"),
    ]);
}

#[test]
fn appended_shapes_are_decided() {
    check(&[
        ("s@t = []", "sat s=[] t=[]"),
        ("s@s = [1,2,3]", "unsat 1"),
        ("[3]@s = s@[4]", "unsat 1"),
        ("[3]@s = s@[3]", "sat"),
        ("s@t = t@s", "sat"),
        ("s@t@s = t@s@s", "sat"),
        ("[3,4] = [x]@s@[y]", "sat x=3 y=4 s=[]"),
        ("p@b = [a]@b", "sat"),
        ("p@b = [7]@b", "sat p=[7]"),
        ("s@t = [1,2,3]", "sat"),
        ("[1,2]@s = s@[2,1]", "sat"),
        ("[x,y]@s = s@[y,(+ x 1)]", "unsat 1"),
        ("s@[8]@t = [6]@t@[9]", "unsat 1"),
        ("t@[1] = s\n[3] = s@t\nt = s", "unsat 1,2"),
        ("t = s\nt@[1] = s\n[3] = s@t", "unsat 1,2"),
        (
            "s@[d1,d2] = [7,2,3]\ns@[d2,d3] = [7,3,4]\ns@[d1,d3] = r",
            "sat d1=2 d2=3 d3=4 r=[7, 2, 4] s=[7]",
        ),
        (
            "s@[d1,d2] = [7,2,3]\ns@[d2,d3] = [6,3,4]\ns@[d1,d3] = r",
            "unsat 1,2",
        ),
        (
            "s@[d1,d2] = [n,n]\ns@[d2,d3] = [n,n]\ns@[d1,d3] = r",
            "sat s=[]",
        ),
        ("s@[d1,d3] = [e]@r", "sat"),
        ("a@b@a = [1,2,1]", "sat"),
        ("a@b@a = [1,2,3]", "sat a=[] b=[1, 2, 3]"),
        ("a@[2]@a = [1,2,1]", "sat a=[1]"),
    ]);
}

#[test]
fn ragged_dimensions_equal_ragged_dimensions_only() {
    check(&[
        ("[10,*,3] = [10,*,3]", "sat"),
        ("[10,*,3] = [10,5,3]", "unsat 1"),
        ("* = 5", "unsat 1"),
        ("d = *1\n(+ d 1) = e", "unsat 1,2"),
    ]);
}

#[test]
fn what_nobody_can_decide_is_unknown_and_a_number_past_64_bits_is_an_error() {
    let open = "(+ (* x (* x x)) (+ (* y (* y y)) 0)) = (* z (* z z))";
    assert!(answer(open).starts_with("unknown"), "{}", answer(open));
    check(&[(
        "e = (* d (* 4294967296 4294967296))",
        "a number in `(* 4294967296 4294967296)` does not fit 64 bits",
    )]);
}

#[test]
fn what_stands_beside_a_name_in_its_own_value_is_empty() {
    check(&[("s = t@s@[1]", "unsat 1"), ("s = t@s@u", "sat t=[] u=[]")]);
}

#[test]
fn a_common_side_makes_the_other_sides_equal() {
    check(&[
        ("a@[b,2] = [i,j]@k\ne@[3,f] = [i,j]@k", "sat b=3 f=2"),
        ("a@[1] = [i]@k\nb@[2] = [i]@k", "unsat 1,2"),
        ("[i]@k = a@[1]\nb@[2] = [i]@k", "unsat 1,2"),
    ]);
}

/// Without the last line the first one alone has shapes of any length, which is a long search.
#[test]
fn a_common_side_is_cited_with_the_values_that_made_it_common() {
    // The first and the last line alone have a solution: `b` is 2.
    check(&[(
        "[(* c 1)]@u@s = [c,2,2]\n[(* d 2)]@u@u@u = [2]\n[2,2]@t = [2,(- b 1),3]\nu@s = [b]@u@r@u@u",
        "unsat 1,3,4",
    )]);
}

#[test]
fn a_refutation_is_made_smaller_in_little_time() {
    let start = std::time::Instant::now();
    let found = answer("r@s@[2]@r = [3]@s@r@t\ns = r\nt@r = []");
    assert!(found.starts_with("unsat 1,"), "{found}");
    let took = start.elapsed();
    assert!(took.as_secs() < 4, "{took:?}");
}

#[test]
fn a_factor_of_both_sides_is_left_out() {
    check(&[
        ("(* a 2) = (* a a)", "sat a=2"),
        ("(* (* a b) c) = (* (* c a) 7)", "sat b=7"),
        ("(* a b) = (* a (* b 2))", "unsat 1"),
        ("(+ (* a 4) (* b 6)) = 9", "unsat 1"),
        ("(* n n) = 9", "sat n=3"),
    ]);
}

#[test]
fn small_products_and_sums_have_the_values_that_they_force() {
    check(&[
        ("(* a b) = (+ a b)", "sat a=2 b=2"),
        ("(* a b) = (+ a b)\na = (+ x 2)", "unsat 1,2"),
        ("(* a b) = (+ (+ a b) 1)", "sat"),
        ("(* a b) = (+ a 7)\n(- b 2) = x", "sat a=1 b=8 x=6"),
        ("(* (* d d) d) = (+ d 999999000000)\n", "unsat 1"),
        ("(* (* d d) d) = (+ d 999999990000)\n", "sat d=10000"),
        ("[(* a b)]@s = t@[(+ a b)]\ns = []", "sat a=2 b=2 s=[] t=[]"),
    ]);
}

/// A quotient is at least 1 only where it has a value, and it has none where it divides by 0.
#[test]
fn a_statement_with_a_quotient_says_that_nothing_divides_by_zero() {
    let conclusion = |text: &str| {
        let mut set: Set = text.parse().unwrap();
        let Equation::Dims(quotient, _) = set.equations.remove(0) else {
            panic!("{text}");
        };
        let goal = Goal::AtLeast(quotient, 0);
        Solver::default().entails(&mut set.pool, &set.equations, &goal)
    };
    assert!(matches!(conclusion("(/ a (- b 1)) = a"), Conclusion::No(_)));
    let known = "(/ a (- b 1)) = a\nb = 3";
    assert_eq!(conclusion(known), Conclusion::Yes);
}

#[test]
fn what_two_equations_say_together_is_in_the_solved_part() {
    let mut set: Set = "a@[b,2] = [i,j]@k\ne@[3,f] = [i,j]@k".parse().unwrap();
    let simplified = Solver::default().simplify(&mut set.pool, &set.equations);
    let Simplified::Solved {
        solved, residue, ..
    } = simplified
    else {
        panic!("{simplified:?}");
    };
    assert_eq!((solved.dims.len(), solved.shapes.len()), (2, 1));
    assert_eq!(residue.len(), 1);
}

/// Five equations of shapes have hundreds of choices of ranks, and each that is refuted makes the next harder to find.
#[test]
fn a_search_with_many_hard_cases_ends() {
    let line = |at: usize| format!("a{at}@b{at}@a{0} = b{0}@a{at}@[{0}]@b{at}\n", at + 1);
    let text: String = (0..5).map(line).collect();
    let found = answer(&text);
    assert_eq!(found, "sat a2? b2?");
}

/// Quotients that the search for values meets are defined in every branch, not in the first alone.
#[test]
fn a_quotient_in_a_shape_is_the_same_in_every_branch() {
    for text in [
        "(/ 4 b) = c\nr@[a]@s@[b] = t@[b,c]\n[c,a]@r = [(- a 2)]@r@[b]",
        "(/ 4 b) = b\n[(+ (/ 4 b) 2)]@r@q = r@q@[b]\nr@[1]@q = p@[1]@q",
        "b = (/ 4 b)\np@[(+ (/ 4 b) 2)] = [d]@p\n[d]@r = r@[b]\nr@p@[1] = s@r",
    ] {
        let found = answer(text);
        assert!(!found.contains("defect"), "{text}\n{found}");
    }
}

/// Where all equations together reach a limit, one that has no solution alone decides.
#[test]
fn an_equation_without_a_solution_decides_beside_hard_ones() {
    check(&[
        ("r@[4]@s = t@[2]\n[4]@r = r@[2]", "unsat 2"),
        ("r@[4]@s = t@[2]\n[2]@r = r@[2]", "sat"),
    ]);
}
