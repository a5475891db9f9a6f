//! Every named difference has a minimal witness that shows it.

use lozenge_fuzz::subject::party::Parties;
use lozenge_fuzz::subjects::{differences, named};

#[test]
fn each_class_has_a_smallest_witness() {
    let mut parties = Parties::default();
    for class in differences() {
        let target = named(class.target).expect("the target of the class");
        let examined = target.examine(class.witness, &mut parties).unwrap();
        let outcome = examined.expect("an answer").outcome;
        assert_eq!(outcome.key(), class.name, "{}", class.witness);
        let least = target.least(class.witness, &mut parties).unwrap().text;
        assert_eq!(least, class.witness, "{} has a smaller witness", class.name);
    }
}
