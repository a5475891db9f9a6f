//! Row equalities (Def. 4.3): equality of flat content, markers unseen.

use lozenge_vocabulary::Rule;

use crate::state::engine::{Deferred, Engine, Step, Watch};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::state::rows::{Binding, Content};
use crate::term::{NONE, Term};

/// A row spelled out as far as it is known, from both edges inward.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spelled {
    pub(crate) lead: Vec<Term>,
    /// From the last axis inward.
    pub(crate) trail: Vec<Term>,
    /// The open variable in the middle, or `NONE`.
    pub(crate) open: u32,
    pub(crate) reason: Reason,
}

impl Spelled {
    pub(crate) fn len(&self) -> usize {
        self.lead.len() + self.trail.len()
    }

    /// An axis of a closed row.
    fn axis(&self, at: usize) -> Term {
        match self.lead.get(at) {
            Some(term) => *term,
            None => self.trail[self.len() - 1 - at],
        }
    }
}

/// What two spelled rows have to do with each other once their overlapping axes are equal.
pub(crate) enum Residue {
    /// Nothing is left to say.
    Done,
    /// The first variable's content is the second row.
    Bind(u32, Middle, Rule),
    /// `s · x = y · t`: the variables x and y, and how long s and t are.
    Split(u32, u32, usize, usize),
    /// `s · x = x · t`.
    Rotation(u32),
}

/// The middle that a variable stands for.
pub(crate) struct Middle {
    lead: Vec<Term>,
    var: u32,
    trail: Vec<Term>,
}

impl Engine {
    /// Spells out a row of the problem.
    pub(crate) fn spell(&mut self, row: u32) -> Result<Spelled, Failure> {
        let mut spelled = Spelled {
            open: NONE,
            ..Spelled::default()
        };
        let mut row = self.row(row);
        loop {
            let (start, lead) = (row.start as usize, row.lead as usize);
            let axes = &self.problem.terms[start..start + lead + row.trail as usize];
            spelled.lead.extend_from_slice(&axes[..lead]);
            spelled.trail.extend(axes[lead..].iter().rev());
            if row.var == NONE {
                return Ok(spelled);
            }
            self.write_all(row.var)?;
            let node = self.rows.nodes.get(row.var);
            for position in 0..node.len[0] {
                spelled.lead.extend(self.rows.axis(row.var, 0, position));
            }
            for position in 0..node.len[1] {
                spelled.trail.extend(self.rows.axis(row.var, 1, position));
            }
            let flat = self.flat_reason(row.var);
            spelled.reason = self.inferences.both(Rule::ReNested, spelled.reason, flat);
            match node.binding {
                Binding::Open => {
                    spelled.open = row.var;
                    return Ok(spelled);
                }
                Binding::Closed => return Ok(spelled),
                Binding::Content(content) | Binding::Alias(content) => {
                    let content = self.rows.contents.get(content);
                    spelled.reason =
                        self.inferences
                            .both(Rule::ReNested, spelled.reason, content.reason);
                    row = self.row(content.row);
                }
            }
        }
    }

    /// Why the axes of a variable begin and end its flat content.
    pub(crate) fn flat_reason(&mut self, var: u32) -> Reason {
        let node = self.rows.nodes.get(var);
        if matches!(node.binding, Binding::Closed | Binding::Alias(_)) {
            return node.flat;
        }
        let grown = self.inferences.both(
            Rule::RiDeficit,
            node.length_reasons[0],
            node.length_reasons[1],
        );
        self.inferences.both(Rule::ReNested, grown, node.fixed)
    }

    /// Looks at an equation: the row at `row` and the one after it.
    pub(crate) fn equate(&mut self, row: u32, reason: Reason, deferred: u32) -> Step {
        if deferred != NONE && self.deferred.at(deferred).done {
            return Ok(());
        }
        let (a, b) = (self.spell(row)?, self.spell(row + 1)?);
        let asserted = reason;
        let known = self.inferences.both(Rule::ReNested, a.reason, b.reason);
        // Where no axes meet, the reasons meet in the conclusion only.
        let apart = a.open != NONE && b.open != NONE && a.open != b.open;
        let (reason, known) = if apart && a.len().min(b.len()) == 0 {
            (reason, known)
        } else {
            (
                self.inferences.both(Rule::ReNested, reason, known),
                Reason::NONE,
            )
        };
        match self.reduce(&a, &b, reason)? {
            Residue::Done => self.discharge(deferred),
            Residue::Bind(var, mut middle, rule) => {
                self.discharge(deferred);
                middle.var = self.inner_of(middle.var);
                self.bind_content(var, middle, rule, [reason, known]);
            }
            Residue::Split(x, y, ..) => self.defer(row, asserted, deferred, &[x, y]),
            Residue::Rotation(x) => self.defer(row, asserted, deferred, &[x]),
        }
        Ok(())
    }

    /// Equates the axes that overlap, and says what is left.
    pub(crate) fn reduce(
        &mut self,
        a: &Spelled,
        b: &Spelled,
        reason: Reason,
    ) -> Result<Residue, Failure> {
        match (a.open, b.open) {
            (NONE, NONE) => {
                if a.len() != b.len() {
                    let message = format!("{} axes against {}", a.len(), b.len());
                    return Err(refused(Rule::ReClosed, reason, message));
                }
                for at in 0..a.len() {
                    self.equal(a.axis(at), b.axis(at), reason)?;
                }
                Ok(Residue::Done)
            }
            (var, NONE) => self.open_closed(var, a, b, reason),
            (NONE, var) => self.open_closed(var, b, a, reason),
            _ => self.open_open(a, b, reason),
        }
    }

    fn equal(&mut self, a: Term, b: Term, reason: Reason) -> Step {
        self.dims
            .equal(a, b, Rule::DeBind, reason, &mut self.inferences)
    }

    /// (b): the content of the variable is what the closed row has beyond the open one's axes.
    fn open_closed(
        &mut self,
        var: u32,
        open: &Spelled,
        closed: &Spelled,
        reason: Reason,
    ) -> Result<Residue, Failure> {
        let (rank, start) = (closed.len(), open.lead.len());
        let Some(end) = rank.checked_sub(open.trail.len()).filter(|e| start <= *e) else {
            let message = format!("{} axes at least against {rank}", open.len());
            return Err(refused(Rule::ReOpenClosed, reason, message));
        };
        for (at, axis) in open.lead.iter().enumerate() {
            self.equal(*axis, closed.axis(at), reason)?;
        }
        for (at, axis) in open.trail.iter().enumerate() {
            self.equal(*axis, closed.axis(rank - 1 - at), reason)?;
        }
        let declared = closed.lead.len();
        let split = if (start..=end).contains(&declared) {
            declared
        } else {
            start
        };
        let middle = Middle {
            lead: (start..split).map(|at| closed.axis(at)).collect(),
            var: NONE,
            trail: (split..end).map(|at| closed.axis(at)).collect(),
        };
        Ok(Residue::Bind(var, middle, Rule::ReOpenClosed))
    }

    /// (c) and (d).
    fn open_open(&mut self, a: &Spelled, b: &Spelled, reason: Reason) -> Result<Residue, Failure> {
        if a.open == b.open && a.len() != b.len() {
            let message = "no finite row is longer than itself".to_string();
            return Err(refused(Rule::ReSame, reason, message));
        }
        for (x, y) in a
            .lead
            .iter()
            .zip(&b.lead)
            .chain(a.trail.iter().zip(&b.trail))
        {
            self.equal(*x, *y, reason)?;
        }
        let lead = a.lead.len() as i64 - b.lead.len() as i64;
        let trail = a.trail.len() as i64 - b.trail.len() as i64;
        if a.open == b.open {
            return Ok(if lead == 0 {
                Residue::Done
            } else {
                Residue::Rotation(a.open)
            });
        }
        let larger = |x: u32, y: u32| self.rows.nodes.at(x).height > self.rows.nodes.at(y).height;
        Ok(match (lead.signum(), trail.signum()) {
            (0, 0) if larger(a.open, b.open) => bind(b.open, a, b),
            (-1 | 0, -1 | 0) => bind(a.open, b, a),
            (0 | 1, 0 | 1) => bind(b.open, a, b),
            (1, _) => Residue::Split(a.open, b.open, lead as usize, -trail as usize),
            _ => Residue::Split(b.open, a.open, -lead as usize, trail as usize),
        })
    }

    /// The variable that stands for what a variable holds between its known flanks: itself when it has none, else
    /// a fresh one, which takes over what is stated of it. Nothing is chosen: the marker is inside.
    fn inner_of(&mut self, var: u32) -> u32 {
        if var == NONE || self.rows.nodes.at(var).len == [0; 2] {
            return var;
        }
        let node = self.rows.nodes.get(var);
        let inner = self.problem.unnamed_row(self.problem.row_tag(var));
        self.rows.grow(inner as usize + 1);
        self.rows.nodes.edit(inner).height = node.height + 1;
        let row = self.content_row(&Middle::new(Vec::new(), inner, Vec::new()));
        let reason = Reason::NONE;
        let alias = self.rows.contents.push(Content { row, reason });
        let fixed = self.flat_reason(var);
        let node = self.rows.nodes.edit(var);
        (node.binding, node.fixed, node.flat) = (Binding::Alias(alias), fixed, fixed);
        self.pass_on(var);
        self.wake(var);
        inner
    }

    /// Records the flat content of a variable: entailed, whatever the place of its marker.
    fn bind_content(&mut self, var: u32, middle: Middle, rule: Rule, reasons: [Reason; 2]) {
        let row = self.content_row(&middle);
        let inference = self
            .inferences
            .record(rule, Conclusion::Content(var, row), reasons);
        self.set_content(var, row, inference);
    }

    pub(crate) fn content_row(&mut self, middle: &Middle) -> u32 {
        let row = self.problem.row_of(&middle.lead, middle.var, &middle.trail);
        self.problem.rows.push(row);
        self.problem.rows.len() as u32 - 1
    }

    pub(crate) fn set_content(&mut self, var: u32, row: u32, inference: Reason) {
        let content = self.row(row);
        let empty = content.lead + content.trail == 0;
        let binding = if empty && content.var == NONE {
            let known = self.flat_reason(var);
            let flat = self.inferences.both(Rule::ReOpenClosed, known, inference);
            let fixed = self.rows.nodes.at(var).fixed;
            let fixed = self.inferences.both(Rule::ReOpenClosed, fixed, inference);
            let node = self.rows.nodes.edit(var);
            (node.fixed, node.flat) = (fixed, flat);
            Binding::Closed
        } else {
            Binding::Content(self.rows.contents.push(Content {
                row,
                reason: inference,
            }))
        };
        let node = self.rows.nodes.edit(var);
        node.binding = binding;
        let (height, asked) = (node.height, node.results != NONE || node.operands != NONE);
        if empty && content.var != NONE {
            let root = self.rows.nodes.edit(content.var);
            root.height = root.height.max(height.saturating_add(1));
        }
        if asked {
            self.contents_found.push(var);
        }
        self.wake(var);
    }

    fn discharge(&mut self, deferred: u32) {
        if deferred != NONE {
            self.deferred.edit(deferred).done = true;
        }
    }

    /// Keeps an equation in flight, to be looked at again whenever more is known of its variables.
    fn defer(&mut self, row: u32, reason: Reason, known: u32, vars: &[u32]) {
        let deferred = if known != NONE {
            known
        } else {
            self.deferred.push(Deferred {
                row,
                reason,
                done: false,
            })
        };
        for var in vars {
            let first = self.rows.nodes.at(*var).watchers;
            let mut next = first;
            while next != NONE && self.watches.at(next).deferred != deferred {
                next = self.watches.at(next).next;
            }
            if next == NONE {
                let watch = self.watches.push(Watch {
                    deferred,
                    next: first,
                });
                self.rows.nodes.edit(*var).watchers = watch;
            }
        }
    }

    /// More is known of a variable: its deferred equations are looked at again.
    pub(crate) fn wake(&mut self, var: u32) {
        if self.watching {
            self.changed.push(var);
        }
        let mut next = self.rows.nodes.at(var).watchers;
        while next != NONE {
            let watch = self.watches.get(next);
            let Deferred { row, reason, done } = self.deferred.get(watch.deferred);
            if !done {
                self.equations_due.push_back((row, reason, watch.deferred));
            }
            next = watch.next;
        }
    }
}

/// (c), nested: the variable's content is what the other row has beyond its own axes.
fn bind(var: u32, longer: &Spelled, shorter: &Spelled) -> Residue {
    let middle = Middle {
        lead: longer.lead[shorter.lead.len()..].to_vec(),
        var: longer.open,
        trail: longer.trail[shorter.trail.len()..]
            .iter()
            .rev()
            .copied()
            .collect(),
    };
    Residue::Bind(var, middle, Rule::ReNested)
}

impl Middle {
    /// Nothing: the empty row.
    pub(crate) fn empty() -> Middle {
        Middle {
            lead: Vec::new(),
            var: NONE,
            trail: Vec::new(),
        }
    }

    pub(crate) fn new(lead: Vec<Term>, var: u32, trail: Vec<Term>) -> Middle {
        Middle { lead, var, trail }
    }
}

fn refused(rule: Rule, reason: Reason, message: String) -> Failure {
    Failure {
        rule,
        reasons: vec![reason],
        terms: Vec::new(),
        message,
        is_limit: false,
    }
}
