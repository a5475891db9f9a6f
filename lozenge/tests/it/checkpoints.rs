//! Checkpoints that others wrote: the types of their numbers, entries that nobody asks for, and files of other kinds.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lozenge::backend::{Interpreter, Limits, Tensor};
use lozenge::{Begin, Checkpoint, CheckpointError, Options, Other, Settings, Watch};
use safetensors::tensor::{Dtype, TensorView};

/// Returns a file with one tensor for each entry.
fn written(name: &str, entries: &[(&str, Dtype, Vec<usize>, Vec<u8>)]) -> PathBuf {
    let views = entries.iter().map(|(name, dtype, shape, bytes)| {
        let view = TensorView::new(*dtype, shape.clone(), bytes).expect("an entry");
        (*name, view)
    });
    file(name, &safetensors::serialize(views, None).expect("a file"))
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("checkpoints");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("written");
    path
}

fn one(name: &str, dtype: Dtype, bytes: Vec<u8>, size: usize) -> Tensor {
    let count = bytes.len() / size;
    let path = written(name, &[("w", dtype, vec![count], bytes)]);
    let mut read = Checkpoint::load(&path).expect("a checkpoint");
    read.tensors.remove("w").expect("the tensor")
}

/// All codes of the floats of 8 bits and some of 16, with the numbers that ml_dtypes 0.5 and NumPy 2.4 give them.
#[test]
fn small_floats_have_the_numbers_that_ml_dtypes_gives_them() {
    let mut lists: BTreeMap<&str, (Vec<u8>, Vec<f32>)> = BTreeMap::new();
    for line in include_str!("../checkpoints/small_floats.txt").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let code: u16 = words[1].parse().expect("a code");
        let (bytes, numbers) = lists.entry(words[0]).or_default();
        match words[0] {
            "float16" => bytes.extend(code.to_le_bytes()),
            _ => bytes.push(u8::try_from(code).expect("a byte")),
        }
        numbers.push(words[2].parse().expect("a number"));
    }
    let types = [
        ("float8_e5m2", Dtype::F8_E5M2, 1),
        ("float8_e4m3fn", Dtype::F8_E4M3, 1),
        ("float8_e5m2fnuz", Dtype::F8_E5M2FNUZ, 1),
        ("float8_e4m3fnuz", Dtype::F8_E4M3FNUZ, 1),
        ("float8_e8m0fnu", Dtype::F8_E8M0, 1),
        ("float16", Dtype::F16, 2),
    ];
    assert_eq!(lists.len(), types.len());
    for (name, dtype, size) in types {
        let (bytes, expected) = &lists[name];
        assert!(expected.len() > 80, "{name}");
        let found = one(name, dtype, bytes.clone(), size);
        for (found, expected) in found.values().iter().zip(expected) {
            let is_same = found.to_bits() == expected.to_bits();
            assert!(
                is_same || found.is_nan() && expected.is_nan(),
                "{name}: {found} {expected}"
            );
        }
    }
}

#[test]
fn numbers_of_whole_bytes_are_read() {
    let bytes = |all: &[[u8; 2]]| all.concat();
    // 1, -2.5 and an infinity, the upper halves of 32-bit floats.
    let brain = one(
        "bf16",
        Dtype::BF16,
        bytes(&[[0x80, 0x3f], [0x20, 0xc0], [0x80, 0x7f]]),
        2,
    );
    assert_eq!(brain.values(), [1.0, -2.5, f32::INFINITY]);
    assert_eq!(
        one("bool", Dtype::BOOL, vec![0, 1, 1], 1).values(),
        [0.0, 1.0, 1.0]
    );
    assert_eq!(one("u8", Dtype::U8, vec![0, 255], 1).values(), [0.0, 255.0]);
    assert_eq!(
        one("i8", Dtype::I8, vec![255, 128], 1).values(),
        [-1.0, -128.0]
    );
    assert_eq!(
        one("i16", Dtype::I16, bytes(&[[0, 128]]), 2).values(),
        [-32768.0]
    );
    assert_eq!(
        one("u16", Dtype::U16, bytes(&[[0, 128]]), 2).values(),
        [32768.0]
    );
    let wide = |name, dtype, bytes: Vec<u8>, size| {
        one(name, dtype, bytes, size)
            .double_values()
            .expect("64 bits")
            .to_vec()
    };
    let int = 16_777_217i32.to_le_bytes().to_vec();
    assert_eq!(wide("i32", Dtype::I32, int, 4), [16_777_217.0]);
    assert_eq!(wide("u32", Dtype::U32, vec![255; 4], 4), [4_294_967_295.0]);
    assert_eq!(wide("i64", Dtype::I64, vec![255; 8], 8), [-1.0]);
    assert_eq!(
        wide("u64", Dtype::U64, vec![255; 8], 8),
        [18_446_744_073_709_551_615.0]
    );
    assert_eq!(
        wide("f64", Dtype::F64, 0.1f64.to_le_bytes().to_vec(), 8),
        [0.1]
    );
}

#[test]
fn what_nobody_asks_for_is_not_looked_at() {
    let path = written(
        "others",
        &[
            ("w", Dtype::F32, vec![1], vec![0; 4]),
            ("phase", Dtype::C64, vec![1], vec![0; 8]),
            ("packed", Dtype::F4, vec![2], vec![0; 1]),
        ],
    );
    let all = Checkpoint::load(&path).expect("a checkpoint");
    assert_eq!(all.tensors.keys().collect::<Vec<_>>(), ["w"]);
    let said = "`phase` holds complex numbers (C64) in the file: write it as floats";
    assert_eq!(all.missing("phase").to_string(), said);
    assert!(matches!(
        all.missing("packed"),
        CheckpointError::Unfit { .. }
    ));
    let some = Checkpoint::load_only(&path, &|name| name == "w").expect("a checkpoint");
    assert_eq!(some.others["phase"], Other::Unread);
    let said = "the checkpoint has no `v`: it has `w`, `phase`, `packed`";
    assert_eq!(some.missing("v").to_string(), said);
}

/// Runs `w * x` from a checkpoint of these sizes.
fn begun(program: &str, sizes: Vec<u64>, transposed: bool) -> Result<Vec<f32>, String> {
    struct Nobody;
    impl Watch for Nobody {}
    let count: u64 = sizes.iter().product();
    let values = (0..count).map(|at| at as f32).collect();
    let mut checkpoint = Checkpoint::default();
    let tensor = Tensor::new(sizes, values).expect("a tensor");
    checkpoint.tensors.insert("w".to_string(), tensor);
    if transposed {
        checkpoint.transpose("w").expect("it is there");
    }
    let reading = lozenge::read(program, &Options::default()).expect("a program");
    let settings = Settings {
        begin: Begin::Load(checkpoint),
        ..Settings::default()
    };
    let data = lozenge::load(&reading.program, std::path::Path::new("")).expect("data");
    let mut device = Interpreter::new(Limits::default());
    let (program, inference) = (&reading.program, &reading.inference);
    let ran = lozenge::train(
        program,
        inference,
        &data,
        &mut device,
        &settings,
        &mut Nobody,
    );
    let y = program.find("y").expect("y");
    ran.map(|tensors| tensors[y.0].values().to_vec())
        .map_err(|error| error.to_string())
}

#[test]
fn a_matrix_with_outputs_first_is_recognised_and_turned() {
    let program = "data x : 3 = [1, 10, 100]\nparam w : 3->2\nlet y = w * x\n";
    // [[0, 1], [2, 3], [4, 5]] by inputs: 0 + 20 + 400, 1 + 30 + 500.
    assert_eq!(begun(program, vec![3, 2], false), Ok(vec![420.0, 531.0]));
    let error = begun(program, vec![2, 3], false).expect_err("it is turned");
    assert!(
        error.contains("[3, 2] in the program and [2, 3] in the checkpoint"),
        "{error}"
    );
    assert!(error.contains("--transpose w"), "{error}");
    // [[0, 1, 2], [3, 4, 5]] by outputs: 0 + 10 + 200, 3 + 40 + 500.
    assert_eq!(begun(program, vec![2, 3], true), Ok(vec![210.0, 543.0]));
    let other = begun(program, vec![5, 3], false).expect_err("another size");
    assert!(!other.contains("transpose"), "{other}");
}

#[test]
fn axes_are_put_into_the_opposite_order() {
    let mut checkpoint = Checkpoint::default();
    let values: Vec<f64> = (0..24).map(f64::from).collect();
    let cube = Tensor::wide(vec![2, 3, 4], values).expect("a tensor");
    checkpoint.tensors.insert("w".to_string(), cube);
    checkpoint.transpose("w").expect("it is there");
    let turned = &checkpoint.tensors["w"];
    assert_eq!(turned.shape(), [4, 3, 2]);
    // np.arange(24).reshape(2, 3, 4).T.ravel()[:8]
    let expected = [0.0, 12.0, 4.0, 16.0, 8.0, 20.0, 1.0, 13.0];
    assert_eq!(turned.double_values().expect("64 bits")[..8], expected);
    assert!(matches!(
        checkpoint.transpose("v"),
        Err(CheckpointError::Missing { .. })
    ));
}

/// Files that are cut off, or whose headers say something else than they hold, are damaged; others are of another kind.
#[test]
fn only_a_damaged_file_is_called_so() {
    let header = |text: &str| {
        let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
        bytes.extend(text.as_bytes());
        bytes
    };
    let with = |text: &str, more: usize| [header(text), vec![0; more]].concat();
    let entry = |dtype: &str, offsets: &str| {
        format!(
            "{{\"a\":{{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}},\"b\":{{\"dtype\":\"{dtype}\",\"shape\":[1],\"data_offsets\":{offsets}}}}}"
        )
    };
    let good = with(&entry("F32", "[8,12]"), 12);
    assert!(Checkpoint::load(&file("good", &good)).is_ok());
    let damaged = [
        ("cut header", good[..20].to_vec(), "its header should have"),
        (
            "cut length",
            good[..5].to_vec(),
            "it ends after 5 of the 8 bytes",
        ),
        (
            "cut values",
            good[..good.len() - 1].to_vec(),
            "shorter or longer than its header says",
        ),
        (
            "overlap",
            with(&entry("F32", "[4,8]"), 12),
            "the values of `b` do not begin where",
        ),
        (
            "hole",
            with(&entry("F32", "[10,14]"), 14),
            "the values of `b` do not begin where",
        ),
        (
            "size",
            with(&entry("F32", "[8,16]"), 16),
            "ask for another number of bytes",
        ),
        (
            "no json",
            with("{\"a\": nothing", 0),
            "its header cannot be read",
        ),
        (
            "huge",
            [vec![255; 8], b"{".to_vec()].concat(),
            "its header should have 18446744073709551615 bytes",
        ),
    ];
    for (name, bytes, words) in damaged {
        let error = Checkpoint::load(&file(name, &bytes)).expect_err(name);
        assert!(
            matches!(error, CheckpointError::Damaged { .. }),
            "{name}: {error}"
        );
        assert!(error.to_string().contains(words), "{name}: {error}");
    }
    let foreign = [
        ("type", with(&entry("F99", "[8,12]"), 12), "F99"),
        (
            "text",
            b"id,name,age\n1,2,3\n".to_vec(),
            "neither a file of safetensors nor",
        ),
        ("hdf", b"\x89HDF\r\n\x1a\n123".to_vec(), "HDF5"),
        ("pickle", b"\x80\x04\x95123456789".to_vec(), "pickled"),
        (
            "npy",
            b"\x93NUMPY\x01\x00v\x00{'descr'".to_vec(),
            "one array of NumPy",
        ),
    ];
    for (name, bytes, words) in foreign {
        let error = Checkpoint::load(&file(name, &bytes)).expect_err(name);
        assert!(
            matches!(error, CheckpointError::Foreign { .. }),
            "{name}: {error}"
        );
        assert!(error.to_string().contains(words), "{name}: {error}");
    }
}

/// No byte that is changed or cut off makes the reader panic.
#[test]
fn any_change_of_a_file_is_read_or_refused() {
    let path = written("changed", &[("w", Dtype::F16, vec![2, 2], vec![7; 8])]);
    let bytes = std::fs::read(&path).expect("it is there");
    let mut refused = 0;
    for at in 0..bytes.len() {
        for change in [1, 0x10, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            refused += usize::from(Checkpoint::load(&file("changed", &changed)).is_err());
        }
        refused += usize::from(Checkpoint::load(&file("changed", &bytes[..at])).is_err());
    }
    assert!(refused > 2 * bytes.len(), "{refused}");
}
