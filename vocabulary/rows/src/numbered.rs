//! Names that are a word and a number, such as `x12`. Most names of a large constraint set are.

/// A name that is a word without digits, of at most eight bytes, and a number that does not begin with 0. Two such
/// names are equal when their words and numbers are, and their order is the natural one: `a2` comes before `a10`.
///
/// ```
/// use lozenge_vocabulary::NumberedName;
///
/// let name = |name| NumberedName::of(name).expect("a word and a number");
/// assert!(name("a2") < name("a10") && name("a10") < name("b1"));
/// assert_eq!(name("a10").number, 10);
/// assert_eq!(NumberedName::of("a01"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NumberedName {
    /// The bytes of the word, followed by the digit 0 where it has fewer than eight. This keeps the order of names:
    /// where a shorter word ends its number begins, and all digits compare alike with other characters.
    pub word: u64,
    /// The number.
    pub number: u64,
}

impl NumberedName {
    /// Returns the parts of a name; `None` for a name of another kind.
    #[inline]
    pub fn of(name: &str) -> Option<NumberedName> {
        let (mut word, mut len) = (0, 0);
        let name = name.as_bytes();
        for byte in name.iter().take_while(|byte| !byte.is_ascii_digit()) {
            (word, len) = (word << 8 | u64::from(*byte), len + 1);
        }
        let digits = name.get(len..).filter(|digits| !digits.is_empty())?;
        let zero = digits.len() > 1 && digits[0] == b'0';
        if len > 8 || digits.len() > 18 || zero {
            return None;
        }
        for _ in len..8 {
            word = word << 8 | u64::from(b'0');
        }
        let mut number = 0;
        for digit in digits {
            if !digit.is_ascii_digit() {
                return None;
            }
            number = 10 * number + u64::from(digit - b'0');
        }
        Some(NumberedName { word, number })
    }
}
