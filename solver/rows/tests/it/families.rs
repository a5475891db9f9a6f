//! Families of sets that are hard for complete mode: what is decided of them, and what reaches a limit.

use lozenge_solver::{Decision, Options, Problem, Solver};
use lozenge_vocabulary::{RowVar, Verdict};

/// Words of one length, each of which goes through its period of 3s and a 5 and ends before the 5. A word of units has
/// their length: behind each of them stands the only 7.
fn periods(periods: &[usize]) -> String {
    let mut text = String::from("[1_ <m>] ~ [<m> 1_]\n<z> ~ [<m> 7]\n[<z> 5] <= <z>\n");
    for period in periods {
        let threes = vec!["3"; period - 1].join(", ");
        text += &format!("[{threes}, 5 <w{period}>] ~ [<w{period}> 5, {threes}]\n");
        text += &format!("<q{period}> ~ [<w{period}> 7]\n<q{period}> <= <z>\n");
    }
    text
}

/// Returns a colouring of a graph with three colours, by nodes that two edges have in common.
fn colouring(edges: &[(usize, usize)]) -> String {
    let edge = |(at, (a, b)): (usize, &(usize, usize))| {
        format!("[n{a}, n{b}, x{at}, y{at}, z{at}, t{at} <w{at}>] ~ [<w{at}> 3, 5, 7, 3, 7, 5]\n")
    };
    edges.iter().enumerate().map(edge).collect()
}

fn decided(text: &str, work: u64) -> Decision {
    let mut options = Options::default();
    options.limits.work = work;
    Solver::with(Problem::parse(text).unwrap(), options).decide()
}

#[test]
fn words_of_coprime_periods_have_a_common_length() {
    for (all, rank) in [(&[2, 3][..], 5), (&[3, 4], 11), (&[2, 3, 5], 29)] {
        let decision = decided(&periods(all), Options::default().limits.work);
        let solution = decision.solution.unwrap_or_else(|| panic!("{all:?}"));
        assert_eq!(solution.rows[&RowVar::new("m")].rank(), rank, "{all:?}");
    }
}

#[test]
fn a_triangle_has_three_colours() {
    let triangle = colouring(&[(0, 1), (1, 2), (2, 0)]);
    let solution = decided(&triangle, Options::default().limits.work).solution;
    let nodes = solution.expect("three colours").dims;
    let mut colours: Vec<String> = nodes
        .iter()
        .filter(|(node, _)| node.name().starts_with('n'))
        .map(|(_, colour)| colour.to_string())
        .collect();
    colours.sort();
    assert_eq!(colours, ["3", "5", "7"]);
}

/// The class that `docs/decidability.md` names: nothing is said of it but the limit.
#[test]
fn a_graph_without_a_colouring_reaches_the_limit_on_arithmetic() {
    let four = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let wheel = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)];
    let spokes = (0..5).map(|rim| (5, rim));
    let wheel: Vec<_> = wheel.into_iter().chain(spokes).collect();
    for edges in [&four[..], &wheel] {
        let decision = decided(&colouring(edges), 1 << 20);
        assert_eq!(decision.verdict, Verdict::Unknown);
        let limit = decision.limit.expect("a limit");
        assert!(limit.contains("--work"), "{limit}");
    }
}
