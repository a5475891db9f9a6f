//! `examples/digits`: the constraints of its program, and what it computes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lozenge_lang::{load, parse};
use lozenge_spec::elaboration::elaborate;
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function, Kind, Shape, TensorId};
use lozenge_vocabulary::program::{Assignment, Program};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use lozenge_vocabulary::{Basis, Dim, Ground, Order, Row, Var};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits")
}

fn digits() -> Program {
    let source =
        std::fs::read_to_string(folder().join("digits.loz")).expect("the program is there");
    parse(&source)
        .unwrap_or_else(|errors| panic!("{}", errors[0].render(&source, "digits.loz", false)))
}

/// The expected shapes, worked out by hand: batch and output row; no tensor has input axes.
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
    Dim::based(size, Basis::named(basis)).expect("a size above zero")
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
    let constraints = program.constraints().unwrap();
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
        if let Var::Dim(var) = var {
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

/// The calculus infers exactly these shapes; the positions of the markers do not affect a shape.
#[test]
fn the_intended_shapes_are_inferred() {
    let program = digits();
    let options = Options {
        close: true,
        traced: false,
        ..Options::default()
    };
    let run = solve(&program.constraints().unwrap().set, &options);
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

/// Makes the loop nest of an operation at the shapes worked out by hand.
fn loop_nest(program: &Program, step: &Assignment) -> Projections {
    let row = |dims: &Vec<Dim>| Row::new(Vec::new(), dims.clone());
    let closed = |id: TensorId| shape(&program[id].name).map(|_, dims| row(dims));
    let elaborated = elaborate(&step.operation, closed).expect("the shapes fit the operation");
    elaborated.solve().expect("no conflict").projections
}

/// The program does not state which sizes are reduced; inference finds these.
#[test]
fn reductions_are_what_results_do_not_mention() {
    let program = digits();
    let reduced = |step: &Assignment| {
        let nest = loop_nest(&program, step);
        let sizes: Vec<u64> = nest
            .reduction_axes()
            .iter()
            .map(|factor| nest.factors[*factor])
            .collect();
        (program[step.operation.slots[0]].name.clone(), sizes)
    };
    let found: Vec<_> = program.steps.iter().map(reduced).collect();
    let expected: [(&str, &[u64]); 12] = [
        ("onehot", &[]),
        ("ones", &[]),
        ("sums", &[1797]),
        ("counts", &[1797]),
        ("centroids", &[]),
        ("difference", &[]),
        ("distance", &[64]),
        ("least", &[10]),
        ("nearest", &[]),
        ("right", &[1797, 10]),
        ("total", &[1797, 10]),
        ("accuracy", &[]),
    ];
    assert_eq!(
        found,
        expected.map(|(name, sizes)| (name.into(), sizes.to_vec()))
    );
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

/// Computes the stride of each factor in each slot.
fn strides(nest: &Projections) -> Vec<Vec<usize>> {
    let of_slot = |(map, sizes): (&IndexMap, &Vec<u64>)| {
        let mut strides = vec![0; nest.factors.len()];
        let mut stride = 1;
        for (index, size) in map.0.iter().zip(sizes).rev() {
            match index {
                Index::Iter(factor) => strides[*factor] += stride,
                Index::Fix(position) => assert_eq!(*position, 0),
                Index::Symbol(_) | Index::Affine(_) => panic!("neither is in this program"),
            }
            stride *= *size as usize;
        }
        strides
    };
    nest.maps.iter().zip(&nest.sizes).map(of_slot).collect()
}

/// Runs one operation, point by point.
fn run(program: &Program, step: &Assignment, values: &mut BTreeMap<TensorId, Vec<f32>>) {
    let operation = &step.operation;
    let nest = loop_nest(program, step);
    let strides = strides(&nest);
    let start = if operation.accumulator.combine == Combine::Min {
        f32::INFINITY
    } else {
        0.0
    };
    let mut result = vec![start; nest.sizes[0].iter().product::<u64>() as usize];
    for point in 0..nest.factors.iter().product::<u64>() as usize {
        let mut rest = point;
        let mut offsets = vec![0; strides.len()];
        for (factor, size) in nest.factors.iter().enumerate().rev() {
            let at = rest % *size as usize;
            rest /= *size as usize;
            offsets
                .iter_mut()
                .zip(&strides)
                .for_each(|(offset, stride)| *offset += at * stride[factor]);
        }
        let operands = operation.slots.iter().zip(&offsets).skip(1);
        let read: Vec<f32> = operands.map(|(id, offset)| values[id][*offset]).collect();
        let cell = &mut result[offsets[0]];
        *cell = combine(
            operation.accumulator,
            *cell,
            apply(operation.function.clone(), &read),
        );
    }
    values.insert(operation.slots[0], result);
}

/// 1626 of 1797 images are nearest to the centroid of their class, as counted by an independent script (exact
/// arithmetic on the pixels, no ties).
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
