//! Files that a program uses: each is elaborated once, and its names become visible where it is used.

use hashbrown::HashMap;

use lozenge_vocabulary::program::Span;

use super::lookup::sized;
use super::scope::{Binding, Module, Scope, Sort, Value};
use super::sizes::Sizes;
use super::state::Progress;
use super::statement::place_of;
use super::{Elaboration, Frame};
use crate::diagnostic::nearest_name::nearest;
use crate::diagnostic::{Diagnostic, Elsewhere, Parsed, brief};
use crate::parse::files::PROGRAM;
use crate::syntax::{Name, Statement};

impl<'a> Elaboration<'a, '_> {
    /// Elaborates `use "FILE"` and `use "FILE" as NAME`; `place` is that of the path.
    pub(super) fn use_statement(
        &mut self,
        path: &'a str,
        place: &Span,
        alias: Option<&'a Name<'a>>,
    ) {
        let found = self.module(path, place);
        match (alias, found) {
            (Some(name), Ok(Some(scope))) => {
                let module = Module { scope, file: path };
                self.bind(name.text, Value::Module(module), &name.span, false);
            }
            (None, Ok(Some(scope))) => self.import(path, scope, place),
            (alias, found) => {
                if let Err(error) = found {
                    self.report(error);
                }
                match alias {
                    Some(name) => self.bind(name.text, Value::Broken, &name.span, false),
                    // The names that the file would define are unknown.
                    None => self.files.names_are_missing = true,
                }
            }
        }
    }

    /// Elaborates a file that is used, and returns its scope; `None` if it has errors, which are reported.
    fn module(&mut self, path: &'a str, place: &Span) -> Parsed<Option<usize>> {
        if self.scopes.all[self.scope].sort != Sort::File {
            return Err(
                Diagnostic::new(place.clone(), "`use` inside a block", "in a block")
                    .help("put it at the left margin"),
            );
        }
        let files = self.files.texts;
        let source = match files.meant(self.frame().source, place) {
            Some(Ok(source)) => *source,
            Some(Err(error)) => return Err(error.as_ref().clone()),
            None => return Ok(None),
        };
        match self.files.progress[source - PROGRAM - 1] {
            Progress::Done(scope) => return Ok(Some(scope)),
            Progress::Open => {
                let shown = brief(path);
                let message = format!("`{shown}` uses itself, by way of this line");
                return Err(
                    Diagnostic::new(place.clone(), message, "it is being read already")
                        .help("put what both files need into a third one"),
                );
            }
            Progress::Unseen => {}
        }
        if !self.deeper(place) {
            return Ok(None);
        }
        let (errors, here) = (self.reports.errors.len(), self.scope);
        self.files.progress[source - PROGRAM - 1] = Progress::Open;
        self.frames.push(Frame {
            place: Some(self.place(place)),
            ..Frame::of_file(source)
        });
        let scope = self.file_of_definitions(source);
        self.frames.pop();
        self.scope = here;
        self.effort.levels -= 1;
        self.files.progress[source - PROGRAM - 1] = Progress::Done(scope);
        Ok((self.reports.errors.len() == errors).then_some(scope))
    }

    /// Elaborates a file that is used, in a scope of its own.
    fn file_of_definitions(&mut self, source: usize) -> usize {
        let (read, wrong) = &self.files.read[source - PROGRAM - 1];
        let mut wrong = wrong.clone();
        let given = &self.program.surroundings.sizes;
        let own = super::size_lines(read)
            .filter_map(|name| given.get_key_value(name))
            .map(|(name, size)| (name.clone(), *size))
            .collect();
        let sizes = Sizes::given(&own, &read.statements, &[], &mut wrong);
        for error in wrong {
            self.report(error);
        }
        self.scope = self.scopes.all.len();
        self.scopes.all.push(Scope {
            sort: Sort::File,
            parent: Some(0),
            sees: usize::MAX,
            names: HashMap::new(),
            sizes,
        });
        let scope = self.scope;
        for statement in &read.statements {
            if self.effort.stopped {
                break;
            }
            self.frame_mut().label.clear();
            match statement {
                Statement::Use { .. }
                | Statement::Def(_)
                | Statement::Op(_)
                | Statement::Size { .. } => self.statement(statement),
                Statement::Let { names, .. } => {
                    self.statement(statement);
                    for name in names {
                        self.fixed(name);
                    }
                }
                other => {
                    let place = place_of(other);
                    // The lines that read these names are not wrong for that.
                    for name in other.defines() {
                        self.bind(name.text, Value::Broken, &name.span, false);
                    }
                    self.report(
                        Diagnostic::new(
                            place,
                            "a file that is used has functions, sizes and fixed values only",
                            "something else",
                        )
                        .help("data, parameters and what is computed stand in the program"),
                    );
                }
            }
        }
        scope
    }

    /// Refuses a name of a used file whose value is not known before anything runs.
    fn fixed(&mut self, name: &Name<'a>) {
        let binding = self.scopes.all[self.scope].names.get(name.text);
        let Some(what) = binding.and_then(|binding| changing(&binding.value)) else {
            return;
        };
        let message = format!("`{}` is {what}, and this file is used", brief(name.text));
        self.report(
            Diagnostic::new(name.span.clone(), message, "not a fixed value").help(
                "a file that is used gives names to numbers, sizes, specs and functions; make tensors in a function",
            ),
        );
    }

    /// Makes the definitions of a file visible in the innermost scope, under their own names.
    fn import(&mut self, path: &str, from: usize, place: &Span) {
        let file = &self.scopes.all[from];
        let mut names: Vec<(usize, &'a str, Value<'a>)> = file
            .names
            .iter()
            .filter(|(_, binding)| !binding.imported)
            .map(|(name, binding)| (binding.order, *name, binding.value.clone()))
            .collect();
        names.sort_by_key(|(order, ..)| *order);
        let mut sizes = file.sizes.own_lines();
        sizes.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        for (_, name, value) in names {
            if let Some(before) = self.scopes.all[self.scope].names.get(name) {
                let (shown, before) = (brief(name), before.span.clone());
                self.report(
                    Diagnostic::new(
                        place.clone(),
                        format!("`{shown}` is defined twice"),
                        format!("this file defines `{shown}`"),
                    )
                    .other(before, "first defined here")
                    .help(format!(
                        "give the file a name, `use \"{}\" as other`, and write `other.{shown}`",
                        brief(path)
                    )),
                );
                continue;
            }
            let order = self.defined;
            self.defined += 1;
            let binding = Binding {
                value,
                span: place.clone(),
                order,
                carried: false,
                imported: true,
            };
            self.scopes.all[self.scope].names.insert(name, binding);
        }
        for (name, term) in sizes {
            let error = self.scopes.all[self.scope].sizes.import(&name, term, place);
            if let Some(error) = error {
                self.report(error);
            }
        }
    }

    /// Finds `file.name`: a definition of a file.
    pub(super) fn of_module(&self, module: Module<'a>, name: &Name<'a>) -> Parsed<Value<'a>> {
        let scope = &self.scopes.all[module.scope];
        let binding = scope.names.get(name.text);
        if let Some(binding) = binding.filter(|binding| !binding.imported) {
            return Ok(binding.value.clone());
        }
        if let Some(known) = scope.sizes.get(name.text) {
            return Ok(sized(known.term.clone()));
        }
        let (shown, file) = (brief(name.text), brief(module.file));
        let error = Diagnostic::new(
            name.span.clone(),
            format!("`{file}` defines no `{shown}`"),
            "not in that file",
        );
        let own = scope.names.iter().filter(|(_, binding)| !binding.imported);
        let mut own: Vec<&str> = own.map(|(name, _)| *name).collect();
        own.sort_unstable();
        Err(match nearest(name.text, own.iter().copied()) {
            Some(near) => error.edit(format!("did you mean `{near}`?"), name.span.clone(), near),
            None if own.is_empty() => error.help("it defines nothing but sizes"),
            None => {
                let own: Vec<String> = own.iter().take(8).map(|own| format!("`{own}`")).collect();
                error.help(format!("it has {}", own.join(", ")))
            }
        })
    }

    /// Finds the places of an error in a file that is used.
    pub(super) fn elsewhere(&self, error: &Diagnostic) -> Option<Box<Elsewhere>> {
        let frame = self.frame();
        let file = self.files.texts.file(frame.source)?;
        // In a function the other places may be those of tensors, which are places of the program.
        let most = match frame.definition {
            Some(_) => 1,
            None => error.labels.len(),
        };
        let labels = &error.labels[..most.min(error.labels.len())];
        let inside = labels
            .iter()
            .all(|label| file.text.get(label.span()).is_some());
        inside.then(|| {
            Box::new(Elsewhere::new(
                file.path.display().to_string(),
                file.text.clone(),
                labels.to_vec(),
            ))
        })
    }
}

/// Returns the sort of a value that is not known before anything runs; `None` for a value that is known.
fn changing(value: &Value) -> Option<&'static str> {
    match value {
        Value::Broken
        | Value::Number(_)
        | Value::Size(_)
        | Value::Text(_)
        | Value::Function(_)
        | Value::Builtin(_)
        | Value::Operator(_)
        | Value::Module(_) => None,
        // The recursion is only one level deep: the elements of a list of lists are not inspected.
        Value::List(items) => items.iter().find_map(|item| match item {
            Value::List(_) => Some("a list of lists"),
            item => changing(item),
        }),
        other => Some(other.word()),
    }
}
