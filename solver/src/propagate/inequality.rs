//! Row inequalities (Def. 4.3), flank by flank: the order of Def. 2.3 splits completely.
//!
//! For each flank, the result has at least as many axes as the operand, counted from the outer edge, and each of the
//! operand's axes constrains the result axis that it faces. Lengths are difference constraints; they are brought to
//! their least solution first, then the letters are compared.

use lozenge_vocabulary::{Rule, Tag};

use crate::state::engine::{Engine, Letter, Step};
use crate::state::facts::{Claim, Failure, Why};
use crate::state::rows::{Core, Holds, Inequality};
use crate::term::{NONE, RowId, Term};

/// Flags of the work lists.
const LENGTHS: u8 = 1;
const LETTERS: u8 = 2;

impl Engine {
    /// Enters an inequality under its variables. What stands for an aliased variable is spelled out first.
    pub(crate) fn register(&mut self, row: u32, why: Why, done: [u32; 2]) {
        let inequality = self.inequality(row, why, done);
        let at = self.rows.inequalities.push(inequality);
        self.link(at);
    }

    /// The record of an inequality, which is under no variable yet.
    pub(crate) fn inequality(&mut self, row: u32, why: Why, done: [u32; 2]) -> Inequality {
        let (row, why) = self.through_aliases(row, why);
        let (left, right) = (self.row(row), self.row(row + 1));
        let surplus = |side| right.flank(side) as i32 - left.flank(side) as i32;
        Inequality {
            row,
            why,
            left: left.var,
            right: right.var,
            surplus: [surplus(0), surplus(1)],
            bare: left.var != NONE && left.lead + left.trail == 0,
            due: LENGTHS,
            done,
            next_result: NONE,
            next_operand: NONE,
        }
    }

    /// Puts an inequality under its variables and on the work list.
    pub(crate) fn link(&mut self, at: u32) {
        let Inequality {
            left,
            right,
            bare,
            surplus,
            ..
        } = self.rows.inequalities.get(at);
        // A row is below itself. Nothing follows from it, and its letters would be looked for in itself.
        if bare && left == right && surplus == [0; 2] {
            return;
        }
        if left != NONE {
            let node = self.rows.nodes.edit(left);
            let first = std::mem::replace(&mut node.results, at);
            node.shared |= first != NONE;
            self.rows.inequalities.edit(at).next_result = first;
        }
        if right != NONE {
            let node = self.rows.nodes.edit(right);
            let first = std::mem::replace(&mut node.operands, at);
            self.rows.inequalities.edit(at).next_operand = first;
        }
        self.lengths_due.push(at);
        for var in [left, right] {
            if var != NONE && matches!(self.core(var), Core::Content(_)) {
                self.contents_found.push(var);
            }
        }
    }

    /// Brings all lengths to the least that the inequalities allow: operands before results where they can be.
    pub(crate) fn repair_lengths(&mut self) -> Step {
        if self.lengths_due.is_empty() {
            return Ok(());
        }
        let mut stack = std::mem::take(&mut self.search);
        while !self.lengths_due.is_empty() {
            self.round += 1;
            let mut seeds = std::mem::take(&mut self.lengths_due);
            for seed in seeds.drain(..) {
                if self.rows.inequalities.at(seed).due & LENGTHS == 0 {
                    continue;
                }
                stack.push(seed);
                while let Some(at) = stack.last().copied() {
                    if self.rows.inequalities.at(at).due & LENGTHS != 0 {
                        self.rows.inequalities.edit(at).due &= !LENGTHS;
                        self.push_results_of_operand(at, &mut stack);
                    } else {
                        stack.pop();
                        self.check_lengths(at)?;
                    }
                }
            }
            if self.lengths_due.is_empty() {
                self.lengths_due = seeds;
            }
        }
        self.search = stack;
        Ok(())
    }

    /// The inequalities that may still lengthen the operand of this one go first.
    #[inline]
    fn push_results_of_operand(&mut self, at: u32, stack: &mut Vec<u32>) {
        let operand = self.rows.inequalities.at(at).right;
        if operand == NONE {
            return;
        }
        let node = self.rows.nodes.get(operand);
        if node.results == NONE || node.searched == self.round {
            return;
        }
        self.rows.nodes.edit(operand).searched = self.round;
        let mut next = node.results;
        while next != NONE {
            let inequality = self.rows.inequalities.at(next);
            if inequality.due & LENGTHS != 0 {
                stack.push(next);
            }
            next = inequality.next_result;
        }
    }

    #[inline]
    fn len_of(&self, var: u32, side: usize) -> u32 {
        if var == NONE {
            0
        } else {
            self.rows.nodes.at(var).len[side]
        }
    }

    fn check_lengths(&mut self, at: u32) -> Step {
        let inequality = self.rows.inequalities.get(at);
        let mut faced = [0; 2];
        for (side, faced) in faced.iter_mut().enumerate() {
            *faced = self.len_of(inequality.right, side) as i32 + inequality.surplus[side];
            if *faced > self.len_of(inequality.left, side) as i32 {
                self.lengthen(at, side, *faced as u32)?;
            }
        }
        self.compare_later(at, faced);
        Ok(())
    }

    /// Letters are compared when all lengths are known. Where the result is a bare variable with nothing written,
    /// there is nothing to compare: its letters face the operand's from now on.
    #[inline]
    fn compare_later(&mut self, at: u32, faced: [i32; 2]) {
        let inequality = self.rows.inequalities.get(at);
        let (mut explicit, mut unwritten) = ([0; 2], false);
        if inequality.bare {
            let node = self.rows.nodes.at(inequality.left);
            unwritten = node.is_unwritten()
                && node.core == Core::Open
                && self.problem.row_tag(inequality.left) == Tag::Interior;
        } else {
            let row = self.row(inequality.row);
            explicit = [row.lead as i32, row.trail as i32];
        }
        let faced = [0, 1].map(|side| (faced[side] + explicit[side]).max(0) as u32);
        if faced[0] <= inequality.done[0] && faced[1] <= inequality.done[1] {
            return;
        }
        if unwritten {
            let done = &mut self.rows.inequalities.edit(at).done;
            *done = [done[0].max(faced[0]), done[1].max(faced[1])];
        } else if inequality.due & LETTERS == 0 {
            self.rows.inequalities.edit(at).due |= LETTERS;
            self.letters_due.push(at);
        }
    }

    /// Why the operand's flank has its axes.
    fn operand_why(&mut self, why: Why, operand: u32, side: usize) -> Why {
        if operand == NONE {
            return why;
        }
        let node = self.rows.nodes.get(operand);
        let known = self
            .facts
            .both(Rule::RiDeficit, node.grown[side], node.fixed);
        self.facts.both(Rule::RiDeficit, why, known)
    }

    /// The result of an inequality has to have `needed` axes in its variable's flank.
    fn lengthen(&mut self, at: u32, side: usize, needed: u32) -> Step {
        let Inequality {
            why, left, right, ..
        } = self.rows.inequalities.get(at);
        if left == NONE {
            let why = self.operand_why(why, right, side);
            return Err(too_short(&[why]));
        }
        let node = self.rows.nodes.get(left);
        match node.core {
            Core::Closed => {
                let why = self.operand_why(why, right, side);
                Err(too_short(&[why, node.fixed]))
            }
            // Its length is settled when it is placed.
            Core::Alias(_) => Ok(()),
            Core::Content(content) => {
                let row = self.row(self.rows.contents.at(content).row);
                if row.var != NONE {
                    return Ok(());
                }
                let why = self.operand_why(why, right, side);
                self.consume(left, content, side, needed, why)
            }
            Core::Open => self.grow_flank(at, side, needed),
        }
    }

    /// An open row comes to have more axes (Def. 4.3(iv)).
    fn grow_flank(&mut self, at: u32, side: usize, needed: u32) -> Step {
        let Inequality {
            why, left, right, ..
        } = self.rows.inequalities.get(at);
        let rule = Rule::RiDeficit;
        let known = self.operand_why(Why::NONE, right, side);
        let claim = Claim::Grown(left, side as u8, needed);
        let fact = self.facts.record(rule, claim, [why, known]);
        let first = self.rows.nodes.at(left).len[side] == 0;
        self.regrow(left, side, needed, fact);
        if first {
            self.pin_flank(at, side, needed);
        }
        self.raises += 1;
        if self.raises.is_power_of_two() && self.grows_by_itself(fact, side) {
            return Err(Failure {
                rule: Rule::RankCycle,
                reasons: vec![fact],
                terms: Vec::new(),
                message: "each row of the cycle has to be longer than itself".into(),
                is_limit: false,
            });
        }
        self.lengthened(left);
        Ok(())
    }

    /// Records a new length of a flank. Letters that were pinned stay what they are for the reason that they had.
    pub(crate) fn regrow(&mut self, var: u32, side: usize, len: u32, fact: Why) {
        if self.rows.nodes.at(var).holds[side] != Holds::Own {
            let fixed = self.letters_why(var, side);
            self.rows.nodes.edit(var).fixed = fixed;
        }
        let node = self.rows.nodes.edit(var);
        (node.len[side], node.grown[side]) = (len, fact);
    }

    /// Whether the lengthening that a fact tells of leads back to the same variable: a cycle of positive weight.
    /// It is asked whenever the number of lengthenings doubles, so that it costs a constant for each: when the
    /// lengthening never ends, every one of them comes from the cycle after a while.
    fn grows_by_itself(&self, fact: Why, side: usize) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut at = fact.as_fact();
        while let Some(index) = at {
            let fact = self.facts.get(index);
            at = match fact.claim {
                // Where letters are pinned, the length of the other flank is behind this one's as well.
                Claim::Grown(var, s, _) if usize::from(s) == side => {
                    if !seen.insert(var) {
                        return true;
                    }
                    fact.parents[1].as_fact()
                }
                Claim::Both => fact.parents[0].as_fact(),
                _ => None,
            };
        }
        false
    }

    /// A flank of a variable has become longer: what depends on it is looked at again.
    pub(crate) fn lengthened(&mut self, var: u32) {
        let mut next = self.rows.nodes.at(var).operands;
        while next != NONE {
            self.look_again(next);
            next = self.rows.inequalities.at(next).next_operand;
        }
        self.wake(var);
    }

    /// A variable is closed now: what waited for its marker is looked at again as well.
    pub(crate) fn closed(&mut self, var: u32) {
        self.closed_below(var);
        self.lengthened(var);
    }

    /// The part of that which concerns the rows of which it is the result.
    pub(crate) fn closed_below(&mut self, var: u32) {
        let mut next = self.rows.nodes.at(var).results;
        while next != NONE {
            self.look_again(next);
            next = self.rows.inequalities.at(next).next_result;
        }
    }

    #[inline]
    fn look_again(&mut self, inequality: u32) {
        if self.rows.inequalities.at(inequality).due & LENGTHS == 0 {
            self.rows.inequalities.edit(inequality).due |= LENGTHS;
            self.lengths_due.push(inequality);
        }
    }

    /// Compares what has come to face each other.
    pub(crate) fn compare_letters(&mut self) -> Step {
        let mut due = std::mem::take(&mut self.letters_due);
        for at in due.drain(..) {
            self.rows.inequalities.edit(at).due &= !LETTERS;
            for side in 0..2 {
                self.compare_flank(at, side)?;
            }
        }
        self.letters_due = due;
        Ok(())
    }

    fn compare_flank(&mut self, at: u32, side: usize) -> Step {
        let inequality = self.rows.inequalities.get(at);
        let (left, right) = (self.row(inequality.row), self.row(inequality.row + 1));
        let from = inequality.done[side];
        let faced = right.flank(side) + self.len_of(right.var, side);
        let until = faced.min(left.flank(side) + self.len_of(left.var, side));
        if until <= from {
            return Ok(());
        }
        self.rows.inequalities.edit(at).done[side] = until;
        if inequality.surplus == [0; 2]
            && inequality.bare
            && self.rows.share(left.var, right.var, side)
        {
            return Ok(());
        }
        let write = left.var != NONE && self.writes(left.var);
        let last = match (left.var, write) {
            (NONE, _) | (_, true) => until,
            (var, false) => until.min(left.flank(side) + self.rows.room(var, side)),
        };
        let mut whys = [Why::NONE; 2];
        for position in from..last {
            let low = match self.axis(left, side, position) {
                Some(low) => low,
                None if write => {
                    let letter = self.write_letter(left.var, side, position - left.flank(side))?;
                    // Writing a letter compares it with all that it faces.
                    let _ = letter;
                    continue;
                }
                None => continue,
            };
            self.compare_axis(inequality, side, position, low, &mut whys)?;
        }
        Ok(())
    }

    /// Whether the letters of a variable are written as they come to be.
    pub(crate) fn writes(&mut self, var: u32) -> bool {
        let node = self.rows.nodes.at(var);
        if node.written {
            return true;
        }
        if !node.shared && self.problem.row_tag(var) != Tag::Param {
            return false;
        }
        self.rows.nodes.edit(var).written = true;
        true
    }

    /// The axis of a row at a position of a flank, when it has a term.
    #[inline]
    pub(crate) fn axis(&self, row: RowId, side: usize, position: u32) -> Option<Term> {
        if position < row.flank(side) {
            Some(self.problem.terms[row.place(side, position) as usize])
        } else {
            self.rows.letter(row.var, side, position - row.flank(side))
        }
    }

    /// `low`, the result's axis at a position, is below the operand's.
    fn compare_axis(
        &mut self,
        inequality: Inequality,
        side: usize,
        position: u32,
        low: Term,
        whys: &mut [Why; 2],
    ) -> Step {
        let (left, right) = (self.row(inequality.row), self.row(inequality.row + 1));
        let explicit = position < right.flank(side);
        let high = match self.axis(right, side, position) {
            Some(high) => high,
            None => self.write_letter(right.var, side, position - right.flank(side))?,
        };
        if self.dims.holds(low, high) {
            return Ok(());
        }
        let why = &mut whys[usize::from(explicit)];
        if *why == Why::NONE {
            *why = inequality.why;
            if left.var != NONE {
                let fixed = self.letters_why(left.var, side);
                *why = self.facts.both(Rule::RiDeficit, *why, fixed);
            }
            if !explicit {
                *why = self.operand_why(*why, right.var, side);
            }
        }
        self.dims.below(low, high, *why, &mut self.facts)
    }

    /// Gives an unwritten letter a variable of its own, and all that it has to be below likewise.
    pub(crate) fn write_letter(
        &mut self,
        var: u32,
        side: usize,
        position: u32,
    ) -> Result<Term, Failure> {
        let letter = self.fresh_letter(var, side, position);
        let mut born = vec![(var, position, letter)];
        while let Some((var, position, low)) = born.pop() {
            let mut next = self.rows.nodes.at(var).results;
            while next != NONE {
                let inequality = self.rows.inequalities.get(next);
                next = inequality.next_result;
                let (left, right) = (self.row(inequality.row), self.row(inequality.row + 1));
                let position = position + left.flank(side);
                if position >= inequality.done[side] {
                    continue;
                }
                if self.axis(right, side, position).is_none() {
                    let above = position - right.flank(side);
                    let high = self.fresh_letter(right.var, side, above);
                    born.push((right.var, above, high));
                }
                self.compare_axis(inequality, side, position, low, &mut [Why::NONE; 2])?;
            }
        }
        Ok(letter)
    }

    pub(crate) fn fresh_letter(&mut self, var: u32, side: usize, position: u32) -> Term {
        let letter = self.problem.unnamed_dim(self.problem.row_tag(var));
        self.dims.grow(letter.id() as usize + 1);
        self.rows.write(var, side, position, letter);
        self.letters.push(Letter {
            dim: letter.id(),
            var,
            place: 2 * position + side as u32,
        });
        letter
    }

    /// Writes every letter of a variable, now and from now on.
    pub(crate) fn write_all(&mut self, var: u32) -> Step {
        self.rows.nodes.edit(var).written = true;
        for side in 0..2 {
            for position in 0..self.rows.nodes.at(var).len[side] {
                if self.rows.letter(var, side, position).is_none() {
                    self.write_letter(var, side, position)?;
                }
            }
        }
        Ok(())
    }
}

fn too_short(reasons: &[Why]) -> Failure {
    Failure {
        rule: Rule::RiShort,
        reasons: reasons.to_vec(),
        terms: Vec::new(),
        message: "the result is closed and has fewer axes in a flank than the operand".into(),
        is_limit: false,
    }
}
