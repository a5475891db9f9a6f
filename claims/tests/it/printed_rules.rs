//! Printed rules that contradict a definition, run as printed: each is wrong in the way that `docs/generated/errata.md`
//! describes, and agrees with the repaired rule elsewhere.

use lozenge_claims::printed::{
    ByFlanks, ByTotals, OfRanks, Requeued, RowLe, Unguarded, caps_stay, named, reversed,
    row_eq_of_ranks, row_eq_without_facts,
};
use lozenge_spec::firing::{Firing, Fresh};
use lozenge_spec::rules::{Closing, RULES, Rules};
use lozenge_spec::{Options, Run, solve_by};
use lozenge_vocabulary::{ConstraintSet, Order, RowTerm, Rule, Verdict};

fn run(text: &str, rules: Rules, close: bool) -> Run {
    let set: ConstraintSet = text.parse().expect("the notation");
    let options = Options {
        close,
        work: 30_000,
        ..Options::default()
    };
    solve_by(rules, &set, &options)
}

const TOTALS: Rules = with(ByTotals::row_le);

/// Returns the calculus with another rule for inequalities between rows.
const fn with(row_le: fn(&RowTerm, &RowTerm, Fresh) -> Firing) -> Rules {
    Rules { row_le, ..RULES }
}

/// Returns the answer when totals are compared, and whether it is a solution.
fn by_totals(text: &str) -> (String, bool) {
    let run = run(text, TOTALS, false);
    let set: ConstraintSet = text.parse().unwrap();
    let gamma = run.greatest().unwrap_or_else(|| panic!("{text}"));
    let solves = gamma.first_violated(&set.constraints, Order::Marked);
    (gamma.to_string(), solves.is_none())
}

fn fired(run: &Run, rule: Rule) -> usize {
    let steps = run.config.trace.iter().flatten();
    steps.filter(|step| step.rule == rule).count()
}

#[test]
fn def_4_3_by_totals_accepts_what_a_flank_forbids() {
    // (i), (ii), (iv): a surplus on one side pays for a deficit on the other.
    assert_eq!(by_totals("[1_] <= [1_ <r>]"), ("<r> ~ []\n".into(), false));
    assert_eq!(by_totals("[1_] <= [1_ <>]"), (String::new(), false));
    let (gamma, solves) = by_totals("[<r> 1_] <= [1_, 1_ <>]");
    assert_eq!((gamma.as_str(), solves), ("<r> ~ [1_ <>]\n", false));
}

#[test]
fn def_4_3_by_totals_agrees_where_the_flanks_fit() {
    assert_eq!(by_totals("[3 <> 5] <= [3 <>]"), (String::new(), true));
    assert_eq!(
        by_totals("[<r> 5] <= [3 <> 5]"),
        ("<r> ~ [3 <>]\n".into(), true)
    );
    assert_eq!(by_totals("[<r> 5] <= [3, 5]"), ("<r> ~ [3]\n".into(), true));
    assert_eq!(by_totals("[<r> 5] <= [5]"), ("<r> ~ []\n".into(), true));
    // (iii)
    let short = run("[3 <>] <= [3 <> 5]", TOTALS, false);
    assert_eq!(short.verdict(), Verdict::Unsat);
    assert_eq!(short.failure().unwrap().rule, Rule::RiShort);
    // (i): what the overlap leaves is stored, once.
    let cap = run(
        "[3, 5 <> 7, 9] <= [3 <r> 9]\n[5 <> 7] <= <r>",
        TOTALS,
        false,
    );
    let caps = cap.config.bounds.caps();
    let caps: Vec<String> = caps.map(|(cap, ..)| cap.to_string()).collect();
    assert_eq!(caps, ["[5 <> 7]"]);
    // A row below itself is trivial.
    let itself = run("<r> <= <r>", TOTALS, false);
    assert_eq!(itself.config.bounds.caps().count(), 0);
}

/// Def. 4.5 as printed records facts of total weight: the growing cycle is still found, and the zero cycle legal.
#[test]
fn def_4_5_by_totals_finds_growing_cycles() {
    let cycle = run("<r> <= [2 <s>]\n<s> <= [3 <r>]", TOTALS, false);
    assert_eq!(cycle.failure().map(|f| f.rule), Some(Rule::RankCycle));
    let zero = run("<r> <= <s>\n<s> <= <r>", TOTALS, false);
    assert_eq!(zero.verdict(), Verdict::Sat);
}

/// With facts about ranks instead of flanks, or with no facts, growth goes on until the limit on work.
#[test]
fn def_4_5_without_facts_about_flanks_does_not_end() {
    let rank_facts = Rules {
        row_eq: row_eq_of_ranks,
        ..with(OfRanks::row_le)
    };
    let without_facts = |rules| Rules {
        row_eq: row_eq_without_facts,
        ..rules
    };
    let unguarded = without_facts(with(Unguarded::<ByFlanks>::row_le));
    let by_totals = without_facts(with(Unguarded::<ByTotals>::row_le));
    for (text, rules) in [
        ("[<r> 1_] <= [1_ <r>]", rank_facts),
        ("<r> <= [7 <r>]", unguarded),
        ("<r> <= [7 <r>]", by_totals),
    ] {
        let endless = run(text, rules, false);
        assert_eq!(endless.verdict(), Verdict::Unknown, "{text}");
        assert!(fired(&endless, Rule::RiDeficit) > 20, "{text}");
        let repaired = run(text, RULES, false);
        assert_eq!(
            repaired.failure().map(|f| f.rule),
            Some(Rule::RankCycle),
            "{text}"
        );
    }
}

/// Def. 4.4 puts a constraint that made its result grow behind the others; the repaired rule reads it again at once.
#[test]
fn def_4_4_as_printed_puts_what_has_grown_behind_the_rest() {
    let fired = |rules| -> Vec<Rule> {
        let run = run("<r> <= [7 <s>]\n<t> <= [5 <s>]", rules, false);
        assert_eq!(run.verdict(), Verdict::Sat);
        let rules = run.config.trace.iter().flatten().map(|step| step.rule);
        let of_rows = |rule: &Rule| [Rule::RiDeficit, Rule::RiCap].contains(rule);
        rules.filter(of_rows).collect()
    };
    let at_once = [Rule::RiDeficit, Rule::RiCap, Rule::RiDeficit, Rule::RiCap];
    let behind = [Rule::RiDeficit, Rule::RiDeficit, Rule::RiCap, Rule::RiCap];
    assert_eq!(fired(RULES), at_once);
    assert_eq!(fired(TOTALS), at_once);
    assert_eq!(fired(with(Requeued::<ByFlanks>::row_le)), behind);
    assert_eq!(fired(with(Requeued::<ByTotals>::row_le)), behind);
}

/// Def. 6.1(1) leaves the order of leaves free; Rem. 6.3 shows that it matters.
#[test]
fn def_6_1_in_a_free_order_depends_on_names() {
    let closing = |close: Closing| Rules {
        dim_le: caps_stay,
        close,
        ..RULES
    };
    let text = "3 <= a\na <= b\n5 <= b\nleaf a, b";
    let by_name = run(text, closing(named), true);
    assert_eq!(by_name.greatest().unwrap().to_string(), "a = 3\nb = 1_\n");
    let from_the_last = run(text, closing(reversed), true);
    assert_eq!(
        from_the_last.verdict(),
        Verdict::Rejected,
        "b = 5 first, then 3 <= b"
    );
}

/// Def. 6.1(1) as printed joins the stored caps of a leaf row alone.
#[test]
fn def_6_1_as_printed_joins_the_caps_of_a_leaf_row() {
    let by_name = |text: &str| {
        let rules = Rules {
            close: named,
            ..RULES
        };
        run(text, rules, true)
    };
    let values = |text: &str| by_name(text).greatest().unwrap().to_string();
    // Positions are counted from the outer edges; the shortest cap decides how many there are.
    let text = "[3 <> 7, 5, 9] <= <r>\n[3 <> 5, 9] <= <r>\n[3, 4 <> 6, 9] <= <r>\nleaf <r>";
    assert_eq!(values(text), "<r> ~ [3 <> 1_, 9]\n");
    // A hole is filled by a unit, by an atom of another cap, or, in a parameter, not at all.
    assert_eq!(values("[x] <= <r>\nleaf <r>"), "x = 1_\n<r> ~ [1_]\n");
    assert_eq!(
        values("[x] <= <r>\n[3] <= <r>\nparam <r>"),
        "x = 3\n<r> ~ [3]\n"
    );
    assert_eq!(values("[3] <= <r>\nparam <r>"), "<r> ~ [3]\n");
    let hole = by_name("[x] <= <r>\nparam <r>");
    assert_eq!(hole.failure().map(|f| f.rule), Some(Rule::CloseLeaf));
    // Interiors are closed after all leaves, by their own rule.
    let run = by_name("<i> <= <r>\nleaf <r>");
    let rules: Vec<Rule> = run.config.commitments.iter().map(|c| c.rule).collect();
    assert_eq!(rules, [Rule::CloseLeaf, Rule::CloseInterior]);
}
