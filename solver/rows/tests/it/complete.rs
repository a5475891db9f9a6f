//! Complete mode on small sets: what it decides, and what it says of its limits (Rem. 6.7).

use lozenge_solver::{Decision, Entailment, Limits, Options, Problem, Solver};
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

fn solution(text: &str) -> String {
    let decision = decide(text);
    let solution = decision.solution.unwrap_or_else(|| panic!("{text}"));
    solution.to_string().trim().replace('\n', "; ")
}

/// Returns the axes of the rows of the solution, whatever their markers.
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

/// Shows that a set that is settled without a choice needs no limit.
#[test]
fn propagation_alone_is_not_limited() {
    let decision = decide_within("<r> <= [3, 4 <> 5]", NOTHING);
    assert_eq!((decision.verdict, decision.limit), (Verdict::Sat, None));
}

const NOTHING: Limits = Limits {
    branches: 0,
    clauses: 0,
    work: 0,
    runs: 0,
    rank: 0,
    size_work: 0,
    policy_work: u64::MAX,
    policy_records: u64::MAX,
};

/// Each limit that is reached is named, with the field that raises it.
#[test]
fn a_limit_that_is_reached_is_unknown_and_named() {
    let endless = "[3, 3 <r>] ~ [<r> 5, 5]";
    let default = Limits::default();
    for (limits, named) in [
        (
            Limits {
                branches: 2,
                ..default
            },
            "the limit of 2 branches was reached; --branches raises it",
        ),
        (
            Limits {
                clauses: 1,
                ..default
            },
            "the limit of 1 excluded clashes was reached; --clauses raises it",
        ),
        (
            Limits { work: 9, ..default },
            "the limit of 9 steps of arithmetic was reached; --work raises it",
        ),
        (
            Limits { runs: 1, ..default },
            "the limit of 1 runs of equal axes was reached; --runs raises it",
        ),
    ] {
        let decision = decide_within(endless, limits);
        assert_eq!(decision.verdict, Verdict::Unknown, "{named}");
        assert_eq!(decision.limit.as_deref(), Some(named));
    }
    assert_eq!(decide(endless).verdict, Verdict::Unsat);
}

/// A row that is longer than is asked for is found and checked all the same.
#[test]
fn a_solution_is_spelled_out_as_far_as_is_asked_for() {
    let two = "[3 <r>] ~ [<r> 3]\n<r> <= [1_, 1_ <>]";
    let rank = |rank| Limits {
        rank,
        ..Limits::default()
    };
    let long = decide_within(two, rank(1));
    assert_eq!((long.verdict, long.rank), (Verdict::Sat, Some(2)));
    assert_eq!((long.solution, long.limit), (None, None));
    assert!(decide_within(two, rank(2)).solution.is_some());
}

/// Nothing bounds the word, and no length of it is a solution.
#[test]
fn what_no_length_helps_is_refuted() {
    for text in [
        "[3, 3 <r>] ~ [<r> 5, 5]",
        "[3, 3, 3 <r>] ~ [<r> 5, 5, 5]",
        "[3, 5, 3 <r>] ~ [<r> 5, 5, 3]",
        // Induction along a shift.
        "<r2> ~ <r3>
<r2> <= [1_, 3 <> 1_]
[<r0> 1_] <= <r0>
[<r2> 3] <= [3 <r0>]
[<r2> 1_] <= <r2>
<r0> ~ <r1>
<r3> ~ <r4>
[1_ <r3> 1_] <= <r4>",
        // Atoms travel by 3 in front of the marker and by 2 behind it, at rows of any length: halving lengths does not
        // end.
        "[1_, 3 <s> 3, 2, a] <= [<r> a, 2, a]
[2, 2, a <s> a, 3] <= [a <r> a, a]
[a <r>] ~ [<s> 1_, 2]",
    ] {
        assert_eq!(decide(text).verdict, Verdict::Unsat, "{text}");
    }
}

/// Infinitely many lengths are excluded by a few clashes: by them together, and not by one after the other.
#[test]
fn few_branches_exclude_many_lengths() {
    let limits = Limits {
        branches: 2_000,
        ..Limits::default()
    };
    for text in [
        // Of the 20 to 50 conditions of a clash all but five follow from the others.
        "[<r> a, 2] ~ [a, 3, 1_ <s>]
[1_, a, 1_ <r> 2, 3] <= [<s> a, 1_]",
        // Least points that are no integers lie on a ray, all of whose integer points are excluded.
        "[a <s> 1_, 1_] <= [2 <r>]
[a <r> 1_, 2] ~ [a, a <s> 2]
[2 <s> 2, 2] <= [2 <s> 1_]
[2, a <r> 1_, a] <= [2, 2 <s>]",
    ] {
        assert_eq!(
            decide_within(text, limits).verdict,
            Verdict::Unsat,
            "{text}"
        );
    }
    // A walk goes around three loops, of which one is taken the more often the longer the rows are, but for a few
    // rounds.
    let loops = "[a, 2, 2 <r> a] <= [1_ <s> a, 2]
[2 <r> a] <= [<s> a, a, a]
[<r> 2] ~ [a, 1_ <s>]";
    let limits = Limits {
        branches: 20_000,
        clauses: 100,
        ..limits
    };
    assert_eq!(
        decide_within(loops, limits).verdict,
        Verdict::Unsat,
        "{loops}"
    );
}

/// Shows that the cited constraints of a refutation have no solution by themselves, and leave out what has nothing to
/// do with it.
#[test]
fn a_refutation_over_lengths_cites_constraints() {
    let decision = decide("<s> <= [7 <>]\n[3, 3 <r>] ~ [<r> 5, 5]\n<t> ~ [<s> 3]");
    assert_eq!(decision.cited, [1]);
}

/// Rows of one content whose markers stand at opposite edges double whatever lies below both: the least rank is
/// exponential in the number of variables, beyond every bound made of written axes.
#[test]
fn a_row_may_be_longer_than_all_written_axes() {
    let decision = decide(DOUBLING);
    assert_eq!((decision.verdict, decision.rank), (Verdict::Sat, Some(64)));
    assert!(decision.least);
}

/// The same from level to level: ranks of 2^21 and 2^41.
#[test]
fn rows_double_from_level_to_level() {
    for (levels, rank) in [(4, 184), (20, 12_582_904), (40, 13_194_139_533_304)] {
        let decision = decide(&tower(levels));
        assert_eq!(
            (decision.verdict, decision.rank),
            (Verdict::Sat, Some(rank))
        );
        assert_eq!(decision.solution.is_some(), levels == 4);
        assert_eq!(decision.in_runs.is_some(), levels > 4);
        if let Some(runs) = decision.in_runs {
            let longest = 2u64 << levels;
            let value = |name: &str| runs.rows[&format!("<{name}{levels}>")].to_string();
            assert_eq!(value("a"), format!("[3 × {longest}]"));
            assert_eq!(value("b"), format!("[3 × {longest} <>]"));
            let line = format!("<a{levels}> ~ [3 × {longest}]");
            assert!(
                runs.to_string().lines().any(|shown| shown == line),
                "{runs}"
            );
        }
    }
}

fn tower(levels: usize) -> String {
    let pins = |i: usize| format!("[5 <a{i}>] <= <a{i}>\n[<b{i}> 5] <= <b{i}>\n");
    let mut text = format!("<a0> ~ [3, 3]\n<b0> ~ <a0>\n{}", pins(0));
    for i in 0..levels {
        let j = i + 1;
        text += &format!("<r{i}> <= <a{i}>\n<r{i}> <= <b{i}>\n<a{j}> ~ <r{i}>\n<b{j}> ~ <r{i}>\n");
        text += &pins(j);
    }
    text
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

/// Shows that nothing is branched on that propagation settles or the least lengths answer.
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

/// <r> and <s> are of one rank, which no row can have.
#[test]
fn ranks_and_letters_refute_together() {
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
                assert_eq!(decide(&text).verdict, Verdict::Unsat, "{text}");
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
                (decision.verdict, decision.branches, decision.clauses),
                (Verdict::Unsat, 0, 0),
                "{text}"
            );
            // With an axis less there is a solution.
            let fits = shortest.replacen("1_, ", "", 1);
            let text = format!("{same}\n<{least}> <= {fits}\n{longest} <= <{most}>");
            assert_eq!(decide(&text).verdict, Verdict::Sat, "{text}");
        }
    }
}

/// Counts the branches of a search over lengths: a clause of whose conditions the fewest fail is next, and of two ends
/// of a loop that are equally near the first one counts. The figures are exact; fewer are better.
#[test]
fn a_search_takes_as_many_branches_as_it_did() {
    for (text, branches) in [
        (
            "[a, a <r>] ~ [<s> 1_, 2]\n[b, 1_, 2 <s>] <= [b <r> 2, 3]",
            509,
        ),
        ("[2, 3 <s>] ~ [<r> 2, 2, 2]\n[<s> 2, a] <= [a <r>]", 1183),
    ] {
        let solver = Solver::new(Problem::parse(text).expect("in the notation"));
        let decision = solver.decide();
        assert_eq!(decision.verdict, Verdict::Unsat, "{text}");
        assert_eq!(decision.branches, branches, "{text}");
    }
}

/// A search of the open part alone costs no more when more is settled beside it.
#[test]
fn what_is_determined_is_not_searched() {
    let open = "k = 3\n[k <r>] ~ [<r> 3]\n<t> <= <r>\n<t> <= [3, k, 3 <>]\n<u> ~ <r>\n[3 <u>] <= <t>\n<x> ~ [<r> k]\n[4 <x>] <= <x>\n";
    let chain = |i: usize| format!("<b{}> <= [k <b{i}>]\n", i + 1);
    let settled: String = (0..200).map(chain).collect();
    let beside = format!("<b0> <= [k, 5 <>]\n{settled}{open}");
    let limits = Limits {
        work: 20_000,
        ..Limits::default()
    };
    let (alone, both) = (decide_within(open, limits), decide_within(&beside, limits));
    assert_eq!((alone.verdict, both.verdict), (Verdict::Sat, Verdict::Sat));
    assert!(alone.branches > 0, "{alone:?}");
    assert_eq!(
        (alone.branches, alone.clauses),
        (both.branches, both.clauses)
    );
    let name = RowVar::new("t");
    let of_t = |decision: Decision| decision.solution.expect("it is short").rows[&name].clone();
    assert_eq!(of_t(alone), of_t(both));
}

/// Returns the least value of a limit with which a question has an answer.
fn least(is_answered: impl Fn(u64) -> bool) -> u64 {
    let (mut too_few, mut enough) = (0, 1 << 20);
    assert!(is_answered(enough));
    while enough - too_few > 1 {
        let middle = u64::midpoint(too_few, enough);
        match is_answered(middle) {
            true => enough = middle,
            false => too_few = middle,
        }
    }
    enough
}

/// The cases of an entailment share the limits of one question: three times as many atoms may face what is asked about.
#[test]
fn an_entailment_has_the_limits_of_one_question() {
    let limits = |given: &str, asked: &str| {
        let is_answered = |limits: Limits| {
            let options = Options {
                limits,
                ..Options::default()
            };
            let solver = Solver::with(Problem::parse(given).expect("the notation"), options);
            let (found, _) = solver.entails(&asked.parse().expect("a constraint"));
            !matches!(found, Entailment::Unknown(_))
        };
        let standard = Limits::default();
        [
            least(|work| is_answered(Limits { work, ..standard })),
            least(|branches| {
                is_answered(Limits {
                    branches,
                    ..standard
                })
            }),
            least(|clauses| {
                is_answered(Limits {
                    clauses,
                    ..standard
                })
            }),
        ]
    };
    assert_eq!(limits("a = 3\nb = 4\nc = 5", "a = 3"), [208, 1, 21]);
    assert_eq!(limits("<r> <= <s>\n<s> <= <r>", "<r> ~ <s>"), [1939, 3, 6]);
}

#[test]
fn a_counterexample_is_spelled_out_as_far_as_is_asked_for() {
    for (rank, is_spelled) in [(2, false), (3, false), (4, true), (5, true)] {
        let limits = Limits {
            rank,
            ..Limits::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        let problem = Problem::parse("<r> ~ [2, 3 <> 4, 5]").expect("the notation");
        let (found, _) = Solver::with(problem, options).entails(&"<r> ~ [2]".parse().unwrap());
        match found {
            Entailment::Fails(_) => assert!(is_spelled, "{rank}"),
            Entailment::Unknown(why) => {
                assert!(!is_spelled, "{rank}");
                assert!(why.contains("--rank raises that limit"), "{why}");
            }
            Entailment::Holds(_) => panic!("[2, 3, 4, 5] is not [2]"),
        }
    }
}

/// A row of two axes on each side of its marker has four.
#[test]
fn a_solution_whose_rows_are_too_long_is_told_in_runs() {
    let text = "[2 <r>] ~ [<r> 2]\n<r> <= [2, 2 <> 2, 2]\nx = 3";
    let limits = |rank| Limits {
        rank,
        ..Limits::default()
    };
    let spelled = decide_within(text, limits(4));
    let ground = spelled.solution.expect("four axes are spelled out");
    assert_eq!(ground.to_string(), "x = 3\n<r> ~ [2, 2 <> 2, 2]\n");
    let long = decide_within(text, limits(3));
    assert_eq!((long.verdict, long.solution), (Verdict::Sat, None));
    let runs = long.in_runs.expect("a solution in runs").to_string();
    assert_eq!(runs, "x = 3\n<r> ~ [2 × 2 <> 2 × 2]\n");
}

/// Constraints that need a search, and others that are settled without one. Where the open ones are at most half of
/// twelve or more they are searched alone, which takes less work than all together.
#[test]
fn what_is_open_is_searched_alone_where_it_is_at_most_half() {
    let rotation = "[2 <r>] ~ [<r> 2]\n<r> <= [2, 2 <> 2, 2]\n<q> <= <r>\n<p> <= [<q> 3]\n<o> <= <p>\n<n> <= [<o>]";
    let longer = format!("{rotation}\n<m> <= <n>\n<l> <= [<m>]");
    let split = "[3 <r>] ~ [<s> 5]\n[3, 4 <v>] ~ [<s> 6]\n<v> <= [a <w>]\n<w> <= [b]\n<x> ~ [a, b]\n<y> <= <x>";
    let unplaced =
        "<r> ~ [2, 3]\n<s> <= <r>\n<s> <= [<t> 3]\n<t> <= [4 <u>]\n<u> <= <v>\n[2, 5] ~ <w>";
    let text = |open: &str, settled: usize| {
        let settled = (0..settled).map(|at| format!("\nk{at} = {}", at + 2));
        let settled: String = settled.collect();
        format!("{open}\n<a> <= <b>\n<b> <= [3]\n<b> <= <a>{settled}")
    };
    let work = |open: &str, settled: usize, rank: u32| {
        let text = text(open, settled);
        least(|work| {
            let limits = Limits {
                work,
                rank,
                ..Limits::default()
            };
            decide_within(&text, limits).verdict != Verdict::Unknown
        })
    };
    let all = |open: &str| [2, 3, 4, 5].map(|settled| work(open, settled, 16));
    assert_eq!(
        [rotation, &longer, split, unplaced].map(all),
        [
            [1054, 812, 812, 812],
            [1546, 1546, 1546, 1275],
            [1254, 1010, 1010, 1010],
            [2269, 1987, 1987, 1987],
        ]
    );
    // A row that has a value does not join the open part to what says so, one of an axis of unknown size does, and so
    // does a dimension.
    let linked = [
        "<o> <= <x>\n<x> ~ [3]\n<x> <= [3]\n[3] <= <x>",
        "<o> <= <x>\n<x> ~ [c]\n<x> <= [c]\n[c] <= <x>",
        "<r> <= [f <g>]\nf <= h\nh <= j",
    ];
    let linked = linked.map(|more| {
        let open = format!("{rotation}\n{more}");
        [0, 2, 4, 6, 7, 8, 9].map(|settled| work(&open, settled, 16))
    });
    assert_eq!(
        linked,
        [
            [1390, 891, 891, 891, 891, 891, 891],
            [1390, 1390, 1390, 1390, 1128, 1128, 1128],
            [1212, 1212, 1212, 952, 952, 952, 952],
        ]
    );
    // The longest row has five axes.
    assert_eq!(
        [4, 5, 6].map(|rank| work(rotation, 3, rank)),
        [1054, 812, 812]
    );
    let told = |rank| {
        let limits = Limits {
            rank,
            ..Limits::default()
        };
        let found = decide_within(&text(rotation, 3), limits);
        (found.solution.is_some(), found.in_runs.is_some())
    };
    assert_eq!(
        [3, 4, 5].map(told),
        [(false, true), (false, true), (true, false)]
    );
}
