//! The definitions and uses of names, found in the text alone, for editors.
//!
//! Names have the same meaning as for [`parse`](crate::parse()), but nothing is executed: a function is analysed where
//! it is defined, not at its calls. So a text with errors has names too, except those of lines that cannot be parsed.
//!
//! | file | what it does |
//! |---|---|
//! | `names/scopes.rs` | scopes, and the lookup of names in them |
//! | `names/walk.rs` | statements and blocks |
//! | `names/expression.rs` | expressions |
//! | `names/spec.rs` | labels of specs and of shapes |
//! | `names/elsewhere.rs` | the definitions in files that the program uses |
//! | `names/imported.rs` | the names that a program takes from files, and the files on which it rests |
//! | `names/across.rs` | renaming in all files that have the name |

mod across;
mod current;
mod einsum;
mod elsewhere;
mod expression;
mod imported;
mod scopes;
mod walk;

use lozenge_vocabulary::program::Span;

pub use across::{Renamed, Workspace, renamable_across, rename_across};
pub use current::Texts;
pub use elsewhere::{DefinedElsewhere, defined_elsewhere};
pub use imported::{Imported, identity, imported, rests_on};

use crate::diagnostic::Edit;
use crate::syntax::is_keyword;

/// The sort of thing that a name denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A tensor of data.
    Data,
    /// A parameter or a state.
    Param,
    /// A constant.
    Constant,
    /// A name that `let` or an assignment defines.
    Let,
    /// A size: of a `size` line, of a label in a shape, or captured from a spec.
    Size,
    /// A label or row variable of one spec.
    Label,
    /// A function.
    Function,
    /// An operator.
    Operator,
    /// An argument of a function.
    Argument,
    /// The variable of a loop or of a list comprehension.
    Turn,
    /// The name of a file that is used.
    File,
    /// A function or value of the language or of its prelude.
    Language,
    /// A definition of another file that the text uses. All its places, including the first, are uses.
    Elsewhere,
}

/// Something that has a name.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
    /// The places where it is written, in the order of the text. The first is its definition, unless it belongs to the
    /// language.
    pub places: Vec<Span>,
    /// True if the name may be read in a way that cannot be resolved from the text alone, such as by `net.w` where
    /// `net` is an argument.
    pub hidden_uses: bool,
}

/// A definition of a program and the definitions inside it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
    /// The place where the name is written.
    pub place: Span,
    /// The span from the name to the end of the definition.
    pub whole: Span,
    /// The definitions inside it.
    pub inside: Vec<Entry>,
}

/// The names of a text.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Everything that has a name.
    pub symbols: Vec<Symbol>,
    /// The definitions, those of blocks inside others.
    pub outline: Vec<Entry>,
    /// Each place of a name with its symbol, in the order of the text.
    places: Vec<(Span, usize)>,
    /// The definitions of other files that the text uses.
    pub(crate) elsewhere: Vec<Foreign>,
}

/// A definition of another file that a text uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// The name of the file in the text, if it has one.
    pub alias: Option<String>,
    pub name: String,
    pub sort: Sort,
    pub symbol: usize,
}

impl Names {
    /// Finds the symbol that is written at a place of the text, or ends there, with the span of this occurrence.
    pub fn at(&self, byte: usize) -> Option<(&Symbol, Span)> {
        let after = self.places.partition_point(|(span, _)| span.start <= byte);
        let (span, symbol) = self.places.get(after.checked_sub(1)?)?;
        (byte <= span.end).then(|| (&self.symbols[*symbol], span.clone()))
    }

    /// Lists the number of the symbol for each place of a name.
    fn grouping(&self) -> impl Iterator<Item = usize> + '_ {
        self.places.iter().map(|(_, symbol)| *symbol)
    }
}

/// Finds the names of a text, which may contain errors.
///
/// ```
/// let source = "data x : 3 = range(3)\ndef f(x): x + 1\nlet y = f(x)\n";
/// let names = lozenge_lang::names(source);
/// let (symbol, _) = names.at(source.len() - 3).expect("the x of the last line");
/// assert_eq!(symbol.places, [5..6, source.len() - 3..source.len() - 2]);
/// ```
pub fn names(source: &str) -> Names {
    let read = crate::parse::block::read(source, &mut Vec::new());
    walk::names(&read.statements, &[])
}

/// Finds the names of a program, with those that the text imports without a qualifier from other files.
pub(crate) fn names_with(source: &str, elsewhere: &[(String, Sort)]) -> Names {
    let read = crate::parse::block::read(source, &mut Vec::new());
    walk::names(&read.statements, elsewhere)
}

/// Makes the changes that rename the symbol at a byte.
///
/// # Errors
/// The reason why this is not a valid name, or why it would change the meaning of some name.
pub fn rename(source: &str, byte: usize, name: &str) -> Result<Vec<Edit>, String> {
    let before = names(source);
    let (symbol, _) = before.at(byte).ok_or("there is no name here")?;
    renamable(symbol)?;
    is_a_name(name)?;
    if means_another(&before, symbol.sort, name) {
        return Err(format!(
            "`{name}` has a meaning here already, of another kind, and one name would mean two things: take another name"
        ));
    }
    let edits = edits_of(symbol, name);
    let after = names(&Edit::apply(&edits, source));
    // Symbols are numbered in the order in which the text defines them, so that equal groupings have equal numbers.
    match before.grouping().eq(after.grouping()) {
        true => Ok(edits),
        false => Err(format!(
            "`{name}` has a meaning here already, and some name would change its own: take another name"
        )),
    }
}

/// The kinds of names: of each, a name means one thing at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Tensor,
    Axis,
    Function,
    File,
}

/// Returns the kind of a name that the text defines.
fn space(sort: Sort) -> Option<Space> {
    match sort {
        Sort::Data | Sort::Param | Sort::Constant | Sort::Let | Sort::Argument | Sort::Turn => {
            Some(Space::Tensor)
        }
        Sort::Size | Sort::Label => Some(Space::Axis),
        Sort::Function | Sort::Operator => Some(Space::Function),
        Sort::File => Some(Space::File),
        Sort::Language | Sort::Elsewhere => None,
    }
}

/// Tells whether a name stands for something of another kind than a symbol of this sort, so that a person could not
/// tell which of the two is meant.
fn means_another(names: &Names, sort: Sort, name: &str) -> bool {
    let own = space(sort);
    let mut named = names.symbols.iter().filter(|symbol| symbol.name == name);
    named.any(|symbol| {
        let other = space(symbol.sort);
        own.is_some() && other.is_some() && own != other
    })
}

/// Makes the changes that give a symbol another name.
fn edits_of(symbol: &Symbol, name: &str) -> Vec<Edit> {
    let edit = |span: &Span| Edit {
        span: span.clone(),
        text: name.to_string(),
    };
    symbol.places.iter().map(edit).collect()
}

/// Checks that a symbol can be renamed.
///
/// # Errors
/// The reason why it cannot.
pub fn renamable(symbol: &Symbol) -> Result<(), String> {
    let name = &symbol.name;
    if symbol.sort == Sort::Language {
        return Err(format!("`{name}` is a name of the language"));
    }
    if symbol.hidden_uses {
        return Err(format!(
            "`{name}` is also read by its name from a value that only a call decides, as in `net.{name}`: change it by hand"
        ));
    }
    Ok(())
}

/// Checks that a text is a name that a program may define.
fn is_a_name(name: &str) -> Result<(), String> {
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if !starts || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Err(format!("`{name}` is no name: letters, digits and `_`"));
    }
    match is_keyword(name) {
        true => Err(format!("`{name}` is a word of the language")),
        false => Ok(()),
    }
}
