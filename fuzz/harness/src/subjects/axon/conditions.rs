//! Checks of a type as they are printed, decided for shapes that are known.

/// The names of inputs with their shapes.
pub(super) type Inputs<'i> = [(String, &'i [i64])];

/// Decides a check: `dim(x,0) % 2 = 0`, `dim(x,2) >= dim(f,2)`, `shape(x)[1..] = shape(y)`. None where the text has
/// another form.
pub(super) fn holds(check: &str, inputs: &Inputs<'_>) -> Option<bool> {
    if let Some((whole, end)) = check.split_once(" ends with ") {
        let (whole, end) = (part(whole, inputs)?, part(end, inputs)?);
        return Some(
            whole
                .zip(end)
                .is_some_and(|(whole, end)| whole.ends_with(end)),
        );
    }
    if let Some((whole, start)) = check.split_once(" begins with ") {
        let (whole, start) = (part(whole, inputs)?, part(start, inputs)?);
        return Some(
            whole
                .zip(start)
                .is_some_and(|(whole, start)| whole.starts_with(start)),
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
    if let Some((dividend, divisor)) = left.split_once(" % ") {
        let divisor: i64 = divisor.parse().ok()?;
        // A sum stands in brackets.
        let inside = dividend.strip_prefix('(');
        let inside = inside.and_then(|rest| rest.strip_suffix(')'));
        let dividend = sum(inside.unwrap_or(dividend), inputs)?;
        return Some(dividend.is_some_and(|dividend| dividend % divisor == 0));
    }
    let (left, right) = (sum(left, inputs)?, sum(right, inputs)?);
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

/// Reads `shape(x)[1..-2]`. The inner value is none where the input is too short.
fn part<'i>(text: &str, inputs: &Inputs<'i>) -> Option<Option<&'i [i64]>> {
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

/// Reads a sum of axes and numbers, each perhaps with a factor. The inner value is none where an input lacks an axis.
fn sum(text: &str, inputs: &Inputs<'_>) -> Option<Option<i64>> {
    let mut total = 0;
    let mut sign = 1;
    for word in text.split(' ') {
        match word {
            "+" => sign = 1,
            "-" => sign = -1,
            _ => {
                let (own, word) = match word.strip_prefix('-') {
                    Some(rest) => (-1, rest),
                    None => (1, word),
                };
                let Some(value) = product(word, inputs)? else {
                    return Some(None);
                };
                total += sign * own * value;
            }
        }
    }
    Some(Some(total))
}

fn product(word: &str, inputs: &Inputs<'_>) -> Option<Option<i64>> {
    if let Ok(number) = word.parse::<i64>() {
        return Some(Some(number));
    }
    if let Some((factor, axis)) = word.split_once('*') {
        let factor: i64 = factor.parse().ok()?;
        return Some(product(axis, inputs)?.map(|value| factor * value));
    }
    let inside = word.strip_prefix("dim(")?.strip_suffix(')')?;
    let (name, axis) = inside.rsplit_once(',')?;
    let shape = shape(name, inputs)?;
    let axis: i64 = axis.parse().ok()?;
    let place = if axis < 0 {
        shape.len() as i64 + axis
    } else {
        axis
    };
    Some(
        usize::try_from(place)
            .ok()
            .and_then(|place| shape.get(place))
            .copied(),
    )
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
            ("shape(x) = shape(y)@shape(y)", None),
            ("(* a b) >= 1", None),
        ] {
            assert_eq!(holds(check, &inputs), expected, "{check}");
        }
    }
}
