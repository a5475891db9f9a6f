//! Plans as text: every legal plan reads back as it is, what is damaged by hand is refused with its place or its check,
//! and a pinned plan is the one that a device runs.

use crate::engines;

use crate::cases::{ADD, Case, case_of, random};
use crate::random::Random;
use lozenge_backend::opencl::{KernelSource, PinError, Pins, Profile, pin, pins_file};
use lozenge_backend::{Engine, Limits, LoopNest, Numerics, Tensor, open};
use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::{Affine, Index, IndexMap, Projections};

/// Draws a plan of the case from all legal ones.
fn drawn(nest: &LoopNest, numerics: Numerics, random: &mut Random) -> KernelSource {
    let mut choose = |options: usize| random.below(options);
    KernelSource::chosen(nest, Profile::Cpu, numerics, &mut choose)
}

fn text(source: &KernelSource) -> String {
    pins_file(source.plans.iter().map(|plan| ("a plan".to_string(), plan)))
}

/// Makes a convolution whose windows go beyond the image, and its transposition, whose loops are tied to the cells that
/// they write.
fn windows() -> Vec<LoopNest> {
    let moved = Index::Affine(Affine {
        terms: vec![(2, 0), (1, 1)],
        offset: -1,
    });
    let at = |one: usize| Index::Iter(one);
    let (image, windows) = (vec![moved], vec![at(0)]);
    [(windows.clone(), image.clone()), (image, windows)]
        .into_iter()
        .map(|(written, read)| {
            let size = |map: &Vec<Index>| match map[0] {
                Index::Affine(_) => vec![31],
                _ => vec![16],
            };
            let sizes = vec![size(&written), size(&read), vec![3]];
            let projections = Projections {
                factors: vec![16, 3],
                maps: vec![IndexMap(written), IndexMap(read), IndexMap(vec![at(1)])],
                sizes,
            };
            LoopNest::new(&projections, ADD, Function::Multiply, &["z", "x", "w"]).unwrap()
        })
        .collect()
}

#[test]
fn every_legal_plan_reads_back() {
    let mut choices = Random::new(11);
    let mut cases = random(300);
    let replace = Accumulator {
        erase: true,
        combine: Combine::Replace,
    };
    for extents in [[65, 80], [64, 96], [100, 300], [300, 70]] {
        cases.push(case_of("ji ij", &extents, replace, Function::Identity));
    }
    let nests = cases.iter().map(Case::nest).chain(windows());
    let mut words = std::collections::BTreeSet::new();
    for nest in nests {
        for numerics in [Numerics::Exact, Numerics::Fast] {
            let source = drawn(&nest, numerics, &mut choices);
            let text = text(&source);
            let pins = Pins::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(pins.plans(), source.plans, "{text}");
            words.extend(
                text.lines()
                    .filter_map(|line| line.split_whitespace().next())
                    .map(str::to_string),
            );
            let kinds = source.schedule.iter();
            words.extend(
                kinds
                    .filter_map(|line| line.split(' ').next())
                    .map(str::to_string),
            );
        }
    }
    for word in [
        "tensors", "free", "reduced", "ties", "guards", "scratch", "step", "cell", "tile",
        "packed", "dot", "sweep", "staged",
    ] {
        assert!(words.contains(word), "no text has `{word}`");
    }
}

/// Makes a product of 64 by 48 by 32, and its plan as text.
fn product() -> (Case, String) {
    let case = case_of("ij ik kj", &[64, 48, 32], ADD, Function::Multiply);
    let source = KernelSource::with(&case.nest(), Profile::Cpu, Numerics::Fast);
    (case, text(&source))
}

/// Replaces one piece of a text, which must be there.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} is not in\n{text}");
    text.replacen(from, to, 1)
}

#[test]
fn maps_made_inconsistent_by_hand_are_refused_by_the_name_of_the_check() {
    let (_, text) = product();
    for (from, to, check) in [
        // The row operand is read beyond its end, another row is left out, two rows write one cell.
        ("i0:64(48,32,0)", "i0:64(48,33,0)", "bounds"),
        (
            "step\n",
            "step\n    free i0:63(48,32,0) i1:48(1,0,1)\n",
            "coverage",
        ),
        ("step\n", "step\n    reduced k0:31(0,1,48)\n", "points"),
        ("i1:48(1,0,1)", "i1:48(0,0,1)", "races"),
        ("step\n", "step\n    value add\n", "values"),
        ("step\n", "step\n    writes =+ combined\n", "values"),
        ("step\n", "step\n    begins 0 1 0\n", "bounds"),
        ("of 16 of i1", "of 16 of i0", "coverage"),
        ("3 vectors", "40 vectors", "coverage"),
        ("3 vectors", "2 vectors", ""),
    ] {
        let found = Pins::parse(&edited(&text, from, to));
        match (found, check) {
            (Ok(_), "") => {}
            (
                Err(PinError::Defect {
                    check: found, line, ..
                }),
                check,
            ) => {
                assert_eq!((found.word(), line), (check, 3), "{from} -> {to}");
            }
            (found, _) => panic!("{from} -> {to}: {found:?}"),
        }
    }
    // A scratch buffer that nothing fills.
    let split = case_of("i ij", &[2, 100_000], ADD, Function::Identity);
    let source = KernelSource::with(&split.nest(), Profile::Cpu, Numerics::Fast);
    let whole = self::text(&source);
    let scratch = whole
        .lines()
        .find(|line| line.trim().starts_with("scratch"));
    let scratch = scratch.expect("the sum is divided into parts").to_string();
    let found = Pins::parse(&edited(&whole, &scratch, &format!("{scratch} 5")));
    assert!(matches!(found, Err(PinError::Defect { check, .. }) if check.word() == "coverage"));
}

/// A packed contraction takes two kernels, and a part is none of its own.
#[test]
fn a_packed_part_of_a_kernel_is_refused() {
    let (_, text) = product();
    let schedule = text.lines().find(|line| line.contains("schedule")).unwrap();
    let packed = "    schedule packed 4 rows of i0 x 3 vectors of 16 of i1, blocks of 8 rows x 1 panels x 16 points";
    let packed = edited(&text, schedule, packed);
    assert!(Pins::parse(&packed).is_ok());
    let error = Pins::parse(&edited(&packed, "  free", "  part\n  free")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3: the kernel does not pass the check points: packed, in a part of a kernel; it takes two kernels"
    );
    assert!(Pins::parse(&edited(&text, "  free", "  part\n  free")).is_ok());
}

#[test]
fn text_that_is_no_plan_is_refused_with_its_place() {
    let (_, text) = product();
    let schedule = text.lines().find(|line| line.contains("schedule")).unwrap();
    for (from, to, expected) in [
        (
            "kernel  #",
            "kernal  #",
            "line 3, column 1: `kernal`, where `kernel` was expected",
        ),
        (
            "value multiply",
            "value multiplied",
            "line 9, column 9: `multiplied`, where a function such as multiply, or `formula` was expected",
        ),
        (
            "i0:64(48,32,0)",
            "i0:1(48,32,0)",
            "line 5, column 8: `i0:1(48,32,0)`, where a loop such as i0:6(3,0,4), of an extent of at least 2 was expected",
        ),
        (
            "i0:64(48,32,0)",
            "i0:64(48,32)",
            "line 3, column 1: a loop with 2 strides for 3 buffers",
        ),
        (
            "i0:64(48,32,0)",
            "i7:64(48,32,0)",
            "line 5, column 8: `i7:64(48,32,0)`, where i0 was expected",
        ),
        (
            "i0:64(",
            "i0:9999999999999999999(",
            "line 3, column 1: the loops reach beyond 62 bits",
        ),
        (
            "sums fast",
            "sums quick",
            "line 11, column 8: `quick`, where `exact` or `fast` was expected",
        ),
        (
            "writes =:+",
            "writes :=+",
            "line 10, column 10: `:=+`, where an operator and a way, as in `=:+ combined` or `=: stored` was expected",
        ),
        (
            "largest ",
            "largest -",
            "where a number of elements was expected",
        ),
        (
            schedule,
            "    schedule tile all",
            "line 14, column 19: `all`, where a number was expected",
        ),
        (
            schedule,
            "    schedule",
            "line 14, column 5: the schedule ends where `cell`, `tile`, `packed`, `dot`, `sweep`, `staged`, `grid`, `team`, `spread` or `turned` was expected",
        ),
        (
            schedule,
            "    schedule cell 3",
            "line 14, column 19: `3`, where the end of the line was expected",
        ),
        (
            schedule,
            "",
            "line 13, column 1: a step without a `schedule` line",
        ),
        (
            "  step\n",
            "",
            "line 13, column 5: `schedule`, where `kernel`, `step`, `schedule` or a line of a kernel was expected",
        ),
        (
            "  buffers t0 t1 t2\n",
            "  buffers t0 t1\n",
            "line 3, column 1: 2 buffers, and the value needs 3",
        ),
    ] {
        let error = Pins::parse(&edited(&text, from, to))
            .expect_err(to)
            .to_string();
        assert!(error.contains(expected), "{to}:\n{error}\n{expected}");
    }
    let twice = text.clone() + text.split_once("\n\n").unwrap().1;
    let error = Pins::parse(&twice).unwrap_err().to_string();
    assert_eq!(
        error,
        "line 15: the kernel of line 3 computes the same; keep one of them"
    );
    assert_eq!(Pins::parse("# nothing\n\n").unwrap().len(), 0);
}

/// Another plan gives other bits, so the bits show which plan has run.
#[test]
fn a_device_runs_the_pinned_plan() {
    let (case, text) = product();
    let schedule = text.lines().find(|line| line.contains("schedule")).unwrap();
    let cells = Pins::parse(&edited(&text, schedule, "    schedule cell")).unwrap();
    let other = case_of("ij ik kj", &[16, 48, 32], ADD, Function::Multiply);
    let other = KernelSource::with(&other.nest(), Profile::Cpu, Numerics::Fast);
    let both = self::text(&other) + text.split_once("\n\n").unwrap().1;
    let foreign = Pins::parse(&both).unwrap();
    assert_eq!(foreign.unused(), [3, 15]);
    let mut interpreter = open(Engine::Interpreter, Limits::default()).unwrap();
    assert!(!pin(interpreter.as_mut(), cells.clone()));
    let Some(mut device) = engines::opencl_with("pins", Numerics::Fast) else {
        return;
    };
    let tensors = case.tensors();
    let plain = case.run(device.as_mut(), &tensors);
    assert!(pin(device.as_mut(), cells.clone()));
    case.run(device.as_mut(), &tensors);
    assert_eq!(cells.unused(), [0; 0]);
    assert!(pin(device.as_mut(), foreign.clone()));
    let same = case.run(device.as_mut(), &tensors);
    assert_eq!(foreign.unused(), [3]);
    let bits = |tensor: &Tensor| {
        tensor
            .values()
            .iter()
            .map(|value| value.to_bits())
            .collect::<Vec<_>>()
    };
    assert_eq!(bits(&plain), bits(&same));
}

/// The order of a sum is part of its plan.
#[test]
fn the_same_pins_give_the_same_bits_and_others_give_others() {
    let case = case_of("i ij", &[3, 5_000], ADD, Function::Identity);
    assert_eq!(case.accumulator.combine, Combine::Add);
    let source = KernelSource::with(&case.nest(), Profile::Cpu, Numerics::Fast);
    let text = text(&source);
    let Some(mut device) = engines::opencl_with("bits of pins", Numerics::Fast) else {
        return;
    };
    let tensors = case.tensors();
    let mut bits = Vec::new();
    for pins in [&text, &text, &in_one_step(&text)] {
        pin(device.as_mut(), Pins::parse(pins).unwrap());
        let sum = case.run(device.as_mut(), &tensors);
        bits.push(
            sum.values()
                .iter()
                .map(|value| value.to_bits())
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(bits[0], bits[1]);
    assert_ne!(bits[0], bits[2], "{text}");
}

/// Makes the plan of one cell for each work-item, in the order of the loop.
fn in_one_step(text: &str) -> String {
    let lines = text.lines().take_while(|line| !line.contains("step"));
    let lines: Vec<&str> = lines.filter(|line| !line.contains("scratch")).collect();
    format!("{}\n  step\n    schedule cell\n", lines.join("\n"))
}
