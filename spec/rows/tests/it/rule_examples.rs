//! The example of each rule: the rule acts on it.

use lozenge_spec::{Options, solve};
use lozenge_vocabulary::Rule;
use lozenge_vocabulary::notation::parse;

#[test]
fn every_rule_acts_on_its_example() {
    for rule in Rule::ALL.iter().copied().filter(|rule| rule.is_of_shapes()) {
        let text = rule.example().set.replace("; ", "\n");
        let set = parse(&text)
            .unwrap_or_else(|error| panic!("{rule}: {error}"))
            .set;
        let options = Options {
            close: true,
            traced: true,
            ..Options::default()
        };
        let run = solve(&set, &options);
        let trace = run.config.trace.as_deref().unwrap_or_default();
        let acted = trace.iter().any(|step| step.rule == rule);
        let failed = run.failure().is_some_and(|failure| failure.rule == rule);
        assert!(acted || failed, "{rule} does not act on\n{text}");
    }
}
