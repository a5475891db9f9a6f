//! The natural order of names: a2 before a10.

use std::cmp::Ordering;

/// A name in the natural order. Most names of a large set are a short word followed by a number. Two such names are compared by
/// their words and numbers, without reading the text.
#[derive(Clone, Copy, Debug)]
pub struct Natural<'a> {
    name: &'a str,
    /// The word in the encoding of [`numbered`], and the number that follows it.
    numbered: Option<(u64, u64)>,
}

impl<'a> Natural<'a> {
    /// The name as a key of the natural order.
    pub fn new(name: &'a str) -> Natural<'a> {
        Natural {
            name,
            numbered: numbered(name.as_bytes()),
        }
    }
}

impl Ord for Natural<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.numbered, other.numbered) {
            (Some(word_and_number), Some(other)) => word_and_number.cmp(&other),
            _ => natord::compare(self.name, other.name),
        }
    }
}

impl PartialOrd for Natural<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Natural<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Natural<'_> {}

/// Splits a name into a word of at most eight bytes without digits and a number that does not begin with 0.
///
/// The word is padded with the digit 0. This keeps the order of names: where a shorter word ends its number begins, and all
/// digits compare alike with other characters.
fn numbered(name: &[u8]) -> Option<(u64, u64)> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let (word, digits) = name.split_at(name.len() - digits.count());
    let zero = digits.len() > 1 && digits[0] == b'0';
    let no_word = word.len() > 8 || word.iter().any(u8::is_ascii_digit);
    if digits.is_empty() || digits.len() > 18 || zero || no_word {
        return None;
    }
    let mut filled = [b'0'; 8];
    filled[..word.len()].copy_from_slice(word);
    let digits = digits.iter().map(|digit| u64::from(digit - b'0'));
    let number = digits.fold(0, |number, digit| 10 * number + digit);
    Some((u64::from_be_bytes(filled), number))
}

/// How many different words the names of a set may begin with for the quick way of [`by_word`].
const MOST_WORDS: usize = 64;

/// The places of names in their natural order; `None` if they are in this order already.
pub fn places<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Option<Vec<u32>> {
    if names.clone().map(Natural::new).is_sorted() {
        return None;
    }
    Some(by_word(names.clone()).unwrap_or_else(|| by_name(names)))
}

/// For names that are one of a few words followed by a number below 2^32. Most large sets have only such names, and those of one
/// word are often in order. Of each name only the number and the place are kept, eight bytes together.
fn by_word<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<u32>> {
    let mut words: Vec<(u64, Vec<u64>)> = Vec::new();
    for (place, name) in names.enumerate() {
        let (word, number) = numbered(name.as_bytes())?;
        let number = u32::try_from(number).ok()?;
        let known = words.iter().position(|(known, _)| *known == word);
        let at = known.unwrap_or(words.len());
        if at == MOST_WORDS {
            return None;
        }
        if known.is_none() {
            words.push((word, Vec::new()));
        }
        let place = u32::try_from(place).ok()?;
        words[at].1.push(u64::from(number) << 32 | u64::from(place));
    }
    words.sort_unstable_by_key(|(word, _)| *word);
    let mut places = Vec::with_capacity(words.iter().map(|(_, names)| names.len()).sum());
    for (_, mut names) in words {
        names.sort_unstable();
        places.extend(names.iter().map(|name| *name as u32));
    }
    Some(places)
}

/// For any names.
fn by_name<'a>(names: impl Iterator<Item = &'a str>) -> Vec<u32> {
    let mut keyed: Vec<(Natural, u32)> = names.map(Natural::new).zip(0..).collect();
    // No two names are the same.
    keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    keyed.into_iter().map(|(_, place)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_numbers_are_in_the_natural_order() {
        let long = "a99999999999999999999";
        let names = [
            "a",
            "a0",
            "a01",
            "a1",
            "a'1",
            "a2",
            "a10",
            "b",
            "b2",
            "a2b10",
            "a2b9",
            "12",
            "9",
            long,
            "aa1",
            "a'b3",
            "ab'3",
            "aab",
            "A1",
            "_1",
            "a_1",
            "a_2",
            "é1",
            "aé2",
            "aé10",
            "a''2",
            "abcdefgh1",
            "abcdefgh12",
            "abcdefghi1",
            "abcdefg1",
        ];
        for one in names {
            for other in names {
                let order = natord::compare(one, other);
                assert_eq!(
                    Natural::new(one).cmp(&Natural::new(other)),
                    order,
                    "{one} {other}"
                );
            }
        }
    }

    /// The names in the order of their places.
    fn ordered<'a>(names: &[&'a str], places: &[u32]) -> Vec<&'a str> {
        places.iter().map(|place| names[*place as usize]).collect()
    }

    #[test]
    fn the_quick_way_gives_the_order_of_the_slow_one() {
        let mut names: Vec<String> = Vec::new();
        for number in 0..200u32 {
            // 89 and 200 have no common divisor, so that each number comes once.
            names.extend(["o", "b", "ab", ""].map(|word| format!("{word}{}", number * 89 % 200)));
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let quick = by_word(names.iter().copied()).expect("words with numbers");
        assert_eq!(quick, by_name(names.iter().copied()));
        let ordered = ordered(&names, &quick);
        assert_eq!(
            (ordered[0], ordered[400], ordered[799]),
            ("0", "b0", "o199")
        );
        assert_eq!(places(names.iter().copied()), Some(quick));
        assert_eq!(places(ordered.iter().copied()), None);
    }

    #[test]
    fn other_names_take_the_slow_way() {
        let many: Vec<String> = (0..100)
            .rev()
            .map(|at| format!("{}1", "a".repeat(at % 9) + &"b".repeat(at / 9 % 9)))
            .collect();
        for names in [
            vec!["b1", "a", "a1"],
            vec!["a4294967296", "a2"],
            many.iter().map(String::as_str).collect(),
        ] {
            assert_eq!(by_word(names.iter().copied()), None);
            let places = places(names.iter().copied()).expect("another order");
            let ordered = ordered(&names, &places);
            assert!(ordered.is_sorted_by(|a, b| natord::compare(a, b).is_le()));
        }
    }
}
