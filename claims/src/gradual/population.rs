//! The programs that are tried: all of some shapes and sizes, the smallest first, and random ones.

use arbitrary::Unstructured;
use lozenge_gradual_spec::printed_functions::Convolution;
use lozenge_gradual_spec::universe::{Material, Universe, lists, program};
use lozenge_gradual_vocabulary::{Body, Dimension, Program, Type};
use lozenge_testkit::generate::bytes;

use crate::machinery::{CHUNK, Effort, Family, Population};

/// Every program of some bodies whose inputs have some types.
struct Programs {
    inputs: Vec<&'static str>,
    bodies: Vec<Body>,
    types: Vec<Type>,
}

impl Family<Program> for Programs {
    fn units(&self) -> usize {
        self.bodies.len()
    }

    fn weight(&self, _: usize) -> u64 {
        (self.types.len() as u64).pow(self.inputs.len() as u32)
    }

    fn instances(&self, unit: usize) -> Vec<Program> {
        let annotations = lists(&self.types, self.inputs.len());
        let annotated = annotations.iter();
        annotated
            .map(|types| program(&self.inputs, types, &self.bodies[unit]))
            .collect()
    }
}

/// Returns the types of rank 4 with these sizes, `Dyn`, and one of another rank.
fn images(sizes: &[u64]) -> Vec<Type> {
    let dimensions = Universe::new(4, sizes.iter().copied()).dimensions();
    let others = [Type::Dyn, Type::Tensor(vec![Dimension::Dyn])];
    let images = lists(&dimensions, 4).into_iter().map(Type::Tensor);
    others.into_iter().chain(images).collect()
}

fn convolutions() -> Vec<Convolution> {
    let all = [
        (1, 1, [1, 1]),
        (1, 1, [2, 1]),
        (2, 1, [3, 3]),
        (1, 0, [1, 1]),
        (1, 1, [0, 1]),
    ];
    let convolution = |(in_channels, out_channels, kernel): (u64, u64, [u64; 2])| Convolution {
        in_channels,
        out_channels,
        kernel: kernel.to_vec(),
    };
    all.map(convolution).to_vec()
}

/// Returns the sizes of the families at an effort: of reshaped tensors, of tensors that are added, of images, and of
/// chains.
fn scopes(effort: Effort) -> [(usize, Vec<u64>); 4] {
    match effort {
        Effort::Quick => [
            (2, vec![0, 1, 2, 3]),
            (2, vec![0, 1, 2]),
            (4, vec![1, 2]),
            (1, vec![0, 1, 2, 3]),
        ],
        Effort::Full => [
            (2, vec![0, 1, 2, 3, 4, 6]),
            (2, vec![0, 1, 2, 3]),
            (4, vec![0, 1, 2]),
            (1, vec![0, 1, 2, 3, 4]),
        ],
        Effort::Long => [
            (3, vec![0, 1, 2, 3, 4]),
            (3, vec![0, 1, 2]),
            (4, vec![0, 1, 2, 3]),
            (2, vec![0, 1, 2, 4]),
        ],
    }
}

fn material(
    inputs: &[&'static str],
    targets: Vec<Type>,
    convolutions: Vec<Convolution>,
    adds: bool,
) -> Material {
    Material {
        inputs: inputs.to_vec(),
        targets,
        convolutions,
        adds,
    }
}

/// Returns the programs of the survey, those of fewer operators first.
pub fn survey(effort: Effort) -> Population<Program> {
    let [reshaped, added, convolved, chained] = scopes(effort);
    let types =
        |(rank, sizes): &(usize, Vec<u64>)| Universe::new(*rank, sizes.iter().copied()).types();
    let one = &["x"][..];
    let reshapes = material(one, types(&reshaped), Vec::new(), false);
    let sum = Body::variable("x").plus(Body::variable("y"));
    let double = Body::variable("x").plus(Body::variable("x"));
    let convolves = material(one, Vec::new(), convolutions(), false);
    // Two convolutions that want other numbers of channels, as in Listings 1 and 2.
    let pair = |first: u64, second: u64| {
        let of = |channels: u64| Body::variable("x").conv2d(channels, 1, vec![1, 1]);
        of(first).plus(of(second))
    };
    let chains = material(one, types(&chained), Vec::new(), true);
    let family = |inputs: &[&'static str], bodies: Vec<Body>, types: Vec<Type>| {
        Box::new(Programs {
            inputs: inputs.to_vec(),
            bodies,
            types,
        }) as Box<dyn Family<Program>>
    };
    let families = vec![
        family(one, reshapes.bodies(0), types(&reshaped)),
        family(one, reshapes.bodies(1), types(&reshaped)),
        family(one, vec![double], types(&added)),
        family(&["x", "y"], vec![sum], types(&added)),
        family(one, convolves.bodies(1), images(&convolved.1)),
        family(one, vec![pair(1, 1), pair(1, 2)], images(&convolved.1)),
        family(one, chains.bodies(2), types(&chained)),
    ];
    Population {
        families,
        scope: format!(
            "all programs of one `reshape` of types and targets of rank up to {} with sizes {:?}, of one `add` of rank up to {} with sizes {:?}, of one \
             `conv2d` or the sum of two with sizes {:?}, and of two of `reshape` and `add` of rank up to {} with sizes {:?}",
            reshaped.0, reshaped.1, added.0, added.1, convolved.1, chained.0, chained.1
        ),
    }
}

/// Random programs with numbers below a bound.
struct Random(u64);

impl Family<Program> for Random {
    fn units(&self) -> usize {
        self.0.div_ceil(CHUNK) as usize
    }

    fn weight(&self, _: usize) -> u64 {
        1
    }

    fn instances(&self, unit: usize) -> Vec<Program> {
        let start = unit as u64 * CHUNK;
        let numbers = start..self.0.min(start + CHUNK);
        let drawn = numbers.filter_map(|number| {
            let bytes = bytes(0x6d16, number, 160);
            lozenge_testkit::gradual::program(&mut Unstructured::new(&bytes)).ok()
        });
        drawn.collect()
    }
}

/// Returns the population of random programs, larger than those of the survey.
pub fn sample(effort: Effort) -> Population<Program> {
    // A program is typed under all that its annotations may forget, so that it takes as long as ten constraint sets.
    let count = effort.samples() / 10;
    Population {
        families: vec![Box::new(Random(count))],
        scope: format!("{count} random programs of up to four operators and two inputs"),
    }
}
