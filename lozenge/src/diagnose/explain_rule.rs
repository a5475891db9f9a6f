//! The description of a rule, for `lozenge explain RULE`.

use lozenge_vocabulary::{Nature, Rule};
use serde::Serialize;

use crate::check::Check;

/// A rule in words, with its printed line and an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct RuleEntry {
    /// The rule's name.
    pub name: &'static str,
    /// The place where the document prints it.
    pub source: &'static str,
    /// The nature of the rule: it keeps the set of solutions, or it may lose some.
    pub nature: Nature,
    /// Its meaning, in one sentence.
    pub meaning: &'static str,
    /// The line of the document.
    pub printed: &'static str,
    /// A minimal input on which it acts.
    pub example: &'static str,
    /// Its effect there.
    pub effect: &'static str,
}

impl From<Rule> for RuleEntry {
    fn from(rule: Rule) -> RuleEntry {
        let example = rule.example();
        RuleEntry {
            name: rule.name(),
            source: rule.source(),
            nature: rule.nature(),
            meaning: rule.meaning(),
            printed: rule.printed(),
            example: example.set,
            effect: example.effect,
        }
    }
}

impl std::fmt::Display for RuleEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nature = match self.nature {
            Nature::Semantic => "semantic: it keeps every solution",
            Nature::Policy => "policy: it may lose solutions",
        };
        writeln!(f, "{} ({})", self.name, self.source)?;
        writeln!(f, "  {}", self.meaning)?;
        writeln!(f, "  {nature}")?;
        writeln!(f, "printed")?;
        writeln!(f, "  {}", self.printed)?;
        writeln!(f, "example")?;
        writeln!(f, "  {}", self.example)?;
        write!(f, "  {}", self.effect)
    }
}

/// Returns the entry of the rule with this name.
///
/// # Errors
/// If there is no such rule, a message with the name that was probably meant, or with all names.
pub fn explain_rule(name: &str) -> Result<RuleEntry, String> {
    if let Some(rule) = Rule::named(name) {
        return Ok(rule.into());
    }
    let all = Rule::ALL.iter().chain(Rule::OF_SIZES);
    let names: Vec<&str> = all.map(|rule| rule.name()).collect();
    let checks = Check::ALL.map(|check| check.to_string());
    let known = names
        .iter()
        .copied()
        .chain(checks.iter().map(String::as_str));
    Err(match lozenge_lang::nearest(name, known) {
        Some(near) => format!("there is no rule `{name}`: did you mean `{near}`?"),
        None => {
            format!(
                "there is no rule `{name}`: the rules are {}; the refusals of shapes that fit are {}",
                names.join(", "),
                checks.join(", ")
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_its_printed_line_and_an_example() {
        let shown = explain_rule("di_ground").expect("a rule").to_string();
        assert!(
            shown.contains("Def. 4.2") && shown.contains("784 <= 768"),
            "{shown}"
        );
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        let message = explain_rule("di_gruond").expect_err("no rule");
        assert!(message.contains("did you mean `di_ground`?"), "{message}");
        let message = explain_rule("xyz").expect_err("no rule");
        assert!(message.contains("close_leaf"), "{message}");
    }
}
