//! Every named difference has a minimal witness that shows it.

use lozenge_fuzz::input::Input;
use lozenge_fuzz::known_difference::TABLE;
use lozenge_fuzz::minimise::minimise;
use lozenge_fuzz::parties::Parties;
use lozenge_fuzz::target::Target;

#[test]
fn each_class_has_a_smallest_witness() {
    let mut parties = Parties::default();
    for (at, row) in TABLE.iter().enumerate() {
        assert_eq!(row.class as usize, at, "the table is in another order");
        let target = Target::named(row.target).expect("the target of the class");
        let witness = Input::read(target.kind, row.witness).unwrap();
        let examined = target.examine(&witness, &mut parties).unwrap();
        assert_eq!(examined.outcome.key(), row.name, "{}", row.witness);
        let least = minimise(target, &witness, &mut parties);
        assert_eq!(
            least.to_string(),
            row.witness,
            "{} has a smaller witness",
            row.name
        );
    }
}
