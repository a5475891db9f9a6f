//! A term of another store is answered without a panic: it is a term of this store, or it is not known.

use lozenge_sizes::{Fact, Reason, Store, Verdict};

#[test]
fn a_term_of_another_store_is_no_panic() {
    let mut large = Store::new();
    let terms: Vec<_> = (0..50).map(|_| large.size()).collect();
    let foreign = terms[49];
    let mut small = Store::new();
    let own = small.natural();
    let three = std::num::NonZeroU64::new(3).unwrap();
    let made = [
        small.sum(&[(2, foreign), (1, own)], 1),
        small.product(foreign, own),
        small.floor_div(foreign, three),
        small.ceil_div(foreign, three),
    ];
    small.max(&[foreign, own]);
    small.min(&[foreign, own]);
    small.value_of(foreign);
    for term in made.into_iter().chain([foreign]) {
        for fact in [
            Fact::Equal(term, own),
            Fact::AtMost(term, own),
            Fact::Less(own, term),
        ] {
            small.entails(fact);
            let before = small.snapshot();
            small.assert(fact, Reason(1));
            small.assert_any(&[fact, Fact::Differ(own, foreign)], Reason(1));
            assert!(
                !matches!(small.check(), Verdict::Satisfiable),
                "nothing is known of it"
            );
            small.rollback(before).expect("its own snapshot");
        }
    }
    if let Some(model) = small.model() {
        assert_eq!(model.value(foreign), None);
        assert!(model.value(own).is_some());
    }
}
