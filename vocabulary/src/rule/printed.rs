//! Each rule in one line, in the words of the document, and a smallest constraint set on which it acts.

use super::Rule;

/// A smallest input on which a rule acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// A constraint set in the notation; for a rule of projections, a requirement of an operation with its sizes.
    pub set: &'static str,
    /// What the rule does there.
    pub effect: &'static str,
}

impl Rule {
    /// The rule in one line of plain text, in the words of the document, which says more on most rules of rows; the sources of
    /// the transcribed rules quote it. A rule of sizes (§8) is not printed there. `⊑` is the broadcast order, `≈` equality of flat
    /// content, `1∅` the claim-free unit, `⋄` the marker.
    pub fn printed(self) -> &'static str {
        match self {
            Rule::DeRefl => "t = t: discard",
            Rule::DeClash => "n_b = m_c with (n, b) ≠ (m, c), also atom = 1∅: fail",
            Rule::DeBind => "α = t with t ≠ α: bind α ↦ t",
            Rule::DiTop => "t ⊑ 1∅: discard",
            Rule::DiRefl => "t ⊑ t: discard",
            Rule::DiGround => "d ⊑ d' ground: check Def. 1.2, else fail",
            Rule::DiPin => "α ⊑ d, d an atom: replace by α = d",
            Rule::DiPinTop => "1∅ ⊑ α: replace by α = 1∅",
            Rule::DiCap => {
                "d ⊑ α, d an atom: record d if lb(α) is unset; discard if lb(α) = d; else replace by α = 1∅"
            }
            Rule::DiAdj => "α ⊑ β with α ≠ β: defer, and record the adjacency on both",
            Rule::DiAntisym => "α ⊑ β and β ⊑ α: replace by α = β",
            Rule::ReClosed => {
                "R₁ ≈ R₂, both closed: fail if the ranks differ, else flat(R₁)[i] = flat(R₂)[i]"
            }
            Rule::ReOpenClosed => {
                "l₁·⟨ρ⟩·r₁ ≈ R₂ closed: zip the flanks with flat(R₂) from the outer edges; bind ρ to the middle, its marker \
                 where R₂ has it or else at the left edge; fail on overflow"
            }
            Rule::ReNested => "R₁ ≈ R₂ open, both surpluses on ρ₂'s side: bind ρ₁ ↦ m_l·⟨ρ₂⟩·m_r",
            Rule::ReSplit => "R₁ ≈ R₂ open, one surplus on each side: defer s·x₁ = x₂·t",
            Rule::ReSame => {
                "R₁ ≈ R₂ open with ρ₁ = ρ₂: discard without surplus, fail on unequal totals"
            }
            Rule::ReRotational => {
                "R₁ ≈ R₂ open with ρ₁ = ρ₂, equal totals, shifted: defer x·t = s·x"
            }
            Rule::RiCap => {
                "R_res ⊑ l·⟨ρ⟩·r, the result no shorter: record its interior residue as a cap on ρ"
            }
            Rule::RiClosedOperand => {
                "R_res ⊑ R_op closed, the result no shorter: its positions that face inserted 1∅ are unconstrained"
            }
            Rule::RiShort => {
                "R_res ⊑ R_op, the result closed and shorter than a flank of the operand: fail"
            }
            Rule::RiDeficit => {
                "R_res ⊑ R_op, the result open and k short: bind ρ_res ↦ α₁…·⟨ρ'⟩·…β_k, all fresh, and reprocess"
            }
            Rule::RankCycle => "a cycle of facts rank(ρ) ≥ rank(ρ') + k of positive weight: fail",
            Rule::CloseDeferred => {
                "a deferred word equation at closing: bind one variable to its top, and reprocess"
            }
            Rule::CloseLeaf => {
                "an unsolved leaf: a dimension ↦ its cap, or 1∅; a row ↦ the join of its ground caps; a parameter with a hole: fail"
            }
            Rule::CloseInterior => {
                "any other unsolved variable: bind it to its top, 1∅ or the empty row"
            }
            Rule::P1 => "d₁ = d₂ gives Eq(⟦d₁⟧, ⟦d₂⟧)",
            Rule::P2 => "d_res ⊑ d_op with sz(d_op) = 1 gives Eq(⟦d_op⟧, Sol(Fix 0))",
            Rule::P3 => "d_res ⊑ d_op otherwise gives Eq(⟦d_res⟧, ⟦d_op⟧)",
            Rule::P4 => "R₁ ≈ R₂: alignment from the outer edges, P1 for each pair",
            Rule::P5 => {
                "R_res ⊑ R_op: alignment from the outer edges, P2 or P3 for each pair, Iter for the result's side of a pair that P2 severs; \
                 Iter for each surplus axis of the result"
            }
            Rule::P6 => "each axis of a terminal tensor: Iter(⟦·⟧)",
            Rule::WiAtom => "i = c·o + …: neither i nor o is 1∅",
            Rule::WiBasis => "i = c·o + …: i and o have one basis; fail if they have two",
            Rule::WiAxis => {
                "i = c·o + …, all sizes known but that of i: solve for it; fail if none is at least 1"
            }
            Rule::WiOver => {
                "i = c·o + …, all sizes known but that of o: solve for it; fail if none is at least 1"
            }
            Rule::WiTap => {
                "i = c·o + … + d·k + …, all sizes known but that of k: solve for it; fail if none is at least 1"
            }
            Rule::GeCheck => {
                "a ≥ m with m > 1: a is an atom; fail if its size is known and below m"
            }
            Rule::CoAtom => "t = a ^ …: none of t, a, … is 1∅",
            Rule::CoBasis => "t = a ^ …: t, a, … have one basis; fail if they have two",
            Rule::CoWhole => "t = a ^ …, all sizes known but that of t: add them up",
            Rule::CoPart => {
                "t = a ^ …, all sizes known but that of a: what the others leave of t; fail if that is not at least 1"
            }
            Rule::CoCycle => "a cycle of facts sz(t) ≥ sz(a) + k of positive weight: fail",
            Rule::PrAtom => "n = a * …: n is not 1∅",
            Rule::PrWhole => "n = a * …, all sizes known but that of n: multiply them",
            Rule::PrFactor => {
                "n = a * …, all sizes known but that of a: divide n by the others; fail if a remainder is left"
            }
            Rule::ArPin => "t ⊑ b where b is an atom: replace by t = b",
            Rule::CloseBasis => "a size that is known, of an unknown basis: the basis is `default`",
            Rule::CloseArith => {
                "what relates sizes, with a size that is still open after closing leaves: fail"
            }
            Rule::P7 => "i = Σ cⱼ·qⱼ: Derive(i, Σ cⱼ·⟦qⱼ⟧ + phase - front)",
            Rule::P8 => "t = a ^ …, of which a is visited: Derive(t, ⟦a⟧ + the sizes before a)",
            Rule::P9 => "n = a * b * …: Derive(n, Σ ⟦q⟧ · the sizes after q)",
            Rule::P10 => "a label on no axis: Iter(⟦·⟧), with an identifier of its own",
            Rule::P11 => "Derive(p, e): π(p) = e, whatever traverses p",
            Rule::ArResidue => {
                "what relates sizes that stay open: fail if no sizes satisfy them together"
            }
        }
    }

    /// A smallest input on which the rule acts.
    pub fn example(self) -> Example {
        let (set, effect) = match self {
            Rule::DeRefl => ("a = a", "the constraint is true of every a and is dropped"),
            Rule::DeClash => ("3 = 4", "refused: an axis of 3 is no axis of 4"),
            Rule::DeBind => ("a = 3", "a is 3"),
            Rule::DiTop => (
                "a <= 1_",
                "the constraint is true of every a and is dropped",
            ),
            Rule::DiRefl => ("a <= a", "the constraint is true of every a and is dropped"),
            Rule::DiGround => (
                "784 <= 768",
                "refused: only 768 itself is below 768, so 784 does not broadcast to it",
            ),
            Rule::DiPin => ("a <= 3", "a is 3: nothing else is below an axis of 3"),
            Rule::DiPinTop => ("1_ <= a", "a is 1_: nothing else is above the unit"),
            Rule::DiCap => ("3 <= a; 4 <= a", "a is 1_: nothing else is above both"),
            Rule::DiAdj => ("a <= b; 3 <= a", "b comes to have the bound 3 as well"),
            Rule::DiAntisym => ("a <= b; b <= a", "a and b are one variable"),
            Rule::ReClosed => ("[3, 4] ~ [3 <> a]", "a is 4; the markers play no part"),
            Rule::ReOpenClosed => ("[3 <r>] ~ [3, 4]", "<r> is [4]"),
            Rule::ReNested => ("[<r>] ~ [3 <s> 4]", "<r> is [3 <s> 4]"),
            Rule::ReSplit => (
                "[3 <r>] ~ [<s> 4]",
                "nothing is bound; the equation waits for <r> or <s>",
            ),
            Rule::ReSame => ("<r> ~ [3 <r>]", "refused: no row is longer than itself"),
            Rule::ReRotational => (
                "[3 <r>] ~ [<r> 3]",
                "nothing is bound; the equation waits for <r>",
            ),
            Rule::RiCap => ("[3, 4] <= [<r> 4]", "[3] is a bound of <r>"),
            Rule::RiClosedOperand => (
                "[3, 4] <= [4]",
                "the 3 faces an inserted unit and is not constrained",
            ),
            Rule::RiShort => (
                "[4] <= [<r> 3, 4]",
                "refused: the operand has two axes at least, the result has one",
            ),
            Rule::RiDeficit => ("<r> <= [<s> 4]", "<r> has an axis, which is below 4"),
            Rule::RankCycle => (
                "<r> <= [3 <s>]; <s> <= [4 <r>]",
                "refused: each of the two rows would be longer than the other",
            ),
            Rule::CloseDeferred => (
                "[3 <r>] ~ [<s> 3]",
                "one of the rows is closed to no axes, and the other follows",
            ),
            Rule::CloseLeaf => ("leaf a; 3 <= a", "a is 3, the largest that its uses allow"),
            Rule::CloseInterior => ("3 <= a", "a is 1_, its top"),
            Rule::P1 => ("i = j, both of size 3", "both axes are read at one index"),
            Rule::P2 => (
                "an axis of 3 below an axis of 1",
                "the operand is read at 0 for every index of the result",
            ),
            Rule::P3 => (
                "an axis of 3 below an axis of 3",
                "both axes are read at one index",
            ),
            Rule::P4 => (
                "[i, j] equal to [3, 4]",
                "i shares the index of the first axis, j that of the second",
            ),
            Rule::P5 => (
                "[2, 3] below [3]",
                "the last axes share an index, and the first of the result is iterated",
            ),
            Rule::P6 => (
                "an axis of 3 of a tensor of the program",
                "a loop runs over it, unless a position is fixed",
            ),
            Rule::WiAtom => ("i = 2*o; i = 1_", "refused: 1_ is no axis of windows"),
            Rule::WiBasis => ("6_px = 2*o", "o is 3_px"),
            Rule::WiAxis => ("i = 2*o + k; o = 3; k = 3", "the size of i is 7"),
            Rule::WiOver => ("i = 2*o + k; i = 7; k = 3", "the size of o is 3"),
            Rule::WiTap => ("i = 2*o + k; i = 7; o = 3", "the size of k is 3"),
            Rule::GeCheck => ("a >= 4; a = 3", "refused: 3 is less than 4"),
            Rule::CoAtom => ("t = a ^ b; a = 1_", "refused: 1_ is no part of an axis"),
            Rule::CoBasis => (
                "t = a ^ b; t = 5_px; a = 2",
                "refused: t and a have two bases",
            ),
            Rule::CoWhole => ("t = a ^ b; a = 2; b = 3", "the size of t is 5"),
            Rule::CoPart => ("t = a ^ b; t = 5; a = 2", "the size of b is 3"),
            Rule::CoCycle => (
                "a = b ^ c; b = a ^ d",
                "refused: a would be longer than itself",
            ),
            Rule::PrAtom => ("n = a * b; n = 1_", "refused: 1_ is no product"),
            Rule::PrWhole => ("n = a * b; a = 2; b = 3", "the size of n is 6"),
            Rule::PrFactor => ("n = a * b; n = 6; a = 2", "the size of b is 3"),
            Rule::ArPin => ("i = o + k; i = 5; 3 <= o", "o is 3: it cannot be 1_"),
            Rule::P7 => (
                "i = 2*o + k, over axes of 7, 3 and 3",
                "the axis i is read at 2*o + k",
            ),
            Rule::P8 => (
                "t = a ^ b, over axes of 5 and 3, and b is visited",
                "the axis t is read at b + 2",
            ),
            Rule::P9 => (
                "n = a * b, over axes of 6, 2 and 3",
                "the axis n is read at 3*a + b",
            ),
            Rule::P10 => (
                "i = 2*o + k, and no axis has the label k",
                "a loop runs over k",
            ),
            Rule::P11 => (
                "i = 2*o + k, i being an axis of a tensor",
                "no loop runs over i",
            ),
            Rule::ArResidue => (
                "i = 4*o + k; i = 2*p + q; k = 2; q = 1",
                "refused: i would be even and odd",
            ),
            Rule::CloseBasis => ("i = o + k; i = 5; o = 3", "k is 3, of the basis `default`"),
            Rule::CloseArith => ("i = o + k; i = 5", "refused: nothing says how long o is"),
        };
        Example { set, effect }
    }

    /// Whether the rule acts on constraints between shapes, rather than on an operation at closed shapes.
    pub fn is_of_shapes(self) -> bool {
        !matches!(
            self,
            Rule::P1
                | Rule::P2
                | Rule::P3
                | Rule::P4
                | Rule::P5
                | Rule::P6
                | Rule::P7
                | Rule::P8
                | Rule::P9
                | Rule::P10
                | Rule::P11
        )
    }

    /// The rule with this name.
    pub fn named(name: &str) -> Option<Rule> {
        let mut all = Rule::ALL.iter().chain(Rule::OF_SIZES).copied();
        all.find(|rule| rule.name() == name)
    }
}
