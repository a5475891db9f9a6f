//! A program under one reading of the type rules.

use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use lozenge_gradual_spec::typing::{Calculus, PRINTED, REPAIRED, Reading};
use lozenge_gradual_vocabulary::{Expression, Program, Type};
use lozenge_testkit::gradual::smaller;

use crate::machinery::Subject;

/// The rules under which a program is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// The rules of Fig. 3, in a reading of what they leave open.
    Printed(Reading),
    /// The repaired ones.
    Repaired,
}

impl Rules {
    /// Returns the rules.
    pub fn calculus(self) -> &'static Calculus {
        match self {
            Rules::Printed(_) => &PRINTED,
            Rules::Repaired => &REPAIRED,
        }
    }

    /// Returns the reading. The repaired rules are the same in each.
    pub fn reading(self) -> Reading {
        match self {
            Rules::Printed(reading) => reading,
            Rules::Repaired => Reading::ALL[0],
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rules::Printed(reading) => write!(f, "printed ({reading})"),
            Rules::Repaired => f.write_str("repaired"),
        }
    }
}

/// A program under rules.
#[derive(Clone)]
pub struct Typed {
    program: Rc<Program>,
    rules: Rules,
    runs: Rc<OnceCell<Runs>>,
}

/// The shapes of the runs of a program; nothing where they are not asked for.
pub type Runs = Option<Vec<Vec<u64>>>;

impl Typed {
    /// Returns the program, if it has no conditional: the paper has no type rule for one.
    pub fn typable(&self) -> Option<&Program> {
        let is_conditional = |one: &Expression| matches!(one, Expression::If { .. });
        let mut expressions = self.program.body.expressions().iter();
        (!expressions.any(is_conditional)).then_some(&self.program)
    }

    /// Returns the runs, which do not depend on the rules, and are computed once.
    pub fn runs(&self, compute: impl FnOnce(&Program) -> Runs) -> &Runs {
        self.runs.get_or_init(|| compute(&self.program))
    }

    /// Returns the rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Tells whether a program is ok.
    pub fn accepts(&self, program: &Program) -> bool {
        self.type_of(program).is_some()
    }

    /// Returns the type of what a program returns, if it is ok.
    pub fn type_of(&self, program: &Program) -> Option<Type> {
        self.rules
            .calculus()
            .type_of(&self.rules.reading(), program)
    }
}

impl Subject for Typed {
    type Instance = Program;
    type Rules = Rules;

    const RULES: &'static [Rules] = &{
        let all = Reading::ALL;
        [
            Rules::Printed(all[0]),
            Rules::Printed(all[1]),
            Rules::Printed(all[2]),
            Rules::Printed(all[3]),
            Rules::Printed(all[4]),
            Rules::Printed(all[5]),
            Rules::Repaired,
        ]
    };

    fn new(program: Program) -> Typed {
        Typed {
            program: Rc::new(program),
            rules: Rules::Repaired,
            runs: Rc::default(),
        }
    }

    fn under(&self, rules: Rules) -> Typed {
        Typed {
            rules,
            ..self.clone()
        }
    }

    fn instance(&self) -> &Program {
        &self.program
    }

    fn shared_time(&self) -> Duration {
        Duration::ZERO
    }

    fn outcome(&self) -> String {
        match self.type_of(&self.program) {
            Some(of) => format!("ok, of type {of}"),
            None => "ill-typed".to_string(),
        }
    }

    fn smaller(program: &Program) -> Vec<Program> {
        smaller(program)
    }
}
