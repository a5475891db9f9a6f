//! Recorded calls give the same results as single calls, each time with other symbols, on every engine.

use crate::engines;

use lozenge_backend::{
    BufferId, Call, Device, Error, LoopNest, Progress, Purpose, Symbols, Tensor,
};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::Index::{Iter, Symbol};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

fn nest(
    factors: &[u64],
    slots: &[(&[Index], &[u64])],
    (erase, combine): (bool, Combine),
    function: Function,
) -> LoopNest {
    let projections = Projections {
        factors: factors.to_vec(),
        maps: slots
            .iter()
            .map(|(map, _)| IndexMap(map.to_vec()))
            .collect(),
        sizes: slots.iter().map(|(_, sizes)| sizes.to_vec()).collect(),
    };
    let names = ["r", "a", "b"];
    LoopNest::new(
        &projections,
        Accumulator { erase, combine },
        function,
        &names[..slots.len()],
    )
    .expect("a loop nest")
}

fn symbols(step: u64) -> Symbols {
    Symbols::from([("step".into(), step)])
}

/// Makes the calls of a step: a row of a table is added to a sum; the sum is transposed and negated in place; its total
/// is written into a log. The second call reads the tensor that it writes, but at other places, so a device has to copy
/// it at each replay.
fn calls(device: &mut dyn Device) -> (Vec<Call>, [BufferId; 3]) {
    let table: Vec<f32> = (0..12).map(|value| value as f32).collect();
    let table = device
        .upload(&Tensor::new(vec![4, 3], table).unwrap())
        .unwrap();
    let sum = device
        .upload(&Tensor::new(vec![3, 3], vec![0.5; 9]).unwrap())
        .unwrap();
    let log = device.allocate(&[4], f32::NAN).unwrap();
    let step = Symbol("step".into());
    let add = nest(
        &[3, 3],
        &[
            (&[Iter(0), Iter(1)], &[3, 3]),
            (&[step.clone(), Iter(1)], &[4, 3]),
        ],
        (false, Combine::Add),
        Function::Identity,
    );
    let turn = nest(
        &[3, 3],
        &[
            (&[Iter(0), Iter(1)], &[3, 3]),
            (&[Iter(1), Iter(0)], &[3, 3]),
        ],
        (true, Combine::Replace),
        Function::Negate,
    );
    let keep = nest(
        &[3, 3],
        &[(&[step], &[4]), (&[Iter(0), Iter(1)], &[3, 3])],
        (false, Combine::Add),
        Function::Identity,
    );
    let calls = vec![
        Call {
            nest: add,
            buffers: vec![sum, table],
        },
        Call {
            nest: turn,
            buffers: vec![sum, sum],
        },
        Call {
            nest: keep,
            buffers: vec![log, sum],
        },
    ];
    (calls, [table, sum, log])
}

#[test]
fn a_replay_is_the_same_calls_again() {
    for mut device in engines::all("a replay") {
        let device = device.as_mut();
        let (calls_one_by_one, one) = calls(device);
        let (recorded, other) = calls(device);
        for buffer in [one[2], other[2]] {
            device.fill(buffer, 0.0).unwrap();
        }
        let recording = device.record(recorded, &Purpose::default()).unwrap();
        for step in [0, 3, 1, 1, 2] {
            for call in &calls_one_by_one {
                device
                    .run(&call.nest, &call.buffers, &symbols(step))
                    .unwrap();
            }
            device.replay(recording, &symbols(step)).unwrap();
        }
        for (one, other) in one.iter().zip(other) {
            let (expected, found) = (
                device.download(*one).unwrap(),
                device.download(other).unwrap(),
            );
            assert!(expected.values().iter().all(|value| value.is_finite()));
            assert_eq!(found, expected, "{}", device.description());
        }
        let log = device.download(other[2]).unwrap();
        assert!(
            log.values().iter().all(|total| *total != 0.0),
            "each place was written: {log:?}"
        );
    }
}

/// Single calls and replays count the points of their loop nests, once each.
#[test]
fn the_points_that_are_visited_are_counted() {
    for mut device in engines::all("a count of points") {
        let device = device.as_mut();
        let (calls, _) = calls(device);
        let points: u64 = calls.iter().filter_map(|call| call.nest.points()).sum();
        assert!(points > 0);
        let progress = Progress::default();
        device.count(progress.clone());
        for call in &calls {
            device.run(&call.nest, &call.buffers, &symbols(1)).unwrap();
        }
        assert_eq!(progress.points(), points, "{}", device.description());
        let recording = device.record(calls, &Purpose::default()).unwrap();
        for times in 2..4 {
            device.replay(recording, &symbols(2)).unwrap();
            assert_eq!(
                progress.points(),
                times * points,
                "{}",
                device.description()
            );
        }
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    for mut device in engines::all("recordings that do not fit") {
        let device = device.as_mut();
        let (good, [table, sum, _]) = calls(device);
        let mut wrong = good.clone();
        wrong[0].buffers = vec![table, sum];
        assert!(matches!(
            device.record(wrong, &Purpose::default()),
            Err(Error::BufferShape { .. })
        ));
        let recording = device.record(good, &Purpose::default()).unwrap();
        let past = device.replay(recording, &symbols(4));
        assert!(
            matches!(past, Err(Error::Index { size: 4, .. })),
            "{past:?}"
        );
        let missing = device.replay(recording, &Symbols::new());
        assert!(
            matches!(missing, Err(Error::MissingSymbol { .. })),
            "{missing:?}"
        );
        device
            .replay(recording, &symbols(3))
            .expect("a replay that fits after those that do not");
        device.forget(recording).unwrap();
        assert!(matches!(
            device.replay(recording, &symbols(0)),
            Err(Error::UnknownRecording)
        ));
        assert!(matches!(
            device.forget(recording),
            Err(Error::UnknownRecording)
        ));
    }
}

#[test]
fn values_are_replaced_in_place() {
    for mut device in engines::all("values in place") {
        let buffer = device.allocate(&[2, 2], f32::NAN).unwrap();
        device.write(buffer, &[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(
            device.download(buffer).unwrap().values(),
            [1.0, 2.0, 3.0, 4.0]
        );
        let short = device.write(buffer, &[1.0]);
        assert!(
            matches!(
                short,
                Err(Error::DataLength {
                    expected: 4,
                    found: 1,
                    ..
                })
            ),
            "{short:?}"
        );
        device.fill(buffer, -2.5).unwrap();
        assert_eq!(device.download(buffer).unwrap().values(), [-2.5; 4]);
        device.release(buffer).unwrap();
        assert!(matches!(
            device.fill(buffer, 0.0),
            Err(Error::UnknownBuffer { .. })
        ));
    }
}
