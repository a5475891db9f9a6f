//! The examples of `docs/notation.md` parse as constraints of the notation.

use lozenge_vocabulary::notation::parse;

#[test]
fn the_examples_of_the_documentation_parse() {
    let text = include_str!("../../../../docs/notation.md");
    let blocks: Vec<&str> = text
        .split("```rows\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(blocks.len(), 1);
    for block in blocks {
        let set = parse(block)
            .unwrap_or_else(|error| panic!("{error}\n{block}"))
            .set;
        assert_eq!(set.constraints.len(), 20);
        assert_eq!(set.tags.len(), 4);
    }
}
