//! Projection equations solved by union-find (Def. 7.3).

use lozenge_spec::projection_solver;
use lozenge_testkit::system::System;

use super::{Nest, Project, Systems};
use crate::subject::party::{Asked, Effort, Party};

/// Union-find with pins.
pub const UNION_FIND: Party<Systems> = Party {
    name: "union-find",
    about: "the transcribed rules: union-find with pins",
    questions: &[Project],
    checks: Some(Project),
    make: |effort| {
        Asked::boxed(effort, answer, |effort, question, system| {
            answer(effort, question, system).map_or_else(String::new, |nest| nest.to_string())
        })
    },
};

fn answer(_: &Effort, _: Project, system: &System) -> Option<Nest> {
    let solved = projection_solver::solve(&system.equations, &system.sizes);
    let solved = solved.map(|solved| solved.projections);
    Some(Nest(solved.map_err(|conflict| conflict.to_string())))
}
