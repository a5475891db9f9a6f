//! Complete mode on tangles of periods: equations that ask for periods and inequalities that ask for lengths, which is where long
//! words come from.

mod random_sets;

use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::Verdict;
use random_sets::Draw;

fn tangle(seed: u64) -> String {
    let mut draw = Draw::new(seed + 1);
    let draw = &mut draw;
    let mut text = String::new();
    for _ in 0..2 + draw.below(4) {
        let (a, b) = (draw.below(3), draw.below(3));
        let (r, s) = (["r", "s", "t"][a as usize], ["r", "s", "t"][b as usize]);
        let period = word(draw, 1, 4);
        let mut turned = period.clone();
        turned.rotate_left(draw.below(period.len() as u64) as usize);
        let (lead, trail) = (word(draw, 0, 5), word(draw, 0, 3));
        let (period, turned) = (period.join(", "), turned.join(", "));
        let (lead, trail) = (lead.join(", "), trail.join(", "));
        text += &match draw.below(7) {
            0 | 1 => format!("[{period} <{r}>] ~ [<{r}> {turned}]\n"),
            2 => format!("[{period} <{r}>] ~ [<{s}> {turned}]\n"),
            3 => format!("<{r}> <= [{lead} <> {trail}]\n"),
            4 => format!("<{r}> <= [{lead} <{s}> {trail}]\n"),
            5 => format!("<{r}> ~ [{lead} <{s}> {trail}]\n"),
            _ => format!("[{lead} <{r}>] <= <{s}>\n"),
        };
    }
    text
}

fn word(draw: &mut Draw, least: u64, most: u64) -> Vec<String> {
    let len = least + draw.below(most - least + 1);
    let letters = ["2", "2", "3", "3", "a", "1_"];
    (0..len)
        .map(|_| letters[draw.below(6) as usize].to_string())
        .collect()
}

/// With propagation in front and without it: one verdict and one least rank. What is cited has no solution by itself.
#[test]
fn propagation_and_lengths_agree() {
    let sets = std::env::var("LOZENGE_SETS").ok();
    let sets = sets.and_then(|n| n.parse().ok()).unwrap_or(1500);
    let (mut found, mut refuted, mut unknown) = (0, 0, 0);
    for seed in 0..sets {
        let problem = Problem::parse(&tangle(seed)).expect("in the notation");
        let set = problem.to_set();
        let solver = Solver::new(problem);
        let (decision, (alone, certificate)) = (solver.decide(), solver.certify());
        let shown = format!("{seed}:\n{set}{decision:?}\n{alone:?}");
        if [decision.verdict, alone.verdict].contains(&Verdict::Unknown) {
            unknown += 1;
            assert!(decision.limit.or(alone.limit).is_some(), "{shown}");
            continue;
        }
        assert_eq!(
            (decision.verdict, decision.rank),
            (alone.verdict, alone.rank),
            "{shown}"
        );
        assert_eq!(
            certificate.is_some(),
            alone.verdict == Verdict::Unsat,
            "{shown}"
        );
        match alone.verdict {
            Verdict::Sat => found += 1,
            _ => refuted += 1,
        }
        if !alone.cited.is_empty() {
            let cited = alone.cited.iter().map(|at| set.constraints[*at].clone());
            let part = Problem::from(&cited.collect());
            assert_eq!(
                Solver::new(part).decide().verdict,
                Verdict::Unsat,
                "{shown}"
            );
        }
    }
    println!("{found} found, {refuted} refuted, {unknown} unknown");
    assert!(
        found > sets / 20 && refuted > sets / 20,
        "{found} {refuted}"
    );
    assert!(unknown * 200 <= sets, "{unknown}");
}
