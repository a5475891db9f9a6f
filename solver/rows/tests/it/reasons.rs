//! Citations of refusals and derivations, step by step. Each case is for a reason that could be missing or needless.

use lozenge_solver::{Derivation, Problem, Solver};

fn solver(text: &str) -> Solver {
    Solver::new(Problem::parse(text).unwrap_or_else(|e| panic!("{text}\n{e}")))
}

/// Returns the steps, each on a line with those that it uses and the lines that it cites.
fn shown(derivation: &Derivation) -> Vec<String> {
    let step = |step: &lozenge_solver::DerivationStep| {
        let mut shown = step.text.clone();
        step.uses
            .iter()
            .for_each(|at| shown += &format!(" by {at}"));
        let lines = step.constraints.iter().filter_map(|cited| cited.line);
        lines.for_each(|line| shown += &format!(" line {line}"));
        shown
    };
    derivation.steps.iter().map(step).collect()
}

/// A text, the variable whose derivation is shown, and its steps.
type Case = (&'static str, &'static str, &'static [&'static str]);

const STORIES: &[Case] = &[
    // The length of the flank is the reason for axes that an operand pins.
    (
        "<u> <= [3]\n<u> <= <r>",
        "<u>",
        &["<u> has at least 1 trailing axes line 1"],
    ),
    // There are more reasons where the operand writes an axis of the middle.
    (
        "<w> ~ [2, 2 <u>]\n[2 <t> e] <= <w>",
        "<t>",
        &[
            "<w> holds [2, 2 <u>] between its known flanks, up to the marker line 1",
            "the marker of <w> is placed by 1",
            "<t> has at least 1 leading axes by 2 line 2",
        ],
    ),
    // A bare variable that nothing bounds has no part in what closing commits.
    (
        "<w> <= <t>\nleaf <t>",
        "<t>",
        &["<t> = [], to which closing commits it"],
    ),
    // A closed row has, also below a row that is open.
    (
        "[] <= <u>\n<u> <= <s>\nparam <s>",
        "<s>",
        &["<s> = [], to which closing commits it line 1 line 2"],
    ),
    // A cap is shown though it gives no value.
    ("3 <= c", "c", &["3 <= c line 1"]),
    // A fact uses only what was known before it.
    (
        "leaf a",
        "a",
        &["a = 1_, to which closing commits it", "a = 1_ by 1"],
    ),
    // The content that another ends in is placed first.
    (
        "<r> ~ <u>\n[b] ~ [<r>]\n[3] <= <r>",
        "<r>",
        &[
            "<r> holds <u> between its known flanks, up to the marker line 1",
            "<u> holds [b] between its known flanks, up to the marker by 1 line 2",
            "the marker of <r> is placed by 1",
            "the marker of <u> is placed by 2",
        ],
    ),
    // Of two variables that are found equal either may bring the cap.
    (
        "c <= b\n2 <= a\nc = a",
        "b",
        &["2 <= a line 2", "c = a line 3", "2 <= b by 1 line 1"],
    ),
    (
        "c <= b\n2 <= a\na = c",
        "b",
        &["2 <= a line 2", "a = c line 3", "2 <= b by 1 by 2 line 1"],
    ),
    // Of two variables the one with more aliases is what the other stands for.
    (
        "<s> ~ <r>\n<t> ~ <s>",
        "<t>",
        &[
            "<s> holds <r> between its known flanks, up to the marker line 1",
            "<t> holds <r> between its known flanks, up to the marker by 1 line 2",
        ],
    ),
    // Axes that were pinned keep the length that pinned them as their reason when the flank is extended.
    (
        "<r> <= [3 <t>]\n[<t> b] ~ [b <> 2]",
        "<r>",
        &[
            "<r> has at least 1 leading axes line 1",
            "<t> holds [b <>] between its known flanks, up to the marker line 2",
            "the marker of <t> is placed by 2",
            "<r> has at least 2 leading axes by 3 line 1",
        ],
    ),
    // A rest stands for what it was made for, and others stand for it.
    (
        "<s> <= [2 <r>]\n<v> ~ [5 <s>]\n<s> ~ [2 <t>]",
        "<t>",
        &[
            "<s> has at least 1 leading axes line 1",
            "<t> holds <middle of s> between its known flanks, up to the marker by 1 line 3",
        ],
    ),
    // The axes of a leaf are closed from left to right.
    (
        "<s> <= [3, a <r> d, b]\nleaf <s>",
        "<s>",
        &[
            "<s> has at least 2 leading axes line 1",
            "<s> has at least 2 trailing axes line 1",
            "axis 2 from the front of <s> = 1_, to which closing commits it",
            "axis 2 from the front of <s> = 1_ by 3",
            "axis 2 from the back of <s> = 1_, to which closing commits it",
            "axis 2 from the back of <s> = 1_ by 5",
            "axis 1 from the back of <s> = 1_, to which closing commits it",
            "axis 1 from the back of <s> = 1_ by 7",
            "<s> = [3, 1_ <> 1_, 1_], to which closing commits it by 1 by 2",
        ],
    ),
    // Leaves of one round commit before any of them is taken up.
    (
        "<s> <= [a, b]\n[2, 3] <= <s>\nparam <s>",
        "<s>",
        &[
            "<s> has at least 2 trailing axes line 1",
            "3 <= axis 1 from the back of <s> by 1 line 2",
            "2 <= axis 2 from the back of <s> by 1 line 2",
            "<s> = [2, 3], to which closing commits it by 1 line 2",
            "axis 1 from the back of <s> = 3, to which closing commits it by 2",
            "axis 2 from the back of <s> = 2, to which closing commits it by 3",
            "axis 1 from the back of <s> = 3 by 5",
            "axis 2 from the back of <s> = 2 by 6",
        ],
    ),
];

#[test]
fn stories_tell_what_a_value_rests_on() {
    for (text, var, expected) in STORIES {
        let mut solver = solver(text);
        solver.close().unwrap_or_else(|r| panic!("{text}\n{r}"));
        let var = var.parse().expect("a variable");
        let derivation = solver.explain(&var).expect(text);
        assert_eq!(shown(&derivation), *expected, "{text}");
        for most in 0..=expected.len() + 1 {
            let (first, all) = solver.explain_first(&var, most).expect(text);
            assert_eq!(all, expected.len(), "{text}");
            let shown = all.min(most);
            assert_eq!(first.steps, derivation.steps[..shown], "{text}");
            assert_eq!(first.value, derivation.value, "{text}");
        }
    }
}

/// A text that is refused, and the lines that are cited.
const REFUSALS: &[(&str, &[usize])] = &[
    // A hole is refused for the caps that say how long the row is, those below an open row included.
    ("[a] <= <t>\nparam <t>", &[1]),
    ("<s> <= [<t>]\n[b] <= <s>\nparam <t>", &[1, 2]),
    ("<s> <= [c <r> 3]\n<s> <= [2]", &[1, 2]),
    // Axes that rows share with others are compared, also where only one of the rows shares them.
    (
        "<a> <= [2]\n<r> <= <a>\n<b> <= [3]\n<s> <= <b>\n<r> <= <s>",
        &[1, 2, 3, 4, 5],
    ),
    (
        "<a> <= [2]\n<r> <= <a>\n<b> <= [c]\n<r> <= <b>\nc = 3",
        &[1, 2, 3, 4, 5],
    ),
    // Of two circles that one is found whose variables come first, though it is stated last.
    ("<s> <= [<r> 1_]\n<u> <= [2 <u>]\n<r> <= <s>", &[1, 3]),
    // Two names of one row are compared because an equation makes them names of it.
    ("<r> ~ [3]\n<s> ~ [1_]\n<r> ~ <s>", &[1, 2, 3]),
];

#[test]
fn refusals_cite_what_they_rest_on() {
    for (text, expected) in REFUSALS {
        let refusal = solver(text).close().expect_err(text);
        let lines: Vec<usize> = refusal
            .chain
            .iter()
            .filter_map(|cited| cited.line)
            .collect();
        assert_eq!(lines, *expected, "{text}\n{refusal}");
    }
}
