//! Checks of a type as they are printed, decided for shapes that are known.

use std::collections::BTreeMap;

use super::concrete::largest;

/// The names of inputs with their shapes.
pub(super) type Inputs<'i> = [(String, &'i [i64])];

/// The values of names that a check says to be chosen.
type Chosen<'c> = BTreeMap<&'c str, i64>;

/// Decides a check: `dim(x,0) % 2 = 0`, `dim(x,2) >= dim(f,2)`, `shape(x)[1..] = shape(y)`, or
/// `dim(x,0) = (* a a) for some a`. None where the text has another form.
pub(super) fn holds(check: &str, inputs: &Inputs<'_>) -> Option<bool> {
    match check.split_once(" for some ") {
        None => one(check, inputs, &Chosen::new()),
        Some((parts, names)) => some(parts, names, inputs),
    }
}

/// Decides whether there are values of names for which several conditions hold.
fn some(parts: &str, names: &str, inputs: &Inputs<'_>) -> Option<bool> {
    let names: Vec<&str> = names.split(", ").collect();
    if names.len() > 2 {
        return None;
    }
    let largest = largest(parts.contains("(/ "));
    let mut chosen: Chosen<'_> = names.iter().map(|name| (*name, 1)).collect();
    loop {
        let mut holds = true;
        for part in parts.split(" and ") {
            holds &= one(part, inputs, &chosen)?;
        }
        if holds {
            return Some(true);
        }
        let next = names.iter().find(|name| chosen[*name] < largest);
        let Some(next) = next else { return Some(false) };
        for name in &names {
            let value = chosen.entry(name).or_insert(1);
            if name == next {
                *value += 1;
                break;
            }
            *value = 1;
        }
    }
}

/// Decides a condition whose names have values.
fn one(check: &str, inputs: &Inputs<'_>, chosen: &Chosen<'_>) -> Option<bool> {
    if let Some((whole, end)) = check.split_once(" ends with ") {
        let (whole, end) = (part(whole, inputs)?, part(end, inputs)?);
        return Some(
            whole
                .zip(end)
                .is_some_and(|(whole, end)| whole.ends_with(&end)),
        );
    }
    if let Some((whole, start)) = check.split_once(" begins with ") {
        let (whole, start) = (part(whole, inputs)?, part(start, inputs)?);
        return Some(
            whole
                .zip(start)
                .is_some_and(|(whole, start)| whole.starts_with(&start)),
        );
    }
    let (left, sign, right) = [(" >= ", '>'), (" <= ", '<'), (" = ", '=')]
        .into_iter()
        .find_map(|(text, sign)| {
            let (left, right) = check.split_once(text)?;
            Some((left, sign, right))
        })?;
    if left.starts_with("shape(") {
        let (left, right) = (part(left, inputs)?, part(right, inputs)?);
        return Some(left.is_some() && left == right);
    }
    let value = |text: &str| {
        let mut reader = Reader {
            rest: text,
            inputs,
            chosen,
        };
        let value = reader.sum()?;
        reader.rest.is_empty().then_some(value)
    };
    if let Some((dividend, divisor)) = left.split_once(" % ") {
        let (dividend, divisor) = (value(dividend)?, value(divisor)?);
        let pair = dividend.zip(divisor);
        return Some(pair.is_some_and(|(dividend, divisor)| dividend % divisor == 0));
    }
    let (left, right) = (value(left)?, value(right)?);
    Some(match (left, right, sign) {
        (Some(left), Some(right), '>') => left >= right,
        (Some(left), Some(right), '<') => left <= right,
        (Some(left), Some(right), _) => left == right,
        // An axis that an input lacks has no size.
        _ => false,
    })
}

fn shape<'i>(name: &str, inputs: &Inputs<'i>) -> Option<&'i [i64]> {
    let mut found = inputs.iter().filter(|(known, _)| known == name);
    found.next().map(|(_, shape)| *shape)
}

/// Reads shapes such as `shape(x)[1..-2]` and `[2,dim(y,1)]` behind each other. The inner value is none where an input
/// is too short.
fn part(text: &str, inputs: &Inputs<'_>) -> Option<Option<Vec<i64>>> {
    let mut whole = Some(Vec::new());
    for text in text.split('@') {
        let axes = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'));
        let own = match axes {
            Some(axes) => listed(axes, inputs)?,
            None => sliced(text, inputs)?.map(<[i64]>::to_vec),
        };
        whole = whole.zip(own).map(|(whole, own)| [whole, own].concat());
    }
    Some(whole)
}

/// Reads axes such as `2,dim(y,1)`.
fn listed(text: &str, inputs: &Inputs<'_>) -> Option<Option<Vec<i64>>> {
    let chosen = Chosen::new();
    let mut reader = Reader {
        rest: text,
        inputs,
        chosen: &chosen,
    };
    let mut axes = Some(Vec::new());
    loop {
        let axis = reader.sum()?;
        axes = axes
            .zip(axis)
            .map(|(axes, axis)| [axes, vec![axis]].concat());
        if !reader.takes(",") {
            return reader.rest.is_empty().then_some(axes);
        }
    }
}

/// Reads `shape(x)[1..-2]`.
fn sliced<'i>(text: &str, inputs: &Inputs<'i>) -> Option<Option<&'i [i64]>> {
    let rest = text.strip_prefix("shape(")?;
    let (name, range) = rest.split_once(')')?;
    let shape = shape(name, inputs)?;
    if range.is_empty() {
        return Some(Some(shape));
    }
    let range = range.strip_prefix('[')?.strip_suffix(']')?;
    let (front, back) = range.split_once("..")?;
    let count = |text: &str| {
        if text.is_empty() {
            Some(0)
        } else {
            text.parse::<usize>().ok()
        }
    };
    let front = count(front)?;
    let back = count(back.trim_start_matches('-'))?;
    Some(
        shape
            .len()
            .checked_sub(back)
            .and_then(|end| shape.get(front..end)),
    )
}

/// A term that is read: a sum of products of axes, numbers, sums in brackets and terms such as `(/ dim(x,0) 2)`. The
/// values of its parts are none where an input lacks an axis, and the outer ones where the text has another form.
struct Reader<'r> {
    rest: &'r str,
    inputs: &'r Inputs<'r>,
    chosen: &'r Chosen<'r>,
}

impl Reader<'_> {
    fn takes(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn sum(&mut self) -> Option<Option<i64>> {
        let mut sign = if self.takes("-") { -1 } else { 1 };
        let mut total = Some(0);
        loop {
            let value = self.product()?;
            total = total.zip(value).map(|(total, value)| total + sign * value);
            sign = match (self.takes(" + "), self.takes(" - ")) {
                (true, _) => 1,
                (_, true) => -1,
                _ => return Some(total),
            };
        }
    }

    fn product(&mut self) -> Option<Option<i64>> {
        let mut product = self.factor()?;
        while self.takes("*") {
            let factor = self.factor()?;
            product = product
                .zip(factor)
                .map(|(product, factor)| product * factor);
        }
        Some(product)
    }

    fn factor(&mut self) -> Option<Option<i64>> {
        for sign in ["+", "-", "*", "/"] {
            if self.takes(&format!("({sign} ")) {
                let left = self.factor()?;
                self.takes(" ").then_some(())?;
                let right = self.factor()?;
                self.takes(")").then_some(())?;
                let pair = left.zip(right);
                return Some(pair.and_then(|(left, right)| match sign {
                    "+" => Some(left + right),
                    "-" => Some(left - right),
                    "*" => Some(left * right),
                    _ => super::concrete::quotient(left, right),
                }));
            }
        }
        if self.takes("(") {
            let inside = self.sum()?;
            return self.takes(")").then_some(inside);
        }
        if self.takes("dim(") {
            let (inside, rest) = self.rest.split_once(')')?;
            self.rest = rest;
            return axis(inside, self.inputs);
        }
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric());
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let number = word.parse::<i64>().ok();
        Some(Some(number.or_else(|| self.chosen.get(word).copied())?))
    }
}

/// Returns the size of an axis such as `x,-1`.
fn axis(text: &str, inputs: &Inputs<'_>) -> Option<Option<i64>> {
    let (name, axis) = text.rsplit_once(',')?;
    let shape = shape(name, inputs)?;
    let axis: i64 = axis.parse().ok()?;
    let place = if axis < 0 {
        shape.len() as i64 + axis
    } else {
        axis
    };
    let place = usize::try_from(place).ok();
    Some(place.and_then(|place| shape.get(place)).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_of_every_form_are_decided() {
        let (x, y): (&[i64], &[i64]) = (&[4, 3, 5], &[3, 5]);
        let inputs = [("x".to_string(), x), ("y".to_string(), y)];
        for (check, expected) in [
            ("dim(x,0) % 2 = 0", Some(true)),
            ("dim(x,1) % 2 = 0", Some(false)),
            ("(dim(x,0) + 1) % 5 = 0", Some(true)),
            ("dim(x,-1) = dim(y,1)", Some(true)),
            ("dim(x,0) >= dim(y,0) + 2", Some(false)),
            ("dim(x,0) <= 4", Some(true)),
            ("dim(y,1) <= 4", Some(false)),
            ("2*dim(y,0) = dim(x,0) + 2", Some(true)),
            ("shape(x)[1..] = shape(y)", Some(true)),
            ("shape(x)[..-2] = shape(y)[..-1]", Some(false)),
            ("dim(y,2) >= 1", Some(false)),
            ("shape(x) ends with shape(y)", Some(true)),
            ("shape(x) begins with shape(y)", Some(false)),
            ("shape(x) = shape(y)@shape(y)", Some(false)),
            ("shape(x) ends with [3]@shape(y)[1..]", Some(true)),
            ("shape(x)[1..] ends with [dim(y,0) + 1,5]", Some(false)),
            ("(* a b) >= 1", None),
            ("dim(x,0) % dim(y,0) = 0", Some(false)),
            ("dim(x,0) = dim(y,0)*dim(y,0) - dim(y,1)", Some(true)),
            ("dim(x,0) = (/ (+ dim(y,1) 3) 2)", Some(true)),
            ("dim(x,0) = (* a a) for some a", Some(true)),
            ("dim(x,1) = (* a a) for some a", Some(false)),
            (
                "dim(x,0) = (+ a b) and dim(x,1) = (* a b) for some a, b",
                Some(true),
            ),
            (
                "dim(x,0) = (+ a b) and dim(x,2) = (* a b) for some a, b",
                Some(false),
            ),
            ("shape(x) = a@a for some a", None),
        ] {
            assert_eq!(holds(check, &inputs), expected, "{check}");
        }
    }
}
