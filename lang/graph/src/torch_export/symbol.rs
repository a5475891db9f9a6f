//! Terms in symbols, which a program writes as SymPy represents them: `Add(Symbol('s0', integer=True), Integer(-2))`.

use lozenge_graph_vocabulary::DeclaredSize;

/// Reads a term: a symbol, a number, or, as text, anything else. A text that is not understood is kept as written.
pub(super) fn size(written: &str) -> DeclaredSize {
    match term(written) {
        Some(term) if term.binds == Binds::Symbol => DeclaredSize::Named(term.text),
        Some(term) => match term.text.parse() {
            Ok(number) => DeclaredSize::Known(number),
            Err(_) => DeclaredSize::Expression(term.text),
        },
        None => DeclaredSize::Expression(written.to_string()),
    }
}

/// The strength with which the parts of a text hold together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Sum,
    Product,
    Atom,
    Symbol,
}

struct Term {
    text: String,
    binds: Binds,
}

impl Term {
    fn atom(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            binds: Binds::Atom,
        }
    }

    /// Gives the text, in parentheses unless it holds together at least so tightly.
    fn inside(&self, binds: Binds) -> String {
        if self.binds >= binds {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }
}

/// A call that is being read: the name and the arguments so far.
struct Call<'a> {
    name: &'a str,
    arguments: Vec<Term>,
}

/// The longest text that a term becomes. Recorded sizes are for reading.
const LONGEST: usize = 1000;

/// The longest text of a term that is read. SymPy writes forty letters for a symbol.
const LONGEST_WRITTEN: usize = 40 * LONGEST;

/// Reads a term. The stack of open calls keeps any depth from being a depth of recursion.
fn term(written: &str) -> Option<Term> {
    let mut open: Vec<Call> = Vec::new();
    let mut rest = written.trim();
    if rest.len() > LONGEST_WRITTEN {
        return None;
    }
    loop {
        let end = rest.find(['(', ')', ',']).unwrap_or(rest.len());
        let (word, after) = (rest[..end].trim(), &rest[end..]);
        if let Some(inside) = after.strip_prefix('(') {
            open.push(Call {
                name: word,
                arguments: Vec::new(),
            });
            rest = inside;
            continue;
        }
        // A keyword such as `integer=True` states what sizes are anyway.
        if !word.is_empty() && !word.contains('=') {
            let call = open.last_mut()?;
            call.arguments.push(Term::atom(word.trim_matches('\'')));
        }
        let Some(outside) = after.strip_prefix(')') else {
            rest = after.strip_prefix(',')?;
            continue;
        };
        let term = apply(open.pop()?)?;
        rest = outside.trim_start();
        match open.last_mut() {
            Some(outer) => outer.arguments.push(term),
            None => return rest.is_empty().then_some(term),
        }
    }
}

fn apply(call: Call<'_>) -> Option<Term> {
    let arguments = call.arguments;
    let join = |separator: &str, binds: Binds| {
        let parts: Vec<_> = arguments
            .iter()
            .map(|argument| argument.inside(binds))
            .collect();
        parts.join(separator)
    };
    let (text, binds) = match (call.name, arguments.as_slice()) {
        ("Symbol", [name]) => (name.text.clone(), Binds::Symbol),
        ("Integer", [number]) => (number.text.clone(), Binds::Atom),
        ("Add", _) => (join(" + ", Binds::Sum).replace("+ -", "- "), Binds::Sum),
        ("Mul", _) => (join("*", Binds::Product), Binds::Product),
        ("FloorDiv", [above, below]) => {
            let text = format!(
                "{}//{}",
                above.inside(Binds::Atom),
                below.inside(Binds::Atom)
            );
            (text, Binds::Product)
        }
        ("Mod" | "PythonMod", [left, right]) => {
            let text = format!(
                "{} % {}",
                left.inside(Binds::Atom),
                right.inside(Binds::Atom)
            );
            (text, Binds::Product)
        }
        ("Pow", [base, exponent]) => {
            let text = format!(
                "{}**{}",
                base.inside(Binds::Atom),
                exponent.inside(Binds::Atom)
            );
            (text, Binds::Product)
        }
        (name, _) => (format!("{name}({})", join(", ", Binds::Sum)), Binds::Atom),
    };
    (text.len() <= LONGEST).then_some(Term { text, binds })
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn terms_are_written_as_people_write_them() {
        let symbol = "Symbol('s0', positive=True, integer=True)";
        let show = |written: &str| size(written).to_string();
        assert_eq!(show(symbol), "s0");
        assert_eq!(show(&format!("Add({symbol}, Integer(-2))")), "s0 - 2");
        let sum = format!("Add({symbol}, Integer(1))");
        assert_eq!(show(&format!("Mul(Integer(2), {sum})")), "2*(s0 + 1)");
        assert_eq!(show(&format!("FloorDiv({sum}, Integer(2))")), "(s0 + 1)//2");
        assert_eq!(show(&format!("Max(Integer(1), {sum})")), "Max(1, s0 + 1)");
        assert_eq!(show("Integer(7)"), "7");
        assert_eq!(show("what(("), "what((");
    }
}
