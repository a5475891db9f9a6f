//! Times on the command line: `500ms`, `10s`, `2m`.

use std::time::Duration;

/// Reads a time. A number without a unit is converted by `bare`; the help of the flag names this unit.
fn parsed(text: &str, bare: fn(f64) -> Option<Duration>) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok();
    let duration = match number {
        Some(number) => bare(number),
        None => humantime::parse_duration(text).ok(),
    };
    duration.ok_or_else(|| "write a number with its unit, such as 500ms, 10s or 2m".to_string())
}

/// A time that may be 0; a bare number is milliseconds.
pub fn milliseconds(text: &str) -> Result<Duration, String> {
    parsed(text, |number| {
        Duration::try_from_secs_f64(number / 1e3).ok()
    })
}

/// A time above 0 and below a century; a bare number is seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let duration = parsed(text, |number| Duration::try_from_secs_f64(number).ok())?;
    match duration.as_secs_f64() {
        seconds if seconds > 0.0 && seconds < 3e9 => Ok(duration),
        _ => Err("write a time above 0, such as 500ms, 10s or 2m".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_read_and_a_bare_number_has_one() {
        assert_eq!(milliseconds("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(milliseconds("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(milliseconds("250"), Ok(Duration::from_millis(250)));
        assert_eq!(milliseconds("0"), Ok(Duration::ZERO));
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(seconds("2m"), Ok(Duration::from_secs(120)));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "soon", "-1", "1e300", "NaN", "10 parsecs"] {
            assert!(milliseconds(text).is_err(), "{text}");
        }
        for text in ["0", "0s", "1e300", "200y"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
