//! Above each arm of Defs. 4.2, 4.3 and 7.2 stand the lines that the document prints for it, and below them is the rule
//! of that name.

use lozenge_vocabulary::Rule;

const DIMENSIONS: &str = include_str!("../../src/rules/dimensions.rs");
const ROWS: &str = include_str!("../../src/rules/rows.rs");
const ELABORATION: &str = include_str!("../../src/elaboration.rs");

/// A rule, the source in which it is, and the printed words.
const PRINTED: &[(Rule, &str, &str)] = &[
    (Rule::DeRefl, DIMENSIONS, "DE-refl t = t discard"),
    (
        Rule::DeClash,
        DIMENSIONS,
        "DE-clash n_b = m_c, (n,b) ≠ (m,c) (incl. atom vs 1∅) fail",
    ),
    (Rule::DeBind, DIMENSIONS, "DE-bind α = t, t ≠ α bind α ↦ t"),
    (Rule::DiTop, DIMENSIONS, "DI-top t ⊑ 1∅ discard"),
    (Rule::DiRefl, DIMENSIONS, "DI-refl t ⊑ t discard"),
    (
        Rule::DiGround,
        DIMENSIONS,
        "DI-ground d ⊑ d' ground check Def. 1.2; else fail",
    ),
    (
        Rule::DiPin,
        DIMENSIONS,
        "DI-pin α ⊑ d, d an atom replace by α = d",
    ),
    (
        Rule::DiPinTop,
        DIMENSIONS,
        "DI-pin-top 1∅ ⊑ α replace by α = 1∅",
    ),
    (
        Rule::DiCap,
        DIMENSIONS,
        "DI-cap d ⊑ α, d an atom if lb(α) unset: record; if = d: discard; if = d' ≠ d: replace by α = 1∅",
    ),
    (
        Rule::DiAdj,
        DIMENSIONS,
        "DI-adj α ⊑ β, α ≠ β defer (record adjacency on both)",
    ),
    (
        Rule::ReClosed,
        ROWS,
        "(a) both sides closed: fail iff the ranks differ;",
    ),
    (
        Rule::ReClosed,
        ROWS,
        "at equal rank the constraint is the flat zip flat(R₁)[i] = flat(R₂)[i]",
    ),
    (
        Rule::ReOpenClosed,
        ROWS,
        "(b) one side open with variable ρ, the other closed: fail iff |l₁| + |r₁| > |l₂| + |r₂| (total overflow […]). Otherwise the \
         open side's explicit flanks zip against the closed side's flattening from the outer edges, and the variable's flat content is \
         entailed: the uncovered middle m of flat(R_closed). […] The rule commits the closed side's declared split where it falls inside \
         m, the left edge otherwise",
    ),
    (
        Rule::ReNested,
        ROWS,
        "(c) both open, ρ₁ ≠ ρ₂. Nested surpluses (both on the side of ρ₂'s term): bind ρ₁ ↦ m_l · ⟨ρ₂⟩ · m_r",
    ),
    (
        Rule::ReSplit,
        ROWS,
        "Split surpluses (one leading surplus on one side, one trailing on the other): the residue is the two-variable word equation \
         s · x₁ = x₂ · t […] The rule therefore defers into the closing policy, like (d) below: the equation stays in flight",
    ),
    (
        Rule::ReSame,
        ROWS,
        "(d) both open with ρ₁ = ρ₂: discard if surpluses empty, else fail",
    ),
    (
        Rule::ReSame,
        ROWS,
        "Unequal known flank totals (occurs check): no finite row satisfies ρ ≈ m_l · ⟨ρ⟩ · m_r with m_l · m_r nonempty",
    ),
    (
        Rule::ReRotational,
        ROWS,
        "Equal totals but shifted splits (rotational case): the residue is the word equation x · t = s · x […] Rather than fail, the \
         rotational case defers into the closing policy: the equation stays in flight",
    ),
    (
        Rule::RiCap,
        ROWS,
        "(i) operand open, result supplies ≥ the operand's flanks: record the result's interior residue (a row term; open if the \
         result is) as a cap on ρ_op.",
    ),
    (
        Rule::RiClosedOperand,
        ROWS,
        "(ii) operand closed, result rank ≥ operand flanks: the operand's interior in the expansion is 1∅; the corresponding result \
         positions are unconstrained — discard them.",
    ),
    (
        Rule::RiShort,
        ROWS,
        "(iii) result closed and shorter than the operand's known flanks: fail (genuine rank mismatch).",
    ),
    (
        Rule::RiDeficit,
        ROWS,
        "(iv) result open and shorter than the operand's known flanks (deficit k > 0): deficit rule — bind \
         ρ_res ↦ α₁ ⋯ α_{k_l} · ⟨ρ'⟩ · β₁ ⋯ β_{k_r} with fresh dimension variables and a fresh row variable, sized to clear the \
         deficit, then reprocess.",
    ),
    (Rule::P1, ELABORATION, "P1. d₁ = d₂ ⇝ Eq(⟦d₁⟧, ⟦d₂⟧)."),
    (
        Rule::P2,
        ELABORATION,
        "P2. d_res ⊑ d_op with sz(d_op) = 1 ⇝ Eq(⟦d_op⟧, Sol(Fix 0)) (sever and pin).",
    ),
    (
        Rule::P3,
        ELABORATION,
        "P3. d_res ⊑ d_op otherwise ⇝ Eq(⟦d_res⟧, ⟦d_op⟧).",
    ),
    (
        Rule::P5,
        ELABORATION,
        "P5. R_res ⊑ R_op: outer-edge alignment; P2/P3 per aligned pair, with P2's severance applied row-wise (result side of the \
         pair ⇝ Iter, operand pinned); each surplus interior result axis ⇝ Iter(⟦·⟧).",
    ),
    (Rule::P6, ELABORATION, "P6. each terminal axis ⇝ Iter(⟦·⟧)."),
];

/// Returns the blocks of comments of a source, each with the code up to the next one.
fn blocks(source: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(Vec<&str>, Vec<&str>)> = vec![Default::default()];
    for line in source.lines().map(str::trim) {
        let comment = ["///", "//"]
            .iter()
            .find_map(|sign| line.strip_prefix(sign));
        let (_, code) = &blocks[blocks.len() - 1];
        if comment.is_some() && !code.is_empty() {
            blocks.push(Default::default());
        }
        let (comments, code) = blocks.last_mut().expect("there is always one");
        match comment {
            Some(words) => comments.extend(words.split_whitespace()),
            None if line.is_empty() => {}
            None => code.push(line),
        }
    }
    let joined = |(comments, code): (Vec<&str>, Vec<&str>)| {
        (comments.join(" ").replace('`', ""), code.join("\n"))
    };
    blocks.into_iter().map(joined).collect()
}

#[test]
fn the_printed_lines_stand_above_the_arms() {
    for (rule, source, printed) in PRINTED {
        let blocks = blocks(source);
        let block = blocks.iter().find(|(words, _)| words.contains(printed));
        let (_, code) = block.unwrap_or_else(|| panic!("{rule}: no comment has\n{printed}"));
        // Two arms of (c) share a function.
        let name = match rule {
            Rule::ReNested => "nested(".to_string(),
            rule => format!("Rule::{rule:?}"),
        };
        assert!(
            code.contains(&name),
            "{name} is not below\n{printed}\nbut\n{code}"
        );
    }
}

#[test]
fn every_rule_of_these_definitions_is_quoted() {
    let is_quoted = |rule: &Rule| PRINTED.iter().any(|(quoted, ..)| quoted == rule);
    for rule in Rule::ALL {
        let source = rule.source();
        let is_asked = ["Def. 4.2", "Def. 4.3", "Def. 7.2"]
            .iter()
            .any(|def| source.starts_with(def));
        // P4 gives the equations of P1, so that no equation bears its name; deferred equations are resolved by
        // Def. 6.1.
        let is_elsewhere = [Rule::P4, Rule::CloseDeferred].contains(rule);
        assert_eq!(is_quoted(rule), is_asked && !is_elsewhere, "{rule}");
    }
    assert!(ELABORATION.contains("// P4. R₁ ≈ R₂: outer-edge alignment; P1 per aligned pair"));
}
