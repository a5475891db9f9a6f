//! Loop nests that differ in numbers alone, as `loop` and `reverse` make them for each element: they are shown once.

use std::collections::HashMap;

use super::answer::NestData;

/// The most nests that are one turn of a loop.
const LONGEST_TURN: usize = 64;

/// The fewest turns that are shown as one.
const FEWEST_TURNS: usize = 3;

/// Leaves one turn of those that come one after the other and differ in numbers alone. Its nests say how many they
/// stand for.
pub(super) fn once(nests: Vec<NestData>) -> Vec<NestData> {
    let forms = forms(&nests);
    let mut kept = Vec::new();
    let mut place = 0;
    let mut nests = nests.into_iter();
    while place < forms.len() {
        let (turn, turns) = repeated(&forms[place..]);
        let mut own = nests.by_ref().take(turn * turns);
        kept.extend(own.by_ref().take(turn).map(|nest| NestData {
            times: turns,
            ..nest
        }));
        own.for_each(drop);
        place += turn * turns;
    }
    kept
}

/// Returns a number for each nest, the same for those that differ in numbers alone.
fn forms(nests: &[NestData]) -> Vec<usize> {
    let mut known: HashMap<(usize, String), usize> = HashMap::new();
    let mut forms = Vec::new();
    for nest in nests {
        let mut form = String::new();
        for letter in nest.text.chars() {
            match letter.is_ascii_digit() {
                true if form.ends_with('0') => {}
                true => form.push('0'),
                false => form.push(letter),
            }
        }
        let next = known.len();
        forms.push(*known.entry((nest.line, form)).or_insert(next));
    }
    forms
}

/// Returns the length of the shortest turn that is repeated at the start, and how often it stands there; one nest and
/// once where none is repeated often enough.
fn repeated(forms: &[usize]) -> (usize, usize) {
    for turn in 1..=LONGEST_TURN.min(forms.len() / FEWEST_TURNS) {
        let first = &forms[..turn];
        let turns = forms
            .chunks_exact(turn)
            .take_while(|next| *next == first)
            .count();
        if turns >= FEWEST_TURNS {
            return (turn, turns);
        }
    }
    (1, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nests(texts: &[&str]) -> Vec<NestData> {
        let nest = |text: &&str| NestData {
            line: 1,
            text: (*text).to_string(),
            times: 1,
        };
        texts.iter().map(nest).collect()
    }

    fn shown(texts: &[&str]) -> Vec<(String, usize)> {
        let kept = once(nests(texts)).into_iter();
        kept.map(|nest| (nest.text, nest.times)).collect()
    }

    #[test]
    fn turns_that_differ_in_numbers_are_shown_once() {
        let one = |text: &str, times| (text.to_string(), times);
        assert_eq!(
            shown(&["a[0] = x[19]", "a[1] = x[18]", "a[2] = x[7]", "b = a"]),
            [one("a[0] = x[19]", 3), one("b = a", 1)]
        );
        assert_eq!(
            shown(&[
                "s = 1", "v1 = s", "w2 = v1", "v3 = s", "w4 = v3", "v5 = s", "w6 = v5"
            ]),
            [one("s = 1", 1), one("v1 = s", 3), one("w2 = v1", 3)]
        );
        // Two are few enough to be read, and other words are another form.
        assert_eq!(shown(&["a[0] = x", "a[1] = x"]).len(), 2);
        assert_eq!(shown(&["a[0] = x", "a[1] += x", "a[2] = x"]).len(), 3);
        assert!(shown(&[]).is_empty());
    }
}
