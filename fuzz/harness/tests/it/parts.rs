//! Programs with concatenated and multiplied axes, compared with the pointwise definition: which cell of which operand
//! each cell of the result comes from, computed here only from the order and the sizes of the parts.

use lozenge::Options;
use lozenge::backend::Interpreter;
use lozenge_testkit::random::Random;

/// Returns the values of `y` in a program.
fn values(source: &str) -> Vec<f32> {
    let reading = lozenge::read(source, &Options::default())
        .unwrap_or_else(|errors| panic!("{}", errors[0].render(source, "p.loz", false)));
    let data = lozenge::load(&reading.program, std::path::Path::new("")).expect("values");
    let mut device = Interpreter::new(Default::default());
    let tensors = lozenge::run(&reading.program, &reading.inference, &data, &mut device);
    let y = reading.program.find("y").expect("a result");
    tensors.expect("it runs")[y.0].values().to_vec()
}

fn shuffled<T: Clone>(random: &mut Random, items: &[T]) -> Vec<T> {
    let mut items = items.to_vec();
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last + 1));
    }
    items
}

/// A part: its label, its size, and whether a loop runs over it.
#[derive(Clone)]
struct Part {
    label: String,
    size: usize,
    visited: bool,
}

/// Returns an axis of parts as a spec writes it, with `_` for parts without a loop.
fn written(parts: &[Part], sized: impl Fn(&Part) -> bool) -> String {
    let shown = parts.iter().map(|part| match (part.visited, sized(part)) {
        (false, _) => format!("_:{}", part.size),
        (true, true) => format!("{}:{}", part.label, part.size),
        (true, false) => part.label.clone(),
    });
    shown.collect::<Vec<_>>().join("^")
}

fn gap(random: &mut Random) -> Part {
    Part {
        label: "_".into(),
        size: 1 + random.below(3),
        visited: false,
    }
}

/// Parts of one axis in another order, some of them left out, with gaps between them.
#[test]
fn parts_of_an_axis_move_as_their_labels_say() {
    let mut random = Random::new(11);
    let mut moved = 0;
    for _ in 0..150 {
        let parts: Vec<Part> = (0..2 + random.below(3))
            .map(|at| Part {
                label: format!("l{at}"),
                size: 1 + random.below(4),
                visited: random.below(4) > 0,
            })
            .collect();
        let kept: Vec<Part> = parts.iter().filter(|part| part.visited).cloned().collect();
        if kept.is_empty() {
            continue;
        }
        let mut result = shuffled(&mut random, &kept);
        if random.below(2) == 0 {
            result.insert(random.below(result.len() + 1), gap(&mut random));
        }
        if result.len() == 1 {
            result.push(gap(&mut random));
        }
        let total: usize = parts.iter().map(|part| part.size).sum();
        // The size of one part follows from the others.
        let open = random.below(kept.len());
        let sized = |part: &Part| part.label != kept[open].label;
        let source = format!(
            "data x : {total} = range({total})\ny =: x \"{} => {}\"\n",
            written(&parts, sized),
            written(&result, |_| false)
        );
        let mut expected = Vec::new();
        for part in &result {
            let mut start = 0;
            for other in &parts {
                if part.visited && other.label == part.label {
                    expected.extend((start..start + part.size).map(|cell| cell as f32));
                }
                start += other.size;
            }
            if !part.visited {
                expected.extend(vec![0.0; part.size]);
            }
        }
        assert_eq!(values(&source), expected, "{source}");
        moved += usize::from(result.len() > 2);
    }
    assert!(moved > 50, "{moved}");
}

/// A grid of blocks, each a separate operand, in any order.
#[test]
fn blocks_come_where_their_labels_stand() {
    let mut random = Random::new(12);
    for _ in 0..60 {
        let sizes = |random: &mut Random| -> Vec<usize> {
            (0..1 + random.below(3))
                .map(|_| 1 + random.below(3))
                .collect()
        };
        let (heights, widths) = (sizes(&mut random), sizes(&mut random));
        if heights.len() * widths.len() < 2 {
            continue;
        }
        let order = |random: &mut Random, count: usize| {
            let all: Vec<usize> = (0..count).collect();
            shuffled(random, &all)
        };
        let rows = order(&mut random, heights.len());
        let columns = order(&mut random, widths.len());
        let blocks: Vec<(usize, usize)> = (0..heights.len())
            .flat_map(|row| (0..widths.len()).map(move |column| (row, column)))
            .collect();
        let blocks = shuffled(&mut random, &blocks);
        let mut source = String::new();
        let mut names = Vec::new();
        let mut shapes = Vec::new();
        for (at, (row, column)) in blocks.iter().enumerate() {
            let (height, width) = (heights[*row], widths[*column]);
            let first = 100 * at;
            let cells: Vec<String> = (first..first + height * width)
                .map(|v| v.to_string())
                .collect();
            source += &format!("data b{at} : {height}, {width} = [{}]\n", cells.join(", "));
            names.push(format!("b{at}"));
            shapes.push(format!("r{row}, c{column}"));
        }
        let joined = |letter: &str, order: &[usize]| {
            let parts: Vec<String> = order.iter().map(|at| format!("{letter}{at}")).collect();
            parts.join("^")
        };
        source += &format!(
            "y =: concat({}) \"{} => {}, {}\"\n",
            names.join(", "),
            shapes.join("; "),
            joined("r", &rows),
            joined("c", &columns)
        );
        let mut expected = Vec::new();
        for row in &rows {
            for y in 0..heights[*row] {
                for column in &columns {
                    let at = blocks.iter().position(|block| *block == (*row, *column));
                    let first = 100 * at.expect("every block") + y * widths[*column];
                    expected.extend((first..first + widths[*column]).map(|v| v as f32));
                }
            }
        }
        assert_eq!(values(&source), expected, "{source}");
    }
}

/// An axis of several factors, in any order, taken apart again.
#[test]
fn factors_run_as_digits_do() {
    let mut random = Random::new(13);
    for _ in 0..80 {
        let sizes: Vec<usize> = (0..2 + random.below(2))
            .map(|_| 1 + random.below(4))
            .collect();
        let total: usize = sizes.iter().product();
        let all: Vec<usize> = (0..sizes.len()).collect();
        let order = shuffled(&mut random, &all);
        let open = random.below(sizes.len());
        let from: Vec<String> = all
            .iter()
            .map(|at| match *at == open {
                true => format!("f{at}"),
                false => format!("f{at}:{}", sizes[*at]),
            })
            .collect();
        let to: Vec<String> = order.iter().map(|at| format!("f{at}")).collect();
        let source = format!(
            "data x : {total} = range({total})\ny =: x \"({}) => ({})\"\n",
            from.join(", "),
            to.join(", ")
        );
        let mut expected = vec![-1.0; total];
        for cell in 0..total {
            // The digits of the cell, the last factor fastest.
            let mut rest = cell;
            let mut digits = vec![0; sizes.len()];
            for at in (0..sizes.len()).rev() {
                digits[at] = rest % sizes[at];
                rest /= sizes[at];
            }
            let place = order
                .iter()
                .fold(0, |place, at| place * sizes[*at] + digits[*at]);
            expected[place] = cell as f32;
        }
        assert_eq!(values(&source), expected, "{source}");
    }
}

/// Statements with an axis of size 1, where an index has no loop left, and with a label that has its size in the result
/// only.
#[test]
fn small_axes_are_no_exception() {
    let of_one = |spec: &str| values(&format!("data x : 1 = [7]\ny =:+ x \"{spec}\"\n"));
    // The second cell of each pair does not exist.
    assert_eq!(of_one("ceil(2*d + 1) => d"), [0.0]);
    assert_eq!(of_one("same(2*d + 1) => d"), [0.0]);
    assert_eq!(of_one("same(2*d) => d"), [7.0]);
    assert_eq!(of_one("b => a:2, a"), [7.0, 0.0, 0.0, 7.0]);
    assert_eq!(of_one("b => a, a:2"), [7.0, 0.0, 0.0, 7.0]);
}

/// All axes of a row as factors of one axis, before or behind another factor: the cells keep the order of their digits.
#[test]
fn the_axes_of_a_row_run_as_digits_do() {
    let mut random = Random::new(14);
    for _ in 0..60 {
        let sizes: Vec<usize> = (0..random.below(4)).map(|_| 1 + random.below(4)).collect();
        let (channels, row): (usize, usize) = (1 + random.below(3), sizes.iter().product());
        let axes = |sizes: &[usize]| {
            let shown: Vec<String> = sizes.iter().map(usize::to_string).collect();
            shown.join(", ")
        };
        let total = channels * row;
        let shape = axes(&[&sizes[..], &[channels]].concat());
        let cells: Vec<f32> = (0..total).map(|cell| cell as f32).collect();
        // The row runs faster than the channel: the cell before was that of the other order.
        let turned: Vec<f32> = cells
            .iter()
            .map(|cell| *cell as usize)
            .map(|cell| (cell % row * channels + cell / row) as f32)
            .collect();
        for (spec, expected) in [
            ("..., c => (..., c)", &cells),
            ("..., c => (c, ...)", &turned),
            ("...|->..r.., c => ...|->(..r.., c)", &cells),
        ] {
            let source = format!("data x : {shape} = range({total})\ny =: x \"{spec}\"\n");
            assert_eq!(&values(&source), expected, "{source}");
        }
        // Back, where it is said which axes there are.
        let source = format!(
            "data x : {total} = range({total})\nlet z : {shape} = map(x, \"(..r..) => ..r..\")\ny =: z\n"
        );
        assert_eq!(values(&source), cells, "{source}");
    }
}

/// A part `_` without a size is whatever the others leave, which may be nothing.
#[test]
fn rests_take_what_is_left() {
    let mut random = Random::new(15);
    let mut empty = 0;
    for _ in 0..120 {
        let named: Vec<Part> = (0..1 + random.below(3))
            .map(|at| Part {
                label: format!("l{at}"),
                size: 1 + random.below(3),
                visited: true,
            })
            .collect();
        let rest = Part {
            label: "_".into(),
            size: random.below(3),
            visited: false,
        };
        empty += usize::from(rest.size == 0);
        let mut parts = named.clone();
        parts.insert(random.below(parts.len() + 1), rest);
        let of = |part: &Part| match part.visited {
            true => format!("{}:{}", part.label, part.size),
            false => "_".into(),
        };
        let from: Vec<String> = parts.iter().map(of).collect();
        let to = shuffled(&mut random, &named);
        let total: usize = parts.iter().map(|part| part.size).sum();
        let mut expected = Vec::new();
        for part in &to {
            let before = parts.iter().take_while(|other| other.label != part.label);
            let start: usize = before.map(|other| other.size).sum();
            expected.extend((start..start + part.size).map(|cell| cell as f32));
        }
        let to: Vec<String> = to.iter().map(|part| part.label.clone()).collect();
        let (from, to) = (from.join("^"), to.join("^"));
        let source = format!("data x : {total} = range({total})\ny =: x \"{from} => {to}\"\n");
        assert_eq!(values(&source), expected, "{source}");
    }
    assert!(empty > 20, "{empty}");
}
