//! Values from files: what is read, and the errors about a file that does not fit.

use std::io::Write;
use std::path::PathBuf;

use lozenge_lang::{LoadError, load, load_wide, parse, parse_in};
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::Surroundings;
use lozenge_vocabulary::{DimTerm, RowTerm};
use proptest::prelude::*;

/// Makes a folder for one test only, with one file in it.
fn folder(test: &str, file: &str, bytes: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    std::fs::write(folder.join(file), bytes).expect("a file for the test");
    folder
}

fn values(test: &str, content: &str, line: &str) -> Result<Vec<f32>, Box<LoadError>> {
    let folder = folder(test, "x.csv", content.as_bytes());
    let program = parse(line).expect("a program");
    load(&program, &folder).map(|mut loaded| loaded.remove(&TensorId(0)).expect("the values of x"))
}

/// Asserts the line of the error, the position of the value in it, and the message; its help must contain `help`.
#[track_caller]
fn refused(
    content: &str,
    line: &str,
    place: (Option<u64>, Option<usize>),
    message: &str,
    help: &str,
) {
    let test = format!("refused_{}", std::panic::Location::caller().line());
    let error = values(&test, content, line).expect_err("the file does not fit");
    assert_eq!((error.line, error.field), place, "{error}");
    assert_eq!(error.message, message);
    assert!(error.help.contains(help), "{}", error.help);
    assert_eq!(error.tensor, "x");
    assert!(error.path.ends_with("x.csv"));
}

const THREE: &str = "1,2,3\n4,5,6\n";

#[test]
fn columns_are_read_row_by_row() {
    let read = |line| values("columns", THREE, line).expect("the values");
    assert_eq!(
        read("data x : 2|->2 from \"x.csv\" columns 0..2"),
        [1.0, 2.0, 4.0, 5.0]
    );
    assert_eq!(read("data x : 2| from \"x.csv\" column 2"), [3.0, 6.0]);
    assert_eq!(
        read("data x : 2, 3 from \"x.csv\""),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
    assert_eq!(
        read("data x : 6 from \"x.csv\""),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
}

#[test]
fn a_header_is_passed_over_and_blanks_are_trimmed() {
    let line = "data x : 2 from \"x.csv\" column 1 header";
    assert_eq!(
        values("header", "a,b\n 1, -2.5 \n3,1e3", line).expect("the values"),
        [-2.5, 1000.0]
    );
}

#[test]
fn cells_may_be_quoted_and_a_quote_that_stays_open_is_refused() {
    let line = "data x : 2 from \"x.csv\" column 1";
    assert_eq!(
        values("quoted", "\"1\",\"2\"\n3,\"4\"", line).expect("the values"),
        [2.0, 4.0]
    );
    refused(
        "1,2\n1,\"2\n3,4",
        line,
        (Some(2), None),
        "a quote is opened here, and the file ends before it is closed",
        "close it",
    );
    refused(
        "1,2\n\"a\n,\"b,3\n",
        line,
        (Some(2), None),
        "a quote is opened here, and the one in line 3 that closes it is followed by `b`",
        "doubled",
    );
}

/// A quote that stays open does not fill the memory.
#[test]
fn lines_and_open_quotes_end_at_the_limit() {
    let folder = folder("limit", "x.csv", &b"1,\"2\n3,4\n".repeat(3)[..]);
    let program = |limit| {
        let mut program = parse("data x : 6 from \"x.csv\" column 0").expect("a program");
        program.surroundings.limits.line_bytes = limit;
        program
    };
    let error = load(&program(5), &folder).expect_err("it is open for 6 bytes");
    assert_eq!(error.line, Some(1));
    assert!(
        error.message.contains("not closed within 5 bytes"),
        "{error}"
    );
    assert!(error.help.contains("--max-line-bytes"), "{error}");
    let error = load(&program(4), &folder).expect_err("the first line has 5 bytes");
    assert_eq!(error.message, "the line is longer than 4 bytes");
    std::fs::write(folder.join("x.csv"), "1,2\n".repeat(6)).expect("written");
    assert!(load(&program(4), &folder).is_ok());
    assert!(load(&program(3), &folder).is_err());
}

/// The line of an error is that of the file, whatever stands above it.
#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    let line = "data x : 9 from \"x.csv\" column 0 comments \"#\"";
    for above in [
        "",
        "\n\n",
        "# a\n\n# b\n",
        "\"1\n\n\n\",2\n\n",
        "\r\n# \r\n",
        " \n\t\n",
    ] {
        let expected = above.matches('\n').count() as u64 + 1;
        let error = values("lines", &format!("{above}x,1\n"), line).expect_err("no number");
        assert_eq!(error.line, Some(expected), "{above:?}: {error}");
    }
}

#[test]
fn a_name_in_gz_is_decompressed() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(THREE.as_bytes()).expect("compressed");
    let folder = folder("gz", "x.csv.gz", &encoder.finish().expect("compressed"));
    let program = parse("data x : 2 from \"x.csv.gz\" column 0").expect("a program");
    assert_eq!(
        load(&program, &folder).expect("the values")[&TensorId(0)],
        [1.0, 4.0]
    );
}

#[test]
fn values_of_the_program_itself() {
    let program = parse("data a = [1, -2.5]\nparam p\ndata b : 2|2 = range(4)").expect("a program");
    let loaded = load(&program, &PathBuf::new()).expect("the values");
    assert_eq!(loaded.len(), 2);
    assert_eq!(loaded[&TensorId(0)], [1.0, -2.5]);
    assert_eq!(loaded[&TensorId(2)], [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn a_short_file_and_a_long_one() {
    let line = "data x : 3|->2 from \"x.csv\" columns 0..2";
    let rows = "asks for 3 rows of 2 columns";
    refused(
        THREE,
        line,
        (Some(2), None),
        "the file ends after 4 of 6 values",
        rows,
    );
    let line = "data x : 1|->2 from \"x.csv\" columns 0..2";
    refused(
        THREE,
        line,
        (Some(2), None),
        "the file goes on after the 2 values of the shape",
        "correct the shape",
    );
    refused(
        THREE,
        "data x : 4 from \"x.csv\"",
        (Some(2), None),
        "the file goes on after the 4 values of the shape",
        "name the columns",
    );
    refused(
        "",
        "data x : 1 from \"x.csv\"",
        (None, None),
        "the file ends after 0 of 1 values",
        "name the columns",
    );
}

#[test]
fn a_short_row() {
    let line = "data x : 3 from \"x.csv\" column 1";
    refused(
        "1,2\n3,4\n5\n",
        line,
        (Some(3), None),
        "the row has 1 column, the first row 2",
        "correct the file",
    );
}

#[test]
fn rows_of_different_width_when_all_columns_are_read() {
    refused(
        "1,2\n3,4,5,6\n",
        "data x : 2, 3 from \"x.csv\"",
        (Some(2), None),
        "the row has 4 columns, the first row 2",
        "stands in quotes",
    );
}

#[test]
fn what_is_not_a_number() {
    let line = "data x : 3 from \"x.csv\" column 1";
    refused(
        "1,2\n3,x\n5,6",
        line,
        (Some(2), Some(2)),
        "`x` is not a number",
        "`1e-3`",
    );
    refused(
        "a,b\n3,4\n5,6",
        line,
        (Some(1), Some(2)),
        "`b` is not a number",
        "`header`",
    );
    refused(
        "1,2\n3,\n5,6",
        line,
        (Some(2), Some(2)),
        "the cell is empty",
        "`missing nan`",
    );
    refused(
        "1,2\n3,1e99\n5,6",
        line,
        (Some(2), Some(2)),
        "`1e99` does not fit",
        "3.4028235e38",
    );
    // With a decimal comma.
    refused(
        "1;2\n3;1,5\n5;6",
        "data x : 3 from \"x.csv\" column 1 separator \";\"",
        (Some(2), Some(2)),
        "`1,5` is not a number",
        "no commas",
    );
}

/// The first of two columns of one name was read without a word.
#[test]
fn two_columns_of_one_name_are_refused_by_name_and_read_by_number() {
    let table = "a,b,a\n1,2,3\n";
    refused(
        table,
        "data x : 1 from \"x.csv\" column \"a\" header",
        (None, None),
        "the columns 0 and 2 are both called `a`",
        "`column 0`",
    );
    let by_number = "data x : 1 from \"x.csv\" column 2 header";
    assert_eq!(
        values("two_of_one_name", table, by_number).expect("the values"),
        [3.0]
    );
}

#[test]
fn values_that_are_no_finite_numbers_are_read() {
    let line = "data x : 4 from \"x.csv\" column 0";
    let read = values("non_finite", "nan\ninf\n-inf\nNaN", line).expect("the values");
    assert!(read[0].is_nan() && read[3].is_nan(), "{read:?}");
    assert_eq!(read[1..3], [f32::INFINITY, f32::NEG_INFINITY]);
}

#[test]
fn a_file_that_is_missing_or_unreadable() {
    let program = parse("data x : 3 from \"nowhere.csv\"").expect("a program");
    let error = load(&program, &PathBuf::from("some/folder")).expect_err("there is no such file");
    assert!(error.message.starts_with("cannot be opened: "), "{error}");
    assert!(error.help.contains("beside the program"));
    assert_eq!(error.path, PathBuf::from("some/folder/nowhere.csv"));

    let folder = folder("unreadable", "x.csv.gz", b"no gzip file");
    let program = parse("data x : 3 from \"x.csv.gz\"").expect("a program");
    let error = load(&program, &folder).expect_err("it is no gzip file");
    assert!(error.message.starts_with("cannot be read: "), "{error}");
    assert!(error.help.contains("gzip"), "{error}");

    let folder = self::folder("latin", "x.csv", b"1,\xe9\n");
    let program = parse("data x : 1 from \"x.csv\" column 0").expect("a program");
    assert!(
        load(&program, &folder).is_ok(),
        "a cell that is not read may be anything"
    );
    let program = parse("data x : 1 from \"x.csv\" column 1").expect("a program");
    let error = load(&program, &folder).expect_err("it is not in UTF-8");
    assert!(error.help.contains("UTF-8"), "{error}");
}

#[test]
fn shown_at_the_place_of_the_data() {
    let source = "data x : 2 from \"nowhere.csv\"";
    let program = parse(source).expect("a program");
    let error = load(&program, &PathBuf::new()).expect_err("there is no such file");
    let shown = error.diagnostic().render(source, "p.loz", false);
    assert!(shown.contains("nowhere.csv: cannot be opened"), "{shown}");
    assert!(shown.contains("p.loz:1:6"), "{shown}");
    assert!(
        shown.contains("help: `nowhere.csv` is looked for beside the program"),
        "{shown}"
    );
}

/// Data without a source has a shape; its values are given when the program is run.
#[test]
fn values_may_come_from_outside() {
    let program = parse("data x : 3|->2\nlet y = x + 1\n").expect("a program");
    assert_eq!(program.tensors[0].shape.batch.to_string(), "[3]");
    let error = load(&program, std::path::Path::new("")).expect_err("nobody gives them");
    assert_eq!(error.message, "`x` has no values");
    let unsized_rows = "data x : n|->2\nlet y = x + 1\n";
    let errors = parse(unsized_rows).expect_err("no size");
    assert_eq!(errors[0].message, "nothing says how large `n` is");
    let program = parse_in(unsized_rows, &Surroundings::default().with_size("n", 5));
    let shape = program.expect("a program").tensors[0]
        .shape
        .batch
        .to_string();
    assert_eq!(shape, "[5]");
    assert!(parse("data x\n").is_err());
}

/// Pieces of texts that are nearly tables.
const PIECES: &[&str] = &[
    "1", "2.5", "-inf", "nan", "NA", "1e999", "1,5", "a", "\"", "\"\"", ",", ",", ";", "\t", "|",
    " ", "#", "\n", "\n", "\r\n", "\r", "\u{feff}", "\0", "é",
];

/// Lines of programs that read them.
const READERS: &[&str] = &[
    "data x : n|->c from \"x.csv\"",
    "data x : n| from \"x.csv\" column \"a\" header",
    "data x : n|->c from \"x.csv\" columns 1.. header missing nan",
    "data x : n| from \"x.csv\" column 0 separator \";\" shuffled 3",
    "data x : n|->c from \"x.csv\" separator blanks comments \"#\" rows 1..",
    "data x : n|->c from \"x.tsv\" missing 0 rows 0..2",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Any table is read, as many values as the shape has, or refused with a help.
    #[test]
    fn any_table_is_read_or_refused(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..30),
        bytes: Vec<u8>,
        is_text in any::<bool>(),
        reader in proptest::sample::select(READERS),
    ) {
        let content = if is_text { pieces.concat().into_bytes() } else { bytes };
        let folder = folder("any_table", "x.csv", &content);
        std::fs::write(folder.join("x.tsv"), &content).expect("written");
        match parse_in(reader, &Surroundings::folder(&folder)) {
            Err(errors) => assert!(errors.iter().all(|error| error.help.is_some())),
            Ok(program) => match load_wide(&program, &folder) {
                Err(error) => assert!(!error.help.is_empty()),
                Ok(loaded) => {
                    let rows = program.tensors[0].shape.rows().into_iter();
                    let sizes = rows.flat_map(RowTerm::axes).map(|axis| match axis {
                        DimTerm::Const(dim) => dim.size() as usize,
                        DimTerm::Var(_) => 0,
                    });
                    assert_eq!(loaded[&TensorId(0)].len(), sizes.product::<usize>());
                }
            },
        }
    }
}
