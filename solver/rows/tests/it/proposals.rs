//! Proposals of closing where it refuses because a size is open. Each proposal is tried here:
//! stated, it closes the set.

use crate::random_sets::Draw;
use lozenge_solver::{Problem, Refusal, Rule, Solver, Verdict};

fn parsed(text: &str) -> Solver {
    let problem = Problem::parse(text);
    Solver::new(problem.unwrap_or_else(|error| panic!("{text}\n{error}")))
}

fn close(text: &str) -> Result<(), Box<Refusal>> {
    parsed(text).close()
}

/// Returns a set with what a refusal proposes, as lines that a user could add.
fn with_proposed(text: &str, refusal: &Refusal) -> String {
    let proposed: Vec<String> = refusal.proposed.iter().map(ToString::to_string).collect();
    format!("{text}\n{}", proposed.join("\n"))
}

/// Proposals for a set in which a size is open; they are tried.
fn proposed(text: &str) -> Vec<String> {
    let text = text.replace("; ", "\n");
    let refusal = close(&text).expect_err("a size is open");
    assert_eq!(
        (refusal.verdict, refusal.rule),
        (Verdict::Rejected, Rule::CloseArith),
        "{text}\n{refusal}"
    );
    let stated = with_proposed(&text, &refusal);
    close(&stated).unwrap_or_else(|again| panic!("{stated}\nafter {refusal}\n{again}"));
    refusal.proposed.iter().map(ToString::to_string).collect()
}

#[test]
fn parts_that_may_be_empty_are_sized_by_what_is_beside_them() {
    assert!(!proposed("t = a ^ b ^ c; t = 7; summand a, c").is_empty());
    assert!(!proposed("d = a ^ c; e = f ^ c; summand c").is_empty());
    // Two choices of zeros close: nothing says which.
    assert!(!proposed("t = a ^ b; u = a ^ c; a = d; summand a, b, c, d; t = 5; u = 5").is_empty());
    // Three choices close, and one size tells them apart.
    assert_eq!(
        proposed("t = 2 ^ a ^ b; u = 2 ^ b ^ a; t = 4; summand a, b").len(),
        1
    );
    // A 0 cannot be stated, and the size of the other part leaves no other value.
    assert!(!proposed("t = a ^ b; t = 1; summand a, b").is_empty());
}

#[test]
fn several_open_sizes_are_proposed_together_and_none_that_is_not_needed() {
    let two = proposed("i = 2*o + k; j = 3*p + q; i = 9; j = 12");
    assert_eq!(two.len(), 2, "{two:?}");
    assert_eq!(proposed("t = a ^ b ^ c; t = 7").len(), 2);
    assert_eq!(proposed("n = a * b; n = 12").len(), 1);
    // Another part of the set is closed as it would be without this one.
    assert_eq!(proposed("n = a * b; n = 12; x <= y; leaf x, y").len(), 1);
}

/// The author of a window chooses its taps, and the number of windows follows.
#[test]
fn taps_are_proposed_before_the_windows_that_they_count() {
    let sized = |text: &str| {
        let stated = proposed(text).into_iter();
        let names = stated.filter_map(|text| Some(text.split_once(" = ")?.0.to_string()));
        names.collect::<Vec<String>>()
    };
    assert_eq!(sized("i = 2*o + k; i = 9"), ["k"]);
    // The number of windows does not say how long the axis is.
    assert_eq!(sized("i = same(2*o + k)"), ["k", "i"]);
}

#[test]
fn an_axis_without_a_name_is_sized_by_its_row() {
    let text = "n = |<r>|; n = 12; <r> <= [a, b]";
    assert_eq!(proposed(text).len(), 1);
}

#[test]
fn very_many_open_sizes_are_counted_in_words_and_listed_in_full() {
    let windows: Vec<String> = (0..20)
        .map(|at| format!("i{at} = o{at} + k{at}; i{at} = 5"))
        .collect();
    let text = windows.join("; ").replace("; ", "\n");
    let refusal = close(&text).expect_err("sizes are open");
    assert_eq!(refusal.proposed.len(), 20);
    assert!(
        refusal.message.ends_with("and 12 more sizes would do"),
        "{refusal}"
    );
    close(&with_proposed(&text, &refusal)).expect("every size is stated");
}

/// A second attempt to close says what the first one said.
#[test]
fn a_refusal_that_stands_keeps_its_proposal() {
    let mut solver = parsed("n = a * b\nn = 12");
    let first = solver.close().expect_err("a size is open");
    assert_eq!(solver.close().expect_err("it stands"), first);
    assert_eq!(solver.refusal(), Some(&*first));
}

/// Returns a random set in the notation: windows, concatenations, products, counted rows, bounds, orders, and
/// declarations.
fn random(draw: &mut Draw) -> String {
    const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];
    let mut lines = Vec::new();
    let name = |draw: &mut Draw| NAMES[draw.below(7) as usize];
    for _ in 0..1 + draw.below(4) {
        let whole = name(draw);
        let [one, other, third] = [(); 3].map(|()| name(draw));
        let more = [String::new(), format!(" ^ {third}"), " ^ 2".to_string()];
        let more = &more[draw.below(3) as usize];
        lines.push(match draw.below(9) {
            0..=3 => format!("{whole} = {one} ^ {other}{more}"),
            4 => format!("{whole} = {one} * {other}"),
            5 => format!("{whole} = {one} * |<r>|"),
            6 => format!("{whole} = 2*{one} + {other}"),
            7 => format!("{whole} = same(2*{one} + {other})"),
            _ => format!("{whole} = floor({one} + {other}, 1)"),
        });
    }
    for _ in 0..draw.below(5) {
        let (one, other, size) = (name(draw), name(draw), 1 + draw.below(12));
        lines.push(match draw.below(9) {
            0..=3 => format!("{one} = {size}"),
            4 => format!("{one} >= {size}"),
            5 => format!("{one} = {other}"),
            6 => format!("{one} <= {other}"),
            7 => format!("<r> ~ [{one}, {size}]"),
            _ => format!("<r> <= [{one} <s>]"),
        });
    }
    let mut declared: Vec<&str> = NAMES.to_vec();
    for word in ["summand", "summand", "leaf", "param"] {
        if draw.below(3) == 0 {
            let at = draw.below(declared.len() as u64) as usize;
            lines.push(format!("{word} {}", declared.remove(at)));
        }
    }
    if draw.below(8) == 0 {
        lines.push("leaf <r>".into());
    }
    lines.join("\n")
}

/// Figure 6.9 of the extensions: every refusal for want of a size proposes what closes the set.
#[test]
fn what_random_refusals_propose_closes_the_set() {
    let (mut refused, mut several, mut with_zeros, mut without) = (0, 0, 0, Vec::new());
    for seed in 0..1500 {
        let text = random(&mut Draw::new(seed));
        let mut solver = parsed(&text);
        let Err(refusal) = solver.close() else {
            continue;
        };
        if refusal.rule != Rule::CloseArith || refusal.verdict != Verdict::Rejected {
            assert!(refusal.proposed.is_empty(), "{text}\n{refusal}");
            continue;
        }
        refused += 1;
        several += usize::from(refusal.proposed.len() > 1);
        with_zeros += usize::from(text.contains("summand"));
        if refusal.proposed.is_empty() {
            without.push(format!("seed {seed}:\n{text}\n{refusal}"));
            continue;
        }
        let stated = with_proposed(&text, &refusal);
        if let Err(again) = close(&stated) {
            panic!("seed {seed}:\n{text}\n{refusal}\n{again}");
        }
    }
    assert!(
        without.is_empty(),
        "{}\n{} of {refused}",
        without.join("\n"),
        without.len()
    );
    assert!(
        refused > 500 && several > 300 && with_zeros > 250,
        "{refused} {several} {with_zeros}"
    );
}
