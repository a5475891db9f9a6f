//! The railroad diagrams of rules.

use railroad::{
    Choice, Diagram, Empty, Node, NonTerminal, Optional, Repeat, Sequence, SimpleEnd, SimpleStart,
    Terminal,
};

use super::ebnf::{Grammar, Part};

/// Lines and letters that are legible on a light and on a dark background.
const STYLE: &str = "svg.railroad { background: #fff; } \
svg.railroad path { stroke: #444; stroke-width: 2; fill: none; } \
svg.railroad text { font: 14px monospace; text-anchor: middle; fill: #111; } \
svg.railroad rect { stroke: #444; stroke-width: 2; fill: #fff; } \
svg.railroad .terminal rect { fill: #e7f0fb; } \
svg.railroad .nonterminal rect { fill: #f6f1dd; }";

/// Draws the diagram of a rule.
pub fn picture(grammar: &Grammar, rule: &str) -> String {
    let part = grammar.rule(rule).expect("the rule is there");
    let ends: Vec<Box<dyn Node>> = vec![
        Box::new(SimpleStart),
        node(grammar, part),
        Box::new(SimpleEnd),
    ];
    let mut diagram = Diagram::new(Sequence::new(ends));
    diagram.add_css(STYLE);
    format!("{diagram}\n")
}

fn node(grammar: &Grammar, part: &Part) -> Box<dyn Node> {
    match part {
        Part::Sign(_, sign) => Box::new(Terminal::new(sign.clone())),
        Part::Name(_, name) => Box::new(NonTerminal::new(name.clone())),
        Part::Sequence(parts) => sequence(grammar, parts),
        Part::Choice(parts) => {
            let parts = parts.iter().map(|part| node(grammar, part));
            Box::new(Choice::new(parts.collect()))
        }
        Part::Optional(part) => Box::new(Optional::new(node(grammar, part))),
        Part::Repeated(part) => Box::new(Optional::new(Repeat::new(node(grammar, part), Empty))),
    }
}

fn sequence(grammar: &Grammar, parts: &[Part]) -> Box<dyn Node> {
    let parts = parts.iter().map(|part| node(grammar, part));
    Box::new(Sequence::new(parts.collect()))
}
