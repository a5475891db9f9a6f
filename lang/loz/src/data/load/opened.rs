//! The opening of a text file: decompression, the byte order mark, and files that are no text.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// The number of bytes at the beginning of a file that are looked at before the file is read.
const HEAD: u64 = 1 << 13;

/// The number of bytes that are read together.
const TOGETHER: usize = 1 << 16;

/// A file of another kind than its name says: the kind, and advice.
pub(super) type Foreign = (&'static str, &'static str);

/// A text file that is open.
pub(super) struct Opened {
    /// Its bytes, decompressed, without a byte order mark.
    pub input: Box<dyn BufRead>,
    /// The bytes at its beginning.
    pub head: Vec<u8>,
    /// True if the file has no other bytes.
    pub is_whole: bool,
}

/// Opens a text file, which is decompressed if its name ends in `.gz`.
///
/// # Errors
/// The error of the system, or of the decompression; a file that begins like one of another kind.
pub(super) fn opened(path: &Path) -> io::Result<Result<Opened, Foreign>> {
    let file = File::open(path)?;
    let is_compressed = path.extension().is_some_and(|end| end == "gz");
    let mut input: Box<dyn Read> = match is_compressed {
        true => Box::new(flate2::read::MultiGzDecoder::new(BufReader::new(file))),
        false => Box::new(file),
    };
    let mut head = Vec::new();
    (&mut input).take(HEAD).read_to_end(&mut head)?;
    if let Some(foreign) = foreign(&head) {
        return Ok(Err(foreign));
    }
    let is_whole = (head.len() as u64) < HEAD;
    if head.starts_with(b"\xef\xbb\xbf") {
        head.drain(..3);
    }
    let input = Cursor::new(head.clone()).chain(BufReader::with_capacity(TOGETHER, input));
    let input = Box::new(input);
    Ok(Ok(Opened {
        input,
        head,
        is_whole,
    }))
}

/// Tells the kind of a file that is no text, by its first bytes.
fn foreign(head: &[u8]) -> Option<Foreign> {
    const KINDS: [(&[u8], Foreign); 6] = [
        (
            b"\x1f\x8b",
            ("the file is compressed", "let its name end in `.gz`"),
        ),
        (
            b"PK\x03\x04",
            (
                "the file is an archive or a spreadsheet",
                "save the table as CSV; an archive of NumPy has a name that ends in `.npz`",
            ),
        ),
        (
            b"\x93NUMPY",
            (
                "the file is an array of NumPy",
                "let its name end in `.npy`",
            ),
        ),
        (
            b"PAR1",
            (
                "the file is a table of Parquet",
                "write it as CSV, or its columns as an array of NumPy",
            ),
        ),
        (b"\xff\xfe", ("the text is in UTF-16", "save it as UTF-8")),
        (b"\xfe\xff", ("the text is in UTF-16", "save it as UTF-8")),
    ];
    let found = KINDS.iter().find(|(start, _)| head.starts_with(start));
    found.map(|(_, foreign)| *foreign)
}
