//! The rules by name. A rule is a value: traces, refusals, coverage and claims all refer to it.

mod printed;

pub use printed::Example;

use std::fmt;

use serde::{Deserialize, Serialize};

/// The nature of a step: it follows from the constraints, or it commits to one of several possibilities (Lemma 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Nature {
    /// The step keeps the set of solutions.
    Semantic,
    /// May lose solutions.
    Policy,
}

macro_rules! rules {
    (
        $($(#[doc = $doc:literal])+ $name:ident $text:literal $source:literal $nature:ident;)*
        of sizes:
        $($(#[doc = $meaning:literal])+ $sizes:ident $sizes_text:literal $sizes_nature:ident;)*
    ) => {
        /// A rule of the calculus.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)*
            $($(#[doc = $meaning])+ $sizes,)*
        }

        impl Rule {
            /// Every rule that the document prints, in its order.
            pub const ALL: &'static [Rule] = &[$(Rule::$name),*];

            /// Every rule of sizes (§8), which the document does not print.
            pub const OF_SIZES: &'static [Rule] = &[$(Rule::$sizes),*];

            /// Returns the rule's name as the code and the traces write it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Rule::$name => $text,)*
                    $(Rule::$sizes => $sizes_text,)*
                }
            }

            /// Returns the place where the document prints the rule; for a rule of sizes, the section that it belongs
            /// to.
            pub fn source(self) -> &'static str {
                match self {
                    $(Rule::$name => $source,)*
                    $(Rule::$sizes => "§8",)*
                }
            }

            /// Tells whether the rule keeps the set of solutions.
            pub fn nature(self) -> Nature {
                match self {
                    $(Rule::$name => Nature::$nature,)*
                    $(Rule::$sizes => Nature::$sizes_nature,)*
                }
            }

            /// Describes the rule in one sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Rule::$name => concat!($($doc),+).trim_ascii(),)*
                    $(Rule::$sizes => concat!($($meaning),+).trim_ascii(),)*
                }
            }
        }
    };
}

rules! {
    /// Two equal dimension terms: nothing to do.
    DeRefl "de_refl" "Def. 4.2" Semantic;
    /// Two different constants cannot be equal.
    DeClash "de_clash" "Def. 4.2" Semantic;
    /// A variable equal to a term is bound to it.
    DeBind "de_bind" "Def. 4.2" Semantic;
    /// Everything is below the unit.
    DiTop "di_top" "Def. 4.2" Semantic;
    /// Every term is below itself.
    DiRefl "di_refl" "Def. 4.2" Semantic;
    /// Two constants are compared.
    DiGround "di_ground" "Def. 4.2" Semantic;
    /// A dimension below an atom is that atom.
    DiPin "di_pin" "Def. 4.2" Semantic;
    /// A dimension above the unit is the unit.
    DiPinTop "di_pin_top" "Def. 4.2" Semantic;
    /// An atom below a variable is recorded; two different ones make it the unit.
    DiCap "di_cap" "Def. 4.2" Semantic;
    /// An inequality between two variables is deferred, and caps travel along it.
    DiAdj "di_adj" "Def. 4.2" Semantic;
    /// A cycle of inequalities between dimension variables makes them equal.
    DiAntisym "di_antisym" "§10, admissible" Semantic;
    /// Two closed rows: their flat contents are equal, axis by axis.
    ReClosed "re_closed" "Def. 4.3(a)" Semantic;
    /// An open row equal to a closed one: the content of its variable is forced, the place of its marker is chosen.
    ReOpenClosed "re_open_closed" "Def. 4.3(b)" Policy;
    /// Two open rows with both surpluses on one side: the content is forced, the place of the marker is chosen.
    ReNested "re_nested" "Def. 4.3(c)" Policy;
    /// Two open rows with one surplus on each side: a word equation, deferred.
    ReSplit "re_split" "Def. 4.3(c)" Semantic;
    /// The same row variable on both sides with no surplus, or with surpluses that no finite row bears.
    ReSame "re_same" "Def. 4.3(d)" Semantic;
    /// The same row variable on both sides, shifted: a word equation, deferred.
    ReRotational "re_rotational" "Def. 4.3(d)" Semantic;
    /// The operand is open: what the result has beyond its flanks is a cap on its variable.
    RiCap "ri_cap" "Def. 4.3(i)" Semantic;
    /// The operand is closed: what the result has beyond its flanks faces inserted units.
    RiClosedOperand "ri_closed_operand" "Def. 4.3(ii)" Semantic;
    /// A closed result has a flank shorter than the operand's.
    RiShort "ri_short" "Def. 4.3(iii)" Semantic;
    /// An open result has a flank shorter than the operand's: it grows by the deficit.
    RiDeficit "ri_deficit" "Def. 4.3(iv)" Semantic;
    /// A cycle of rank facts asks a row to be longer than itself.
    RankCycle "rank_cycle" "Def. 4.5" Semantic;
    /// A deferred word equation is resolved by closing one of its variables upward.
    CloseDeferred "close_deferred" "Def. 4.3(c), (d)" Policy;
    /// A leaf variable is bound to the join of its caps.
    CloseLeaf "close_leaf" "Def. 6.1(1)" Policy;
    /// A remaining variable is bound to its top.
    CloseInterior "close_interior" "Def. 6.1(3)" Policy;
    /// Equal dimensions share an index.
    P1 "p1" "Def. 7.2" Semantic;
    /// An operand axis of size one is read at 0, and cut loose from the result's.
    P2 "p2" "Def. 7.2" Semantic;
    /// Any other operand axis shares the index of the result axis it faces.
    P3 "p3" "Def. 7.2" Semantic;
    /// Equal rows are read axis by axis.
    P4 "p4" "Def. 7.2" Semantic;
    /// Rows in order are aligned at their outer edges; result axes that face no operand axis are iterated.
    P5 "p5" "Def. 7.2" Semantic;
    /// Each axis of a terminal tensor is iterated.
    P6 "p6" "Def. 7.2" Semantic;

    of sizes:
    /// The axis of windows, and the axis that counts them, are atoms.
    WiAtom "wi_atom" Semantic;
    /// The axis of windows and the axis that counts them have one basis.
    WiBasis "wi_basis" Semantic;
    /// The number and the span of windows say how long their axis is.
    WiAxis "wi_axis" Semantic;
    /// The axis and the span of windows say how many there are.
    WiOver "wi_over" Semantic;
    /// The axis and the number of windows say how long the one tap is that is open.
    WiTap "wi_tap" Semantic;
    /// A concatenation and its parts are atoms.
    CoAtom "co_atom" Semantic;
    /// A concatenation and its parts have one basis.
    CoBasis "co_basis" Semantic;
    /// The parts say how long their concatenation is.
    CoWhole "co_whole" Semantic;
    /// A concatenation and all other parts say how long the one part is that is open.
    CoPart "co_part" Semantic;
    /// An axis is longer than itself: it is a part of a part of itself, beside others.
    CoCycle "co_cycle" Semantic;
    /// A product is an atom.
    PrAtom "pr_atom" Semantic;
    /// The factors say how long their product is.
    PrWhole "pr_whole" Semantic;
    /// A product and all other factors say how long the one factor is that is open.
    PrFactor "pr_factor" Semantic;
    /// A bound of a size: what is longer than 1 is an atom, and a size that is known is compared.
    GeCheck "ge_check" Semantic;
    /// A dimension below an atom is that atom, also where its size is not known.
    ArPin "ar_pin" Semantic;
    /// Facts about sizes that every other rule leaves over are decided as a whole.
    ArResidue "ar_residue" Semantic;
    /// A size that is known, with a basis that is not, gets the basis `default`.
    CloseBasis "close_basis" Policy;
    /// A row whose elements are counted, and that nothing closes, is closed with the axes that are known of it: at its
    /// top.
    CloseRow "close_row" Policy;
    /// A size that nothing forces is refused: none is guessed.
    CloseArith "close_arith" Policy;
    /// An axis on which windows lie has the sum of the indices of the windows and their taps for its index.
    P7 "p7" Semantic;
    /// An axis that is a concatenation has the index of the part that is visited, after the parts before it.
    P8 "p8" Semantic;
    /// An axis that is a product has the sum of the indices of its factors, each times the sizes of those after it, for
    /// its index.
    P9 "p9" Semantic;
    /// A label of a window that stands on no axis is traversed too.
    P10 "p10" Semantic;
    /// An axis whose index is derived has no loop of its own.
    P11 "p11" Semantic;
}

/// Explains in words why two dimensions cannot be equal ([`Rule::DeClash`]).
pub fn unequal(a: impl fmt::Display, b: impl fmt::Display) -> String {
    format!("the dimensions {a} and {b} cannot be equal")
}

/// Explains in words why a dimension of a result does not broadcast to that of an operand ([`Rule::DiGround`]).
pub fn not_below(result: impl fmt::Display, operand: impl fmt::Display) -> String {
    format!(
        "an axis {result} of the result faces an axis {operand} of the operand, which only {operand} can"
    )
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
