//! The limit on work, and how the cost of a configuration is counted.

use lozenge_spec::{Options, solve};
use lozenge_vocabulary::Verdict;

fn verdict(text: &str, work: u64) -> Verdict {
    let options = Options {
        work,
        ..Options::default()
    };
    solve(&text.parse().expect("the notation"), &options).verdict()
}

/// Returns the least work with which a set is decided.
fn cost(text: &str) -> u64 {
    let enough = (0..1000).find(|work| verdict(text, *work) != Verdict::Unknown);
    enough.unwrap_or_else(|| panic!("{text} takes more"))
}

#[test]
fn a_run_beyond_its_limit_is_unknown_and_never_wrong() {
    let text = "<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>";
    let enough = cost(text);
    assert!(enough > 4);
    for work in 0..2 * enough {
        let expected = if work < enough {
            Verdict::Unknown
        } else {
            Verdict::Rejected
        };
        assert_eq!(verdict(text, work), expected);
    }
}

#[test]
fn a_step_is_paid_for_by_what_it_may_walk_over() {
    // The cost is one for each step, and the axes of both rows for a comparison of rows.
    assert_eq!(cost("3 = 3"), 1);
    assert_eq!(cost("3 = 3\n3 = 3"), 2);
    assert_eq!(cost("[3, 4, 5] ~ [3, 4, 5]"), 1 + 6 + 3);
    assert_eq!(cost("[3, 4, 5] <= [3, 4, 5]"), 1 + 6 + 3);
    // Bindings and stored bounds add to the cost of each later step.
    assert_eq!(cost("a = 3\n3 = 3"), 1 + 2);
}

#[test]
fn the_size_of_a_configuration_counts_its_terms() {
    let text = "a = 3\nb = 5\n<r> ~ [3, 5, 7 <s>]\n2 <= c\n[3] <= <t>\n[4] <= <t>\n[6] <= <t>";
    let run = solve(&text.parse().expect("the notation"), &Options::default());
    // Two dimensions, three axes and the variable of a row, an atom, three caps.
    assert_eq!(run.config.size(), 2 + 4 + 1 + 3);
}
