//! The pages that lozenge writes, in a real browser: how they react to pointing, clicking and typing.
//!
//! The browser is Chromium, driven through ChromeDriver on the path. Without it the tests are skipped, unless
//! `LOZENGE_REQUIRE_BROWSER` is set.
mod page;
mod reports;
mod view;
