//! Small corpora: of many inputs those that reach something that no smaller one reaches.

use std::collections::BTreeSet;

use crate::subject::Subject;
use crate::subject::party::Parties;
use crate::subject::target::Target;

/// Selects from many instances those that reach something that no smaller one reaches. Applying it twice changes
/// nothing more.
pub fn distilled<S: Subject>(
    target: &Target<S>,
    instances: impl IntoIterator<Item = S::Instance>,
    parties: &mut Parties,
) -> Vec<S::Instance> {
    let mut all: Vec<(S::Instance, BTreeSet<String>)> = instances
        .into_iter()
        .filter_map(|instance| {
            let examined = target.examine(&instance, parties)?;
            let own = S::features(&instance).with(&examined);
            Some((instance, own))
        })
        .collect();
    all.sort_by_cached_key(|(instance, _)| {
        let text = instance.to_string();
        (text.len(), text)
    });
    let mut reached = BTreeSet::new();
    all.retain(|(_, own)| {
        let new = own.iter().any(|feature| !reached.contains(feature));
        reached.extend(own.iter().cloned());
        new
    });
    all.into_iter().map(|(instance, _)| instance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::notation;
    use crate::subjects::sets::Sets;
    use crate::subjects::target;

    #[test]
    fn a_corpus_loses_what_adds_nothing() {
        let target = target::<Sets>("spec_solver").unwrap();
        let read = |text: &str| notation::read::<Sets>(text).unwrap();
        let small = read("<r> <= <s>");
        let inputs = [
            read("<r> <= <s>\n<t> <= <u>"),
            small.clone(),
            read("<s> <= <r>"),
        ];
        let kept = distilled(target, inputs, &mut Parties::default());
        assert_eq!(kept[0], small);
        assert!(!kept.contains(&read("<s> <= <r>")));
        let again = distilled(target, kept.clone(), &mut Parties::default());
        assert_eq!(kept, again);
    }
}
