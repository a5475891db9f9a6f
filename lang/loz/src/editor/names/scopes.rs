//! Scopes: the names of blocks, and the lookup of names from inside them.

use hashbrown::HashMap;

use lozenge_vocabulary::program::Span;

use super::{Foreign, Sort, Symbol};

/// The sort of block to which a scope belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    File,
    Function,
    Turn,
}

struct Scope<'a> {
    block: Block,
    names: HashMap<&'a str, usize>,
    /// The sizes of `size` lines, and those of labels.
    sizes: HashMap<String, (usize, bool)>,
}

/// All symbols that were found, and the scopes that are open, outermost first.
pub(super) struct Scopes<'a> {
    pub symbols: Vec<Symbol>,
    /// The function of each instance, whose parameters the instance has.
    pub instances: HashMap<usize, usize>,
    /// The definitions of a function by name: its parameters, and the instances in it.
    pub members: HashMap<(usize, &'a str), usize>,
    /// The one or two argument lists of a function.
    pub arguments: HashMap<usize, Vec<HashMap<&'a str, usize>>>,
    /// Names that are read from a value which the text does not determine.
    pub hidden: Vec<&'a str>,
    /// The definitions of other files that the text uses.
    pub elsewhere: Vec<Foreign>,
    open: Vec<Scope<'a>>,
    language: HashMap<&'a str, usize>,
}

impl<'a> Scopes<'a> {
    pub(super) fn new() -> Self {
        Scopes {
            symbols: Vec::new(),
            instances: HashMap::new(),
            members: HashMap::new(),
            arguments: HashMap::new(),
            hidden: Vec::new(),
            elsewhere: Vec::new(),
            open: Vec::new(),
            language: HashMap::new(),
        }
    }

    pub(super) fn enter(&mut self, block: Block) {
        self.open.push(Scope {
            block,
            names: HashMap::new(),
            sizes: HashMap::new(),
        });
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    fn innermost(&mut self) -> &mut Scope<'a> {
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    pub(super) fn symbol(&mut self, name: &str, sort: Sort, place: &Span) -> usize {
        self.symbols.push(Symbol {
            name: name.to_string(),
            sort,
            places: vec![place.clone()],
            hidden_uses: false,
        });
        self.symbols.len() - 1
    }

    pub(super) fn used(&mut self, symbol: usize, place: &Span) {
        self.symbols[symbol].places.push(place.clone());
    }

    /// Defines in the innermost scope a name of a file that is used without `as`.
    pub(super) fn foreign(&mut self, name: &'a str, sort: Sort) {
        let symbol = self.of_file(None, name, sort);
        match sort {
            Sort::Size => {
                let sizes = &mut self.innermost().sizes;
                sizes.insert(name.to_string(), (symbol, true));
            }
            _ => self.bind(name, symbol),
        }
    }

    /// Adds a new symbol for a name of another file; it has no places yet.
    fn of_file(&mut self, alias: Option<&str>, name: &str, sort: Sort) -> usize {
        let symbol = self.symbol(name, Sort::Elsewhere, &(0..0));
        self.symbols[symbol].places.clear();
        self.elsewhere.push(Foreign {
            alias: alias.map(String::from),
            name: name.to_string(),
            sort,
            symbol,
        });
        symbol
    }

    /// Adds a use of `alias.name`.
    pub(super) fn member_of_file(&mut self, file: usize, name: &'a str, place: &Span) -> usize {
        let known = self.members.get(&(file, name)).copied();
        let symbol = known.unwrap_or_else(|| {
            let alias = self.symbols[file].name.clone();
            let symbol = self.of_file(Some(&alias), name, Sort::Elsewhere);
            self.members.insert((file, name), symbol);
            symbol
        });
        self.used(symbol, place);
        symbol
    }

    /// Defines a name in the innermost scope. If the scope has the name already, it denotes the same symbol: a second
    /// definition is an error anyway.
    pub(super) fn define(&mut self, name: &'a str, sort: Sort, place: &Span) -> usize {
        if let Some(symbol) = self.own(name) {
            self.used(symbol, place);
            return symbol;
        }
        let symbol = self.symbol(name, sort, place);
        self.bind(name, symbol);
        symbol
    }

    /// Binds a name in the innermost scope to a symbol.
    pub(super) fn bind(&mut self, name: &'a str, symbol: usize) {
        self.innermost().names.insert(name, symbol);
    }

    /// Finds the symbol of the name of a tensor or value in the innermost scope.
    pub(super) fn own(&self, name: &str) -> Option<usize> {
        let scope = self.open.last()?;
        scope.names.get(name).copied()
    }

    /// Defines a size in the innermost scope. If the scope has the name already, it denotes the same size.
    pub(super) fn define_size(&mut self, name: &str, place: &Span, line: bool) {
        match self.innermost().sizes.get(name).copied() {
            Some((symbol, _)) => self.used(symbol, place),
            None => {
                let symbol = self.symbol(name, Sort::Size, place);
                let known = (symbol, line);
                self.innermost().sizes.insert(name.to_string(), known);
            }
        }
    }

    /// Finds the symbol of a name in an expression: that of the innermost scope that has it, or else that of the
    /// language, if it has one.
    pub(super) fn find(&mut self, name: &'a str) -> Option<usize> {
        let mut in_function = false;
        for scope in self.open.iter().rev() {
            if let Some(symbol) = scope.names.get(name) {
                return Some(*symbol);
            }
            if let Some(symbol) = scope.size(name, in_function) {
                return Some(symbol);
            }
            in_function |= scope.block == Block::Function;
        }
        None
    }

    /// Finds the symbol of a name of a tensor, if a scope of the same function or file has it.
    pub(super) fn find_here(&self, name: &str) -> Option<usize> {
        for scope in self.open.iter().rev() {
            if let Some(symbol) = scope.names.get(name) {
                return Some(*symbol);
            }
            if scope.block != Block::Turn {
                return None;
            }
        }
        None
    }

    /// Finds the symbol of a name of a size in a shape.
    pub(super) fn find_size(&self, name: &str) -> Option<usize> {
        let mut in_function = false;
        for scope in self.open.iter().rev() {
            let own = scope.size(name, in_function);
            if let Some(symbol) = own.or_else(|| scope.names.get(name).copied()) {
                return Some(symbol);
            }
            in_function |= scope.block == Block::Function;
        }
        None
    }

    /// Finds the symbol of a word of the language.
    pub(super) fn of_language(&mut self, name: &'a str, place: &Span) -> usize {
        match self.language.get(name).copied() {
            Some(symbol) => {
                self.used(symbol, place);
                symbol
            }
            None => {
                let symbol = self.symbol(name, Sort::Language, place);
                self.language.insert(name, symbol);
                symbol
            }
        }
    }
}

impl Scope<'_> {
    /// Finds the symbol of a size. A function does not see the labels of its file.
    fn size(&self, name: &str, in_function: bool) -> Option<usize> {
        let (symbol, line) = self.sizes.get(name)?;
        let hidden = in_function && self.block == Block::File;
        (!hidden || *line).then_some(*symbol)
    }
}
