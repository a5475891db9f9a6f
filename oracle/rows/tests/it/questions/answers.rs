//! Questions about answers: entailment, equivalence, Thm. 5.6, Props. 5.4 and 6.4, counting and listing.

use lozenge_vocabulary::{Constraint, Ground, Order, Row, RowVar};

use super::set;
use lozenge_oracle::{Entailment, Generality, Oracle, Reason, Soundness, bindings, solution};
use lozenge_testkit::small_sets::{Size, random_set};

fn oracle() -> Oracle {
    Oracle::new(Order::Marked)
}

fn ground(text: &str) -> Ground {
    solution(&set(text)).expect("a solution")
}

fn entails(premises: &str, goal: &str) -> Entailment {
    oracle().entails(&set(premises), &set(goal).constraints[0])
}

/// Entailments that hold.
pub(crate) const ENTAILED: &[(&str, &str)] = &[
    ("3 <= a\n5 <= a", "a = 1_"),
    ("a <= 3", "a = 3"),
    ("<r> <= <s>\n<s> <= <t>", "<r> <= <t>"),
    ("<r> <= <s>\n<s> <= <r>", "<r> ~ <s>"),
    ("<r> ~ <s>\n<s> ~ <t>", "<r> ~ <t>"),
    ("[3 <r>] ~ <s>", "<s> ~ [3 <r>]"),
    ("[3 <r>] ~ [<r> 3]\n[3 <s>] ~ [<s> 3]", "[<r> 3] ~ [3 <r>]"),
    ("<r> ~ [3, 5]", "[<r> 4] ~ [3, 5, 4]"),
    ("<r> <= [2 <s>]", "<r> <= [1_ <s>]"),
];

/// Entailments that hold in the one-shot reading.
const ENTAILED_ONE_SHOT: &[(&str, &str)] = &[
    // `~` holds across the marker of <r>, where `<=` does not compare.
    ("<r> ~ <s>\n<s> <= <t>", "<r> <= <t>"),
    ("<s> ~ <r>\n<s> <= <t>", "<r> <= <t>"),
];

/// Entailments that do not hold.
pub(crate) const NOT_ENTAILED: &[(&str, &str)] = &[
    ("3 <= a", "a = 3"),
    ("<r> ~ <s>", "<r> <= <s>"),
    ("<r> <= <s>", "<r> ~ <s>"),
    ("<r> ~ [3, 5]", "<r> <= [3, 5]"),
    ("<r> <= [2 <s>]", "<r> <= [<s> 2]"),
    // they differ in the middle only, beyond the first window from either edge
    (
        "<s> ~ [3, 3, 3 <r>]\n<r> ~ [3, 3, 3 <q>]\n<q> ~ [3, 3, 3]\n\
         <t> ~ [3, 3, 3 <u>]\n<u> ~ [3, 5, 3 <v>]\n<v> ~ [3, 3, 3]",
        "<s> ~ <t>",
    ),
];

#[test]
fn entailments() {
    for (premises, goal) in ENTAILED {
        let answer = entails(premises, goal);
        assert_eq!(answer, Entailment::Holds, "{premises} |= {goal}");
    }
    for (premises, goal) in NOT_ENTAILED {
        let answer = entails(premises, goal);
        assert!(
            matches!(answer, Entailment::Fails(_)),
            "{premises} |/= {goal}: {answer:?}"
        );
    }
}

/// Variables of the goal alone have their place in the order of all variables too.
#[test]
fn a_counterexample_is_the_first_one_in_the_order_of_all_variables() {
    for (premises, goal, expected) in [
        ("leaf b", "a = b", "a = 1_\nb = 2\n"),
        ("leaf a", "a = b", "a = 1_\nb = 2\n"),
        ("leaf <s>", "<r> ~ <s>", "<r> ~ []\n<s> ~ [1_]\n"),
    ] {
        let Entailment::Fails(ground) = entails(premises, goal) else {
            panic!("{premises} does not entail {goal}");
        };
        assert_eq!(ground.to_string(), expected, "{premises}, {goal}");
    }
}

#[test]
fn one_shot_entailments() {
    let oracle = Oracle::new(Order::OneShot);
    for (premises, goal) in ENTAILED_ONE_SHOT {
        let answer = oracle.entails(&set(premises), &set(goal).constraints[0]);
        assert_eq!(answer, Entailment::Holds, "{premises} |= {goal}");
    }
}

/// The row between `<a>` and `<e>` has its axis two places nearer to the edge than the position at which these compare.
#[test]
fn premises_are_read_as_far_around_a_far_position_as_the_window_allows() {
    for (premises, more) in [
        (
            "<a> <= [1_ <b>]\n<b> <= [1_ <c>]\n[1_ <c>] <= <d>\n[1_ <d>] <= <e>",
            "[1_ <x>] <= <x>",
        ),
        (
            "<a> <= [<b> 1_]\n<b> <= [<c> 1_]\n[<c> 1_] <= <d>\n[<d> 1_] <= <e>",
            "[<x> 1_] <= <x>",
        ),
    ] {
        let narrow = entails(premises, "<a> <= <e>");
        assert_eq!(narrow, Entailment::Unknown(Reason::Window(5)), "{premises}");
        // Another axis, for a wider window.
        let wide = entails(&format!("{premises}\n{more}"), "<a> <= <e>");
        assert_eq!(wide, Entailment::Holds, "{premises}");
    }
}

fn generality(text: &str, bound: &str, store: &str) -> Generality {
    let bound = bindings(&set(bound)).expect("bindings");
    oracle().most_general(&set(text), &bound, &set(store).constraints)
}

fn fails(entailment: &Entailment) -> bool {
    matches!(entailment, Entailment::Fails(_))
}

#[test]
fn bindings_and_store() {
    let holds = |g: &Generality| (g.sound.clone(), g.general.clone());
    let both = (Entailment::Holds, Entailment::Holds);
    // Example 3.5
    assert_eq!(holds(&generality("3 <= a", "", "3 <= a")), both);
    assert!(fails(&generality("3 <= a", "", "").sound));
    assert!(fails(&generality("3 <= a", "a = 3", "").general));
    // The deficit rule: a fresh axis and a fresh row.
    let deficit = "<r> <= [2 <s>]";
    let answer = generality(deficit, "<r> ~ [x <r2>]", "x <= 2\n<r2> <= <s>");
    assert_eq!(holds(&answer), both);
    let answer = generality(deficit, "<r> ~ [2 <r2>]", "<r2> <= <s>");
    assert_eq!(holds(&answer), both);
    let answer = generality(deficit, "<r> ~ [2 <r2>]", "");
    assert!(fails(&answer.sound));
    assert_eq!(answer.violated, Some(0));
    let answer = generality(deficit, "<r> ~ [2 <r2>]\n<s> ~ []", "");
    assert!(fails(&answer.general));
    // The same from the back.
    let answer = generality("<r> <= [<s> 2]", "<r> ~ [<r2> x]", "x <= 2\n<r2> <= <s>");
    assert_eq!(holds(&answer), both);
    // A placement is a policy: exact up to the placement.
    assert_eq!(
        holds(&generality("<r> ~ [3, 5]", "<r> ~ [3 <> 5]", "")),
        both
    );
}

#[test]
fn greatest_solutions() {
    // Prop. 6.4(ii): the committed placement is not the greatest in the marked order, but it is in content.
    let answer = oracle().greatest(&set("<r> ~ [3, 5]"), &ground("<r> ~ [3, 5]"));
    assert!(matches!(answer.solution, Soundness::Sound(_)));
    assert!(fails(&answer.marked));
    assert_eq!(answer.content, Entailment::Holds);
    let answer = oracle().greatest(
        &set("3 <= a\n<r> <= [2 <s>]"),
        &ground("a = 1_\n<r> ~ [2 <>]\n<s> ~ []"),
    );
    assert_eq!(answer.marked, Entailment::Holds);
    let answer = oracle().greatest(&set("3 <= a"), &ground("a = 3"));
    assert!(fails(&answer.marked));
    let answer = oracle().greatest(&set("a = 3"), &ground("a = 1_"));
    assert_eq!(answer.solution, Soundness::Unsound(Some(0)));
}

#[test]
fn partial_solutions_are_completed() {
    let phi = set("<r> <= [2 <s>]\n<s> <= [3]");
    match oracle().sound(&phi, &ground("<r> ~ [2 <> 3]")) {
        Soundness::Sound(full) => {
            assert_eq!(full.first_violated(&phi.constraints, Order::Marked), None)
        }
        other => panic!("{other:?}"),
    }
    let answer = oracle().sound(&phi, &ground("<r> ~ [2 <> 4]"));
    assert_eq!(answer, Soundness::Unsound(None));
    // A variable that no constraint mentions gets a value, too.
    match oracle().sound(&set("3 <= b\nleaf a"), &ground("b = 3")) {
        Soundness::Sound(full) => assert_eq!(full.dims.len(), 2, "{full}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn equivalences() {
    let equivalent = |a: &str, b: &str| {
        let answer = oracle().equivalent(&set(a), &set(b));
        (answer.forward, answer.backward)
    };
    let both = (Entailment::Holds, Entailment::Holds);
    assert_eq!(equivalent("a <= b\nb <= a", "a = b"), both);
    // x and s2 are only on one side
    assert_eq!(
        equivalent(
            "<r> <= [2 <>]",
            "<r> ~ [x <s2>]\nx = 2\n<s2> <= []\n<r> <= [1_ <>]"
        ),
        both
    );
    // an equation of dimensions determines x
    assert_eq!(equivalent("a <= 3", "a <= 3\nx = a"), both);
    assert_eq!(equivalent("a <= 3", "a <= 3\nx = x"), both);
    // but an equation with x on both sides does not
    assert_eq!(equivalent("a <= 3", "a <= 3\nx = x\nx = a"), both);
    let (forward, backward) = equivalent("a <= b", "a = b");
    assert!(fails(&forward));
    assert_eq!(backward, Entailment::Holds);
}

/// A variable of one side only may take any value, but a constraint on a row that mentions it may exclude values of the
/// other variables.
#[test]
fn what_only_one_side_says_of_a_shared_variable_is_not_a_definition() {
    for (a, more) in [
        // <r> may have no axis
        ("<r> <= []", "<r> ~ [x <t>]"),
        // both ends of <r> are x
        ("<r> ~ [2, 3]", "<r> ~ [x <t> x]"),
        // the first axis of <r> is a
        ("<r> ~ [2]\na <= 3", "<r> ~ [a <t>]"),
    ] {
        let answer = oracle().equivalent(&set(a), &set(&format!("{a}\n{more}")));
        assert!(fails(&answer.forward), "{a}, {more}: {answer:?}");
        assert_eq!(answer.backward, Entailment::Holds, "{a}, {more}");
    }
}

#[test]
fn counting_and_listing() {
    let three = oracle().count(&set("<r> ~ [3, 5]"), 10);
    assert_eq!((three.found.len(), three.more), (3, Some(false)));
    let many = oracle().count(&set("3 <= <>".replace("<>", "a").as_str()), 10);
    assert_eq!((many.found.len(), many.more), (2, Some(false)));
    let free = oracle().count(&set("a <= b"), 7);
    assert_eq!((free.found.len(), free.more), (7, Some(true)));
    let none = oracle().count(&set("3 = 4"), 1);
    assert_eq!((none.found.len(), none.more), (0, Some(false)));
    let listed = oracle().enumerate(&set("3 <= a\n<r> ~ [a]"), 10);
    let texts: Vec<String> = listed.found.iter().map(Ground::to_string).collect();
    assert_eq!(
        texts,
        [
            "a = 1_\n<r> ~ [1_]\n",
            "a = 3\n<r> ~ [3]\n",
            "a = 1_\n<r> ~ [1_ <>]\n",
            "a = 3\n<r> ~ [3 <>]\n",
        ]
    );
}

/// For atoms that a set does not name new ones are made up.
#[test]
fn made_up_atoms_are_none_that_are_known() {
    let listed = |text: &str, k| -> Vec<String> {
        let found = oracle().enumerate(&set(text), k).found;
        found.iter().map(Ground::to_string).collect()
    };
    assert_eq!(
        listed("2 <= 2\na = a", 4),
        ["a = 1_\n", "a = 2\n", "a = 3\n", "a = 4\n"]
    );
}

/// In the one-shot reading `b` is the unit in every solution, but no window refutes that it differs.
#[test]
fn what_is_not_known_to_be_forced_is_undetermined() {
    let one_shot = Oracle::new(Order::OneShot);
    let phi = set("[1_, 1_ <r>] <= [<r> b]\n3 <= c\n5 <= c");
    let forced = one_shot
        .forced(&phi)
        .expect("no limit")
        .expect("satisfiable");
    let doubted: Vec<String> = forced
        .undetermined
        .iter()
        .map(|(var, _)| var.to_string())
        .collect();
    assert_eq!(doubted, ["b"]);
    let known: Vec<String> = forced.dims.keys().map(ToString::to_string).collect();
    assert_eq!(known, ["c"]);
}

/// `<r>` is `[3 <> 5]`, and each end is constrained separately: only together do they give its flat content.
#[test]
fn contents_are_forced_from_both_ends() {
    let forced = oracle().forced(&set("<r> <= [3 <> 5]\n[3 <> 5] <= <r>"));
    let forced = forced.expect("no limit").expect("satisfiable");
    let contents: Vec<String> = forced
        .contents
        .into_iter()
        .map(|(var, content)| format!("{var} ~ {}", Row::new(Vec::new(), content)))
        .collect();
    assert_eq!(contents, ["<r> ~ [3, 5]"]);
}

/// The unit comes before an atom, in a trailing flank as well.
#[test]
fn solutions_are_listed_in_order_from_both_ends() {
    let listed = |text: &str| -> Vec<String> {
        let listed = oracle().enumerate(&set(text), 10);
        assert_eq!(listed.more, Some(false), "{text}");
        let rows = listed
            .found
            .iter()
            .map(|ground| &ground.rows[&RowVar::new("r")]);
        rows.map(Row::to_string).collect()
    };
    assert_eq!(
        listed("[<> 3, 5, 7] <= <r>\n<r> <= [<> 1_, 1_, 1_]"),
        [
            "[1_, 1_, 1_]",
            "[1_, 1_, 7]",
            "[1_, 5, 1_]",
            "[1_, 5, 7]",
            "[3, 1_, 1_]",
            "[3, 1_, 7]",
            "[3, 5, 1_]",
            "[3, 5, 7]",
        ]
    );
    assert_eq!(
        listed("[3 <> 5] <= <r>\n<r> <= [1_ <> 1_]"),
        ["[1_ <> 1_]", "[1_ <> 5]", "[3 <> 1_]", "[3 <> 5]"]
    );
}

#[test]
fn first_models_do_not_depend_on_what_was_asked_before() {
    let phi = set("<r> <= [a <s>]\n<s> <= [4]\n5 <= b");
    let alone = std::thread::scope(|s| s.spawn(|| oracle().model(&phi)).join());
    let alone = alone.expect("no panic");
    for seed in 0..50 {
        oracle().sat(&random_set(seed, Size::SMALL));
    }
    assert_eq!(oracle().model(&phi), alone);
    let model = alone.expect("no limit").expect("satisfiable");
    assert_eq!(
        model.to_string(),
        "a = 1_\nb = 1_\n<r> ~ [1_ <> 4]\n<s> ~ [4]\n"
    );
}

#[test]
fn least_ranks() {
    let model = oracle().minimal_rank(&set("<r> <= [2 <s>]\n<s> <= <t>\n<t> <= [3, 4]"));
    let model = model.expect("no limit").expect("satisfiable");
    let ranks: usize = model.rows.values().map(|row| row.rank()).sum();
    assert_eq!(ranks, 3 + 2 + 2);
}

#[test]
fn a_constraint_is_entailed_by_itself_whatever_its_form() {
    let all = super::scope::constraints(&["3"], &["r", "s"]);
    for (at, constraint) in all.iter().enumerate() {
        let only: Vec<Constraint> = vec![constraint.clone()];
        let answer = oracle().entails(&only.into_iter().collect(), constraint);
        assert_eq!(answer, Entailment::Holds, "{at}: {constraint}");
    }
}
