//! A page in a browser, and what a person can do with it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use assert_cmd::cargo::cargo_bin;
use fantoccini::actions::{InputSource, MouseActions, PointerAction};
use fantoccini::elements::Element;
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

/// The window and the colours in which the browser is started.
pub(crate) enum Window {
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
pub(crate) struct Page {
    runtime: Runtime,
    client: Option<Client>,
    driver: Child,
    folder: tempfile::TempDir,
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

/// Returns a file for another page in this folder.
fn new_page(folder: &Path) -> PathBuf {
    let pages = std::fs::read_dir(folder).expect("the folder is there");
    folder.join(format!("page{}.html", pages.count()))
}

/// Returns the page that a command writes into the file that it gets as its last argument.
fn report(folder: &Path, command: &[&str]) -> PathBuf {
    let html = new_page(folder);
    let output = Command::new(cargo_bin("lozenge"))
        .args(command)
        .arg(html.as_os_str())
        // A decision of one page is known to the next.
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("lozenge runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    html
}

/// Returns the page of a program, for which the command ends with this status.
fn view(folder: &Path, program: &str, status: i32) -> PathBuf {
    let file = folder.join("program.loz");
    let html = new_page(folder);
    std::fs::write(&file, program).expect("the program is written");
    let flag = OsStr::new("--html");
    let output = Command::new(cargo_bin("lozenge"))
        .args([OsStr::new("view"), file.as_os_str(), flag, html.as_os_str()])
        .output()
        .expect("lozenge runs");
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    html
}

impl Page {
    /// Has a command write a page into the file that it gets as its last argument, and opens the page. `None` without a
    /// browser.
    pub(crate) fn written_by(window: &Window, command: &[&str], at: &str) -> Option<Page> {
        let executable = driver()?;
        let folder = tempfile::tempdir().expect("a folder");
        let html = report(folder.path(), command);
        Some(Page::opened(&executable, folder, &html, window, at))
    }

    /// Writes the page of a program and opens it. `None` without a browser.
    pub(crate) fn of(program: &str, status: i32, at: &str) -> Option<Page> {
        Page::in_window(&Window::Light, program, status, at)
    }

    pub(crate) fn in_window(window: &Window, program: &str, status: i32, at: &str) -> Option<Page> {
        let executable = driver()?;
        let folder = tempfile::tempdir().expect("a folder");
        let html = view(folder.path(), program, status);
        Some(Page::opened(&executable, folder, &html, window, at))
    }

    /// Goes to the page of another program in the same browser, since starting one takes seconds.
    pub(crate) fn turn_to(&self, program: &str, status: i32) {
        self.go_to(&view(self.folder.path(), program, status), "");
    }

    /// Turns to a page, likewise, that a command writes.
    pub(crate) fn turn_to_report(&self, command: &[&str]) {
        self.go_to(&report(self.folder.path(), command), "");
    }

    fn go_to(&self, html: &Path, at: &str) {
        let url = format!("file://{}{at}", html.display());
        let gone = self.runtime.block_on(self.client().goto(&url));
        gone.expect("the page is there");
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
            client.expect("the browser starts")
        });
        let page = Page {
            runtime,
            client: Some(client),
            driver,
            folder,
        };
        page.go_to(html, at);
        page
    }

    pub(crate) fn client(&self) -> &Client {
        self.client.as_ref().expect("it is open")
    }

    /// Returns the value of an expression in the page.
    pub(crate) fn evaluate(&self, expression: &str) -> Value {
        let script = format!("return {expression}");
        let answer = self.client().execute(&script, Vec::new());
        let answer = self.runtime.block_on(answer);
        answer.unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    pub(crate) fn find(&self, selector: &str) -> Element {
        let found = self.client().find(Locator::Css(selector));
        let found = self.runtime.block_on(found);
        found.unwrap_or_else(|error| panic!("{selector}: {error}"))
    }

    pub(crate) fn text(&self, selector: &str) -> String {
        let text = format!("document.querySelector({selector:?}).innerText");
        let text = self.evaluate(&text);
        text.as_str().unwrap_or_default().to_string()
    }

    /// Gives the part of the program with this text an id, by which it can be pointed at.
    pub(crate) fn part(&self, text: &str) -> Element {
        let parts = "[...document.querySelectorAll('.part')]";
        let script = format!("{parts}.find((part) => part.textContent === {text:?}).id = 'wanted'");
        assert_eq!(self.evaluate(&script), "wanted", "the program has {text}");
        self.find("#wanted")
    }

    /// Gives the part of the program with this text the focus, which shows it.
    pub(crate) fn focus_on(&self, text: &str) {
        self.part(text);
        self.evaluate("(document.querySelector('#wanted').focus(), 0)");
    }

    pub(crate) fn point_at(&self, element: Element) {
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
    pub(crate) fn press(&self, keys: &str) {
        let focused = self.client().active_element();
        let focused = self
            .runtime
            .block_on(focused)
            .expect("something is focused");
        let pressed = self.runtime.block_on(focused.send_keys(keys));
        pressed.unwrap_or_else(|error| panic!("{keys:?}: {error}"));
    }

    /// Returns a picture of the window, as PNG.
    pub(crate) fn picture(&self) -> Vec<u8> {
        let picture = self.runtime.block_on(self.client().screenshot());
        picture.expect("the browser takes pictures")
    }

    pub(crate) fn click(&self, selector: &str) {
        let clicked = self.runtime.block_on(self.find(selector).click());
        clicked.unwrap_or_else(|error| panic!("{selector}: {error}"));
    }
}

/// The least contrast of a text with what is behind it, by the formula of WCAG 2 and in parts of what it asks for (AA):
/// 4.5 of text, 3 of signs without letters and digits. And the text.
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

/// Fails where a text of a page has less contrast than WCAG 2 asks for (AA), or where none was found.
#[track_caller]
pub(crate) fn has_contrast(page: &Page) {
    let least = page.evaluate(LEAST_CONTRAST);
    let contrast = least[0].as_f64().expect("a number");
    assert!((1.0..7.0).contains(&contrast), "{least}");
}
