//! Complete mode on small sets: what it decides, what bounds it, and what it says of its bounds (Rem. 6.7).

use lozenge_solver::{Decision, Limits, Options, Problem, Solver};
use lozenge_vocabulary::{Order, Row, RowVar, Verdict};

fn decide_within(text: &str, limits: Limits) -> Decision {
    let problem = Problem::parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let set = problem.to_set();
    let options = Options {
        limits,
        ..Options::default()
    };
    let decision = Solver::with(problem, options).decide();
    if let Some(ground) = &decision.solution {
        let violated = ground.first_violated(&set.constraints, Order::Marked);
        assert_eq!(violated, None, "{text}\n{ground}");
    }
    decision
}

fn decide(text: &str) -> Decision {
    decide_within(text, Limits::default())
}

fn rank(rank: u32) -> Limits {
    Limits {
        rank,
        ..Limits::default()
    }
}

fn solution(text: &str) -> String {
    let decision = decide(text);
    let solution = decision.solution.unwrap_or_else(|| panic!("{text}"));
    solution.to_string().trim().replace('\n', "; ")
}

/// The axes of the rows of the solution, whatever their markers.
fn contents(text: &str) -> String {
    let rows = decide(text).solution.expect("satisfiable").rows;
    let content = |(var, row): (RowVar, Row)| {
        let flat = Row::new(Vec::new(), row.flat());
        format!("{var} ~ {flat}")
    };
    rows.into_iter().map(content).collect::<Vec<_>>().join("; ")
}

/// Policy closes one of the variables of a split equation to `[]`, and refuses all of these.
#[test]
fn a_split_equation_has_solutions_that_closing_does_not_reach() {
    // <s> is a proper beginning of the left flank,
    let proper = "[3, 4 <r>] ~ [<s> 4, 5]\n[7, 3 <>] <= [7 <s>]";
    assert_eq!(contents(proper), "<r> ~ [5]; <s> ~ [3]");
    // or the whole of it,
    assert_eq!(contents("[3 <r>] ~ [<s> 5]"), "<r> ~ [5]; <s> ~ [3]");
    // or longer than it: [3, 4] begins <s>, for else 4 would have to be 6.
    let longer = "[3 <r>] ~ [<s> 5]\n[3, 4 <v>] ~ [<s> 6]";
    assert_eq!(contents(longer), "<r> ~ [4, 5]; <s> ~ [3, 4]; <v> ~ [6]");
}

/// Rem. 2.11: the content is known, the marker is not; what is known of either flank is left where it is.
#[test]
fn a_marker_is_placed_where_the_inequalities_allow_it() {
    assert_eq!(
        solution("<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>"),
        "<r> ~ [3 <> 5]"
    );
    assert_eq!(
        solution("<r> ~ [3, 4, 5]\n<r> <= [<> 5]\n[3 <> 9, 4, 5] <= <r>"),
        "<r> ~ [3 <> 4, 5]"
    );
    assert_eq!(
        solution("<r> ~ [3, 4, 5]\n<r> <= [3 <>]\n[3, 4, 9 <> 5] <= <r>"),
        "<r> ~ [3, 4 <> 5]"
    );
    let none = decide("<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>\n<r> <= [3, 5 <>]");
    assert_eq!(none.verdict, Verdict::Unsat);
}

/// Only the places that the known flanks leave are tried, from the front; and after the first that fits none, for all
/// are of one rank.
#[test]
fn a_marker_is_tried_at_no_other_places() {
    let nines = |lead, trail| {
        let (lead, trail) = (vec!["9"; lead].join(", "), vec!["9"; trail].join(", "));
        format!("[3, {lead} <> {trail}, 5] <= <r>")
    };
    for (more, branches, verdict) in [
        (nines(4, 3), 4, Verdict::Unsat),
        (nines(4, 1), 2, Verdict::Unsat),
        (nines(1, 4), 2, Verdict::Unsat),
        (nines(2, 1), 1, Verdict::Unsat),
        (nines(9, 9), 4, Verdict::Unsat),
        ("[3, 4, 4 <> 9, 4, 4, 5] <= <r>".into(), 2, Verdict::Sat),
    ] {
        let text = format!("<r> ~ [3, 4, 4, 4, 5]\n<r> <= [3 <> 5]\n{more}");
        let decision = decide(&text);
        assert_eq!(
            (decision.verdict, decision.branches),
            (verdict, branches),
            "{text}"
        );
    }
}

/// What is settled without a choice needs no limit.
#[test]
fn propagation_alone_is_not_limited() {
    let none = Limits {
        branches: 0,
        rank: 0,
    };
    let decision = decide_within("<r> <= [3, 4 <> 5]", none);
    assert_eq!((decision.verdict, decision.limit), (Verdict::Sat, None));
}

/// A row may have as many axes as the limit says.
#[test]
fn the_limit_on_the_rank_may_be_reached() {
    let two = "[3 <r>] ~ [<r> 3]\n<r> <= [1_, 1_ <>]";
    assert_eq!(decide_within(two, rank(2)).verdict, Verdict::Sat);
    assert_eq!(decide_within(two, rank(1)).verdict, Verdict::Unknown);
}

/// Nothing bounds the word, no length of it is a solution, and no search says so.
#[test]
fn what_rests_on_a_bound_is_unknown() {
    let endless = "[3, 3 <r>] ~ [<r> 5, 5]";
    let decision = decide(endless);
    assert_eq!(
        (decision.verdict, decision.bound),
        (Verdict::Unknown, Some(2 * 4 + 2))
    );
    assert_eq!(decision.limit.as_deref(), Some("10 axes in a row"));
    assert!(!decision.least, "there is no solution to be least");
    let short = decide_within(endless, rank(9));
    assert_eq!((short.verdict, short.bound), (Verdict::Unknown, Some(9)));
    assert_eq!(short.limit.as_deref(), Some("9 axes in a row"));
    // With every length tried that the other constraints allow, nothing rests on a bound.
    let bounded = "[3, 3 <r>] ~ [<r> 5, 5]\n[7, 7, 7 <>] <= <r>";
    let refuted = decide_within(bounded, rank(3));
    assert_eq!((refuted.verdict, refuted.bound), (Verdict::Unsat, None));
    let short = decide_within(bounded, rank(2));
    assert_eq!((short.verdict, short.bound), (Verdict::Unknown, Some(2)));
}

/// Rows of one content whose markers stand at opposite edges double whatever lies below both: the least rank is
/// exponential in the number of variables, beyond every bound made of written axes.
#[test]
fn what_needs_longer_rows_than_are_tried_is_not_refuted() {
    let decision = decide(DOUBLING);
    assert_ne!(decision.verdict, Verdict::Unsat, "{decision:?}");
    assert!(decision.solution.is_some() || decision.limit.is_some());
}

/// It has a solution, with 16 axes in `<x>`.
const DOUBLING: &str = "<a> ~ [3, 3, 3, 3]
<b> ~ <a>
<r> <= <a>
<r> <= <b>
<c> ~ <r>
<d> ~ <r>
<c> <= <a>
<d> <= <b>
<s> <= <c>
<s> <= <d>
<x> ~ <s>
<x> <= <c>
[5 <x>] <= <x>
[<d> 5] <= <d>";

#[test]
fn a_limit_on_branches_is_unknown_and_a_solution_found_before_it_need_not_be_the_least() {
    let none = Limits {
        branches: 0,
        ..Limits::default()
    };
    let decision = decide_within("[3, 3 <r>] ~ [<r> 5, 5]", none);
    assert_eq!((decision.verdict, decision.branches), (Verdict::Unknown, 0));
    assert_eq!(decision.limit.as_deref(), Some("0 branches"));
}

/// What propagation settles, and what policy answers at the least rank, is not branched on.
#[test]
fn nothing_is_branched_on_that_is_settled() {
    for text in [
        "<r> <= [3 <s>]\n<s> ~ [4]",
        "[3 <r>] ~ [<s> 3]",
        "[3 <r>] ~ [<s> 3, 3]\n<r> <= [1_ <>]\n<r> <= [<> 1_]",
    ] {
        let decision = decide(text);
        assert_eq!(decision.verdict, Verdict::Sat, "{text}");
        assert_eq!((decision.branches, decision.least), (0, true), "{text}");
    }
}

/// A row that is chosen closed is passed on: no solution is given in which it is not.
#[test]
fn what_a_choice_closes_is_passed_on_to_the_rows_that_it_is_below() {
    for equation in [
        "[1_ <t>] ~ [<s> 3]",
        "[<t> 1_] ~ [3 <s>]",
        "[<s> 3] ~ [1_ <t>]",
        "[3 <s>] ~ [<t> 1_]",
    ] {
        for text in [
            format!("{equation}\n<s> <= <t>"),
            format!("<s> <= <t>\n{equation}"),
        ] {
            let renamed = text
                .replace("<s>", "<u>")
                .replace("<t>", "<s>")
                .replace("<u>", "<t>");
            for text in [text, renamed] {
                // A marker that is put at the wrong edge is found out by letters. That no length helps is not.
                assert_ne!(decide(&text).verdict, Verdict::Sat, "{text}");
            }
        }
    }
    assert_eq!(
        decide("[1_ <t>] ~ [<s> 3]\n<t> <= <s>").verdict,
        Verdict::Sat
    );
}

#[test]
fn lengths_alone_refute() {
    let same = "[3 <r>] ~ [<s> 3]";
    for (shortest, longest) in [
        // one flank
        ("[1_, 1_, 1_, 1_ <>]", "[3, 3, 3 <>]"),
        ("[<> 1_, 1_, 1_, 1_]", "[<> 3, 3, 3]"),
        // both, where only their sum is too much
        ("[1_, 1_, 1_ <> 1_]", "[3, 3, 3 <>]"),
        ("[1_, 1_, 1_ <> 1_]", "[3, 3 <> 3]"),
    ] {
        for (least, most) in [("r", "s"), ("s", "r")] {
            let text = format!("{same}\n<{least}> <= {shortest}\n{longest} <= <{most}>");
            let decision = decide(&text);
            assert_eq!(
                (decision.verdict, decision.branches, decision.bound),
                (Verdict::Unsat, 0, None),
                "{text}"
            );
            // With an axis less there is a solution.
            let fits = shortest.replacen("1_, ", "", 1);
            let text = format!("{same}\n<{least}> <= {fits}\n{longest} <= <{most}>");
            assert_eq!(decide(&text).verdict, Verdict::Sat, "{text}");
        }
    }
}

/// A word between known flanks is tried at the lengths that are left for it, and at no others.
#[test]
fn only_lengths_that_are_left_are_tried() {
    for (lower, upper, left) in [
        ("[1_, 1_, 1_ <>]", "[3, 3, 3, 3, 3 <>]", 3),
        ("[1_, 1_ <> 1_]", "[3, 3, 3 <> 5, 5]", 3),
        ("[1_, 1_, 1_ <> 1_, 1_]", "[3, 3, 3, 3 <> 5, 5, 5]", 3),
        ("[1_ <>]", "[3 <>]", 1),
    ] {
        let text = format!("[3 <r>] ~ [<r> 5]\n<r> <= {lower}\n{upper} <= <r>");
        let decision = decide(&text);
        assert_eq!(
            (decision.verdict, decision.branches, decision.bound),
            (Verdict::Unsat, left, None),
            "{text}"
        );
    }
}
