//! Printed rules that a definition contradicts, each behind a switch. The claims table runs them to show in what way they
//! are wrong; nothing else does.

/// Which printed rules are run as printed. Every one is off by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Literal {
    /// Def. 4.3(i) to (iv) and Def. 4.5 compare the totals of both flanks.
    pub totals: bool,
    /// Def. 4.5 records facts about ranks, in one graph, although the rules go by flanks.
    pub rank_facts: bool,
    /// Def. 4.3(iv) with Def. 4.4: a constraint that made its result grow goes to the end of the queue.
    pub requeue: bool,
    /// Def. 4.3 without Def. 4.5: no rank facts, no cycle check.
    pub unguarded: bool,
    /// Def. 4.2's DI-adj: caps do not travel along adjacencies.
    pub caps_stay: bool,
    /// Def. 6.1(1): which leaf is closed next.
    pub closing: ClosingOrder,
}

/// The order in which leaves are closed; the document leaves it free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ClosingOrder {
    /// In rounds: what is known first, and nothing while its bound can grow.
    #[default]
    Scheduled,
    /// By name, each from its own stored caps alone.
    Named,
    /// By name from the last, each from its own stored caps alone.
    Reversed,
    /// One at a time from below, as Rem. 6.3 asks; the first by name of those that have no leaf below them.
    Lowest,
}
