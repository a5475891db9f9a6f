//! Schemes: the type of a function that is bound to a name, with the equations that are left of those that it needs.

use std::sync::Arc;

use lozenge_axon_vocabulary::{
    DimId, Equation, Satisfiable, Simplified, Substitution, Variable, Word,
};
use lozenge_diagnostic::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::nodes::{Bound, Inference};
use super::types::{Level, Renaming, TypeId};
use super::{Binding, Origin, Role, Stated, always, checks, late, message, names, peak, print};
use crate::Span;
use crate::syntax::{NameId, NodeId, Pattern};

/// A type for every choice of its unknowns and names, under equations.
pub(super) struct Scheme {
    pub(super) found: TypeId,
    pub(super) stated: Vec<Stated>,
    /// The level above which everything is chosen anew at each use.
    above: Level,
}

/// Equations, solved: what names stand for, and what is left.
struct Solved {
    renaming: Renaming,
    left: Vec<Stated>,
    is_satisfiable: bool,
}

impl Inference<'_> {
    /// Makes an instance of a scheme.
    pub(super) fn instance(&mut self, scheme: &Arc<Scheme>, node: NodeId) -> TypeId {
        let mut renaming = Renaming::fresh(scheme.above, self.level());
        let found = self.types.copied(scheme.found, &mut renaming);
        for stated in &scheme.stated {
            let equation = self.types.copied_equation(&stated.equation, &mut renaming);
            self.stated.push(Stated {
                equation,
                origin: Origin {
                    place: node,
                    role: Role::Use,
                    through: Some(Arc::new(stated.origin.clone())),
                },
            });
        }
        found
    }

    /// Binds a name to a function, of which `first` equations were noted before it.
    pub(super) fn generalised(&mut self, name: NameId, node: NodeId, value: NodeId, first: usize) {
        let found = self.value(value);
        let above = self.level();
        if above > 0 {
            let stated = self.stated[first..].to_vec();
            let scheme = Scheme {
                found,
                stated,
                above,
            };
            self.names[name] = Some(Bound::General(Arc::new(scheme)));
            return;
        }
        let stated = self.stated.split_off(first);
        let scheme = match self.solved(&stated, 1) {
            Some(mut solved) => {
                let found = self.types.copied(found, &mut solved.renaming);
                self.check_names(&mut solved.renaming, &solved.left);
                let left = self.kept(found, solved.left, solved.is_satisfiable);
                let (found, left) = late::named(self, found, left, above);
                let mut printer = self.announce(name, found, &left);
                if let Some(function) = self.functions[name] {
                    let peak = peak::term(self, function, &mut solved.renaming, &mut printer);
                    let last = self.result.bindings.last_mut();
                    let own = last.filter(|binding| binding.id == name);
                    own.into_iter()
                        .for_each(|binding| binding.peak = peak.clone());
                }
                self.tell(node, &mut solved.renaming, &mut printer);
                Scheme {
                    found,
                    stated: left,
                    above,
                }
            }
            None => Scheme {
                found: self.types.unknown(1),
                stated: Vec::new(),
                above,
            },
        };
        self.written.clear();
        self.names[name] = Some(Bound::General(Arc::new(scheme)));
    }

    /// Announces a second name of a scheme.
    pub(super) fn alias(&mut self, name: NameId) {
        if let (Some(Bound::General(scheme)), true) =
            (self.names[name].clone(), self.open.is_empty())
        {
            self.announce(name, scheme.found, &scheme.stated);
        }
    }

    /// Solves what was stated at the top, and announces the names of a pattern.
    pub(super) fn finish_value(&mut self, pattern: &Pattern, node: NodeId) {
        let stated = std::mem::take(&mut self.stated);
        let mut bound = Vec::new();
        collect(pattern, &mut bound);
        let Some(mut solved) = self.solved(&stated, 0) else {
            for name in bound {
                self.names[name] = None;
            }
            return;
        };
        self.check_names(&mut solved.renaming, &solved.left);
        self.written.clear();
        self.unresolved.extend(&bound);
        for name in std::mem::take(&mut self.unresolved) {
            let Some(Bound::Plain(found)) = self.names[name].clone() else {
                continue;
            };
            let found = self.types.copied(found, &mut solved.renaming);
            self.names[name] = Some(Bound::Plain(found));
            if self
                .types
                .words(found)
                .iter()
                .any(|word| self.has_names(word))
            {
                self.unresolved.push(name);
            }
        }
        let constant = |inference: &mut Self, stated: &Stated| {
            stated.equation.variables(&inference.types.pool).is_empty()
        };
        let left: Vec<Stated> = solved.left.into_iter().collect();
        self.stated = left
            .iter()
            .filter(|stated| !constant(self, stated))
            .cloned()
            .collect();
        for name in bound {
            if let Some(Bound::Plain(found)) = self.names[name] {
                self.announce(name, found, &left);
            }
        }
        self.tell(node, &mut solved.renaming, &mut print::Printer::default());
    }

    fn has_names(&self, word: &Word) -> bool {
        !word.variables(&self.types.pool).is_empty()
    }

    /// Solves equations. New entries of the pool get a level.
    fn solved(&mut self, stated: &[Stated], level: Level) -> Option<Solved> {
        let equations: Vec<Equation> = stated
            .iter()
            .map(|stated| stated.equation.clone())
            .collect();
        self.result.equations.extend_from_slice(&equations);
        let simplified = self.decide.simplify(&mut self.types.pool, &equations);
        self.types.note_names(level);
        match simplified {
            Simplified::Unsatisfiable {
                reasons,
                clash,
                sides,
                ..
            } => {
                let clash = message::Clash { text: clash, sides };
                let error = message::contradiction(self, stated, &reasons, &clash);
                self.error(error);
                None
            }
            Simplified::TooLarge(too_large) => {
                let error = message::too_large(self, stated, &too_large.to_string());
                self.error(error);
                None
            }
            Simplified::Solved {
                solved,
                residue,
                positive,
                satisfiable,
            } => {
                let mut renaming = Renaming::default();
                let mut left = self.outer(&solved, stated, level, &mut renaming);
                left.extend(residue.into_iter().map(|residual| Stated {
                    equation: residual.equation,
                    origin: origin(stated, residual.reasons.first().copied()),
                }));
                let mut origins: FxHashMap<DimId, Origin> = FxHashMap::default();
                for (term, origin) in self.origins(stated, &mut renaming) {
                    origins.entry(term).or_insert(origin);
                }
                for term in positive {
                    let found = origins.get(&term).cloned();
                    left.push(Stated {
                        equation: Equation::Dims(term, term),
                        origin: found.unwrap_or_else(|| origin(stated, None)),
                    });
                }
                if let Satisfiable::Unknown(why) = &satisfiable {
                    let doubt = message::undecided(self, stated, why);
                    self.result.unknown.push(doubt);
                }
                Some(Solved {
                    renaming,
                    left,
                    is_satisfiable: matches!(satisfiable, Satisfiable::Yes(_)),
                })
            }
        }
    }

    /// Takes over what was solved. Names from outside the function that is solved stay, under an equation.
    fn outer(
        &mut self,
        solved: &Substitution,
        stated: &[Stated],
        level: Level,
        renaming: &mut Renaming,
    ) -> Vec<Stated> {
        let mut left = Vec::new();
        let kept = |equation| Stated {
            equation,
            origin: origin(stated, None),
        };
        for (name, term) in &solved.dims {
            if self.types.dim_level(*name) < level || self.types.is_runtime(*name) {
                let outer = self.types.pool.var(*name);
                left.push(kept(Equation::Dims(outer, *term)));
            }
            renaming.dims.insert(*name, *term);
        }
        for (name, word) in &solved.shapes {
            if self.types.shape_level(*name) < level {
                left.push(kept(Equation::Shapes(Word::name(*name), word.clone())));
            }
            renaming.shapes.insert(*name, word.clone());
        }
        left
    }

    /// Returns the terms that were stated to be at least 1, as they are when solved, with their origins.
    fn origins(&mut self, stated: &[Stated], renaming: &mut Renaming) -> Vec<(DimId, Origin)> {
        let mut origins = Vec::new();
        for stated in stated {
            for dim in stated.equation.dims() {
                let term = self.types.copied_dim(dim, renaming);
                if let Ok(term) = self.types.pool.canonical(term) {
                    origins.push((term, stated.origin.clone()));
                }
            }
        }
        origins
    }

    /// Leaves out what always has a solution and shares no name with a type.
    fn kept(&mut self, found: TypeId, left: Vec<Stated>, is_satisfiable: bool) -> Vec<Stated> {
        if !is_satisfiable {
            return left;
        }
        let left = always::without(&self.types, found, left, self.level());
        let words = self.types.words(found);
        let pool = &self.types.pool;
        let mut reached: FxHashSet<Variable> =
            words.iter().flat_map(|word| word.variables(pool)).collect();
        let names: Vec<Vec<Variable>> = left
            .iter()
            .map(|stated| stated.equation.variables(pool))
            .collect();
        let mut waiting: Vec<usize> = (0..left.len()).collect();
        loop {
            let before = waiting.len();
            waiting.retain(|place| {
                let touches = names[*place].iter().any(|name| reached.contains(name))
                    || checks::is_ragged(pool, &left[*place].equation)
                    || self.types.is_late(&left[*place].equation);
                if touches {
                    reached.extend(names[*place].iter().copied());
                }
                !touches
            });
            if waiting.len() == before {
                break;
            }
        }
        let dropped: FxHashSet<usize> = waiting.into_iter().collect();
        let left = left.into_iter().enumerate();
        left.filter(|(place, _)| !dropped.contains(place))
            .map(|(_, stated)| stated)
            .collect()
    }

    /// Announces the type of a name at the top.
    fn announce(&mut self, name: NameId, found: TypeId, left: &[Stated]) -> print::Printer {
        let bound = &self.program.names[name];
        let mut printer = print::Printer::default();
        if self.is_long(found, &bound.span) {
            return printer;
        }
        let shown = match printer.type_of(&mut self.types, found) {
            Ok(shown) => shown,
            Err(too_large) => {
                let error = Diagnostic::new(bound.span.clone(), too_large.to_string(), "this type")
                    .help(format!("the largest size is {}", i64::MAX));
                self.error(error);
                return printer;
            }
        };
        let conditions = checks::conditions(self, &mut printer, left);
        let checks = checks::checks(self, &mut printer, name, found, left);
        let bytes = print::bytes(self, &mut printer, name, found);
        let key = checks::key(self, name, found);
        self.result.bindings.push(Binding {
            name: bound.text.to_string(),
            id: name,
            span: bound.span.clone(),
            shown,
            conditions,
            checks,
            bytes,
            peak: None,
            key,
        });
        printer
    }

    /// Tells whether a type has too many parts to be written out, and says so.
    pub(super) fn is_long(&mut self, found: TypeId, span: &Span) -> bool {
        let is_long = self.types.written_parts(found) > print::LARGEST;
        if is_long {
            let message = format!("a type has more than {} parts", print::LARGEST);
            let doubt = Diagnostic::new(span.clone(), message, "the type of this");
            let help = "tuples of tuples have every part of each: give back fewer values; nothing after this is inferred";
            self.result.unknown.push(doubt.help(help));
            self.has_long_type = true;
        }
        is_long
    }

    fn check_names(&mut self, renaming: &mut Renaming, left: &[Stated]) {
        let written = std::mem::take(&mut self.written);
        names::check(self, &written, renaming, left);
    }

    /// Tells whether a program has too many equations or types to go on, and says so. After a type that is too long to
    /// be written out nothing is inferred either, since each use may make it longer.
    pub(super) fn is_too_large(&mut self, node: NodeId) -> bool {
        let counts = [
            (self.stated.len(), super::LARGEST, "equations of shapes"),
            (self.types.count(), super::MOST_TYPES, "types of values"),
        ];
        for (count, most, what) in counts {
            if count > most {
                let span = self.program.nodes[node].span.clone();
                let message = format!("the program has more than {most} {what}");
                let error = Diagnostic::new(span, message, "the instances up to here have them");
                self.error(error.help(
                    "bind functions at the top of the program, where their equations are solved once",
                ));
                return true;
            }
        }
        self.has_long_type
    }
}

/// Returns the origin of an equation; any if none is known.
fn origin(stated: &[Stated], place: Option<u32>) -> Origin {
    let found = place.and_then(|place| stated.get(place as usize));
    match found.or_else(|| stated.last()) {
        Some(stated) => stated.origin.clone(),
        None => Origin {
            place: 0,
            role: Role::Use,
            through: None,
        },
    }
}

fn collect(pattern: &Pattern, names: &mut Vec<NameId>) {
    match pattern {
        Pattern::Name(name) => names.push(*name),
        Pattern::Ignored(_) => {}
        Pattern::Tuple(parts, _) => parts.iter().for_each(|part| collect(part, names)),
    }
}
