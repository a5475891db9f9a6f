//! A use of a row changes no other row. Chains of pointwise rows, parts of which are taken at any link: `[a <r>] ~ <y>`
//! says nothing of the marker of y, so nothing that y is not below may give y an axis.

use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::Verdict;

use crate::random_sets::Draw;

/// Returns the value of every row, by name, after closing; or the verdict of the refusal.
fn closed(lines: &[String]) -> Result<String, Verdict> {
    let mut solver = Solver::new(Problem::parse(&lines.join("\n")).expect("the notation"));
    match solver.close() {
        Ok(()) => Ok(solver.solution().ground().to_string()),
        Err(refusal) => Err(refusal.verdict),
    }
}

/// Values without the places of markers. Where the marker of a part of a row stands may still depend on the order; no
/// axis does.
fn axes(values: &str) -> String {
    values
        .replace(" <> ", ", ")
        .replace(" <>", "")
        .replace("<> ", "")
}

fn shuffled(draw: &mut Draw, lines: &[String]) -> Vec<String> {
    let mut lines = lines.to_vec();
    for at in (1..lines.len()).rev() {
        lines.swap(at, draw.below(at as u64 + 1) as usize);
    }
    lines
}

/// Lists every order of some lines.
fn orders(lines: &[&str]) -> Vec<Vec<String>> {
    let Some((last, others)) = lines.split_last() else {
        return vec![Vec::new()];
    };
    let shorter = orders(others).into_iter();
    let inserted = shorter.flat_map(|order| {
        (0..=order.len()).map(move |at| {
            let mut order = order.clone();
            order.insert(at, last.to_string());
            order
        })
    });
    inserted.collect()
}

/// Returns a chain of pointwise rows under data, with what takes parts of them: never more axes than a row has from the
/// data.
fn chain(draw: &mut Draw) -> Vec<String> {
    let one_of = |draw: &mut Draw, texts: &[&str]| -> String {
        texts[draw.below(texts.len() as u64) as usize].into()
    };
    // Where something else stands beside the data, both have their markers in front and agree in their last axes.
    let is_in_front = draw.below(3) > 0;
    let mut lines = match is_in_front {
        true => vec!["<y0> ~ [2, 3, 4]".into()],
        false => {
            let data = one_of(draw, &["[2 <> 3, 4]", "[2, 3, 4 <>]", "[2, 3 <> 4]"]);
            vec![format!("<y0> <= {data}"), format!("{data} <= <y0>")]
        }
    };
    let links = 1 + draw.below(4);
    for at in 1..=links {
        lines.push(format!("<y{at}> <= <y{}>", at - 1));
        match draw.below(6) {
            0 => lines.push(format!("<y{at}> <= <y{}>", draw.below(at))),
            1 if is_in_front => {
                let other = one_of(draw, &["[4]", "[1_, 4]", "[1_, 3, 4]"]);
                lines.push(format!("<y{at}> <= {other}"));
            }
            _ => {}
        }
    }
    let mut rows: Vec<(String, u64)> = (0..=links).map(|at| (format!("<y{at}>"), 3)).collect();
    for at in 0..1 + draw.below(4) {
        let (row, rank) = rows[draw.below(rows.len() as u64) as usize].clone();
        let (part, taken) = match draw.below(5) {
            0..3 => (format!("[a{at} <r{at}>]"), 1),
            3 => (format!("[<r{at}> a{at}]"), 1),
            _ => (format!("[a{at} <r{at}> b{at}]"), 2),
        };
        if taken > rank {
            continue;
        }
        lines.push(match draw.below(2) {
            0 => format!("{part} ~ {row}"),
            _ => format!("{row} ~ {part}"),
        });
        match draw.below(4) {
            0 => rows.push((format!("<r{at}>"), rank - taken)),
            1 => {
                lines.push(format!("<z{at}> <= <r{at}>"));
                rows.push((format!("<z{at}>"), rank - taken));
            }
            2 => lines.push(format!("<z{at}> <= {row}")),
            _ => {}
        }
    }
    lines
}

/// Returns the number of sets; `LOZENGE_SETS` asks for more.
fn sets() -> u64 {
    let asked = std::env::var("LOZENGE_SETS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(1500)
}

/// Closing gives the rows the least rank that a solution has, which complete mode decides from the definition, and the
/// same axes in every order of the lines; and it refuses nothing that has a solution.
#[test]
fn a_chain_that_is_sliced_closes_to_its_least_rank_in_any_order() {
    let (mut has_solution, mut longer, mut otherwise) = (0, Vec::new(), Vec::new());
    for seed in 0..sets() {
        let mut draw = Draw::new(seed);
        let lines = chain(&mut draw);
        let lines = shuffled(&mut draw, &lines);
        let text = lines.join("\n");
        let mut solver = Solver::new(Problem::parse(&text).expect("the notation"));
        let decision = solver.decide();
        let found = solver.close().map_err(|refusal| refusal.verdict);
        match decision.verdict {
            Verdict::Sat => {
                has_solution += 1;
                let rank = found.map(|()| solver.solution().total_rank());
                if rank.ok() != decision.rank {
                    longer.push(format!("{seed}: {rank:?} {:?}\n{text}", decision.rank));
                }
            }
            verdict => assert!(found.is_err() && verdict == Verdict::Unsat, "{text}"),
        }
        let first = closed(&lines).map(|values| axes(&values));
        for _ in 0..6 {
            let other = shuffled(&mut draw, &lines);
            let then = closed(&other).map(|values| axes(&values));
            if then != first {
                otherwise.push(format!(
                    "{seed}:\n{text}\n--\n{}\n{first:?}\n{then:?}",
                    other.join("\n")
                ));
                break;
            }
        }
    }
    println!(
        "{has_solution} of {} have a solution, {} longer, {} otherwise",
        sets(),
        longer.len(),
        otherwise.len()
    );
    for shown in [&longer, &otherwise] {
        shown.iter().take(6).for_each(|text| println!("{text}\n"));
    }
    assert!(has_solution > sets() / 2);
    assert!(longer.is_empty(), "{}", longer.len());
    assert!(otherwise.is_empty(), "{}", otherwise.len());
}

/// Returns the value of a row in every order of some lines, if it is one.
fn in_every_order(lines: &[&str], row: &str) -> String {
    let mut values = orders(lines).into_iter().map(|lines| {
        let mut solver = Solver::new(Problem::parse(&lines.join("\n")).expect("the notation"));
        solver.close().expect("it has a solution");
        solver
            .solution()
            .row(row)
            .expect("it is mentioned")
            .to_string()
    });
    let first = values.next().expect("an order");
    assert!(values.all(|value| value == first));
    first
}

/// Two slices of rows of one chain: the lower row has the axis of the upper one and no other.
#[test]
fn a_slice_gives_no_row_an_axis() {
    let lines = [
        "<u> ~ [3]",
        "<z> <= <u>",
        "<y> <= <z>",
        "[a <r>] ~ <y>",
        "[b <s>] ~ <z>",
    ];
    for row in ["u", "z", "y"] {
        assert_eq!(in_every_order(&lines, row), "[3]");
    }
    assert_eq!(in_every_order(&lines, "r"), "[]");
}

/// A slice further down, and one of the same row.
#[test]
fn a_slice_below_another_one_gives_no_row_an_axis() {
    let lines = [
        "<z> ~ [3]",
        "<y> <= <z>",
        "<v> <= <y>",
        "[a <r>] ~ <v>",
        "[b <s>] ~ <y>",
        "<w> <= <v>",
    ];
    for row in ["y", "v", "w"] {
        assert_eq!(in_every_order(&lines, row), "[3]");
    }
}

/// Shows that the place beside a row that was emptied by a choice is not declared for a marker: `m` has the marker of
/// `y`.
#[test]
fn a_use_that_ends_in_an_empty_row_moves_no_marker() {
    let lines = [
        "<d> ~ [2, 3]",
        "<y> <= <d>",
        "<m> ~ <y>",
        "[a <r> e] ~ <y>",
        "<s> <= <m>",
        "<s> <= <y>",
    ];
    for row in ["y", "m", "s"] {
        assert_eq!(in_every_order(&lines, row), "[2, 3]");
    }
}

/// The same behind a chain of equations without axes, which name the row of which the use takes parts.
#[test]
fn a_use_moves_no_marker_of_a_row_with_another_name() {
    let lines = [
        "<y> <= [4, 5]",
        "<m> ~ <b>",
        "<b> ~ <y>",
        "[a <r> e] ~ <y>",
        "<s> <= <m>",
        "<s> <= <y>",
    ];
    for row in ["y", "b", "m", "s"] {
        assert_eq!(in_every_order(&lines, row), "[4, 5]");
    }
}

/// Two slices of a row that is below another one through a chain of open rows: it waits for that one, also when it is
/// asked again before that one has its marker.
#[test]
fn a_row_waits_for_what_is_above_open_rows() {
    let lines = [
        "<y3> <= <y2>",
        "[a <r>] ~ <y3>",
        "<y4> <= [1_, 4]",
        "<y4> <= <y3>",
        "<z> <= <y3>",
        "[<p> c] ~ <y4>",
        "<y0> ~ [2, 3, 4]",
        "<y3> <= <y2>",
        "<y3> ~ [<q> b]",
        "<y1> <= <y0>",
        "<y2> <= <y1>",
    ];
    let mut solver = Solver::new(Problem::parse(&lines.join("\n")).expect("the notation"));
    solver.close().expect("it has a solution");
    let value = |row| solver.solution().row(row).map(|row| row.to_string());
    for row in ["y1", "y2", "y3", "y4", "z"] {
        assert_eq!(value(row).as_deref(), Some("[2, 3, 4]"));
    }
    assert_eq!(value("r").as_deref(), Some("[3, 4]"));
    assert_eq!(value("q").as_deref(), Some("[2, 3]"));
}

/// The parts of two slices are known to the end, and what the whole is below says where its marker is: nothing is left
/// that it could take from a part.
#[test]
fn a_row_of_known_parts_has_its_marker_where_it_is_asked_for_axes() {
    let lines = [
        "<d> ~ <e>",
        "<e> ~ [2, 4]",
        "<t> <= <d>",
        "[a <q>] ~ <t>",
        "[b <r>] ~ <q>",
        "<r> ~ []",
    ];
    assert_eq!(in_every_order(&lines, "t"), "[2, 4]");
}

/// A row that nothing asks for axes has the same marker whether there is a row below it or not.
#[test]
fn a_use_of_a_moved_row_moves_no_marker() {
    let lines = [
        "<x> ~ [4]",
        "<y> <= <x>",
        "[c <r>] ~ <y>",
        "<m> ~ [b <r>]",
        "<u> <= <m>",
    ];
    let without = in_every_order(&lines[..4], "m");
    assert_eq!(in_every_order(&lines, "m"), without);
}

/// The rest of a row that is asked for axes is empty by equations. Its marker is at its front since it is asked for
/// axes behind it, and another name of it finds it there, wherever the empty part of a part of it stands.
#[test]
fn another_name_of_a_row_of_known_parts_has_its_marker() {
    let lines = [
        "<t> <= [2, 4]",
        "[a <q>] ~ <t>",
        "[b <r>] ~ <q>",
        "<r> ~ []",
        "<n> ~ <t>",
    ];
    for row in ["t", "n"] {
        assert_eq!(in_every_order(&lines, row), "[2, 4]");
    }
}

/// Where the marker of a row is declared behind its part, but axes are asked for behind the marker of that part, it is
/// where these say.
#[test]
fn a_place_among_axes_that_are_asked_for_is_not_declared() {
    let lines = [
        "[1_, 2 <> 1_] ~ [<s> 2, 1_]",
        "<s> <= [1_]",
        "[<s> 1_] ~ <t>",
    ];
    assert_eq!(in_every_order(&lines, "t"), "[1_, 1_]");
}

/// A slice at the other end divides the row that it is taken of. The rest between is empty by
/// choice, but its place is not chosen.
#[test]
fn a_slice_at_the_other_end_moves_no_marker() {
    let lines = [
        "<t> <= [3, 4, 5]",
        "[i, j <r>] ~ <t>",
        "<s> ~ [j, i <r>]",
        "[<q> k] ~ <t>",
    ];
    let without = in_every_order(&lines[..3], "s");
    assert_eq!(in_every_order(&lines, "s"), without);
}

/// Two rows that are equal to a third one are equal, though inequalities ask for axes of the third one at an end where
/// neither has any: no choice is behind the refusal.
#[test]
fn rows_that_are_equal_to_one_row_are_compared() {
    let sets: [&[&str]; 4] = [
        &["<s> ~ [<r> 3]", "[<r> 1_] ~ <s>", "<s> <= [1_ <>]"],
        &["<r> ~ [3 <s>]", "<r> ~ [1_ <s>]", "<r> <= [1_]"],
        &[
            "<r> ~ <s>",
            "<s> <= [1_]",
            "<s> ~ [1_ <r>]",
            "<r> <= [1_ <>]",
        ],
        &[
            "[1_ <s> 1_, 1_] ~ [1_, 1_ <r> 1_, 1_]",
            "[<r> 1_, 1_, 1_] ~ [1_ <s>]",
            "<s> <= [1_]",
        ],
    ];
    for lines in sets {
        for order in orders(lines) {
            let mut solver = Solver::new(Problem::parse(&order.join("\n")).expect("the notation"));
            assert_eq!(solver.verdict(), Verdict::Unsat, "{order:?}");
        }
    }
}
