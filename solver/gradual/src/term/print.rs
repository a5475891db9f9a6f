//! The text of terms and formulas.

use super::{Atom, AtomKind, Formula, FormulaKind, Int, Polynomial, Term, Terms};

/// The greatest depth to which terms are written out.
const MAX_DEPTH: usize = 24;

/// The loosest operator that may stand in a place of a text without parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Tightness {
    Sum,
    Product,
}

impl Terms {
    /// Returns the text of a term in the names of its symbols: `32*ceil(h/32)`.
    #[must_use]
    pub fn text(&self, term: Term) -> String {
        self.sum(self.polynomial(term), Tightness::Sum, MAX_DEPTH)
    }

    /// Returns the text of a formula.
    #[must_use]
    pub fn formula_text(&self, formula: Formula) -> String {
        self.condition(formula, MAX_DEPTH)
    }

    fn sum(&self, polynomial: &Polynomial, place: Tightness, depth: usize) -> String {
        if depth == 0 {
            return "…".to_owned();
        }
        let mut parts: Vec<(String, Int)> = Vec::new();
        for (monomial, coefficient) in polynomial.variable_parts() {
            let factors: Vec<String> = monomial
                .iter()
                .map(|(atom, power)| {
                    let text = self.atom_text(*atom, depth - 1);
                    if *power == 1 {
                        text
                    } else {
                        format!("{text}^{power}")
                    }
                })
                .collect();
            parts.push((factors.join("*"), *coefficient));
        }
        // Positive parts come first, and the constant last.
        parts.sort_by_key(|(_, coefficient)| *coefficient < 0);
        let constant = polynomial.constant_part();
        let mut text = String::new();
        for (factors, coefficient) in &parts {
            let sign = if *coefficient < 0 { "-" } else { "+" };
            let size = coefficient.unsigned_abs();
            let factor = if size == 1 {
                factors.clone()
            } else {
                format!("{size}*{factors}")
            };
            match (text.is_empty(), sign) {
                (true, "+") => text = factor,
                (true, _) => text = format!("-{factor}"),
                (false, sign) => text = format!("{text} {sign} {factor}"),
            }
        }
        if text.is_empty() {
            return constant.to_string();
        }
        if constant != 0 {
            text = format!(
                "{text} {} {}",
                if constant < 0 { "-" } else { "+" },
                constant.unsigned_abs()
            );
        }
        let is_sum = parts.len() > 1 || constant != 0;
        if place >= Tightness::Product && is_sum {
            format!("({text})")
        } else {
            text
        }
    }

    fn atom_text(&self, atom: Atom, depth: usize) -> String {
        if depth == 0 {
            return "…".to_owned();
        }
        match &**self.atom_kind(atom) {
            AtomKind::Symbol(symbol) => self.name(*symbol).to_owned(),
            AtomKind::Floor(term, by) => self.floor_text(self.polynomial(*term), *by, depth),
            AtomKind::Quotient(upper, lower) => {
                let (upper, lower) = (
                    self.sum(self.polynomial(*upper), Tightness::Product, depth - 1),
                    self.sum(self.polynomial(*lower), Tightness::Product, depth - 1),
                );
                format!("floor({upper}/({lower}))")
            }
            AtomKind::Select(condition, then, otherwise) => {
                self.select_text(*condition, *then, *otherwise, depth)
            }
            AtomKind::Broadcast(sizes) => {
                let sizes: Vec<String> = sizes
                    .iter()
                    .map(|size| self.sum(self.polynomial(*size), Tightness::Sum, depth - 1))
                    .collect();
                format!("broadcast({})", sizes.join(", "))
            }
        }
    }

    /// Returns a quotient rounded down, or up where that is shorter.
    fn floor_text(&self, polynomial: &Polynomial, by: Int, depth: usize) -> String {
        let constant = polynomial.constant_part();
        let (name, shown) = if constant == by - 1 {
            (
                "ceil",
                polynomial
                    .plus(-1, &Polynomial::constant(constant))
                    .unwrap_or_default(),
            )
        } else {
            ("floor", polynomial.clone())
        };
        format!(
            "{name}({}/{by})",
            self.sum(&shown, Tightness::Product, depth - 1)
        )
    }

    fn select_text(&self, condition: Formula, then: Term, otherwise: Term, depth: usize) -> String {
        let text = |term: Term| self.sum(self.polynomial(term), Tightness::Sum, depth - 1);
        if let FormulaKind::AtLeastZero(difference) = **self.formula_kind(condition) {
            let difference = self.polynomial(difference);
            let up = self.polynomial(otherwise).plus(-1, self.polynomial(then));
            let down = self.polynomial(then).plus(-1, self.polynomial(otherwise));
            if up.is_ok_and(|up| up == **difference) {
                return format!("min({}, {})", text(then), text(otherwise));
            }
            if down.is_ok_and(|down| down == **difference) {
                return format!("max({}, {})", text(then), text(otherwise));
            }
        }
        format!(
            "({} if {} else {})",
            text(then),
            self.condition(condition, depth - 1),
            text(otherwise)
        )
    }

    fn condition(&self, formula: Formula, depth: usize) -> String {
        if depth == 0 {
            return "…".to_owned();
        }
        let joined = |parts: &[Formula], word: &str| {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| self.condition(*part, depth - 1))
                .collect();
            parts.join(word)
        };
        match &**self.formula_kind(formula) {
            FormulaKind::Constant(true) => "true".to_owned(),
            FormulaKind::Constant(false) => "false".to_owned(),
            FormulaKind::Zero(term) => {
                match crate::residual::exact::exact_quotient(self, formula) {
                    Some((_, inner, by)) => format!(
                        "{} is a multiple of {by}",
                        self.sum(self.polynomial(inner), Tightness::Sum, depth - 1)
                    ),
                    None => self.comparison(*term, "=", depth),
                }
            }
            FormulaKind::NotZero(term) => self.comparison(*term, "!=", depth),
            FormulaKind::AtLeastZero(term) => self.comparison(*term, ">=", depth),
            FormulaKind::All(parts) => joined(parts, " and "),
            FormulaKind::Any(parts) => format!("({})", joined(parts, " or ")),
            FormulaKind::Compatible(sizes) => {
                let sizes: Vec<String> = sizes
                    .iter()
                    .map(|size| self.sum(self.polynomial(*size), Tightness::Sum, depth - 1))
                    .collect();
                format!("{} are equal or 1", sizes.join(", "))
            }
        }
    }

    /// Returns a comparison with 0, with what is negative on the other side.
    fn comparison(&self, term: Term, sign: &str, depth: usize) -> String {
        let polynomial = self.polynomial(term);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (monomial, coefficient) in &polynomial.parts {
            if *coefficient > 0 && !monomial.is_empty() {
                left.push((monomial.clone(), *coefficient));
            } else {
                right.push((monomial.clone(), coefficient.saturating_neg()));
            }
        }
        let (mut left, mut right, mut sign) = (
            Polynomial { parts: left },
            Polynomial { parts: right },
            sign,
        );
        if left.parts.is_empty() {
            (left, right) = (right, left);
            sign = if sign == ">=" { "<=" } else { sign };
            // A constant alone stands on the right.
            let constant = left.constant_part();
            if constant != 0 && !left.variable_parts().is_empty() {
                right = Polynomial::constant(-constant);
                left = left
                    .plus(-1, &Polynomial::constant(constant))
                    .unwrap_or_default();
            }
        }
        format!(
            "{} {sign} {}",
            self.sum(&left, Tightness::Sum, depth - 1),
            self.sum(&right, Tightness::Sum, depth - 1)
        )
    }
}
