//! Times on the command line: `500ms`, `10s`, `2m`.

use std::time::Duration;

/// Returns a time that may be 0. A number has a unit, so that no flag needs one of its own; 0 is the same in every
/// unit.
pub fn time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| "write a number with its unit, such as 500ms, 10s or 2m".to_string())
}

/// Returns a time above 0 and below a century.
pub fn time_above_zero(text: &str) -> Result<Duration, String> {
    let duration = time(text)?;
    match duration.as_secs_f64() {
        seconds if seconds > 0.0 && seconds < 3e9 => Ok(duration),
        _ => Err("write a time above 0, such as 500ms, 10s or 2m".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_its_unit() {
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(time("1m 30s"), Ok(Duration::from_secs(90)));
        assert_eq!(time("0"), Ok(Duration::ZERO));
        assert_eq!(time_above_zero("2m"), Ok(Duration::from_secs(120)));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "soon", "-1", "250", "1.5", "1e300", "NaN", "10 parsecs"] {
            assert!(time(text).is_err(), "{text}");
        }
        for text in ["0", "0s", "90", "1e300", "200y"] {
            assert!(time_above_zero(text).is_err(), "{text}");
        }
    }
}
