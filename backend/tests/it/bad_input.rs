//! Input that does not fit is an error with its place, on every engine, and nothing is written.

use crate::engines;

use lozenge_backend::{
    BufferId, Device, Engine, Error, Interpreter, Limits, LoopNest, Symbols, Tensor, open,
};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::Index::{Fix, Iter, Symbol};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

const ERASE_ADD: Accumulator = Accumulator {
    erase: true,
    combine: Combine::Add,
};

/// Makes `r[i] =:+ m[i, j]` over 2 x 3, with the map and the shape of `m` given.
fn sum(map: &[Index], sizes: &[u64]) -> Projections {
    Projections {
        factors: vec![2, 3],
        maps: vec![IndexMap(vec![Iter(0)]), IndexMap(map.to_vec())],
        sizes: vec![vec![2], sizes.to_vec()],
    }
}

fn nest(projections: &Projections) -> Result<LoopNest, Error> {
    LoopNest::new(projections, ERASE_ADD, Function::Identity, &["r", "m"])
}

/// Returns the text of the error that these projections give.
fn refusal(projections: &Projections) -> String {
    nest(projections).unwrap_err().to_string()
}

#[test]
fn an_index_that_leaves_its_axis() {
    assert!(nest(&sum(&[Iter(0), Iter(1)], &[2, 3])).is_ok());
    assert_eq!(
        refusal(&sum(&[Iter(0), Iter(1)], &[2, 4])),
        "slot 1 (m), axis 1 of size 4: it is indexed by j, which runs over 0..3"
    );
    assert_eq!(
        refusal(&sum(&[Iter(0), Iter(2)], &[2, 3])),
        "slot 1 (m), axis 1 of size 3: it is indexed by factor 2, and the product space has 2"
    );
    assert_eq!(
        refusal(&sum(&[Fix(3), Iter(1)], &[3, 3])),
        "slot 1 (m), axis 0 of size 3: it is fixed at position 3"
    );
}

#[test]
fn slots_that_do_not_fit() {
    let mut short = sum(&[Iter(0), Iter(1)], &[2, 3]);
    short.maps.pop();
    assert_eq!(
        refusal(&short),
        "Identity reads 1 operand(s), so there are 2 slots with the one that is written; got 1 index maps, 2 lists of axis \
         sizes and 2 tensor names"
    );
    let none = Projections::default();
    assert!(LoopNest::new(&none, ERASE_ADD, Function::Constant(1.0), &[""; 0]).is_err());
    assert_eq!(
        refusal(&sum(&[Iter(0)], &[2, 3])),
        "slot 1 (m): the index map has 1 axes, the shape has 2"
    );
}

#[test]
fn sizes_without_meaning() {
    let mut empty = sum(&[Iter(0), Fix(0)], &[2, 0]);
    assert!(refusal(&empty).contains("axis 1 of the shape [2, 0] has size 0"));
    for size in [0, 1] {
        empty.factors[1] = size;
        assert!(
            refusal(&empty).contains(&format!("factor 1 of the product space has size {size};"))
        );
    }
    let vast = sum(&[Symbol("s".into()), Symbol("t".into())], &[u64::MAX, 2]);
    assert!(refusal(&vast).contains("more elements than this machine can address"));
}

#[test]
fn names_that_do_not_fit() {
    let matrix = sum(&[Iter(0), Iter(1)], &[2, 3]);
    let named = |names: &[&str]| nest(&matrix).unwrap().with_factor_names(names);
    assert_eq!(named(&["p", "q"]).unwrap().reduced(), ["q"]);
    for (names, problem) in [
        (
            &["p"][..],
            "the product space has 2 factors, 1 names were given",
        ),
        (&["p", "p"], "two factors are named p"),
        (&["p", ""], "\"\" cannot name a factor"),
        (&["p", "q\n"], "\"q\\n\" cannot name a factor"),
        (&["p", "q\\"], "\"q\\\\\" cannot name a factor"),
    ] {
        let text = named(names).unwrap_err().to_string();
        assert!(text.starts_with(problem), "{text}");
    }
    let blank = LoopNest::new(&matrix, ERASE_ADD, Function::Identity, &["r", "a b"]);
    assert!(
        blank
            .unwrap_err()
            .to_string()
            .starts_with("\"a b\" cannot name a tensor")
    );
}

#[test]
fn data_that_do_not_fit_their_shape() {
    let short = Tensor::new(vec![2, 3], vec![0.0; 5]).unwrap_err();
    assert_eq!(
        short.to_string(),
        "the shape [2, 3] has 6 elements, the data have 5"
    );
    assert!(matches!(
        Tensor::new(vec![2, 0], vec![]),
        Err(Error::EmptyAxis { axis: 1, .. })
    ));
    assert!(matches!(
        Tensor::new(vec![1 << 40, 1 << 40], vec![]),
        Err(Error::TooManyElements { .. })
    ));
    assert_eq!(Tensor::new(vec![], vec![7.0]).unwrap().values(), [7.0]);
    assert!(matches!(
        Tensor::filled(&[1 << 31], 0.0, Limits::default()),
        Err(Error::Memory { .. })
    ));
}

/// Opens the engines with room for 100 bytes.
fn small_engines(test: &str) -> Vec<Box<dyn Device>> {
    let limits = Limits {
        bytes: 100,
        points: 1000,
    };
    let mut engines = vec![open(Engine::Interpreter, limits).unwrap()];
    if engines::opencl(test).is_some() {
        engines.push(open(Engine::OpenCl, limits).unwrap());
    }
    engines
}

#[test]
fn memory_is_accounted_for() {
    for mut device in small_engines("memory") {
        let first = device.allocate(&[5, 3], 0.0).unwrap();
        let text = device.allocate(&[11], 0.0).unwrap_err().to_string();
        assert_eq!(
            text,
            "a tensor of shape [11] takes 44 bytes; 60 of the 100 bytes that may be used are taken already (the limit is \
             Limits::bytes)"
        );
        device.allocate(&[5], 0.0).unwrap();
        device.release(first).unwrap();
        assert!(device.allocate(&[21], 0.0).is_err());
        assert!(device.allocate(&[20], 0.0).is_ok());
        assert!(device.allocate(&[1 << 62], 0.0).is_err());
        assert!(device.allocate(&[1 << 60], 0.0).is_err());
        assert!(device.allocate(&[0], 0.0).is_err());
        let large = Tensor::new(vec![26], vec![0.0; 26]).unwrap();
        assert!(matches!(device.upload(&large), Err(Error::Memory { .. })));
    }
}

#[test]
fn a_product_space_beyond_the_limit() {
    let vast = |factors: Vec<u64>| {
        let projections = Projections {
            factors,
            maps: vec![IndexMap::default()],
            sizes: vec![vec![]],
        };
        LoopNest::new(&projections, ERASE_ADD, Function::Constant(1.0), &["t"]).unwrap()
    };
    for mut device in small_engines("points") {
        let total = device.allocate(&[], 5.0).unwrap();
        for (factors, points) in [
            (vec![11, 91], "1001"),
            (vec![1 << 32, 1 << 32], "more than 2^64"),
        ] {
            let text = device
                .run(&vast(factors), &[total], &Symbols::new())
                .unwrap_err()
                .to_string();
            assert!(
                text.starts_with(&format!("the product space has {points} points, ")),
                "{text}"
            );
        }
        assert_eq!(device.download(total).unwrap().values(), [5.0]);
        device
            .run(&vast(vec![10, 100]), &[total], &Symbols::new())
            .unwrap();
        assert_eq!(device.download(total).unwrap().values(), [1000.0]);
    }
}

/// Runs a call that must be refused, and checks that nothing was written.
fn refused(
    device: &mut dyn Device,
    nest: &LoopNest,
    buffers: &[BufferId],
    symbols: &Symbols,
) -> Error {
    let error = device.run(nest, buffers, symbols).unwrap_err();
    if let Ok(written) = device.download(buffers[0]) {
        assert!(written.values().iter().all(|value| *value == 9.0));
    }
    error
}

#[test]
fn buffers_that_do_not_fit_the_loop_nest() {
    let nest = nest(&sum(&[Iter(0), Iter(1)], &[2, 3])).unwrap();
    for mut device in engines::all("buffers") {
        let device = device.as_mut();
        let (r, m) = (
            device.allocate(&[2], 9.0).unwrap(),
            device.allocate(&[2, 3], 1.0).unwrap(),
        );
        let none = Symbols::new();
        assert_eq!(
            refused(device, &nest, &[r], &none).to_string(),
            "the loop nest has 2 slots, 1 buffers were given"
        );
        let turned = device.allocate(&[3, 2], 1.0).unwrap();
        assert_eq!(
            refused(device, &nest, &[r, turned], &none).to_string(),
            "slot 1 (m): the buffer has shape [3, 2], the loop nest was inferred for [2, 3]"
        );
        let foreign = Interpreter::new(Limits::default())
            .allocate(&[2, 3], 1.0)
            .unwrap();
        let unknown = Error::UnknownBuffer { slot: Some(1) };
        assert_eq!(refused(device, &nest, &[r, foreign], &none), unknown);
        device.run(&nest, &[r, m], &none).unwrap();
        assert_eq!(device.download(r).unwrap().values(), [3.0, 3.0]);
        device.release(m).unwrap();
        assert!(matches!(
            device.run(&nest, &[r, m], &none),
            Err(Error::UnknownBuffer { slot: Some(1) })
        ));
        assert!(device.release(m).is_err() && device.download(m).is_err());
    }
}

#[test]
fn symbols_that_do_not_fit() {
    let nest = nest(&sum(&[Symbol("t".into()), Iter(1)], &[2, 3])).unwrap();
    for mut device in engines::all("symbols") {
        let device = device.as_mut();
        let (r, m) = (
            device.allocate(&[2], 9.0).unwrap(),
            device.allocate(&[2, 3], 1.0).unwrap(),
        );
        assert_eq!(
            refused(device, &nest, &[r, m], &Symbols::new()).to_string(),
            "slot 1 (m), axis 0 is indexed by the symbol t, which was given no value"
        );
        let beyond = Symbols::from([("t".into(), 2)]);
        assert_eq!(
            refused(device, &nest, &[r, m], &beyond).to_string(),
            "slot 1 (m), axis 0 of size 2: the symbol t has the value 2"
        );
    }
}

#[test]
fn engines_are_named() {
    for engine in Engine::ALL {
        assert_eq!(engine.word().parse(), Ok(engine));
    }
    assert_eq!(
        "gpu".parse::<Engine>().unwrap_err(),
        "no engine is called \"gpu\"; it is interpreter or opencl"
    );
}
