//! Smaller and smaller inputs with the same outcome, by the steps of their subject.

use lozenge_testkit::minimise::least;

use crate::outcome::Outcome;
use crate::subject::Subject;
use crate::subject::party::Parties;
use crate::subject::target::Target;

/// The most inputs that are tried.
const TRIED: usize = 50_000;

/// Returns a minimal instance with the same outcome: no single step leads to a smaller one, unless the limit on tries
/// was reached.
pub fn minimise<S: Subject>(
    target: &Target<S>,
    instance: &S::Instance,
    parties: &mut Parties,
) -> S::Instance {
    let outcome = |instance: &S::Instance, parties: &mut Parties| {
        let examined = target.examine(instance, parties);
        examined.map(|examined| Outcome::key(&examined.outcome))
    };
    let key = outcome(instance, parties);
    let mut tries = TRIED;
    least(instance, S::smaller, |candidate| {
        tries = tries.checked_sub(1)?;
        Some(outcome(candidate, parties) == key)
    })
}

/// Returns the text without a stretch: half of it, a quarter, down to one line, then one word and, if asked for, one
/// character.
pub fn shorter(text: &str, by_characters: bool) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let characters: Vec<&str> = match by_characters {
        false => Vec::new(),
        true => text
            .char_indices()
            .map(|(at, c)| &text[at..at + c.len_utf8()])
            .collect(),
    };
    [lines, words, characters]
        .into_iter()
        .flat_map(|parts| without_a_stretch(&parts))
        .map(|parts| parts.concat())
        .filter(|shorter| shorter.len() < text.len())
        .collect()
}

/// Returns the list without a stretch: half of it, a quarter, down to one element.
pub fn without_a_stretch<T: Clone>(parts: &[T]) -> Vec<Vec<T>> {
    let mut all = Vec::new();
    let mut length = parts.len() / 2;
    while length > 0 {
        for at in (0..parts.len()).step_by(length) {
            let end = parts.len().min(at + length);
            all.push([&parts[..at], &parts[end..]].concat());
        }
        length /= 2;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subjects::sets::Sets;
    use crate::subjects::target;

    /// An outcome that is not a defect: policy refuses a satisfiable set.
    #[test]
    fn a_gap_is_reduced_to_its_core() {
        let target = target::<Sets>("solver_oracle").unwrap();
        let text =
            "leaf b\n5 <= b\n<r> ~ [3_rgb, 5, 7]\n[3_rgb <> 9, 5, 7] <= <r>\n<s> <= [b <t> 4]";
        let least = minimise(target, &text.parse().unwrap(), &mut Parties::default());
        assert_eq!(least.to_string(), "<r> ~ [1_]\n[1_ <>] <= <r>\n");
    }

    #[test]
    fn texts_lose_stretches() {
        assert_eq!(shorter("ab", true), ["b", "a"]);
        assert_eq!(shorter("a b\nc\n", false), ["c\n", "a b\n", "b\nc\n", "a "]);
    }
}
