//! The table of the crate's first page lists every rule, under its definition, with the module in which it is.

use lozenge_vocabulary::Rule;

/// Returns the module in which a rule is, by where it is printed.
fn module(rule: Rule) -> &'static str {
    match (rule, rule.source()) {
        (Rule::CloseDeferred, _) => "rules::deferred",
        (_, source) if source.starts_with("Def. 4.3") => "rules::rows",
        (_, source) if source.starts_with("Def. 4.5") => "rank_graph",
        (_, source) if source.starts_with("Def. 6.1") => "rules::closing",
        (_, source) if source.starts_with("Def. 7.2") => "elaboration",
        _ => "rules::dimensions",
    }
}

#[test]
fn the_first_page_lists_every_rule_where_it_is() {
    let page = include_str!("../../src/lib.rs");
    let rows = page.lines().filter(|line| line.contains("| `"));
    let expected: Vec<String> = Rule::ALL
        .iter()
        .map(|rule| {
            let (source, module) = (rule.source(), module(*rule));
            format!("//! | {source} | `{rule}` | [`{module}`] |")
        })
        .collect();
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

/// The source of each module contains the names of its rules, so the table does not point to a wrong module.
#[test]
fn the_module_of_a_rule_names_it() {
    for rule in Rule::ALL {
        let path = module(*rule).replace("::", "/");
        let path = format!("{}/src/{path}.rs", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("a module of the crate");
        let variant = format!("Rule::{rule:?}");
        let elsewhere = [Rule::RankCycle, Rule::P4].contains(rule);
        assert!(
            text.contains(&variant) || elsewhere,
            "{path} does not name {variant}"
        );
    }
}
