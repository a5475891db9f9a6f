//! The worked examples of the formal core.

use super::set;
use lozenge_oracle::Oracle;
use lozenge_vocabulary::{Order, Verdict};

fn verdict(order: Order, text: &str) -> Verdict {
    Oracle::new(order).sat(&set(text)).verdict()
}

/// The text, and the verdicts in the marked and in the one-shot reading.
const EXAMPLES: &[(&str, &str, Verdict, Verdict)] = &[
    ("Example 3.5", "3 <= a", Verdict::Sat, Verdict::Sat),
    (
        "Remark 2.11",
        "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>",
        Verdict::Sat,
        Verdict::Sat,
    ),
    (
        "Example 4.5a",
        "<r> <= [2 <s>]\n<s> <= [3 <r>]",
        Verdict::Unsat,
        Verdict::Unsat,
    ),
    (
        "Remark 4.5b",
        "<r> <= [<s> 2]\n<s> <= [<t> 3]\n<t> <= [<r> 4]",
        Verdict::Unsat,
        Verdict::Unsat,
    ),
    (
        "Remark 2.15(ii)",
        "[3 <r> 4] <= [<> 3, 5, 4]\n<r> ~ [5]",
        Verdict::Unsat,
        Verdict::Sat,
    ),
    (
        "rotational, Def. 4.3(d)",
        "[3 <r>] ~ [<r> 5]",
        Verdict::Unsat,
        Verdict::Unsat,
    ),
    (
        "rotational with a solution",
        "[3, 5 <r>] ~ [<r> 5, 3]\n<r> <= [1_, 1_, 1_, 1_, 1_, 1_]",
        Verdict::Sat,
        Verdict::Sat,
    ),
    (
        "Remark 6.3",
        "3 <= a\na <= b\n5 <= b",
        Verdict::Sat,
        Verdict::Sat,
    ),
    (
        "a periodic word inside a longer one",
        "[5, 5, 5 <s>] ~ [<s> 5, 5, 5]\n[<s> 3] ~ <r>\n<s> <= [1_, 1_, 1_, 1_, 1_, 1_, 1_ <>]",
        Verdict::Sat,
        Verdict::Sat,
    ),
    (
        "the same with a given rank",
        "[5, 5, 5 <s>] ~ [<s> 5, 5, 5]\n[<s> 3] ~ <r>\n<r> ~ [5, 5, 5, 5, 5, 5, 5, 3]",
        Verdict::Sat,
        Verdict::Sat,
    ),
    (
        "two periods on a short word",
        "[3, 5 <r>] ~ [<r> 5, 3]\n[3, 5, 3 <r>] ~ [<r> 3, 5, 3]\n<r> <= [1_, 1_]",
        Verdict::Sat,
        Verdict::Sat,
    ),
    (
        "two periods on a long word",
        "[3, 5 <r>] ~ [<r> 5, 3]\n[3, 5, 3 <r>] ~ [<r> 3, 5, 3]\n<r> <= [1_, 1_, 1_, 1_]",
        Verdict::Unsat,
        Verdict::Unsat,
    ),
];

/// Checks every example. The error names the first one with another verdict.
pub(crate) fn all() -> Result<(), String> {
    for &(name, text, marked, one_shot) in EXAMPLES {
        for (order, expected) in [(Order::Marked, marked), (Order::OneShot, one_shot)] {
            let said = verdict(order, text);
            if said != expected {
                return Err(format!(
                    "{name}: {said}, not {expected} ({order:?})\n{text}"
                ));
            }
        }
    }
    Ok(())
}

#[test]
fn worked_examples() {
    assert_eq!(all(), Ok(()));
}
