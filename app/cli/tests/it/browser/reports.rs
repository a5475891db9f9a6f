//! The pages of claims and of campaigns.

use serde_json::Value;

use super::page::{Page, Window, has_contrast};
use super::view::LAYER;

/// Returns the number of elements that are shown.
fn shown(page: &Page, selector: &str) -> Value {
    page.evaluate(&format!(
        "[...document.querySelectorAll('{selector}')].filter((one) => one.offsetParent !== null).length"
    ))
}

const CLAIMS: [&str; 5] = ["claims", "--document", "gradients", "--quick", "--html"];

#[test]
fn the_page_of_claims_is_filtered_searched_and_linked_to() {
    let Some(page) = Page::written_by(&Window::Light, &CLAIMS, "#Gradients-3") else {
        return;
    };
    let text = page.text("main");
    for part in [
        "These are statements of the project",
        "Made on 20",
        "random instances were tried",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert_eq!(
        page.evaluate("document.querySelector(':target h3').innerText"),
        "Gradients.3"
    );
    assert_eq!(shown(&page, "article"), 4);
    page.click(".filter [type=search]");
    page.press("derivative");
    assert_eq!(shown(&page, "article"), 1);
    assert!(page.text(".filter output").starts_with("1 of 4"));
    page.evaluate("(document.querySelector('.filter [type=search]').value = '', 0)");
    page.click(".filter [value=sampled]");
    assert_eq!(shown(&page, "article"), 0);
    page.click(".filter [value=sampled]");
    assert_eq!(shown(&page, "article"), 4);
    assert_eq!(
        page.evaluate("performance.getEntriesByType('resource').length"),
        0
    );
}

const CAMPAIGN: [&str; 7] = [
    "campaign", "order", "notation", "--count", "40", "--jobs", "--html",
];

#[test]
fn the_page_of_a_campaign_is_filtered_searched_and_linked_to() {
    let mut command = CAMPAIGN.to_vec();
    command.insert(6, "1");
    let Some(page) = Page::written_by(&Window::Light, &command, "#order") else {
        return;
    };
    let text = page.text("main");
    for part in [
        "Independent parties",
        "Made on 20",
        "a party reached one of its limits",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert_eq!(
        page.evaluate("document.querySelector(':target h2').innerText"),
        "order"
    );
    assert_eq!(shown(&page, "tr[data-target]"), 2);
    page.click(".filter [type=search]");
    page.press("places of errors");
    assert_eq!(shown(&page, "tr[data-target]"), 1);
    assert_eq!(shown(&page, "section[data-target]"), 1);
    assert!(page.text(".filter output").starts_with("1 of 2"));
    page.evaluate("(document.querySelector('.filter [type=search]').value = '', 0)");
    page.click(".filter [value=disagree]");
    assert_eq!(
        shown(&page, "tr[data-target]"),
        0,
        "no party disagrees with another"
    );
    page.click(".filter [value=disagree]");
    assert_eq!(shown(&page, "tr[data-target]"), 2);
}

#[test]
fn reports_fit_a_phone_and_are_dark_at_night() {
    let mut campaign = CAMPAIGN.to_vec();
    campaign.insert(6, "1");
    for window in [Window::Phone, Window::Dark] {
        let Some(page) = Page::written_by(&window, &CLAIMS, "") else {
            return;
        };
        fits(&page, &window);
        page.turn_to_report(&campaign);
        fits(&page, &window);
    }
}

/// Asserts that a phone does not scroll to the side, and at night the page is dark.
fn fits(page: &Page, window: &Window) {
    match window {
        Window::Phone => {
            let wider =
                "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(page.evaluate(wider), 0);
        }
        _ => {
            let color = page.evaluate("getComputedStyle(document.body).backgroundColor");
            assert_eq!(color, "rgb(23, 25, 28)");
            has_contrast(page);
        }
    }
}

#[test]
fn every_text_has_contrast_by_day_and_by_night() {
    const WRONG: &str = "data x : 8|->3 = range(24)\ndata w : 4->2 = range(8)\nlet y = w * x\n";
    let mut campaign = CAMPAIGN.to_vec();
    campaign.insert(6, "1");
    let of_program = |page: &Page| {
        has_contrast(page);
        // The part under the pointer, and what it brings up, are readable as well.
        page.point_at(page.find(".part"));
        has_contrast(page);
    };
    for window in [Window::Light, Window::Dark] {
        let Some(page) = Page::in_window(&window, LAYER, 0, "") else {
            return;
        };
        of_program(&page);
        page.turn_to(WRONG, 1);
        of_program(&page);
        if let Window::Light = window {
            for command in [&CLAIMS[..], &campaign] {
                page.turn_to_report(command);
                has_contrast(&page);
            }
        }
    }
}
