//! The header of a `.npy` file: `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.

use std::io::Read;

use super::{ArrayError, COMPLEX, Numbers, RECORDS, UNKNOWN, fill};

const MAGIC: &[u8] = b"\x93NUMPY";

/// The largest header that is read. NumPy itself refuses headers of more than 10,000 characters.
const MOST: usize = 1 << 16;

/// The meaning of the bytes behind it.
pub(super) struct Header {
    pub number: Number,
    /// True if the bytes of a value have to be reversed to be little-endian.
    pub swapped: bool,
    /// True if the first axis is the fastest.
    pub fortran: bool,
    pub shape: Vec<u64>,
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Bool,
    Signed(usize),
    Unsigned(usize),
    Half,
    Single,
    Double,
}

impl Number {
    /// Returns the number of bytes.
    pub fn width(self) -> usize {
        match self {
            Number::Bool => 1,
            Number::Signed(width) | Number::Unsigned(width) => width,
            Number::Half => 2,
            Number::Single => 4,
            Number::Double => 8,
        }
    }

    /// Tells whether the type has values that no 32-bit float holds.
    pub fn is_wide(self) -> bool {
        match self {
            Number::Signed(width) | Number::Unsigned(width) => width > 2,
            Number::Double => true,
            Number::Bool | Number::Half | Number::Single => false,
        }
    }

    /// Reads the value of as many little-endian bytes.
    pub fn value(self, bytes: &[u8]) -> f64 {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(all);
        let unused = 64 - 8 * bytes.len() as u32;
        match self {
            Number::Bool => f64::from(bits != 0),
            Number::Signed(_) => ((bits << unused) as i64 >> unused) as f64,
            Number::Unsigned(_) => bits as f64,
            Number::Half => half(bits as u16),
            Number::Single => f64::from(f32::from_bits(bits as u32)),
            Number::Double => f64::from_bits(bits),
        }
    }
}

/// Reads a float of 16 bits: a sign, 5 bits of exponent, 10 of fraction.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match i32::from(bits >> 10 & 0x1f) {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

impl Header {
    /// Reads it, up to the first value.
    pub fn read(file: &mut impl Read) -> Result<Header, ArrayError> {
        let short = || ArrayError::Header("the file ends in it".to_string());
        let mut start = [0; 8];
        if fill(file, &mut start)? < start.len() || !start.starts_with(MAGIC) {
            return Err(ArrayError::NoArray);
        }
        let mut length = [0; 4];
        let bytes = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => {
                let message = format!("it is of version {version}, and 1 to 3 are known");
                return Err(ArrayError::Header(message));
            }
        };
        if fill(file, &mut length[..bytes])? < bytes {
            return Err(short());
        }
        let length = u32::from_le_bytes(length) as usize;
        if length > MOST {
            let message = format!("it has {length} bytes, more than {MOST}");
            return Err(ArrayError::Header(message));
        }
        let mut text = vec![0; length];
        if fill(file, &mut text)? < length {
            return Err(short());
        }
        let text = std::str::from_utf8(&text);
        Header::parse(text.map_err(|_| ArrayError::Header("it is not text".to_string()))?)
    }

    /// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Result<Header, ArrayError> {
        let mut rest = Rest(text.trim());
        let (mut dtype, mut fortran, mut shape) = (None, None, None);
        rest.sign("{")?;
        while rest.sign("}").is_err() {
            let key = rest.quoted()?;
            rest.sign(":")?;
            match key {
                "descr" => dtype = Some(rest.dtype()?),
                "fortran_order" => fortran = Some(rest.truth()?),
                "shape" => shape = Some(rest.sizes()?),
                _ => return Err(rest.wrong("`descr`, `fortran_order` or `shape`")),
            }
            if rest.sign(",").is_err() && !rest.0.starts_with('}') {
                return Err(rest.wrong("`,`"));
            }
        }
        if !rest.0.is_empty() {
            return Err(rest.wrong("its end"));
        }
        let (Some((number, swapped)), Some(fortran), Some(shape)) = (dtype, fortran, shape) else {
            let message = "it lacks `descr`, `fortran_order` or `shape`";
            return Err(ArrayError::Header(message.to_string()));
        };
        Ok(Header {
            number,
            swapped,
            fortran,
            shape,
        })
    }
}

/// The rest of a header's text, without blanks in front.
struct Rest<'t>(&'t str);

impl<'t> Rest<'t> {
    fn wrong(&self, expected: &str) -> ArrayError {
        let found: String = self.0.chars().take(12).collect();
        ArrayError::Header(format!("{expected} is expected before `{found}`"))
    }

    fn pass(&mut self, bytes: usize) {
        self.0 = self.0[bytes..].trim_start();
    }

    fn sign(&mut self, sign: &str) -> Result<(), ArrayError> {
        if !self.0.starts_with(sign) {
            return Err(self.wrong(&format!("`{sign}`")));
        }
        self.pass(sign.len());
        Ok(())
    }

    fn quoted(&mut self) -> Result<&'t str, ArrayError> {
        let text = self.0;
        let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let end = quote.and_then(|quote| text[1..].find(quote));
        let end = end.ok_or_else(|| self.wrong("a text in quotes"))?;
        self.pass(end + 2);
        Ok(&text[1..=end])
    }

    fn truth(&mut self) -> Result<bool, ArrayError> {
        if self.sign("True").is_ok() {
            return Ok(true);
        }
        let no = self.sign("False").map(|()| false);
        no.map_err(|_| self.wrong("`True` or `False`"))
    }

    /// Reads `(3, 4)`, `(3,)`, `()`; Python 2 wrote `(3L,)`.
    fn sizes(&mut self) -> Result<Vec<u64>, ArrayError> {
        let mut sizes = Vec::new();
        self.sign("(")?;
        while self.sign(")").is_err() {
            let end = self.0.find(|c: char| !c.is_ascii_digit());
            let end = end.unwrap_or(self.0.len());
            let size = self.0[..end].parse();
            sizes.push(size.map_err(|_| self.wrong("a size"))?);
            self.pass(end);
            let _ = self.sign("L");
            if self.sign(",").is_err() && !self.0.starts_with(')') {
                return Err(self.wrong("`,` or `)`"));
            }
        }
        Ok(sizes)
    }

    /// Reads `'<f4'`: the type, and a flag that is true if its bytes are in the other order.
    fn dtype(&mut self) -> Result<(Number, bool), ArrayError> {
        if self.0.starts_with('[') {
            let end = self.0.find("],").map_or(self.0.len(), |end| end + 1);
            let dtype: String = self.0[..end].chars().take(40).collect();
            let what = RECORDS;
            return Err(ArrayError::Values { what, dtype });
        }
        let text = self.quoted()?;
        let swapped = text.starts_with('>');
        let number = match text.trim_start_matches(['<', '>', '=', '|']) {
            "b1" | "?" => Number::Bool,
            "i1" => Number::Signed(1),
            "i2" => Number::Signed(2),
            "i4" => Number::Signed(4),
            "i8" => Number::Signed(8),
            "u1" => Number::Unsigned(1),
            "u2" => Number::Unsigned(2),
            "u4" => Number::Unsigned(4),
            "u8" => Number::Unsigned(8),
            "f2" => Number::Half,
            "f4" => Number::Single,
            "f8" => Number::Double,
            other => {
                let what = match other.as_bytes().first() {
                    Some(b'c') => COMPLEX,
                    Some(b'U' | b'S' | b'a') => "texts",
                    Some(b'O') => "pickled objects of Python",
                    Some(b'M' | b'm') => "dates or times",
                    Some(b'f') => "floats of more than 64 bits",
                    _ => UNKNOWN,
                };
                let dtype = text.chars().take(40).collect();
                return Err(ArrayError::Values { what, dtype });
            }
        };
        Ok((number, swapped))
    }
}

/// Writes the beginning of a file of these floats. Its length is a multiple of 64, as NumPy has it.
pub(super) fn written(shape: &[u64], values: Numbers<'_>) -> Vec<u8> {
    let dtype = match values {
        Numbers::Single(_) => "<f4",
        Numbers::Double(_) => "<f8",
    };
    let mut sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    if let [size] = sizes.as_mut_slice() {
        // The tuple of Python with one entry.
        size.push(',');
    }
    let sizes = sizes.join(", ");
    let mut text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({sizes}), }}");
    let before = MAGIC.len() + 4;
    let padding = 63 - (before + text.len()) % 64;
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}
