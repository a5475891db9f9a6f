//! Each rule in one line, in the words of the document, and a smallest constraint set on which it acts.

use super::Rule;

/// A smallest input on which a rule acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// A constraint set in the notation; for a rule of projections, a requirement of an operation with its sizes.
    pub set: &'static str,
    /// The effect of the rule there.
    pub effect: &'static str,
}

macro_rules! lines {
    ($($rule:ident $printed:literal $set:literal $effect:literal;)*) => {
        /// Returns the line of a rule, its example, and what it does there.
        fn lines(rule: Rule) -> [&'static str; 3] {
            match rule {
                $(Rule::$rule => [$printed, $set, $effect],)*
            }
        }
    };
}

// For each rule its line, a smallest input, and what the rule does there.
lines! {
    DeRefl "t = t: discard"
        "a = a" "the constraint is true of every a and is dropped";
    DeClash "n_b = m_c with (n, b) ≠ (m, c), also atom = 1∅: fail"
        "3 = 4" "refused: an axis of 3 is no axis of 4";
    DeBind "α = t with t ≠ α: bind α ↦ t"
        "a = 3" "a is 3";
    DiTop "t ⊑ 1∅: discard"
        "a <= 1_" "the constraint is true of every a and is dropped";
    DiRefl "t ⊑ t: discard"
        "a <= a" "the constraint is true of every a and is dropped";
    DiGround "d ⊑ d' ground: check Def. 1.2, else fail"
        "784 <= 768" "refused: only 768 itself is below 768, so 784 does not broadcast to it";
    DiPin "α ⊑ d, d an atom: replace by α = d"
        "a <= 3" "a is 3: nothing else is below an axis of 3";
    DiPinTop "1∅ ⊑ α: replace by α = 1∅"
        "1_ <= a" "a is 1_: nothing else is above the unit";
    DiCap "d ⊑ α, d an atom: record d if lb(α) is unset; discard if lb(α) = d; else replace by α = 1∅"
        "3 <= a; 4 <= a" "a is 1_: nothing else is above both";
    DiAdj "α ⊑ β with α ≠ β: defer, and record the adjacency on both"
        "a <= b; 3 <= a" "b comes to have the bound 3 as well";
    DiAntisym "α ⊑ β and β ⊑ α: replace by α = β"
        "a <= b; b <= a" "a and b are one variable";
    ReClosed "R₁ ≈ R₂, both closed: fail if the ranks differ, else flat(R₁)[i] = flat(R₂)[i]"
        "[3, 4] ~ [3 <> a]" "a is 4; the markers play no part";
    ReOpenClosed "l₁·⟨ρ⟩·r₁ ≈ R₂ closed: zip the flanks with flat(R₂) from the outer edges; bind ρ to the middle, its marker \
                 where R₂ has it or else at the left edge; fail on overflow"
        "[3 <r>] ~ [3, 4]" "<r> is [4]";
    ReNested "R₁ ≈ R₂ open, both surpluses on ρ₂'s side: bind ρ₁ ↦ m_l·⟨ρ₂⟩·m_r"
        "[<r>] ~ [3 <s> 4]" "<r> is [3 <s> 4]";
    ReSplit "R₁ ≈ R₂ open, one surplus on each side: defer s·x₁ = x₂·t"
        "[3 <r>] ~ [<s> 4]" "nothing is bound; the equation waits for <r> or <s>";
    ReSame "R₁ ≈ R₂ open with ρ₁ = ρ₂: discard without surplus, fail on unequal totals"
        "<r> ~ [3 <r>]" "refused: no row is longer than itself";
    ReRotational "R₁ ≈ R₂ open with ρ₁ = ρ₂, equal totals, shifted: defer x·t = s·x"
        "[3 <r>] ~ [<r> 3]" "nothing is bound; the equation waits for <r>";
    RiCap "R_res ⊑ l·⟨ρ⟩·r, the result no shorter: record its interior residue as a cap on ρ"
        "[3, 4] <= [<r> 4]" "[3] is a bound of <r>";
    RiClosedOperand "R_res ⊑ R_op closed, the result no shorter: its positions that face inserted 1∅ are unconstrained"
        "[3, 4] <= [4]" "the 3 faces an inserted unit and is not constrained";
    RiShort "R_res ⊑ R_op, the result closed and shorter than a flank of the operand: fail"
        "[4] <= [<r> 3, 4]" "refused: the operand has two axes at least, the result has one";
    RiDeficit "R_res ⊑ R_op, the result open and k short: bind ρ_res ↦ α₁…·⟨ρ'⟩·…β_k, all fresh, and reprocess"
        "<r> <= [<s> 4]" "<r> has an axis, which is below 4";
    RankCycle "a cycle of facts rank(ρ) ≥ rank(ρ') + k of positive weight: fail"
        "<r> <= [3 <s>]; <s> <= [4 <r>]" "refused: each of the two rows would be longer than the other";
    CloseDeferred "a deferred word equation at closing: bind one variable to its top, and reprocess"
        "[3 <r>] ~ [<s> 3]" "one of the rows is closed to no axes, and the other follows";
    CloseLeaf "an unsolved leaf: a dimension ↦ its cap, or 1∅; a row ↦ the join of its ground caps; a parameter with a hole: fail"
        "leaf a; 3 <= a" "a is 3, the largest that its uses allow";
    CloseInterior "any other unsolved variable: bind it to its top, 1∅ or the empty row"
        "3 <= a" "a is 1_, its top";
    P1 "d₁ = d₂ gives Eq(⟦d₁⟧, ⟦d₂⟧)"
        "i = j, both of size 3" "both axes are read at one index";
    P2 "d_res ⊑ d_op with sz(d_op) = 1 gives Eq(⟦d_op⟧, Sol(Fix 0))"
        "an axis of 3 below an axis of 1" "the operand is read at 0 for every index of the result";
    P3 "d_res ⊑ d_op otherwise gives Eq(⟦d_res⟧, ⟦d_op⟧)"
        "an axis of 3 below an axis of 3" "both axes are read at one index";
    P4 "R₁ ≈ R₂: alignment from the outer edges, P1 for each pair"
        "[i, j] equal to [3, 4]" "i shares the index of the first axis, j that of the second";
    P5 "R_res ⊑ R_op: alignment from the outer edges, P2 or P3 for each pair, Iter for the result's side of a pair that P2 severs; \
                 Iter for each surplus axis of the result"
        "[2, 3] below [3]" "the last axes share an index, and the first of the result is iterated";
    P6 "each axis of a terminal tensor: Iter(⟦·⟧)"
        "an axis of 3 of a tensor of the program" "a loop runs over it, unless a position is fixed";
    WiAtom "i = c·o + …: neither i nor o is 1∅"
        "i = 2*o; i = 1_" "refused: 1_ is no axis of windows";
    WiBasis "i = c·o + …: i and o have one basis; fail if they have two"
        "6_px = 2*o" "o is 3_px";
    WiAxis "i = c·o + …, all sizes known but that of i: solve for it; fail if none is at least 1"
        "i = 2*o + k; o = 3; k = 3" "the size of i is 7";
    WiOver "i = c·o + …, all sizes known but that of o: solve for it; fail if none is at least 1"
        "i = 2*o + k; i = 7; k = 3" "the size of o is 3";
    WiTap "i = c·o + … + d·k + …, all sizes known but that of k: solve for it; fail if none is at least 1"
        "i = 2*o + k; i = 7; o = 3" "the size of k is 3";
    GeCheck "a ≥ m with m > 1: a is an atom; fail if its size is known and below m"
        "a >= 4; a = 3" "refused: 3 is less than 4";
    CoAtom "t = a ^ …: none of t, a, … is 1∅"
        "t = a ^ b; a = 1_" "refused: 1_ is no part of an axis";
    CoBasis "t = a ^ …: t, a, … have one basis; fail if they have two"
        "t = a ^ b; t = 5_px; a = 2" "refused: t and a have two bases";
    CoWhole "t = a ^ …, all sizes known but that of t: add them up"
        "t = a ^ b; a = 2; b = 3" "the size of t is 5";
    CoPart "t = a ^ …, all sizes known but that of a: what the others leave of t; fail if that is not at least 1"
        "t = a ^ b; t = 5; a = 2" "the size of b is 3";
    CoCycle "a cycle of facts sz(t) ≥ sz(a) + k of positive weight: fail"
        "a = b ^ c; b = a ^ d" "refused: a would be longer than itself";
    PrAtom "n = a * …: n is not 1∅"
        "n = a * b; n = 1_" "refused: 1_ is no product";
    PrWhole "n = a * …, all sizes known but that of n: multiply them"
        "n = a * b; a = 2; b = 3" "the size of n is 6";
    PrFactor "n = a * …, all sizes known but that of a: divide n by the others; fail if a remainder is left"
        "n = a * b; n = 6; a = 2" "the size of b is 3";
    ArPin "t ⊑ b where b is an atom: replace by t = b"
        "i = o + k; i = 5; 3 <= o" "o is 3: it cannot be 1_";
    CloseBasis "a size that is known, of an unknown basis: the basis is `default`"
        "i = o + k; i = 5; o = 3" "k is 3, of the basis `default`";
    CloseRow "n = … * |R|, where R is still open after closing leaves: its variable is []"
        "n = |<r>|; <r> <= [3, 4]" "n is 12: r has the axes 3 and 4, and no more";
    CloseArith "what relates sizes, with a size that is still open after closing leaves: fail"
        "i = o + k; i = 5" "refused: nothing says how long o is";
    P7 "i = Σ cⱼ·qⱼ: Derive(i, Σ cⱼ·⟦qⱼ⟧ + phase - front)"
        "i = 2*o + k, over axes of 7, 3 and 3" "the axis i is read at 2*o + k";
    P8 "t = a ^ …, of which a is visited: Derive(t, ⟦a⟧ + the sizes before a)"
        "t = a ^ b, over axes of 5 and 3, and b is visited" "the axis t is read at b + 2";
    P9 "n = a * b * …: Derive(n, Σ ⟦q⟧ · the sizes after q)"
        "n = a * b, over axes of 6, 2 and 3" "the axis n is read at 3*a + b";
    P10 "a label on no axis: Iter(⟦·⟧), with an identifier of its own"
        "i = 2*o + k, and no axis has the label k" "a loop runs over k";
    P11 "Derive(p, e): π(p) = e, whatever traverses p"
        "i = 2*o + k, i being an axis of a tensor" "no loop runs over i";
    ArResidue "what relates sizes that stay open: fail if no sizes satisfy them together"
        "i = 4*o + k; i = 2*p + q; k = 2; q = 1" "refused: i would be even and odd";
}

impl Rule {
    /// Returns the rule in one line of plain text, in the words of the document, which says more on most rules of rows;
    /// the sources of the transcribed rules quote it. A rule of sizes (§8) is not printed there. `⊑` is the broadcast
    /// order, `≈` equality of flat content, `1∅` the claim-free unit, `⋄` the marker.
    pub fn printed(self) -> &'static str {
        let [printed, ..] = lines(self);
        printed
    }

    /// Returns a smallest input on which the rule acts.
    pub fn example(self) -> Example {
        let [_, set, effect] = lines(self);
        Example { set, effect }
    }

    /// Tells whether the rule acts on constraints between shapes, rather than on an operation at closed shapes.
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

    /// Returns the rule with this name.
    pub fn named(name: &str) -> Option<Rule> {
        let mut all = Rule::ALL.iter().chain(Rule::OF_SIZES).copied();
        all.find(|rule| rule.name() == name)
    }
}
