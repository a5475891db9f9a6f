//! Values from files that NumPy wrote: what is read, and the errors about a file that does not fit.

use std::path::{Path, PathBuf};

use lozenge_lang::numpy::{self, ArrayError, Numbers};
use lozenge_lang::{LoadError, load, parse, parse_in};
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::Surroundings;
use lozenge_vocabulary::{DimTerm, RowTerm};

/// Returns the folder of the files that NumPy wrote.
fn written() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numpy")
}

fn in_folder(line: &str, folder: &Path) -> Result<Vec<f32>, Box<LoadError>> {
    let program = parse(line).expect("a program");
    load(&program, folder).map(|mut loaded| loaded.remove(&TensorId(0)).expect("the values of x"))
}

fn values(line: &str) -> Vec<f32> {
    in_folder(line, &written()).expect("the values")
}

#[track_caller]
fn refused(line: &str, message: &str, help: &str) {
    let error = in_folder(line, &written()).expect_err("the file does not fit");
    assert_eq!(error.message, message);
    assert!(error.help.contains(help), "{}", error.help);
    assert_eq!(error.tensor, "x");
}

#[test]
fn numbers_of_all_types_are_read() {
    let table: Vec<f32> = (0..12).map(|at| at as f32 * 0.5 - 1.0).collect();
    assert_eq!(values("data x : 4|->3 from \"double.npy\""), table);
    assert_eq!(values("data x : 4|->3 from \"fortran.npy\""), table);
    let count: Vec<f32> = (0..24).map(|at| at as f32).collect();
    assert_eq!(values("data x : 2|->3, 4 from \"cube.npy\""), count);
    assert_eq!(values("data x : 3 from \"big.npy\""), [1.0, -2.0, 300.0]);
    let half = [1.0, -0.5, 65504.0, 2f32.powi(-24), f32::INFINITY];
    assert_eq!(values("data x : 5 from \"half.npy\""), half);
    assert_eq!(values("data x : 2, 1 from \"truth.npy\""), [1.0, 0.0]);
    assert_eq!(
        values("data x : 4|->3 from \"two.npz\" array \"images\""),
        table
    );
    assert_eq!(
        values("data x : 4| from \"two.npz\" array \"labels\""),
        [0.0, 1.0, 2.0, 3.0]
    );
    assert_eq!(values("data x : 40|->3 from \"one.npz\""), [0.0; 120]);
}

#[test]
fn rows_and_columns_are_chosen_and_shuffled() {
    let all = values("data x : 4|->3 from \"double.npy\"");
    assert_eq!(
        values("data x : 2|->3 from \"double.npy\" rows 1..3"),
        all[3..9]
    );
    assert_eq!(
        values("data x : 1|->3 from \"double.npy\" rows 3.."),
        all[9..]
    );
    let second: Vec<f32> = all.chunks(3).map(|row| row[1]).collect();
    assert_eq!(values("data x : 4| from \"double.npy\" column 1"), second);
    let flat = "data x : 2|->2, 6 from \"cube.npy\" columns 0..12";
    assert_eq!(values(flat).len(), 24, "the cells of a row have an order");
    // The same key gives the order that it gives to the rows of a table.
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("arrays_shuffled");
    std::fs::create_dir_all(&folder).unwrap();
    let lines: Vec<String> = all
        .chunks(3)
        .map(|row| format!("{},{},{}\n", row[0], row[1], row[2]))
        .collect();
    std::fs::write(folder.join("x.csv"), lines.concat()).unwrap();
    let options = "shuffled 5 rows 1..4";
    let table = in_folder(&format!("data x : 3|->3 from \"x.csv\" {options}"), &folder).unwrap();
    let array = values(&format!("data x : 3|->3 from \"double.npy\" {options}"));
    assert_eq!(array, table);
    assert_ne!(array, all[3..], "they are permuted");
}

#[test]
fn labels_get_the_sizes_of_the_axes() {
    let sizes = |line: &str| {
        let surroundings = Surroundings {
            folder: Some(written()),
            ..Surroundings::default()
        };
        let program = parse_in(line, &surroundings).expect("a program");
        let rows = program[TensorId(0)].shape.rows().into_iter();
        let axes = rows.flat_map(RowTerm::axes).map(|axis| match axis {
            DimTerm::Const(dim) => dim.size(),
            DimTerm::Var(_) => 0,
        });
        axes.collect::<Vec<_>>()
    };
    assert_eq!(sizes("data x : a|->b, c from \"cube.npy\""), [2, 3, 4]);
    assert_eq!(sizes("data x : a:2|b->c from \"cube.npy\""), [2, 3, 4]);
    assert_eq!(sizes("data x : n|->p from \"double.npy\" rows 1.."), [3, 3]);
    assert_eq!(
        sizes("data x : n|->2 from \"double.npy\" columns 1..3"),
        [4, 2]
    );
    assert_eq!(sizes("data x : n|->p from \"one.npz\""), [40, 3]);
}

#[test]
fn what_does_not_fit_is_said() {
    refused(
        "data x : 3|->4 from \"double.npy\"",
        "the array has the shape [4, 3], and `x` has [3, 4]",
        "columns 0..3",
    );
    refused(
        "data x : 4|->3 from \"double.npy\" rows 0..3",
        "the rows of the array that are read have the shape [3, 3], and `x` has [4, 3]",
        "correct the shape",
    );
    refused(
        "data x : 4|->2 from \"double.npy\" columns 2..4",
        "a row of the array has 3 values, and the columns from 2 to before 4 are wanted",
        "counted from 0",
    );
    refused(
        "data x : 5| from \"double.npy\" column 0",
        "4 rows of 1 columns are 4 values, and `x` has 5",
        "correct the shape",
    );
    refused(
        "data x : 3 from \"complex.npy\"",
        "the values of the array are complex numbers (`<c8`)",
        "x.real",
    );
    refused(
        "data x : 2 from \"text.npy\"",
        "the values of the array are texts (`<U2`)",
        "astype",
    );
    refused(
        "data x : 2 from \"record.npy\"",
        "the values of the array are records of several fields (`[('a', '<f4'), ('b', '<i4')]`)",
        "structured_to_unstructured",
    );
    refused(
        "data x : 2 from \"huge.npy\"",
        "value 1, 1e300, is too large for a 32-bit float",
        "3.4028235e38",
    );
    refused(
        "data x : 4 from \"two.npz\"",
        "the archive has 2 arrays",
        "array \"images\"",
    );
    refused(
        "data x : 4 from \"two.npz\" array \"label\"",
        "the archive has no array `label`",
        "did you mean `labels`?",
    );
    let missing = in_folder("data x : 4 from \"no.npy\"", &written()).expect_err("it is not there");
    assert!(missing.message.starts_with("cannot be opened"), "{missing}");
    for (line, message) in [
        (
            "data x : 3 from \"big.npy\" header",
            "the file has no `header`",
        ),
        (
            "data x : 3 from \"big.npy\" array \"a\"",
            "the file has no `array`",
        ),
    ] {
        let errors = parse(line).expect_err("an option that the file does not have");
        assert_eq!(errors[0].message, message);
    }
}

/// A file that is cut at any byte, or has a byte changed, is refused or read; nothing panics, and no memory is taken
/// for values that are not there.
#[test]
fn a_damaged_file_is_refused() {
    for name in ["double.npy", "fortran.npy", "cube.npy", "half.npy"] {
        let bytes = std::fs::read(written().join(name)).unwrap();
        let whole = numpy::read(&bytes[..], 100).expect("it is whole");
        for end in 0..bytes.len() {
            numpy::read(&bytes[..end], 100).expect_err("it is cut");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(
            numpy::read(&longer[..], 100),
            Err(ArrayError::Long(whole.values.len()))
        );
        for at in 0..128 {
            for byte in 0..=255 {
                let mut other = bytes.clone();
                other[at] = byte;
                let _ = numpy::read(&other[..], 100);
            }
        }
    }
    let bytes = std::fs::read(written().join("double.npy")).unwrap();
    assert_eq!(
        numpy::read(&bytes[..bytes.len() - 9], 100),
        Err(ArrayError::Short {
            found: 10,
            expected: 12
        })
    );
    assert!(matches!(
        numpy::read(&bytes[..], 11),
        Err(ArrayError::TooLarge { .. })
    ));
    let mut lying = bytes.clone();
    let at = bytes.windows(6).position(|part| part == b"(4, 3)").unwrap();
    lying[at..at + 19].copy_from_slice(b"(4000000000, 3), } ");
    assert_eq!(
        numpy::read(&lying[..], u64::MAX),
        Err(ArrayError::Short {
            found: 12,
            expected: 12_000_000_000
        })
    );
    for name in ["two.npz", "one.npz"] {
        let bytes = std::fs::read(written().join(name)).unwrap();
        for end in 0..bytes.len() {
            let part = std::io::Cursor::new(&bytes[..end]);
            assert!(
                numpy::read_archive(part, 1000).is_err(),
                "{name} cut at {end}"
            );
        }
    }
}

#[test]
fn what_is_written_is_what_numpy_writes_and_is_read_again() {
    let shape = [4, 3];
    let table: Vec<f32> = (0..12).map(|at| at as f32 * 0.5 - 1.0).collect();
    let mut file = Vec::new();
    numpy::write(&mut file, &shape, &table).unwrap();
    let archive = std::io::Cursor::new(std::fs::read(written().join("two.npz")).unwrap());
    let theirs = numpy::read_from_archive(archive, Some("images"), 100).unwrap();
    assert_eq!(numpy::read(&file[..], 100), Ok(theirs));
    assert_eq!(file.len(), 128 + 48);
    for shape in [vec![], vec![5], vec![1, 1, 5]] {
        let count = shape.iter().product::<u64>() as usize;
        let mut file = Vec::new();
        numpy::write(&mut file, &shape, &table[..count]).unwrap();
        let again = numpy::read(&file[..], 100).unwrap();
        assert_eq!(
            (again.shape, again.values),
            (shape, table[..count].to_vec())
        );
    }
    let two = |comment| {
        let mut file = std::io::Cursor::new(Vec::new());
        let arrays = [
            ("a", &shape[..], &table[..]),
            ("b.c", &[2][..], &table[..2]),
        ];
        numpy::write_archive(&mut file, arrays, comment).unwrap();
        file
    };
    let (names, comment) = numpy::archive(two("kept")).unwrap();
    assert_eq!(
        (names, comment.as_str()),
        (vec!["a".into(), "b.c".into()], "kept")
    );
    let arrays = numpy::read_archive(two(""), 100).unwrap();
    assert_eq!(arrays["a"].values, table);
    assert_eq!(arrays["b.c"].shape, [2]);
    assert_eq!(
        two("x").into_inner(),
        two("x").into_inner(),
        "the same bytes"
    );
    assert!(
        numpy::read_archive(two(""), 13).is_err(),
        "the limit is of all together"
    );
}

#[test]
fn floats_of_64_bits_are_kept_where_that_is_asked_for() {
    let table = [1.0 / 3.0, -2e300, f64::NAN];
    let mut file = Vec::new();
    numpy::write(&mut file, &[3], Numbers::Double(&table)).unwrap();
    let whole = numpy::read_whole(&file[..], 100).unwrap();
    assert_eq!(whole.double.as_ref().unwrap()[..2], table[..2]);
    assert_eq!(
        whole.values[..2],
        [table[0] as f32, f32::NEG_INFINITY],
        "rounded"
    );
    assert!(matches!(
        numpy::read(&file[..], 100),
        Err(ArrayError::Overflow { at: 1, .. })
    ));
    let mut archive = std::io::Cursor::new(Vec::new());
    let arrays = [("a", &[3][..], Numbers::Double(&table))];
    numpy::write_archive(&mut archive, arrays, "").unwrap();
    let read = numpy::read_archive(archive, 100).unwrap();
    assert_eq!(read["a"].double.as_ref().unwrap()[..2], table[..2]);
}
