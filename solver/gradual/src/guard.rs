//! Conditions that an exporter of torch writes in Python, such as `(L['x'].size()[3] // 2) != 1`, as formulas.
//!
//! ```text
//! guard      = comparison { "and" comparison }        factor  = ["-"] (number | size | call | "(" sum ")")
//! comparison = sum relation sum                       size    = "L['x'].size()[1]" | "L['x']"
//! sum        = product { ("+" | "-") product }        call    = ("Max" | "Min" | "torch.sym_max" | "torch.sym_min") "(" sum "," sum ")"
//! product    = factor { ("*" | "//" | "%") factor }
//! ```
//!
//! Anything else is not read. Division and remainder are read where the divisor is a number.
//!
//! A parser of Python, such as `rustpython-parser`, was considered and not tried: it reads the whole language, of which
//! these conditions use a dozen forms.

use crate::term::{Formula, Int, Term, Terms};

/// The name of a size in a guard: an axis of an input, or the value of an integer input.
pub(crate) struct Named<'a> {
    pub(crate) input: &'a str,
    pub(crate) at: Option<usize>,
}

/// The greatest depth of parentheses inside one another.
const MAX_DEPTH: usize = 64;

/// Reads a guard; nothing where it is of another form. `size` gives the term of a size.
pub(crate) fn guard(
    terms: &mut Terms,
    text: &str,
    size: &dyn Fn(&Named) -> Option<Term>,
) -> Option<Formula> {
    let mut reader = Reader {
        terms,
        rest: text,
        size,
        depth: 0,
    };
    let mut parts = vec![reader.comparison()?];
    while reader.word("and") {
        parts.push(reader.comparison()?);
    }
    reader.rest.trim().is_empty().then_some(())?;
    Some(terms.all(&parts))
}

struct Reader<'a> {
    terms: &'a mut Terms,
    rest: &'a str,
    size: &'a dyn Fn(&Named) -> Option<Term>,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn word(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(word);
        rest.inspect(|rest| self.rest = rest).is_some()
    }

    fn comparison(&mut self) -> Option<Formula> {
        let left = self.sum()?;
        let relation = ["==", "!=", "<=", ">=", "<", ">"]
            .into_iter()
            .find(|relation| self.word(relation))?;
        let right = self.sum()?;
        let terms = &mut *self.terms;
        Some(match relation {
            "==" => terms.equal(left, right),
            "!=" => terms.differ(left, right),
            "<=" => terms.at_most(left, right),
            ">=" => terms.at_most(right, left),
            "<" => terms.less(left, right),
            _ => terms.less(right, left),
        })
    }

    fn sum(&mut self) -> Option<Term> {
        let mut sum = self.product()?;
        loop {
            if self.word("+") {
                let next = self.product()?;
                sum = self.terms.add(sum, next);
            } else if self.word("-") {
                let next = self.product()?;
                sum = self.terms.subtract(sum, next);
            } else {
                return Some(sum);
            }
        }
    }

    fn product(&mut self) -> Option<Term> {
        let mut product = self.factor()?;
        loop {
            if self.word("//") {
                let by = self.divisor()?;
                product = self.terms.floor_divide(product, by);
            } else if self.word("%") {
                let by = self.divisor()?;
                product = self.terms.modulo(product, by);
            } else if !self.rest.trim_start().starts_with("**") && self.word("*") {
                let next = self.factor()?;
                product = self.terms.multiply(product, next);
            } else {
                return Some(product);
            }
        }
    }

    fn divisor(&mut self) -> Option<Int> {
        let by = self.factor()?;
        self.terms.as_number(by).filter(|by| *by > 0)
    }

    fn factor(&mut self) -> Option<Term> {
        self.depth += 1;
        let found = (self.depth <= MAX_DEPTH).then(|| self.factor_inside());
        self.depth -= 1;
        found?
    }

    fn factor_inside(&mut self) -> Option<Term> {
        if self.word("-") {
            let term = self.factor()?;
            return Some(self.terms.scale(term, -1));
        }
        for (name, is_max) in [
            ("torch.sym_max", true),
            ("torch.sym_min", false),
            ("Max", true),
            ("Min", false),
        ] {
            if self.word(name) {
                return self.call(is_max);
            }
        }
        if self.word("(") {
            let sum = self.sum()?;
            return self.word(")").then_some(sum);
        }
        if self.word("L['") {
            return self.named();
        }
        let number = self.rest.trim_start();
        let end = number
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(number.len());
        let (number, rest) = number.split_at(end);
        self.rest = rest;
        Some(self.terms.number(number.parse().ok()?))
    }

    fn call(&mut self, is_max: bool) -> Option<Term> {
        self.word("(").then_some(())?;
        let mut result = self.sum()?;
        while self.word(",") {
            let next = self.sum()?;
            result = match is_max {
                true => self.terms.max(result, next),
                false => self.terms.min(result, next),
            };
        }
        self.word(")").then_some(result)
    }

    /// Reads a size from behind `L['`.
    fn named(&mut self) -> Option<Term> {
        let (input, rest) = self.rest.split_once("']")?;
        let (at, rest) = match rest.strip_prefix(".size()[") {
            None => (None, rest),
            Some(rest) => {
                let (at, rest) = rest.split_once(']')?;
                (Some(at.parse().ok()?), rest)
            }
        };
        self.rest = rest;
        (self.size)(&Named { input, at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By Python: each guard with two values of the sizes `x` and `y`, and what it says there.
    #[test]
    fn guards_say_what_python_says() {
        let mut terms = Terms::new();
        let symbols = ["x", "y"].map(|name| terms.symbol(name, None, None));
        let sizes = symbols.map(|symbol| terms.of(symbol));
        let of = |named: &Named| match (named.input, named.at) {
            ("a", Some(0)) => Some(sizes[0]),
            ("b", None) => Some(sizes[1]),
            _ => None,
        };
        for (text, x, y, expected) in [
            ("L['a'].size()[0] == L['b']", 3, 3, true),
            ("(1 + (((-1) + L['a'].size()[0]) // 2)) != 1", 1, 0, false),
            ("(1 + (((-1) + L['a'].size()[0]) // 2)) != 1", 3, 0, true),
            ("2*L['b'] - 3 >= 0 and L['b'] % 4 < 2", 0, 5, true),
            ("2*L['b'] - 3 >= 0 and L['b'] % 4 < 2", 0, 6, false),
            (
                "torch.sym_max(1, L['a'].size()[0] // 4)*Min(L['b'], 2) > 3",
                9,
                7,
                true,
            ),
            ("(-3) // 2 == (-2)", 0, 0, true),
        ] {
            let formula = guard(&mut terms, text, &of).unwrap_or_else(|| panic!("{text} is read"));
            let value = |symbol| Some(if symbol == symbols[0] { x } else { y });
            assert_eq!(terms.holds(formula, &value), Some(expected), "{text}");
        }
        let deep = "(".repeat(100_000) + "1";
        for text in [
            "",
            "L['a']",
            "1 == L['c']",
            "x > 0",
            "1 == 2**3",
            "7 // 0 == 1",
            &deep,
        ] {
            assert!(guard(&mut terms, text, &of).is_none(), "{text}");
        }
    }
}
