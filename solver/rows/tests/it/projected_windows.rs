//! §8 in the projector: a label of a window that stands on no axis has the size that the others leave it.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_solver::project::{ProjectionError, Projector, WindowProblem};
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Region, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::projections::{Index, Projections};
use lozenge_vocabulary::{Constraint, Dim, DimTerm, DimVar, Mode, Row, Window};

/// Returns an operation whose slots have these output rows, with constraints between the labels of the rows.
fn operation(rows: &[&str], constraints: impl IntoIterator<Item = Constraint>) -> Operation {
    let row = |(slot, row): (usize, &&str)| {
        let written = Side::Template(row.parse().expect("a row"));
        Requirement::Equal(written, Side::Slot(slot, Kind::Output))
    };
    let constraints = constraints.into_iter().map(Requirement::Template);
    let requirements: Vec<Requirement> = rows.iter().enumerate().map(row).collect();
    Operation {
        slots: (0..rows.len()).map(TensorId).collect(),
        requirements: requirements
            .into_iter()
            .chain(constraints)
            .collect::<Vec<_>>()
            .into(),
        pins: BTreeMap::new(),
        region: None,
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Multiply,
    }
}

fn project(operation: &Operation, rows: &[&str]) -> Result<Projections, ProjectionError> {
    let shape = |row: &&str| Shape {
        output: row.parse::<Row>().expect("a row"),
        ..Shape::default()
    };
    let shapes: Vec<Shape<Row>> = rows.iter().map(shape).collect();
    Projector::default().project(operation, |tensor| &shapes[tensor.0])
}

fn stated(texts: &[&str]) -> Vec<Constraint> {
    let parsed = texts.iter().map(|text| text.parse().expect("a constraint"));
    parsed.collect()
}

fn dim(size: u64) -> DimTerm {
    Dim::new(size).expect("not 0").into()
}

/// Every small window with an unknown number of places, or with a tap of unknown size: it has the only size that fits,
/// if there is one, and the loops visit every pair of a place and a tap.
#[test]
fn a_label_has_the_only_size_that_fits() {
    let mut met = [0; 3];
    for code in 0..10 * 3 * 2 * 4 * 9 * 2u64 {
        let (cells, stride) = (code % 10 + 1, code / 10 % 3 + 1);
        let (dilation, known) = (code / 30 % 2 + 1, code / 60 % 4 + 1);
        let (margins, is_tap) = (code / 240 % 9, code / 2160 == 1);
        for mode in Mode::ALL {
            if !mode.has_margins() && margins > 0 {
                continue;
            }
            let window = |over: DimTerm, tap: DimTerm| Window {
                axis: dim(cells),
                stride: stride.try_into().expect("not 0"),
                over,
                taps: vec![(dilation.try_into().expect("not 0"), tap)],
                phase: 0,
                mode,
                low: margins % 3,
                high: margins / 3,
            };
            let with = |size: u64| match is_tap {
                true => window(dim(known), dim(size)),
                false => window(dim(size), dim(known)),
            };
            let fits = |size: &u64| {
                let ground = with(*size).ground(|term| term.ground().cloned());
                ground.expect("all are ground").holds()
            };
            let fitting: Vec<u64> = (1..=24).filter(fits).collect();
            let [o, k] = ["o", "k"].map(|name| DimTerm::from(DimVar::new(name)));
            let mut labelled = window(o, k);
            labelled.axis = DimVar::new("i").into();
            let on_axis = if is_tap { "[o]" } else { "[k]" };
            let op = operation(&["[i]", on_axis], [Constraint::Window(labelled.clone())]);
            let rows = [format!("[{cells}]"), format!("[{known}]")];
            let found = project(&op, &[&rows[0], &rows[1]]);
            let visited = found.map(|found| found.factors.iter().product::<u64>());
            let text = format!("{labelled:?} at {rows:?}: {fitting:?} fit, {visited:?}");
            match fitting[..] {
                [only] => assert_eq!(visited, Ok(only * known), "{text}"),
                _ => assert!(visited.is_err(), "{text}"),
            }
            met[fitting.len().min(2)] += 1;
        }
    }
    assert!(met.iter().all(|met| *met > 500), "{met:?}");
}

/// A size that follows from one window is used in the others, whichever is stated first.
#[test]
fn sizes_follow_from_one_window_to_the_next() {
    let windows = ["i = o + k", "j = k + l", "m = l + n"];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]] {
        let op = operation(&["[o]", "[i, j, m]"], stated(&order.map(|at| windows[at])));
        // k = 4, so that l = 3 and n = 2.
        let found = project(&op, &["[2]", "[5, 6, 4]"]).expect("index maps");
        let mut loops = found.factors.clone();
        loops.sort_unstable();
        assert_eq!(loops, [2, 2, 3, 4], "{order:?}");
    }
}

/// Of margins of 3 cells, `same` puts 1 in front and `same_lower` 2.
#[test]
fn same_puts_the_smaller_half_of_its_margins_in_front() {
    for (mode, offset) in [("same", -1), ("same_lower", -2)] {
        let window = format!("i = {mode}(o + k)");
        let op = operation(&["[o]", "[i]", "[k]"], stated(&[&window]));
        let found = project(&op, &["[5]", "[5]", "[4]"]).expect("index maps");
        let expected = Index::affine([(1, 0), (1, 1)], offset);
        assert_eq!(found.maps[1].0, [expected], "{mode}");
    }
}

/// The axes of a result that face nothing are traversed, and no axis of a slot behind it.
#[test]
fn what_faces_nothing_is_an_axis_of_the_result() {
    let below = Requirement::Below(Side::Slot(0, Kind::Output), Side::Slot(2, Kind::Output));
    let mut op = operation(&["<r>", "<s>", "<t>"], []);
    op.requirements = vec![below].into();
    op.region = Some(Box::new(Region {
        unread: BTreeSet::from([1]),
        ..Region::default()
    }));
    let found = project(&op, &["[3, 2]", "[7, 5]", "[2]"]).expect("index maps");
    assert_eq!(found.factors, [3, 2]);
}

/// Two labels of one window, and labels of a product and a concatenation, which no relation leaves alone.
#[test]
fn sizes_that_are_forced_together_are_found() {
    let loops = |rows: &[&str], texts: &[&str], closed: &[&str]| {
        let found = project(&operation(rows, stated(texts)), closed);
        found
            .unwrap_or_else(|error| panic!("{texts:?}: {error}"))
            .factors
    };
    assert_eq!(
        loops(&["[]", "[i]"], &["i = 2*b + 3*a"], &["[]", "[6]"]),
        [2, 2]
    );
    assert_eq!(
        loops(&["[]", "[i]"], &["i = 2*b + 3*a"], &["[]", "[5]"]),
        [3]
    );
    let texts = ["n = b * c", "t = b ^ d ^ d"];
    assert_eq!(loops(&["[t]", "[n]"], &texts, &["[3]", "[7]"]), [3, 7]);
    // Several sizes fit.
    let open = operation(&["[]", "[i]"], stated(&["i = 2*b + 3*a"]));
    assert!(project(&open, &["[]", "[7]"]).is_err());
}

/// A part of which the others leave the size is counted in front of those behind it, and may be nothing.
#[test]
fn a_part_is_whatever_the_others_leave() {
    let part = |text: &str, sizes: [u64; 3], visited: Option<usize>, rests: &[&str]| {
        let mut op = operation(&["[b, a]", "[n]"], stated(&[text]));
        op.region = Some(Box::new(Region {
            visited: visited.iter().map(|at| (2, *at)).collect(),
            rests: rests.iter().map(|name| DimVar::new(name)).collect(),
            ..Region::default()
        }));
        let [b, a, n] = sizes;
        let found = project(&op, &[&format!("[{b}, {a}]"), &format!("[{n}]")]);
        found.map(|found| (found.factors.clone(), found.maps[1].0[0].to_string()))
    };
    let read_at = |sizes: [u64; 2], index: &str| Ok((sizes.to_vec(), index.to_string()));
    let behind = "n = a ^ r ^ b";
    assert_eq!(
        part(behind, [2, 4, 9], Some(2), &["r"]),
        read_at([2, 4], "s0 + 7")
    );
    assert_eq!(
        part(behind, [2, 4, 6], Some(2), &["r"]),
        read_at([2, 4], "s0 + 4")
    );
    assert_eq!(
        part("n = b ^ r ^ a", [2, 4, 9], Some(0), &["r"]),
        read_at([2, 4], "s0")
    );
    let (two, rests) = ("n = r ^ b ^ s", ["r", "s"]);
    assert_eq!(part(two, [2, 4, 2], Some(1), &rests), read_at([2, 4], "s0"));
    for refused in [
        part(behind, [2, 4, 5], Some(2), &["r"]),
        // Nothing says which of the two has the further cell.
        part(two, [2, 4, 3], Some(1), &rests),
    ] {
        let error = refused.expect_err("the sizes do not fit");
        let unfit = ProjectionError::Window {
            requirement: 2,
            problem: WindowProblem::Unfit,
        };
        assert_eq!(error, unfit);
        assert!(error.to_string().contains("do not fit"), "{error}");
    }
    // Where no part is visited the axis has its own loop.
    let whole = Ok((vec![2, 4, 9], "s2".to_string()));
    assert_eq!(part(behind, [2, 4, 9], None, &["r"]), whole);
}

/// The index of a part is that of its label, after the cells of those before it; of a product, it is counted in rows.
#[test]
fn parts_and_factors_are_read_at_their_labels() {
    let visiting = |text: &str, visited: &[(usize, usize)], closed: &[&str]| {
        let mut op = operation(&["[b, c]", "[n]"], stated(&[text]));
        op.region = Some(Box::new(Region {
            visited: visited.iter().copied().collect(),
            ..Region::default()
        }));
        project(&op, closed).map_or_else(
            |error| error.to_string(),
            |found| found.maps[1].0[0].to_string(),
        )
    };
    let parts = |at: usize| visiting("n = b ^ c ^ d", &[(2, at)], &["[2, 3]", "[9]"]);
    assert_eq!(parts(0), "s0");
    assert_eq!(parts(1), "s1 + 2");
    assert_eq!(parts(2), "s2 + 5");
    let product = visiting("n = b * c", &[], &["[2, 3]", "[6]"]);
    assert_eq!(product, "3*s0 + s1");
    let unfit = visiting("n = b * c", &[], &["[2, 3]", "[5]"]);
    assert!(unfit.contains("do not fit"), "{unfit}");
}

/// Two windows of one axis may say the same of its index, and may not say different things. The axis may be the first
/// of all.
#[test]
fn two_windows_of_one_axis_say_the_same() {
    let read = |texts: &[&str], closed: &[&str]| {
        let op = operation(&["[i]", "[o, p]", "[k, l]"], stated(texts));
        let found = project(&op, closed);
        found.map(|found| found.maps[0].0[0].to_string())
    };
    let closed = ["[5]", "[3, 3]", "[3, 3]"];
    let twice = read(&["i = o + k", "i = o + k"], &closed);
    assert_eq!(twice.as_deref(), Ok("s0 + s2"));
    assert_eq!(read(&["i = o + k"], &closed).as_deref(), Ok("s0 + s2"));
    assert!(read(&["i = o + k", "i = p + l"], &closed).is_err());
}

/// Margins of any width are halved.
#[test]
fn margins_of_any_width_are_halved() {
    for taps in 1..=6 {
        for (mode, front) in [("same", (taps - 1) / 2), ("same_lower", taps / 2)] {
            let window = format!("i = {mode}(o + k)");
            let op = operation(&["[o]", "[i]", "[k]"], stated(&[&window]));
            let closed = ["[9]", "[9]", &format!("[{taps}]")];
            let found = project(&op, &closed).expect("index maps");
            let terms: &[(u64, usize)] = if taps == 1 {
                &[(1, 0)]
            } else {
                &[(1, 0), (1, 1)]
            };
            let expected = Index::affine(terms.iter().copied(), -front);
            assert_eq!(found.maps[1].0, [expected], "{mode} {taps}");
        }
    }
}

/// Windows on an axis that is used for its size alone visit nothing, and those on other axes, the first one of all
/// among them, do.
#[test]
fn windows_on_an_axis_that_is_not_read_are_not_visited() {
    let projected = |unread: &[usize]| {
        let output = |slot| Side::Slot(slot, Kind::Output);
        let written = |row: &str| Side::Template(row.parse().expect("a row"));
        let mut op = operation(&[], stated(&["i = o + k", "j = p + l"]));
        op.slots = (0..4).map(TensorId).collect();
        let rows = ["[i]", "[j]", "[o, p]", "[k, l]"];
        let equal = |(slot, row): (usize, &&str)| Requirement::Equal(output(slot), written(row));
        let rows = rows.iter().enumerate().map(equal);
        op.requirements = rows
            .chain(op.requirements.iter().cloned())
            .collect::<Vec<_>>()
            .into();
        op.region = Some(Box::new(Region {
            unread: unread.iter().copied().collect(),
            ..Region::default()
        }));
        let found = project(&op, &["[6]", "[8]", "[4, 5]", "[3, 4]"]).expect("index maps");
        [0, 1].map(|slot| found.maps[slot].0[0].to_string())
    };
    assert_eq!(projected(&[]), ["s0 + s2", "s1 + s3"]);
    let [read, unread] = projected(&[1]);
    assert_eq!(read, "s0 + s2");
    assert!(!unread.contains('+'), "{unread}");
    let [unread, read] = projected(&[0]);
    assert_eq!(read, "s1 + s3");
    assert!(!unread.contains('+'), "{unread}");
}
