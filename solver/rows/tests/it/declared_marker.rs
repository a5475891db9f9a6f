//! Place of the marker of a row that only equations determine: where the closed rows declare it, whatever other open
//! rows are equal to it. What an equation says of the axes of a row (Def. 4.3) says nothing of its marker (Lemma 5.1).

use lozenge_solver::{Problem, Solver};

/// Returns the values of row variables, with their markers.
fn rows(set: &str, names: [&str; 2]) -> [String; 2] {
    let mut solver = Solver::new(Problem::parse(set).expect("the set is well-formed"));
    solver.solve().expect("the set has a solution");
    let solution = solver.solution();
    names.map(|name| solution.row(name).expect("it is mentioned").to_string())
}

/// Lists every order of the lines of a set.
fn orders(lines: &[&str]) -> Vec<String> {
    let Some((last, others)) = lines.split_last() else {
        return vec![String::new()];
    };
    let shorter = orders(others);
    let inserted = shorter.iter().flat_map(|text| {
        let lines: Vec<&str> = text.lines().collect();
        (0..=lines.len()).map(move |at| {
            let mut lines = lines.clone();
            lines.insert(at, last);
            lines.join("\n")
        })
    });
    inserted.collect()
}

#[test]
fn an_equation_with_an_open_row_moves_no_marker() {
    let lines = [
        "[a <y>] ~ [2, 3]",
        "[c <w>] ~ <y>",
        "<z> <= [2, 3]",
        "<z> <= <y>",
    ];
    for set in orders(&lines) {
        assert_eq!(rows(&set, ["y", "z"]), ["[3]", "[2, 3]"], "{set}");
    }
}

#[test]
fn a_marker_that_is_written_elsewhere_stays_there() {
    let lines = ["[a <y>] ~ [2, 3 <> 4]", "[c <w>] ~ <y>", "<z> <= <y>"];
    for set in orders(&lines) {
        assert_eq!(rows(&set, ["y", "w"]), ["[3 <> 4]", "[4]"], "{set}");
    }
}

#[test]
fn a_nested_row_waits_for_the_equation_that_closes_it() {
    let lines = [
        "<x> <= [2, 8]",
        "[a <y>] ~ <x>",
        "[c <w>] ~ <y>",
        "<z> <= [2, 8]",
        "<z> <= <y>",
    ];
    for set in orders(&lines) {
        assert_eq!(rows(&set, ["y", "z"]), ["[8]", "[2, 8]"], "{set}");
    }
}

#[test]
fn what_lies_below_a_row_that_waits_waits_with_it() {
    let lines = [
        "<x> <= [2, 8]",
        "[a <y>] ~ <x>",
        "[c <w>] ~ <y>",
        "<d> <= <y>",
        "[e <v>] ~ <d>",
    ];
    for set in orders(&lines) {
        assert_eq!(rows(&set, ["y", "d"]), ["[8]", "[8]"], "{set}");
    }
}

#[test]
fn another_name_hands_on_what_is_asked_of_it() {
    let lines = ["<t> <= [3]", "<r> ~ <t>", "[c <w>] ~ <t>", "<u> <= <r>"];
    for set in orders(&lines) {
        assert_eq!(rows(&set, ["t", "u"]), ["[3]", "[3]"], "{set}");
    }
}

/// A row whose content is known has another place declared for its marker, nearer to the middle.
#[test]
fn a_marker_moves_to_the_place_nearer_to_the_middle() {
    let set = "[<t> a] ~ [2, 3 <> 4]\n[<s> c] ~ <t>\n<t> ~ [2 <> 3]";
    assert_eq!(rows(set, ["t", "s"]), ["[2 <> 3]", "[2 <>]"]);
}

/// Returns the axes with a marker after the first few.
fn marked(axes: &[usize], place: usize) -> String {
    let listed = |axes: &[usize]| {
        let axes = axes.iter().map(ToString::to_string);
        axes.collect::<Vec<_>>().join(", ")
    };
    format!("[{} <> {}]", listed(&axes[..place]), listed(&axes[place..]))
}

/// Of two places that are declared for a marker it gets the one that is nearer to the middle of the row, and the left
/// one of two equally near ones; but none within a flank that is known from elsewhere.
#[test]
fn of_two_declared_places_the_one_nearer_to_the_middle_is_taken() {
    for len in 1..=5usize {
        let flanks = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)];
        for (lead, trail) in flanks
            .into_iter()
            .filter(|(lead, trail)| lead + trail <= len)
        {
            for (first, second) in (0..=len).flat_map(|at| (0..=len).map(move |other| (at, other)))
            {
                let axes: Vec<usize> = (2..2 + len).collect();
                let longer = [axes.as_slice(), &[9]].concat();
                let lines = [
                    format!("[<t> a] ~ {}", marked(&longer, first)),
                    format!("<t> ~ {}", marked(&axes, second)),
                    "[<s> c] ~ <t>".to_string(),
                    format!("<t> <= {}", ["[<>]", "[1_ <>]", "[1_, 1_ <>]"][lead]),
                    format!("<t> <= {}", ["[<>]", "[<> 1_]", "[<> 1_, 1_]"][trail]),
                ];
                let places = [first, second].map(|place| place.clamp(lead, len - trail));
                let nearest = |place: &usize| ((2 * place).abs_diff(len), *place);
                let expected = places.into_iter().min_by_key(nearest).expect("two places");
                let expected: lozenge_vocabulary::Row =
                    marked(&axes, expected).parse().expect("a row");
                // Where `<s>` comes first, `<t>` has a part of another row, and the middle of that one counts.
                for order in [[0, 2, 1, 3, 4], [1, 0, 2, 3, 4], [3, 4, 1, 2, 0]] {
                    let set = order.map(|at| lines[at].as_str()).join("\n");
                    assert_eq!(rows(&set, ["t", "t"])[0], expected.to_string(), "{set}");
                }
            }
        }
    }
}
