//! Row variables whose ranks differ by a number that equations fix. One of them stands for all, so that other formulas
//! are about fewer numbers.

use super::form::{Form, Formula, Unknown};
use crate::formula::{Length, LengthFact, Measure};

/// The forms that are the ranks of the row variables.
#[derive(Clone, Debug)]
pub(crate) struct Ranks {
    ranks: Vec<Form>,
}

/// An equation: the rank of this row variable less that of the other one; without one, its rank.
struct Link {
    to: Option<u32>,
    difference: i64,
}

impl Ranks {
    /// Returns the ranks of so many row variables, by the equations among the facts. Facts that contradict each other
    /// remain to be asserted.
    pub fn new(rows: usize, facts: &[LengthFact]) -> Ranks {
        let mut links: Vec<Vec<Link>> = Vec::new();
        links.resize_with(rows, Vec::new);
        for fact in facts {
            let &LengthFact::Same(a, b) = fact else {
                continue;
            };
            for (one, other) in [(a, b), (b, a)] {
                if let Some((Measure::Rank, row)) = one.of {
                    links[row as usize].push(Link {
                        to: other.of.map(|(_, row)| row),
                        difference: i64::from(other.explicit) - i64::from(one.explicit),
                    });
                }
            }
        }
        let mut ranks = vec![None; rows];
        // Ranks that an equation with a closed row gives come first.
        for (row, own) in links.iter().enumerate() {
            if let Some(link) = own.iter().find(|link| link.to.is_none()) {
                spread(row, Form::number(link.difference), &links, &mut ranks);
            }
        }
        for row in 0..rows {
            spread(row, Form::of(Unknown::Rank(row as u32)), &links, &mut ranks);
        }
        Ranks {
            ranks: ranks.into_iter().map(Option::unwrap_or_default).collect(),
        }
    }

    /// Returns the rank of a row variable; 0 for the missing variable of a closed row.
    pub fn rank(&self, row: Option<u32>) -> Form {
        row.map_or_else(Form::default, |row| self.ranks[row as usize].clone())
    }

    /// Returns the length of a row variable's leading flank, or 0.
    pub fn leading(&self, row: Option<u32>) -> Form {
        row.map_or_else(Form::default, |row| Form::of(Unknown::Leading(row)))
    }

    /// Returns the length of a row variable's trailing flank, or 0.
    pub fn trailing(&self, row: Option<u32>) -> Form {
        self.rank(row) - &self.leading(row)
    }

    fn length(&self, length: Length) -> Form {
        let inside = match length.of {
            None => Form::default(),
            Some((Measure::Leading, row)) => self.leading(Some(row)),
            Some((Measure::Trailing, row)) => self.trailing(Some(row)),
            Some((Measure::Rank, row)) => self.rank(Some(row)),
        };
        inside + i64::from(length.explicit)
    }

    /// Returns the fact as a formula.
    pub fn formula(&self, fact: LengthFact) -> Formula {
        match fact {
            LengthFact::AtLeast(a, b) => Formula::Natural(self.length(a) - &self.length(b)),
            LengthFact::Same(a, b) => Formula::Zero(self.length(a) - &self.length(b)),
        }
    }
}

/// Gives the row and all that equations connect with it their ranks, unless it has one.
fn spread(row: usize, rank: Form, links: &[Vec<Link>], ranks: &mut [Option<Form>]) {
    let mut waiting = vec![(row, rank)];
    while let Some((row, rank)) = waiting.pop() {
        if ranks[row].is_some() {
            continue;
        }
        for link in &links[row] {
            if let Some(to) = link.to {
                waiting.push((to as usize, rank.clone() + -link.difference));
            }
        }
        ranks[row] = Some(rank);
    }
}
