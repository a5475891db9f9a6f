//! The page of `lozenge view` in a real browser: how it reacts to pointing, clicking and typing.
//!
//! The browser is Chromium, driven through ChromeDriver on the path. Without it the tests are skipped, unless
//! `LOZENGE_REQUIRE_BROWSER` is set.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use assert_cmd::cargo::cargo_bin;
use fantoccini::actions::{InputSource, MouseActions, PointerAction};
use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

fn driver() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut paths = std::env::split_paths(&folders).map(|folder| folder.join("chromedriver"));
    let found = paths.find(|path| path.is_file());
    let required = std::env::var_os("LOZENGE_REQUIRE_BROWSER").is_some();
    assert!(
        found.is_some() || !required,
        "no chromedriver on the path, and LOZENGE_REQUIRE_BROWSER is set"
    );
    found
}

/// How the browser is started.
enum Window {
    Light,
    Dark,
    Phone,
}

impl Window {
    fn capabilities(&self, profile: &Path) -> serde_json::Map<String, Value> {
        let scheme = match self {
            Window::Dark => "--blink-settings=preferredColorScheme=0",
            Window::Light | Window::Phone => "--blink-settings=preferredColorScheme=1",
        };
        let profile = format!("--user-data-dir={}", profile.display());
        let mut options = json!({"args": [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--window-size=1300,900", profile, scheme,
        ]});
        if let Window::Phone = self {
            let metrics = json!({"width": 360, "height": 740, "pixelRatio": 2.0});
            options["mobileEmulation"] = json!({"deviceMetrics": metrics});
        }
        let mut capabilities = serde_json::Map::new();
        capabilities.insert("goog:chromeOptions".to_string(), options);
        capabilities
    }
}

/// The page of a program in a browser, which is closed when the value is dropped.
struct Page {
    runtime: Runtime,
    client: Option<Client>,
    driver: Child,
    _folder: tempfile::TempDir,
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(client.close());
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Starts ChromeDriver on a free port, and returns the port.
fn started(executable: &Path) -> (Child, u16) {
    let mut driver = Command::new(executable)
        .arg("--port=0")
        .stdout(Stdio::piped())
        .spawn()
        .expect("chromedriver starts");
    let output = driver.stdout.take().expect("its output is piped");
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let port = lines.find_map(|line| {
        let port = line.split_once("successfully on port ")?.1;
        port.trim_end_matches('.').parse().ok()
    });
    // Its later output is read and discarded, so that it never blocks.
    std::thread::spawn(move || lines.for_each(drop));
    (driver, port.expect("chromedriver says its port"))
}

impl Page {
    /// Has a command write a page into the file that it gets as its last argument, and opens the page. `None` without a browser.
    fn written_by(window: &Window, command: &[&str], at: &str) -> Option<Page> {
        let executable = driver()?;
        let folder = tempfile::tempdir().expect("a folder");
        let html = folder.path().join("page.html");
        let output = Command::new(cargo_bin("lozenge"))
            .args(command)
            .arg(html.as_os_str())
            .env("XDG_CACHE_HOME", folder.path())
            .output()
            .expect("lozenge runs");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        Some(Page::opened(&executable, folder, &html, window, at))
    }

    /// Writes the page of a program and opens it. `None` without a browser.
    fn of(program: &str, status: i32, at: &str) -> Option<Page> {
        Page::in_window(&Window::Light, program, status, at)
    }

    fn in_window(window: &Window, program: &str, status: i32, at: &str) -> Option<Page> {
        let executable = driver()?;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("program.loz");
        let html = folder.path().join("page.html");
        std::fs::write(&file, program).expect("the program is written");
        let flag = OsStr::new("--html");
        let output = Command::new(cargo_bin("lozenge"))
            .args([OsStr::new("view"), file.as_os_str(), flag, html.as_os_str()])
            .output()
            .expect("lozenge runs");
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        Some(Page::opened(&executable, folder, &html, window, at))
    }

    fn opened(
        executable: &Path,
        folder: tempfile::TempDir,
        html: &Path,
        window: &Window,
        at: &str,
    ) -> Page {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let (driver, port) = started(executable);
        let client = runtime.block_on(async {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            builder.capabilities(window.capabilities(&folder.path().join("browser")));
            let client = builder.connect(&format!("http://localhost:{port}")).await;
            let client = client.expect("the browser starts");
            let url = format!("file://{}{at}", html.display());
            client.goto(&url).await.expect("the page is there");
            client
        });
        Page {
            runtime,
            client: Some(client),
            driver,
            _folder: folder,
        }
    }

    fn client(&self) -> &Client {
        self.client.as_ref().expect("it is open")
    }

    /// The value of an expression in the page.
    fn evaluate(&self, expression: &str) -> Value {
        let script = format!("return {expression}");
        let answer = self.client().execute(&script, Vec::new());
        let answer = self.runtime.block_on(answer);
        answer.unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn find(&self, selector: &str) -> Element {
        let found = self.client().find(Locator::Css(selector));
        let found = self.runtime.block_on(found);
        found.unwrap_or_else(|error| panic!("{selector}: {error}"))
    }

    fn text(&self, selector: &str) -> String {
        let text = format!("document.querySelector({selector:?}).innerText");
        let text = self.evaluate(&text);
        text.as_str().unwrap_or_default().to_string()
    }

    /// Gives the part of the program with this text an id, by which it can be pointed at.
    fn part(&self, text: &str) -> Element {
        let parts = "[...document.querySelectorAll('.part')]";
        let script = format!("{parts}.find((part) => part.textContent === {text:?}).id = 'wanted'");
        assert_eq!(self.evaluate(&script), "wanted", "the program has {text}");
        self.find("#wanted")
    }

    fn point_at(&self, element: Element) {
        let to = PointerAction::MoveToElement {
            element,
            duration: Some(std::time::Duration::ZERO),
            x: 0.0,
            y: 0.0,
        };
        let moves = MouseActions::new("mouse".to_string()).then(to);
        let moved = self.client().perform_actions(moves);
        self.runtime.block_on(moved).expect("the pointer moves");
    }

    /// Presses a key, or types letters, wherever the focus is.
    fn press(&self, keys: &str) {
        let focused = self.client().active_element();
        let focused = self
            .runtime
            .block_on(focused)
            .expect("something is focused");
        let pressed = self.runtime.block_on(focused.send_keys(keys));
        pressed.unwrap_or_else(|error| panic!("{keys:?}: {error}"));
    }

    fn click(&self, selector: &str) {
        let clicked = self.runtime.block_on(self.find(selector).click());
        clicked.unwrap_or_else(|error| panic!("{selector}: {error}"));
    }
}

const LAYER: &str = "\
data x : 8|->3 = range(24)
param w : ...->16 = 0.5
let y = relu(w * x)
";

#[test]
fn pointing_at_a_part_shows_its_shape_and_who_asked_for_it() {
    let Some(page) = Page::of(LAYER, 0, "") else {
        return;
    };
    assert!(page.text("#panel").contains("Point at a part"));
    page.point_at(page.part("relu(w * x)"));
    let shown = page.text("#panel");
    assert!(shown.starts_with("y computed, line 3"), "{shown}");
    assert!(shown.contains("for i in 0..8"), "{shown}");
    let axes = "[...document.querySelectorAll('#panel .shape .row')].map((row) => row.innerText).join(' ')";
    let axes = page.evaluate(axes);
    let axes: Vec<&str> = axes
        .as_str()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    assert_eq!(axes, ["⋄", "8", "⋄", "⋄", "16"]);
    page.click("#panel details:last-of-type summary");
    let shown = page.text("#panel");
    assert!(shown.contains("the output axes of `w * x`"), "{shown}");
}

#[test]
fn keys_choose_keep_and_let_go() {
    let Some(page) = Page::of(LAYER, 0, "") else {
        return;
    };
    page.evaluate("document.querySelector('.part').focus()");
    let first = page.text("#panel");
    assert!(first.contains('x') && first.contains("data"), "{first}");
    page.press(&Key::Right.to_string());
    let second = page.text("#panel");
    assert_ne!(first, second);
    page.press(&Key::Enter.to_string());
    assert!(
        page.evaluate("location.hash")
            .as_str()
            .is_some_and(|hash| hash.starts_with("#t"))
    );
    page.press(&Key::Right.to_string());
    assert_eq!(page.text("#panel"), second, "what was kept stays");
    page.press(&Key::Escape.to_string());
    assert!(page.text("#panel").contains("Point at a part"));
    assert_eq!(page.evaluate("location.hash"), "");
}

#[test]
fn a_link_to_a_tensor_shows_it_in_the_program() {
    let Some(page) = Page::of(LAYER, 0, "#t1") else {
        return;
    };
    assert!(
        page.text("#panel").starts_with('w'),
        "{}",
        page.text("#panel")
    );
    assert_eq!(
        page.evaluate("document.querySelectorAll('.part.chosen').length"),
        1
    );
}

#[test]
fn solving_goes_forward_and_back() {
    let Some(page) = Page::of(LAYER, 0, "") else {
        return;
    };
    let bound = || page.evaluate("document.querySelectorAll('#bindings tr').length");
    assert!(page.text(".stepper output").contains("before the first"));
    assert_eq!(bound(), 0);
    page.click(".stepper [name=forward]");
    assert!(page.text(".stepper output").starts_with("step 1 of"));
    assert_ne!(page.text("#effect"), "");
    page.click(".stepper [name=last]");
    let known = page.text("#bindings");
    let row = known.lines().find(|line| line.starts_with("w.input"));
    assert!(row.is_some_and(|row| row.contains("[3]")), "{known}");
    assert!(
        known
            .lines()
            .any(|line| line.starts_with("y.batch") && line.contains("[8]")),
        "{known}"
    );
    page.click(".stepper [name=first]");
    assert_eq!(bound(), 0);
}

#[test]
fn the_search_hides_other_tensors() {
    let Some(page) = Page::of(LAYER, 0, "") else {
        return;
    };
    page.click("#tensors [type=search]");
    page.press("parameter");
    let shown = "[...document.querySelectorAll('#tensors article')].filter((card) => !card.hidden).map((card) => card.id).join()";
    assert_eq!(page.evaluate(shown), "t1");
    assert!(page.text("#tensors output").starts_with("1 of"));
}

#[test]
fn tensors_that_the_program_does_not_name_are_shown_on_request() {
    let named = "data x : 8|->3 = range(24)\nlet y = softmax(x + 1)\n";
    let Some(page) = Page::of(named, 0, "") else {
        return;
    };
    let shown = "[...document.querySelectorAll('#tensors article')].filter((card) => card.checkVisibility()).map((card) => card.querySelector('h3').innerText).join()";
    let all = page.evaluate("document.querySelectorAll('#tensors article').length");
    assert!(
        all.as_u64() > Some(5),
        "softmax has tensors of its own: {all}"
    );
    assert_eq!(page.evaluate(shown), "x,y");
    page.click("#tensors [name=all]");
    let more = page.evaluate(shown);
    let more = more.as_str().unwrap_or_default().split(',').count();
    assert_eq!(Some(more as u64), all.as_u64());
    page.click("#tensors [name=all]");
    assert_eq!(page.evaluate(shown), "x,y");
}

/// For each refusal of shapes that fit: a program, and the rows of the tensors that take part.
const REFUSED: [(&str, &str, &str); 5] = [
    (
        "R1",
        "data x : 8|->3 = range(24)\nlet h = relu(x)\nlet y = h * x\n",
        "y ⋄ 8|⋄|⋄ 3; h ⋄ 8|⋄ 3|⋄ 3; x ⋄ 8|⋄|⋄ 3",
    ),
    (
        "R2",
        "data w : 3->4 = range(12)\nlet half = w * 2\n",
        "half ⋄|⋄|⋄ 4; w ⋄|⋄ 3|⋄ 4; 2 ⋄|⋄|⋄",
    ),
    (
        "R3",
        "data x : 9|->5 = range(45)\nparam w\nlet y = w * x\n",
        "w ⋄|⋄ 5|⋄; y ⋄ 9|⋄|⋄; x ⋄ 9|⋄|⋄ 5",
    ),
    (
        "R4",
        "data t : 2 <> = range(2)\ndata a : 2 = range(2)\nlet s = t + a\n",
        "s ⋄|⋄|2 ⋄ 2; t ⋄|⋄|2 ⋄; a ⋄|⋄|⋄ 2",
    ),
    (
        "R5",
        "data x : 8|->3 = range(24)\ndata t : 8|->4 = range(32)\nparam rate = 0.1\nparam w\nparam b\nlet e = w * x + b - t\nw =- rate *. w\nb =- rate *. b\n",
        "b ⋄|⋄ 3|⋄ 4; rate ⋄|⋄ 3|⋄ 4",
    ),
];

#[test]
fn the_rows_behind_a_refusal_of_shapes_that_fit_are_drawn() {
    for (code, program, rows) in REFUSED {
        let Some(page) = Page::of(program, 1, "") else {
            return;
        };
        let title = page.text("#messages .involved h3");
        assert!(title.starts_with(&format!("{code}: ")), "{title}");
        let drawn = "[...document.querySelectorAll('#messages .involved > div')].map((one) => one.querySelector('a').innerText + ' ' + [...one.querySelectorAll('.row')].map((row) => row.innerText.replace(/\\s+/g, ' ')).join('|')).join('; ')";
        assert_eq!(page.evaluate(drawn), rows, "{code}");
        // What fits has its shapes and loops on the page, too.
        assert!(page.text("#tensors").contains("loops of line"), "{code}");
    }
}

#[test]
fn a_refused_program_shows_the_message_and_what_cannot_hold_together() {
    let wrong = "data x : 8|->3 = range(24)\ndata w : 4->2 = range(8)\nlet y = w * x\n";
    let Some(page) = Page::of(wrong, 1, "") else {
        return;
    };
    let shown = page.text("#messages");
    assert!(shown.contains("`w` takes 4 inputs, `x` gives 3"), "{shown}");
    assert!(
        shown.contains("each input of `w` meets an output of `x`"),
        "{shown}"
    );
    assert!(
        page.text("#solving").contains("fails on"),
        "{}",
        page.text("#solving")
    );
    // The requirement is drawn: the inputs of `w`, and the outputs of `x`.
    let rows = "[...document.querySelectorAll('#messages .conflict .row')].map((row) => row.innerText.replace(/\\s+/g, ' ')).join('; ')";
    assert_eq!(page.evaluate(rows), "⋄ 4; ⋄ 3");
    assert_eq!(page.text("#messages .conflict .op"), "⊑");
}

#[test]
fn it_needs_no_network_and_fits_a_phone() {
    let Some(page) = Page::in_window(&Window::Phone, LAYER, 0, "") else {
        return;
    };
    let fetched = "performance.getEntriesByType('resource').length";
    assert_eq!(page.evaluate(fetched), 0);
    assert_eq!(page.evaluate("document.documentElement.clientWidth"), 360);
    let wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(
        page.evaluate(wider),
        0,
        "nothing stands beside a narrow window"
    );
}

#[test]
fn it_is_light_or_dark_as_is_wished() {
    let shade = |window: &Window| {
        let page = Page::in_window(window, LAYER, 0, "")?;
        let color = page.evaluate("getComputedStyle(document.body).backgroundColor");
        let parts = color.as_str()?.split(|c: char| !c.is_ascii_digit());
        let parts: Vec<u32> = parts.filter_map(|part| part.parse().ok()).collect();
        Some(parts.iter().take(3).sum::<u32>())
    };
    let (Some(light), Some(dark)) = (shade(&Window::Light), shade(&Window::Dark)) else {
        return;
    };
    assert!(light > 600 && dark < 200, "{light} {dark}");
}

/// The number of elements that are shown.
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
    assert_eq!(shown(&page, "article"), 3);
    page.click(".filter [type=search]");
    page.press("derivative");
    assert_eq!(shown(&page, "article"), 1);
    assert!(page.text(".filter output").starts_with("1 of 3"));
    page.evaluate("(document.querySelector('.filter [type=search]').value = '', 0)");
    page.click(".filter [value=sampled]");
    assert_eq!(shown(&page, "article"), 0);
    page.click(".filter [value=sampled]");
    assert_eq!(shown(&page, "article"), 3);
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

/// The least contrast of a text with what is behind it, by the formula of WCAG 2 and in parts of what it asks for (AA): 4.5 of text,
/// 3 of signs without letters and digits. And the text.
const LEAST_CONTRAST: &str = "(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = parts(color).slice(0, 3).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((parts(color)[3] ?? 1) === 1) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  let least = [21, ''];
  for (const element of document.querySelectorAll('main *, header *')) {
    const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join('').trim();
    if (!own || !element.getClientRects().length) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
    const needed = /[\\p{L}\\p{N}]/u.test(own) ? 4.5 : 3;
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) / needed;
    if (contrast < least[0]) least = [contrast, element.outerHTML.slice(0, 200)];
  }
  return least;
})()";

#[test]
fn reports_fit_a_phone_and_are_dark_at_night() {
    let mut campaign = CAMPAIGN.to_vec();
    campaign.insert(6, "1");
    for command in [&CLAIMS[..], &campaign] {
        for window in [Window::Phone, Window::Dark] {
            let Some(page) = Page::written_by(&window, command, "") else {
                return;
            };
            match window {
                Window::Phone => {
                    let wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
                    assert_eq!(page.evaluate(wider), 0);
                }
                _ => {
                    let color = page.evaluate("getComputedStyle(document.body).backgroundColor");
                    assert_eq!(color, "rgb(23, 25, 28)");
                    has_contrast(&page);
                }
            }
        }
    }
}

/// Fails where a text of a page has less contrast than WCAG 2 asks for (AA), or where none was found.
#[track_caller]
fn has_contrast(page: &Page) {
    let least = page.evaluate(LEAST_CONTRAST);
    let contrast = least[0].as_f64().expect("a number");
    assert!((1.0..7.0).contains(&contrast), "{least}");
}

#[test]
fn every_text_has_contrast_by_day_and_by_night() {
    const WRONG: &str = "data x : 8|->3 = range(24)\ndata w : 4->2 = range(8)\nlet y = w * x\n";
    let mut campaign = CAMPAIGN.to_vec();
    campaign.insert(6, "1");
    for window in [Window::Light, Window::Dark] {
        for (program, status) in [(LAYER, 0), (WRONG, 1)] {
            let Some(page) = Page::in_window(&window, program, status, "") else {
                return;
            };
            has_contrast(&page);
            // What is pointed at, and what it brings up.
            page.point_at(page.find(".part"));
            has_contrast(&page);
        }
    }
    for command in [&CLAIMS[..], &campaign] {
        let page = Page::written_by(&Window::Light, command, "").expect("there is a browser");
        has_contrast(&page);
    }
}
