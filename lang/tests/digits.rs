//! `examples/digits`: what its program states, and what it computes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lozenge_lang::{Family, Program, Step, load, parse};
use lozenge_spec::operation::{
    Accumulator, Combine, Function, Kind, Requirement, Shape, Side, TensorId,
};
use lozenge_spec::solve::{Options, solve};
use lozenge_spec::verdict::Order;
use lozenge_spec::{Dim, DimTerm, DimVar, Ground, Row, RowTerm};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/digits")
}

fn digits() -> Program {
    let source =
        std::fs::read_to_string(folder().join("digits.loz")).expect("the program is there");
    parse(&source)
        .unwrap_or_else(|errors| panic!("{}", errors[0].render(&source, "digits.loz", false)))
}

/// The shapes that are to be inferred, worked out by hand: batch and output row; no tensor has input axes.
const SHAPES: [(&str, &str, &str); 14] = [
    ("images", "n", "p"),
    ("labels", "n", ""),
    ("classes", "c", ""),
    ("onehot", "n", "c"),
    ("ones", "n", ""),
    ("sums", "c", "p"),
    ("counts", "c", ""),
    ("centroids", "c", "p"),
    ("difference", "nc", "p"),
    ("distance", "n", "c"),
    ("least", "n", ""),
    ("nearest", "n", "c"),
    ("right", "", ""),
    ("total", "", ""),
];

fn dim(letter: char) -> Dim {
    let (size, basis) = match letter {
        'n' => (1797, "image"),
        'c' => (10, "class"),
        _ => (64, "pixel"),
    };
    Dim::based(size, lozenge_spec::Basis::named(basis)).expect("a size above zero")
}

fn shape(name: &str) -> Shape<Vec<Dim>> {
    let (_, batch, output) = SHAPES
        .iter()
        .find(|(n, ..)| *n == name)
        .copied()
        .unwrap_or(("accuracy", "", ""));
    let dims = |letters: &str| letters.chars().map(dim).collect();
    Shape {
        batch: dims(batch),
        input: Vec::new(),
        output: dims(output),
    }
}

/// The shapes worked out by hand satisfy every constraint that the program states.
#[test]
fn the_intended_shapes_are_a_solution() {
    let program = digits();
    let constraints = program.constraints();
    let mut ground = Ground::default();
    for tensor in &program.tensors {
        let intended = shape(&tensor.name);
        for kind in Kind::ALL {
            let row = Row::new(Vec::new(), intended.row(kind).clone());
            match &tensor.shape.row(kind).var {
                Some(var) => drop(ground.rows.insert(var.clone(), row)),
                None => assert_eq!(
                    tensor.shape.row(kind).ground(),
                    Some(row),
                    "{}",
                    tensor.name
                ),
            }
        }
    }
    for var in constraints.set.vars() {
        if let lozenge_spec::Var::Dim(var) = var {
            let letter = var.name().chars().next().expect("a label");
            ground.dims.insert(var, dim(letter));
        }
    }
    for (constraint, origin) in constraints.set.constraints.iter().zip(&constraints.origins) {
        assert_eq!(
            ground.satisfies(constraint, Order::Marked),
            Some(true),
            "{constraint}: {}",
            origin.words
        );
    }
    assert_eq!(program.tensors.len(), SHAPES.len() + 1);
}

/// The calculus infers just these shapes; where it puts the markers does not matter to a shape.
#[test]
fn the_intended_shapes_are_inferred() {
    let program = digits();
    let options = Options {
        close: true,
        traced: false,
        ..Options::default()
    };
    let run = solve(&program.constraints().set, &options);
    let ground = run.greatest().unwrap_or_else(|| panic!("{:?}", run.end));
    for tensor in &program.tensors {
        for kind in Kind::ALL {
            let row = ground
                .row(tensor.shape.row(kind))
                .expect("every variable has a value");
            assert_eq!(
                row.flat(),
                *shape(&tensor.name).row(kind),
                "{} {}",
                tensor.name,
                kind.word()
            );
        }
    }
}

/// What names the loop of an axis in one operation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Loop {
    Label(DimVar),
    /// A pointwise axis: its kind, and how far from the end of its row.
    Place(Kind, usize),
}

/// The loop of each axis of a slot. Enough for this program: einsum without row variables, pointwise without inner units.
fn loops(step: &Step, slot: usize, shape: &Shape<Vec<Dim>>) -> Vec<Loop> {
    let label = |term: &DimTerm| match term {
        DimTerm::Var(var) => Loop::Label(var.clone()),
        DimTerm::Const(_) => unreachable!("templates have labels only"),
    };
    let template = |kind: Kind| -> &RowTerm {
        let found = step
            .operation
            .requirements
            .iter()
            .find_map(|requirement| match requirement {
                Requirement::Equal(Side::Slot(s, k), Side::Template(row))
                | Requirement::Equal(Side::Template(row), Side::Slot(s, k)) => {
                    (*s == slot && *k == kind).then_some(row)
                }
                _ => None,
            });
        found.expect("an einsum has a template for each row")
    };
    let of_kind = |kind: Kind| -> Vec<Loop> {
        let rank = shape.row(kind).len();
        match step.logic {
            Family::Einsum => template(kind).axes().map(label).collect(),
            _ => (0..rank).map(|at| Loop::Place(kind, rank - at)).collect(),
        }
    };
    Kind::ALL.into_iter().flat_map(of_kind).collect()
}

fn apply(function: Function, x: &[f32]) -> f32 {
    match function {
        Function::Constant(value) => value as f32,
        Function::Identity => x[0],
        Function::Square => x[0] * x[0],
        Function::Subtract => x[0] - x[1],
        Function::Multiply => x[0] * x[1],
        Function::Divide => x[0] / x[1],
        Function::Equal => f32::from(x[0] == x[1]),
        other => panic!("{other:?} is not in this program"),
    }
}

fn combine(accumulator: Accumulator, old: f32, new: f32) -> f32 {
    match accumulator.combine {
        Combine::Replace => new,
        Combine::Add => old + new,
        Combine::Min => old.min(new),
        other => panic!("{other:?} is not in this program"),
    }
}

/// Runs one operation over the product of its loops.
fn run(program: &Program, step: &Step, values: &mut BTreeMap<TensorId, Vec<f32>>) {
    let operation = &step.operation;
    let mut sizes: BTreeMap<Loop, usize> = BTreeMap::new();
    let mut axes = Vec::new();
    for (slot, id) in operation.slots.iter().enumerate() {
        let shape = shape(&program.tensor(*id).name);
        let loops = loops(step, slot, &shape);
        let dims: Vec<usize> = shape
            .rows()
            .into_iter()
            .flatten()
            .map(|d| d.size() as usize)
            .collect();
        assert_eq!(loops.len(), dims.len());
        sizes.extend(loops.iter().cloned().zip(dims.iter().copied()));
        axes.push((loops, dims));
    }
    let order: Vec<&Loop> = sizes.keys().collect();
    // How far a step of each loop moves in each slot.
    let strides: Vec<Vec<usize>> = axes
        .iter()
        .map(|(loops, dims)| {
            let stride = |at: usize| dims[at + 1..].iter().product::<usize>();
            let of = |wanted: &&Loop| {
                (0..dims.len())
                    .filter(|at| loops[*at] == **wanted)
                    .map(stride)
                    .sum()
            };
            order.iter().map(of).collect()
        })
        .collect();
    let start = if operation.accumulator.combine == Combine::Min {
        f32::INFINITY
    } else {
        0.0
    };
    let mut result = vec![start; axes[0].1.iter().product()];
    let extents: Vec<usize> = sizes.values().copied().collect();
    for point in 0..extents.iter().product::<usize>() {
        let mut rest = point;
        let mut offsets = vec![0; axes.len()];
        for (at, extent) in extents.iter().enumerate().rev() {
            offsets
                .iter_mut()
                .zip(&strides)
                .for_each(|(offset, stride)| *offset += rest % extent * stride[at]);
            rest /= extent;
        }
        let read: Vec<f32> = (1..axes.len())
            .map(|slot| values[&operation.slots[slot]][offsets[slot]])
            .collect();
        let cell = &mut result[offsets[0]];
        *cell = combine(
            operation.accumulator,
            *cell,
            apply(operation.function, &read),
        );
    }
    values.insert(operation.slots[0], result);
}

/// 1626 of 1797 images are nearest to the centroid of their class: counted by a script of its own that knows nothing of
/// this project (exact arithmetic on the pixels, no ties).
#[test]
fn the_program_computes_the_accuracy() {
    let program = digits();
    let mut values = load(&program, &folder()).unwrap_or_else(|error| panic!("{error}"));
    for step in &program.steps {
        run(&program, step, &mut values);
    }
    let value = |name: &str| &values[&program.find(name).expect("a tensor of the program")];
    assert_eq!(
        value("counts").as_slice(),
        [
            178.0, 182.0, 177.0, 183.0, 181.0, 182.0, 181.0, 179.0, 174.0, 180.0
        ]
    );
    assert_eq!(value("right").as_slice(), [1626.0]);
    assert_eq!(value("total").as_slice(), [1797.0]);
    assert_eq!(value("accuracy").as_slice(), [1626.0 / 1797.0]);
}
