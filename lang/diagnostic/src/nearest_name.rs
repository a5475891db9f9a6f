//! Suggestions: the name that was probably meant.

/// The length up to which names get a suggestion: comparing costs the product of the lengths.
const LONGEST: usize = 64;

/// Finds the nearest of `candidates`, if it is near enough; the first of several equally near ones. Exchanging two
/// neighbouring characters counts as one change, as does inserting, removing or replacing a character.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    nearest_by(name, candidates, |_| 0)
}

/// Sorts `candidates`, the nearest ones first; those that are equally near stay in their order.
pub fn by_nearness<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    let mut all: Vec<&str> = candidates.into_iter().collect();
    if name.len() <= 4 * LONGEST {
        let far = |candidate: &str| match candidate.len() <= 4 * LONGEST {
            true => strsim::osa_distance(name, candidate),
            false => usize::MAX,
        };
        all.sort_by_cached_key(|candidate| far(candidate));
    }
    all
}

/// Finds the candidate that [`nearest`] finds; of several that are equally near the first with the least rank.
pub fn nearest_by<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
    rank: impl Fn(&str) -> u8,
) -> Option<&'c str> {
    if name.len() > 4 * LONGEST || name.chars().count() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 4 * LONGEST)
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= tolerated(name, candidate))
        .min_by_key(|(distance, candidate)| (*distance, rank(candidate)))
        .map(|(_, candidate)| candidate)
}

/// Returns the largest number of changes between a name and the one that was meant: a third of its characters, but at
/// least one and at most three, and one more if the name only omits characters after the first. It is always less than
/// the length of the name.
fn tolerated(name: &str, candidate: &str) -> usize {
    let length = name.chars().count();
    let third = (length / 3).clamp(1, 3);
    let left_out = length >= 3
        && name.chars().next() == candidate.chars().next()
        && is_subsequence(name, candidate);
    (third + usize::from(left_out)).min(length.saturating_sub(1))
}

fn is_subsequence(name: &str, of: &str) -> bool {
    let mut rest = of.chars();
    name.chars().all(|c| rest.any(|other| other == c))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let words = ["relu", "param", "a", "weights"];
        assert_eq!(nearest("rleu", words), Some("relu"));
        assert_eq!(nearest("prm", words), Some("param"));
        assert_eq!(nearest("wieghts", words), Some("weights"));
        assert_eq!(nearest("b", words), None);
        assert_eq!(nearest("conv", words), None);
    }
}
