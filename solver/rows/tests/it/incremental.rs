//! Adding constraints one by one, snapshots and rollbacks give what one solve of the whole gives.

use std::collections::BTreeSet;

use crate::random_sets::{Draw, Shape, set};
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::{Tag, Var, Verdict};

const SHAPE: Shape = Shape {
    constraints: 6,
    flank: 2,
    row_vars: 3,
    dim_vars: 3,
    equalities: 4,
};

/// Returns verdict and values, in a form to compare.
fn answer(solver: &mut Solver) -> String {
    match solver.verdict() {
        Verdict::Sat => solver.solution().ground().to_string(),
        other => other.to_string(),
    }
}

/// Returns the number of sets that are drawn: more where `LOZENGE_SETS` says so.
fn seeds() -> u64 {
    let sets = std::env::var("LOZENGE_SETS").ok();
    sets.and_then(|sets| sets.parse().ok()).unwrap_or(4000)
}

/// Whatever is asked between the constraints, the answer to the last question is that of a solver that is asked nothing
/// before: each constraint may be followed by a question of each kind, inside of a snapshot or not.
#[test]
fn asking_changes_no_answer() {
    let (mut solved, mut rejected, mut chosen) = (0, 0, 0);
    for seed in 0..seeds() {
        let set = set(seed, &SHAPE);
        let mut draw = Draw::new(seed);
        let mut whole = Solver::new(Problem::from(&set));
        let mut asked = Solver::new(Problem::new());
        let (mut open, mut names) = (0, BTreeSet::new());
        for constraint in &set.constraints {
            let said = constraint.to_string();
            names.extend(
                ["r", "s", "t"]
                    .into_iter()
                    .filter(|name| said.contains(&format!("<{name}>"))),
            );
            match draw.below(6) {
                0 | 1 => {
                    asked.snapshot();
                    open += 1;
                }
                2 if open > 0 => {
                    asked.keep();
                    open -= 1;
                }
                3 => {
                    asked.snapshot();
                    asked.add(&"[3, 3 <r> 2] ~ <s>".parse().unwrap());
                    let _ = asked.solve();
                    assert!(asked.rollback());
                }
                _ => {}
            }
            asked.add(constraint);
            match draw.below(5) {
                0 => drop(asked.verdict()),
                1 => drop(asked.solve_so_far()),
                2 => drop(asked.close()),
                3 => drop(asked.entails(constraint)),
                _ => {}
            }
            if draw.below(4) == 0 {
                for name in &names {
                    let row = asked.problem_mut().row(&[], Some(name), &[]).unwrap();
                    let _ = asked.known(row);
                }
            }
        }
        for (var, tag) in &set.tags {
            let _ = asked.declare(var, *tag);
        }
        let answers = [&mut whole, &mut asked].map(answer);
        assert_eq!(answers[0], answers[1], "{seed}:\n{set}");
        solved += usize::from(whole.verdict() == Verdict::Sat);
        rejected += usize::from(whole.verdict() == Verdict::Rejected);
        chosen += usize::from(whole.statistics().placements > 0);
        let closed = [&mut whole, &mut asked].map(|solver| match solver.close() {
            Ok(()) => solver.solution().ground().to_string(),
            Err(refusal) => refusal.verdict.to_string(),
        });
        assert_eq!(closed[0], closed[1], "{seed}:\n{set}");
    }
    assert!(
        solved > 500 && rejected > 20 && chosen > 20,
        "{solved} {rejected} {chosen}"
    );
}

/// The reported set: a question after the first constraint had the second one rejected.
#[test]
fn a_question_leaves_a_choice_open() {
    let lines = ["[<s> 3] ~ [b, 3 <r>]", "[a, d] ~ [<s>]"];
    let mut solver = Solver::new(Problem::new());
    let mut at_once = Solver::new(Problem::parse(&lines.join("\n")).unwrap());
    for line in lines {
        solver.add(&line.parse().unwrap());
        assert_eq!(solver.verdict(), Verdict::Sat);
    }
    assert_eq!(answer(&mut solver), answer(&mut at_once));
}

/// Two closed rows declare places for one marker, one of them beyond the axes of its part: the marker gets the same of
/// the two at once and with a question after each constraint.
#[test]
fn a_question_leaves_a_declared_place_open() {
    let lines = [
        "[2, 2 <r>] ~ [2 <s> 2, a]",
        "[a, 2 <> 2] ~ [<s> a, a]",
        "[a <s> a, 2] ~ [a <r> 2]",
    ];
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let mut solver = Solver::new(Problem::new());
        let mut at_once = Solver::new(Problem::new());
        for at in order {
            at_once.add(&lines[at].parse().unwrap());
            solver.add(&lines[at].parse().unwrap());
            assert_eq!(solver.verdict(), Verdict::Sat);
        }
        assert_eq!(answer(&mut solver), answer(&mut at_once), "{order:?}");
    }
}

/// The row `<r>` gets its axes from `<s>`, and its marker from the place that `<s>` has when all is stated: an
/// inequality that is stated after a question may be what puts it there. Of each order of the lines every question is
/// tried.
#[test]
fn a_question_leaves_a_copied_place_open() {
    let sets = [
        [
            "[<s> 1_] ~ [1_, 1_, 1_]",
            "<r> ~ [<s> 1_]",
            "<s> <= [1_ <> 1_]",
        ],
        [
            "[<s> 2] ~ [1, 2, 2]",
            "[3 <r>] ~ [3 <s> 2]",
            "<s> <= [1 <> 2]",
        ],
        [
            "[<s> 2] ~ [1, 2, 2]",
            "[<r> 2, 2] ~ [<s> 2]",
            "<s> <= [1, 2 <>]",
        ],
    ];
    let all = sets
        .iter()
        .flat_map(|set| permutations(3).into_iter().map(move |order| (set, order)));
    for (set, order) in all {
        let lines = [0, 1, 2].map(|at| set[order[at]]);
        let mut at_once = Solver::new(Problem::parse(&lines.join("\n")).unwrap());
        let at_once = answer(&mut at_once);
        for asked in 0..1 << lines.len() {
            let mut solver = Solver::new(Problem::new());
            for (at, line) in lines.into_iter().enumerate() {
                solver.add(&line.parse().unwrap());
                if asked >> at & 1 == 1 {
                    assert_eq!(solver.verdict(), Verdict::Sat);
                }
            }
            assert_eq!(answer(&mut solver), at_once, "{lines:?}, asked {asked:b}");
        }
    }
}

/// Sets of which a question decided what the rules came to: with the first two lines alone a contradiction was found
/// that all lines together left to a choice, and a marker stood where it had been declared first. Of each order of the
/// lines every question is tried.
#[test]
fn a_question_leaves_the_order_of_the_rules_open() {
    let sets: [&[&str]; 6] = [
        &[
            "[<s> a] ~ [a <r> 3]",
            "[1_ <r> a] ~ [<s> 3]",
            "<s> <= [<r> 2]",
        ],
        &[
            "[<t> 2] ~ [2, 1_ <r> b]",
            "[2 <t>] ~ [<t> a]",
            "[2 <t>] <= [2, 2 <r> b]",
        ],
        &[
            "[a, a <s> 1_] ~ [<r> 1_]",
            "[1_, 2 <r>] ~ [a <r> 2]",
            "[1_, 1_ <r>] <= [a <s> 1_, a]",
        ],
        &[
            "[3 <r>] ~ [a <s> a]",
            "[<s> 2, 2] ~ [a <r>]",
            "[<r> a] <= [2 <s> 1_]",
        ],
        &[
            "[a <r>] ~ [<t> 3, 1_]",
            "[2 <r> b] ~ [2, 3, b <> 1_]",
            "[b, b, 1_ <t> c, 3] ~ [1_, b <> 1_, a, a, 3]",
            "[2, c <s>] ~ [c, c <t> 3, 3]",
        ],
        &[
            "[2, b, 1_ <r>] ~ [2 <s> b, c, 1_, c]",
            "[2, 2 <r> c, a, b] ~ [b, b, c, c, 1_, 2 <> b]",
            "[c, b <>] <= [c <s>]",
            "[1_, 1_, a] ~ [1_ <s> 1_, 2]",
        ],
    ];
    for lines in sets {
        for order in permutations(lines.len()) {
            let lines: Vec<&str> = order.iter().map(|at| lines[*at]).collect();
            let mut at_once = Solver::new(Problem::parse(&lines.join("\n")).unwrap());
            let at_once = answer(&mut at_once);
            for asked in 0..1 << lines.len() {
                let mut solver = Solver::new(Problem::new());
                for (at, line) in lines.iter().enumerate() {
                    solver.add(&line.parse().unwrap());
                    if asked >> at & 1 == 1 {
                        solver.verdict();
                    }
                }
                assert_eq!(answer(&mut solver), at_once, "{lines:?}, asked {asked:b}");
            }
        }
    }
}

/// Returns every order of so many things.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for at in 0..count {
        let longer = all.iter().flat_map(|shorter: &Vec<usize>| {
            (0..=shorter.len()).map(move |place| {
                let mut longer = shorter.clone();
                longer.insert(place, at);
                longer
            })
        });
        all = longer.collect();
    }
    all
}

/// Shows that a row whose reference is made after the question is known.
#[test]
fn a_row_that_is_mentioned_after_the_question_is_known() {
    let mut solver = Solver::new(Problem::new());
    for line in ["[<s> 3] ~ [b, 3 <r>]", "[a, d] ~ [<s>]", "<t> <= <s>"] {
        solver.problem_mut().read(line).unwrap();
        solver.solve().unwrap();
    }
    let axis = solver.problem_mut().size(7.try_into().unwrap());
    let row = solver
        .problem_mut()
        .row(&[axis], Some("s"), &[axis])
        .unwrap();
    let free = solver.problem_mut().row(&[], Some("new"), &[]).unwrap();
    let value = solver.solution().row_of(row).unwrap().to_string();
    assert_eq!(solver.known(row).unwrap().row.to_string(), value);
    assert_eq!(value, "[7 <> 1_, 3, 7]");
    assert!(solver.known(free).unwrap().open);
    assert_eq!(solver.solution().row_of(free).unwrap().to_string(), "[]");
}

#[test]
fn a_rollback_restores_every_value() {
    for seed in 0..4000 {
        let set = set(seed, &SHAPE);
        let (first, rest) = set.constraints.split_at(set.constraints.len() / 2);
        let mut solver = Solver::new(Problem::new());
        first.iter().for_each(|c| solver.add(c));
        let before = answer(&mut solver);
        let size = solver.problem().len();
        solver.snapshot();
        rest.iter().for_each(|c| solver.add(c));
        let after = answer(&mut solver);
        solver.snapshot();
        solver.add(&"2 = 3".parse().unwrap());
        assert!(solver.solve().is_err());
        assert!(solver.rollback());
        assert_eq!(answer(&mut solver), after, "{seed}:\n{set}");
        assert!(solver.rollback());
        assert!(!solver.rollback());
        assert_eq!(
            (answer(&mut solver), solver.problem().len()),
            (before, size),
            "{seed}:\n{set}"
        );
        // Constraints that were taken back can be stated again.
        rest.iter().for_each(|c| solver.add(c));
        assert_eq!(answer(&mut solver), after, "{seed}:\n{set}");
    }
}

/// A row has to have the axes of what it is below, so its marker is placed after that one's, whichever is stated first.
#[test]
fn markers_that_are_asked_about_later_are_placed_from_below() {
    for (first, then) in [("<r>", "<s>"), ("<s>", "<r>")] {
        let mut solver =
            Solver::new(Problem::parse("<r> ~ [2]\n<s> ~ [2]\n<x> ~ [1_ <>]").unwrap());
        solver.solve().unwrap();
        let stated = format!("{first} <= <x>\n{then} <= <x>");
        solver.problem_mut().read(&stated).unwrap();
        solver.solve().unwrap();
        let values = ["r", "s", "x"].map(|row| solver.solution().row(row).unwrap().to_string());
        assert_eq!(values, ["[2 <>]", "[2 <>]", "[1_ <>]"]);
    }
}

/// A row that shares a prefix of its axes with another row has further axes of its own.
#[test]
fn a_row_that_shared_its_axes_grows_by_itself() {
    let mut solver = Solver::new(Problem::parse("<r> <= [2, 3, 4]\n<s> <= <r>").unwrap());
    solver.solve().unwrap();
    let more = "<r> <= [a, 2, 3, 4]\n<s> <= [5, 2, 3, 4]";
    solver.problem_mut().read(more).unwrap();
    solver.solve().unwrap();
    let values = ["r", "s"].map(|row| solver.solution().row(row).unwrap().to_string());
    assert_eq!(values, ["[1_, 2, 3, 4]", "[5, 2, 3, 4]"]);
}

/// Every equation in flight is looked at when more is known of one of its rows, before policy chooses anything.
#[test]
fn a_contradiction_is_found_before_a_choice() {
    let text = "[<x> a] ~ [b <y>]\n[<x> c] ~ [d <z>]\nd = 3\n<x> ~ [2]\n<p> ~ [2]\n<p> <= <q>";
    let mut solver = Solver::new(Problem::parse(text).unwrap());
    assert_eq!(solver.verdict(), Verdict::Unsat);
    assert_eq!(solver.statistics().placements, 0);
}

/// A snapshot that is kept becomes a part of the one around it.
#[test]
fn a_rollback_takes_what_was_kept_back() {
    let mut solver = Solver::new(Problem::parse("a <= b\n<r> <= <s>").unwrap());
    let mut before = Vec::new();
    for (constraint, keep) in [
        ("3 = b\n<s> ~ [2]", false),
        ("<s> <= [2]\n4 = c\n<t> <= [2, 3]", true),
        ("5 = d\n<t> ~ [2, 3]", true),
    ] {
        before.push(answer(&mut solver));
        solver.snapshot();
        solver.problem_mut().read(constraint).unwrap();
        solver.solve().unwrap();
        if keep {
            solver.keep();
        }
    }
    assert!(solver.rollback());
    assert_eq!(answer(&mut solver), before[0]);
    assert!(!solver.rollback());
}

/// The content is known before the flank: its last axes face the operand's from the edge inward.
#[test]
fn a_flank_may_be_asked_for_when_the_content_is_known() {
    for (row, sat) in [
        ("[<> 5, 7]", true),
        ("[<> 7, 5]", false),
        ("[3, 5 <>]", true),
        ("[5, 3 <>]", false),
    ] {
        let mut solver = Solver::new(Problem::parse("<r> ~ [3, 5, 7]").unwrap());
        solver.solve().unwrap();
        solver.add(&format!("<r> <= {row}").parse().unwrap());
        assert_eq!(solver.solve().is_ok(), sat, "{row}");
    }
}

/// The axes of a trailing flank stand behind those of a leading one, which makes no cycle of lengths.
#[test]
fn a_flank_that_rests_on_the_other_does_not_grow_by_itself() {
    let first = "<r> <= [1_ <s>]\n[1_ <s>] <= <r>\n";
    for text in [
        format!("{first}<r> <= [3]"),
        format!("<r> <= [3]\n{first}"),
        // Here is one, of the leading flanks.
        format!("{first}<s> <= [<r> 1_]\n<r> <= [3]"),
    ] {
        let mut solver = Solver::new(Problem::parse(&text).unwrap());
        let refused = solver.solve().err();
        let cited = refused.map(|refusal| refusal.chain.iter().map(|c| c.index).collect());
        let expected = (text.lines().count() == 4).then(|| vec![0, 2]);
        assert_eq!(cited, expected, "{text}");
    }
}

#[test]
fn before_a_solve_nothing_is_known() {
    let solver = Solver::new(Problem::parse("3 = a\nb <= a\n<r> ~ [2]").unwrap());
    for var in ["a", "b", "<r>"] {
        let derivation = solver.explain(&var.parse().unwrap()).unwrap();
        assert!(derivation.steps.is_empty(), "{derivation}");
    }
    assert_eq!(solver.solution().dim("a").unwrap().to_string(), "1_");
    assert_eq!(solver.solution().row("r").unwrap().to_string(), "[]");
}

#[test]
fn a_rollback_takes_declarations_back() {
    let mut solver = Solver::new(Problem::parse("3 <= a\n<r> <= [2]\n[4] <= <s>").unwrap());
    let before = "c".parse::<Var>().unwrap();
    solver.declare(&before, Tag::Leaf).unwrap();
    let vars = ["a", "<s>", "b"].map(|var| var.parse::<Var>().unwrap());
    solver.snapshot();
    for var in &vars {
        solver.declare(var, Tag::Leaf).unwrap();
        assert_eq!(solver.declare(var, Tag::Param), Err(Tag::Leaf));
    }
    solver.close().unwrap();
    assert_eq!(solver.solution().row("s").unwrap().to_string(), "[4]");
    assert!(solver.rollback());
    for var in &vars {
        assert_eq!(solver.problem().tag(var), Tag::Interior, "{var}");
        solver.declare(var, Tag::Interior).unwrap();
    }
    assert_eq!(solver.problem().tag(&before), Tag::Leaf);
    solver.close().unwrap();
    assert_eq!(solver.solution().row("s").unwrap().to_string(), "[]");
}

#[test]
fn the_same_input_has_the_same_answer_on_any_thread() {
    fn is_send<T: Send>(_: &T) {}
    let texts: Vec<String> = (0..200).map(|seed| set(seed, &SHAPE).to_string()).collect();
    let answers = |texts: &[String]| -> Vec<String> {
        texts
            .iter()
            .map(|text| {
                let mut solver = Solver::new(Problem::parse(text).unwrap());
                is_send(&solver);
                let answer = answer(&mut solver);
                let decision = serde_json::to_string(&solver.decide()).unwrap();
                let refusal = serde_json::to_string(&solver.refusal()).unwrap();
                answer + &decision + &refusal
            })
            .collect()
    };
    let here = answers(&texts);
    let there = std::thread::spawn(move || answers(&texts)).join().unwrap();
    assert_eq!(here, there);
}
