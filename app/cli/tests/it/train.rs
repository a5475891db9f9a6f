//! `lozenge train`: curves, checkpoints, and messages about checkpoints that cannot be used.

use crate::validated;

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

const PROGRAM: &str =
    "data x : n:10|->2 = [1, 2, -1, 0, 3, 1, 0, 2, -2, 1, 1, 1, 2, -1, 0, 0, 1, -2, -1, -1]
data t : n|->1 = [3, 0, 5, 2, -1, 2, 1, 0, -2, -1]
let net = dense(1)
train 8 epochs by 4 of n shuffled:
  let loss = mse(net(x), t)
  backward loss
  for q in params(loss): adam(0.1)(q, q.grad)
  print loss
  each epoch: print mse(net(x), t)
save net.w to \"w.csv\"
";

/// The variable that says whether kernels are optimised.
const OPTIMISATION: &str = "LOZENGE_KERNEL_OPTIMISATION";

fn command(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("lozenge").expect("it is built");
    command.current_dir(folder);
    command
}

fn lozenge(folder: &Path, arguments: &[&str]) -> Output {
    command(folder).args(arguments).output().expect("it runs")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", out(output));
    String::from_utf8(output.stderr.clone()).expect("text")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.loz"), PROGRAM).expect("written");
    folder
}

/// Returns the lines of epochs.
fn curve(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.starts_with("epoch "))
        .collect()
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_lines_and_the_same_file() {
    let folder = folder();
    let at = folder.path();
    for device in ["interpreter", "opencl"] {
        let whole = lozenge(at, &["train", "p.loz", "--device", device, "--seed", "5"]);
        assert!(whole.status.success(), "{}", refused(&whole));
        let expected = fs::read(at.join("w.csv")).expect("the program saves it");
        let text = out(&whole);
        let lines = curve(&text);
        assert_eq!(lines.len(), 8, "{text}");
        assert!(
            text.contains("2 of the 10 rows of `n` fill no batch of 4"),
            "{text}"
        );
        assert!(!text.contains('\r'), "no bar where no terminal is");

        let some = [
            "train",
            "p.loz",
            "--device",
            device,
            "--seed",
            "5",
            "--epochs",
            "3",
            "--save",
            "c.safetensors",
        ];
        let first = lozenge(at, &some);
        assert!(first.status.success());
        let rest = lozenge(
            at,
            &[
                "train",
                "p.loz",
                "--device",
                device,
                "--resume",
                "c.safetensors",
            ],
        );
        assert!(rest.status.success(), "{}", refused(&rest));
        assert_eq!(curve(&out(&rest)), lines[3..], "{device}");
        assert_eq!(
            fs::read(at.join("w.csv")).expect("saved again"),
            expected,
            "{device}"
        );

        let other = [
            "train",
            "p.loz",
            "--device",
            device,
            "--resume",
            "c.safetensors",
            "--seed",
            "6",
        ];
        assert!(refused(&lozenge(at, &other)).contains("the run of the checkpoint has the seed 5"));
        let loaded = [
            "train",
            "p.loz",
            "--device",
            device,
            "--load",
            "c.safetensors",
            "--epochs",
            "1",
        ];
        let loaded = lozenge(at, &loaded);
        assert!(loaded.status.success());
        assert_ne!(
            curve(&out(&loaded)),
            [lines[0].replace("/8", "/1")],
            "it begins where the other one ended"
        );
    }
}

/// The checkpoint at the end has the final values of the program, even if no epoch was run or a later line changes a
/// parameter. A run that is killed, not merely stopped, loses at most the epoch that it was in.
#[test]
fn a_run_that_was_killed_goes_on_to_the_same_file() {
    let folder = folder();
    let at = folder.path();
    let whole = ["train", "p.loz", "--epochs", "400", "--save", "whole"];
    assert!(lozenge(at, &whole).status.success());
    let part = ["train", "p.loz", "--epochs", "400", "--save", "part"];
    let mut killed = std::process::Command::new(env!("CARGO_BIN_EXE_lozenge"))
        .current_dir(at)
        .args(part)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let written = || fs::metadata(at.join("part")).is_ok_and(|file| file.len() > 0);
    while !written() && killed.try_wait().expect("known").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    killed.kill().expect("it is killed");
    killed.wait().expect("it ends");
    let mut resumed = part.to_vec();
    resumed.extend(["--resume", "part"]);
    let resumed = lozenge(at, &resumed);
    assert!(resumed.status.success(), "{}", refused(&resumed));
    assert!(
        fs::read(at.join("whole")).expect("written") == fs::read(at.join("part")).expect("written")
    );
}

#[test]
fn a_checkpoint_is_written_at_the_end() {
    let folder = folder();
    let at = folder.path();
    let train = |more: &[&str]| {
        let arguments = [&["train", "p.loz", "--device", "interpreter"], more].concat();
        let output = lozenge(at, &arguments);
        assert!(output.status.success(), "{}", refused(&output));
        out(&output)
    };
    let whole = train(&[]);
    train(&["--epochs", "0", "--save", "start"]);
    assert_eq!(
        curve(&train(&["--resume", "start"])),
        curve(&whole),
        "from the very beginning"
    );
    train(&["--epochs", "5", "--save", "five"]);
    train(&["--resume", "five", "--epochs", "2", "--save", "again"]);
    assert_eq!(
        fs::read(at.join("five")).unwrap(),
        fs::read(at.join("again")).unwrap(),
        "no epoch is taken back"
    );

    fs::write(
        at.join("after.loz"),
        format!("state seen : -> = 0\n{PROGRAM}seen =+ 3\n"),
    )
    .unwrap();
    let output = lozenge(
        at,
        &[
            "train",
            "after.loz",
            "--device",
            "interpreter",
            "--save",
            "after",
        ],
    );
    assert!(output.status.success(), "{}", refused(&output));
    let kept = lozenge::Checkpoint::load(&at.join("after")).expect("a checkpoint");
    assert_eq!(kept.tensors["seen"].values(), [3.0]);
    assert_eq!(kept.progress, None);
    let resumed = refused(&lozenge(
        at,
        &[
            "train",
            "after.loz",
            "--device",
            "interpreter",
            "--resume",
            "after",
        ],
    ));
    assert!(resumed.contains("start from it with --load"), "{resumed}");
}

#[test]
fn the_curve_is_data() {
    let folder = folder();
    let arguments = [
        "train",
        "p.loz",
        "--device",
        "interpreter",
        "--format",
        "json",
    ];
    let output = lozenge(folder.path(), &arguments);
    let answer = validated::answer(&out(&output));
    let section = &answer["sections"][0];
    assert_eq!(section["line"], 4);
    assert_eq!(section["left_over"], 2);
    assert_eq!(section["steps"], 16);
    let curve = section["curve"].as_array().expect("a list");
    assert_eq!(curve.len(), 8);
    let loss = |point: &Value| point["printed"][0]["value"].as_f64().expect("a number");
    assert!(loss(&curve[7]) < loss(&curve[0]), "{curve:?}");
    assert_eq!(curve[0]["printed"][0]["text"], "loss");
    assert_eq!(curve[0]["printed"][1]["text"], "mse(net(x), t)");
    let run = lozenge(
        folder.path(),
        &[
            "run",
            "p.loz",
            "--device",
            "interpreter",
            "--format",
            "json",
        ],
    );
    let run = validated::answer(&out(&run));
    assert_eq!(run["sections"], answer["sections"], "`run` does the same");
}

#[test]
fn what_cannot_be_used_is_said() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("damaged"), [7; 100]).expect("written");
    fs::write(at.join("plain.loz"), "data x : 3 = range(3)\n").expect("written");
    let train = |more: &[&str]| {
        let arguments = [&["train", "p.loz", "--device", "interpreter"], more].concat();
        refused(&lozenge(at, &arguments))
    };
    assert!(train(&["--resume", "damaged"]).contains("this is no checkpoint"));
    assert!(train(&["--resume", "nowhere"]).contains("cannot be read"));
    assert!(train(&["--save", "no/such/folder"]).contains("cannot be written"));
    assert!(train(&["--set", "k=3"]).contains("the program has no size `k`"));
    assert!(train(&["--set", "n"]).contains("--set n=32"));
    let plain = refused(&lozenge(at, &["train", "plain.loz"]));
    assert!(plain.contains("plain.loz has no section"), "{plain}");
    fs::write(at.join("assert.loz"), "train 3 steps: assert step < 2\n").expect("written");
    let stopped = refused(&lozenge(
        at,
        &["train", "assert.loz", "--device", "interpreter"],
    ));
    assert!(stopped.contains("an assertion does not hold"), "{stopped}");
}

/// Parameters go to files of NumPy and come from them: the checkpoint is an archive from which a run goes on to the
/// same bits, and `run --params` computes with trained values.
#[test]
fn parameters_go_through_files_of_numpy() {
    let folder = folder();
    let at = folder.path();
    let interpreter = |command: &str, more: &[&str]| {
        lozenge(at, &[&[command, "--device", "interpreter"], more].concat())
    };
    let good = |output: &Output| {
        assert!(output.status.success(), "{}", refused(output));
        out(output)
    };
    let whole = good(&interpreter("train", &["p.loz", "--save", "whole.npz"]));
    good(&interpreter(
        "train",
        &["p.loz", "--epochs", "3", "--save", "three.npz"],
    ));
    let rest = good(&interpreter(
        "train",
        &["p.loz", "--resume", "three.npz", "--save", "rest.npz"],
    ));
    assert_eq!(curve(&rest), curve(&whole)[3..]);
    assert_eq!(
        fs::read(at.join("rest.npz")).unwrap(),
        fs::read(at.join("whole.npz")).unwrap()
    );
    let kept = lozenge::Checkpoint::load(&at.join("whole.npz")).expect("a checkpoint");
    assert_eq!(kept.progress.map(|progress| progress.step), Some(16));

    // Another program, with the same parameters, computes with the trained values.
    let data = PROGRAM.lines().next().unwrap();
    let used =
        format!("{data}\nparam w : 2->1\nparam b : 1\nsave w * x + b to \"y.npy\"\nprint w\n");
    fs::write(at.join("used.loz"), used).unwrap();
    let (w, b) = (&kept.tensors["net.w"], &kept.tensors["net.b"]);
    let save = |name: &str, tensor: &lozenge::backend::Tensor| {
        let mut file = fs::File::create(at.join(name)).unwrap();
        lozenge::lang::numpy::write(&mut file, tensor.shape(), tensor.values()).unwrap();
    };
    save("w.npy", w);
    save("b.npy", b);
    let some = ["used.loz", "--params", "w=w.npy", "--params", "b=b.npy"];
    let printed = good(&interpreter("run", &some));
    assert!(
        printed.contains(&format!(
            "w : 2->1 = [[{}], [{}]]",
            w.values()[0],
            w.values()[1]
        )),
        "{printed}"
    );
    let saved = fs::read(at.join("y.npy")).unwrap();
    let saved = lozenge::lang::numpy::read(&saved[..], 100).expect("an array");
    assert_eq!(saved.shape, [10, 1]);
    let expected = w.values()[0] + 2.0 * w.values()[1] + b.values()[0];
    assert!(
        (saved.values[0] - expected).abs() < 1e-6,
        "{saved:?} {expected}"
    );

    let said = |more: &[&str]| refused(&interpreter("run", &[&["used.loz"], more].concat()));
    assert!(said(&["--params", "w=w.npy"]).contains("the parameter `b` has no value"));
    assert!(said(&["--params", "w=w.npy"]).contains("--params b=FILE.npy"));
    assert!(said(&["--params", "v=w.npy"]).contains("no parameter `v`: it has w, b"));
    assert!(said(&["--params", "w.npy"]).contains("write --params w=w.npy"));
    assert!(said(&["--params", "b=w.npy", "--params", "w=b.npy"]).contains("has the sizes"));
    assert!(said(&["--params", "whole.npz"]).contains("the checkpoint has no `w`"));
    let cut = fs::read(at.join("w.npy")).unwrap();
    fs::write(at.join("w.npy"), &cut[..cut.len() - 2]).unwrap();
    let short = said(&["--params", "w=w.npy", "--params", "b=b.npy"]);
    assert!(
        short.contains("w.npy: the file ends after 1 of the 2 values"),
        "{short}"
    );
    let mut damaged = fs::read(at.join("three.npz")).unwrap();
    let middle = damaged.len() / 3;
    damaged[middle] ^= 1;
    fs::write(at.join("damaged.npz"), damaged).unwrap();
    let damaged = refused(&interpreter("train", &["p.loz", "--resume", "damaged.npz"]));
    assert!(damaged.contains("the file is damaged"), "{damaged}");
    let one = refused(&interpreter("train", &["p.loz", "--save", "c.npy"]));
    assert!(one.contains("a `.npy` file has one array"), "{one}");
}

/// The weights of other systems: other names, outputs first, types of few bits, and entries that the program does not
/// have.
#[test]
fn parameters_come_from_files_of_other_systems() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let entry = |name: &str, dtype: &str, shape: &str, from: usize, to: usize| {
        format!(r#""{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{from},{to}]}}"#)
    };
    // fc.weight is [[1, 2, 3], [4, 5, 6]] in BF16, outputs first; square is [[1, 2], [3, 4]] in bytes.
    let entries = [
        entry("fc.weight", "BF16", "[2,3]", 0, 12),
        entry("phase", "C64", "[1]", 12, 20),
        entry("square", "I8", "[2,2]", 20, 24),
    ];
    let header = format!("{{{}}}", entries.join(","));
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    for value in [1f32, 2.0, 3.0, 4.0, 5.0, 6.0] {
        bytes.extend(&value.to_le_bytes()[2..]);
    }
    bytes.extend([0; 8]);
    bytes.extend([1, 2, 3, 4]);
    fs::write(at.join("m.safetensors"), bytes).expect("written");
    let one = "data x : 3 = [1, 10, 100]\nparam w : 3->2\nprint w * x\n";
    fs::write(at.join("one.loz"), one).expect("written");
    let two = "data x : 2 = [1, 10]\nparam square : 2->2\nprint square * x\n";
    fs::write(at.join("two.loz"), two).expect("written");
    let run = |more: &[&str]| lozenge(at, &[&["run", "--device", "interpreter"], more].concat());
    let renamed = "w=m.safetensors:fc.weight";
    let turned = run(&["one.loz", "--params", renamed, "--transpose", "w"]);
    assert!(out(&turned).contains("[321, 654]"), "{}", refused(&turned));
    let said = |more: &[&str]| refused(&run(more));
    let layout = said(&["one.loz", "--params", renamed]);
    assert!(layout.contains("outputs first"), "{layout}");
    assert!(layout.contains("--transpose w"), "{layout}");
    let missing = said(&["one.loz", "--params", "m.safetensors"]);
    let names = "the checkpoint has no `w`: it has `phase`, `square`, `fc.weight`";
    assert!(missing.contains(names), "{missing}");
    let unfit = said(&["one.loz", "--params", "w=m.safetensors:phase"]);
    assert!(unfit.contains("`phase` holds complex numbers"), "{unfit}");
    let other = said(&["one.loz", "--params", "w=m.safetensors:fc.weigth"]);
    assert!(other.contains("it has `fc.weight`"), "{other}");
    assert!(said(&["one.loz", "--params", "w=m.safetensors"]).contains(":ENTRY"));
    assert!(said(&["one.loz", "--params", renamed, "--transpose", "v"]).contains("`v`"));
    // Nothing shows how a square one is meant, so that it is told.
    let note = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let square = run(&["two.loz", "--params", "m.safetensors"]);
    assert!(out(&square).contains("[31, 42]"), "{}", out(&square));
    assert!(
        note(&square).contains("do not show the order"),
        "{}",
        note(&square)
    );
    let turned = [
        "two.loz",
        "--params",
        "m.safetensors",
        "--transpose",
        "square",
    ];
    let turned = run(&turned);
    assert!(out(&turned).contains("[21, 43]"), "{}", out(&turned));
    assert!(!note(&turned).contains("note:"), "{}", note(&turned));
}

fn workspace() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).expect("the workspace")
}

/// Returns the output of each epoch of an example: the loss, and the share of held-out digits that are recognised.
fn learned(program: &str, device: &str, epochs: &str, optimisation: &str) -> Vec<(f64, f64)> {
    let mut command = command(workspace());
    command.args(["train", program, "--device", device, "--epochs", epochs]);
    curve_of(command.env(OPTIMISATION, optimisation))
}

/// Returns the curve of a command that trains.
fn curve_of(command: &mut Command) -> Vec<(f64, f64)> {
    let output = command
        .args(["--format", "json"])
        .output()
        .expect("it runs");
    let answer = validated::answer(&out(&output));
    let points = answer["sections"][0]["curve"].as_array().expect("a list");
    let value = |point: &Value, at: usize| point["printed"][at]["value"].as_f64();
    points
        .iter()
        .map(|point| {
            (
                value(point, 0).expect("a loss"),
                value(point, 1).expect("a share"),
            )
        })
        .collect()
}

/// After a few epochs the network of the examples recognises digits that it has not seen: on both devices, with the
/// same curve up to rounding.
#[test]
fn the_digits_are_learned() {
    let program = "examples/digits/mlp.loz";
    let opencl = learned(program, "opencl", "30", "on");
    assert!(opencl[29].1 >= 0.96, "{opencl:?}");
    let interpreter = learned(program, "interpreter", "1", "on");
    let (slow, fast) = (interpreter[0], opencl[0]);
    assert!((slow.0 - fast.0).abs() < 1e-4, "{slow:?} {fast:?}");
    // One image more or less.
    assert!((slow.1 - fast.1).abs() < 0.003, "{slow:?} {fast:?}");
}

#[test]
fn a_convolutional_network_learns_the_digits() {
    let curve = learned("examples/digits/cnn.loz", "opencl", "15", "on");
    assert!(curve[14].1 >= 0.975, "{curve:?}");
}

/// In a few epochs a transformer learns more of a text than how often each character occurs, in pieces that it has not
/// seen too.
#[test]
fn a_transformer_learns_characters() {
    // Three epochs take less time than the compiler takes to optimise them.
    let curve = learned("examples/characters/transformer.loz", "opencl", "3", "off");
    assert!(
        curve.iter().is_sorted_by(|one, next| one.0 > next.0),
        "{curve:?}"
    );
    // The entropy of single characters of this text is 2.98 nats.
    assert!(curve[2].0 < 2.8 && curve[2].1 < 2.9, "{curve:?}");
}

/// The interpreter computes the same numbers up to rounding, in two steps of a smaller one with one block on the first
/// pieces of the text.
#[test]
fn a_transformer_takes_the_same_steps_on_both_engines() {
    let folder = folder();
    let example = workspace().join("examples/characters");
    fs::copy(
        example.join("sonnets.npy"),
        folder.path().join("sonnets.npy"),
    )
    .expect("copied");
    let whole = fs::read_to_string(example.join("transformer.loz")).expect("read");
    let short = whole
        .replace("n:118", "n:8")
        .replace("rows 0..118", "rows 0..8")
        .replace("m:16", "m:4")
        .replace("rows 118..", "rows 118..122")
        .replace("by 8 of n", "by 4 of n")
        .replace("0..2 carry", "0..1 carry")
        .replace("characters(48)", "characters(12)")
        .replace("block(4, 12, 96)", "block(2, 6, 24)");
    let changed = whole.lines().zip(short.lines()).filter(|(a, b)| a != b);
    assert_eq!(changed.count(), 8, "{short}");
    fs::write(folder.path().join("short.loz"), short).expect("written");
    let [slow, fast] = ["interpreter", "opencl"].map(|device| {
        let train = ["train", "short.loz", "--epochs", "1", "--device", device];
        // Two steps take less time than the compiler takes to optimise them.
        curve_of(command(folder.path()).args(train).env(OPTIMISATION, "off"))[0]
    });
    assert!((slow.0 - fast.0).abs() < 1e-3, "{slow:?} {fast:?}");
    assert!((slow.1 - fast.1).abs() < 1e-3, "{slow:?} {fast:?}");
}

/// `--init normal` gives the values that `= normal()` gives, and only where nothing is written.
#[test]
fn parameters_without_values_can_be_drawn() {
    let folder = folder();
    let text = |initial: &str| {
        format!(
            "data x : 4|->3 = range(12)\nparam w : ...->2{initial}\nparam b : 2 = 0.5\nprint w * x + b\n"
        )
    };
    std::fs::write(folder.path().join("open.loz"), text("")).expect("written");
    std::fs::write(folder.path().join("drawn.loz"), text(" = normal()")).expect("written");
    let run = |arguments: &[&str]| {
        let mut all = vec!["run", "--device", "interpreter"];
        all.extend(arguments);
        lozenge(folder.path(), &all)
    };
    let said = refused(&run(&["open.loz"]));
    assert!(said.contains("--init normal"), "{said}");
    let drawn = out(&run(&["open.loz", "--init", "normal"]));
    assert!(drawn.contains("w * x + b : 4|->2 ="), "{drawn}");
    assert_eq!(drawn, out(&run(&["drawn.loz"])));
}

#[test]
fn what_is_printed_is_in_the_document_with_its_shape() {
    let folder = folder();
    let text = "data x : 2_n|->3 = range(6)\nprint x\nfor i in 1..3: print sum(x) *. i\n";
    std::fs::write(folder.path().join("printed.loz"), text).expect("written");
    let run = ["run", "--device", "interpreter", "printed.loz"];
    let said = out(&lozenge(folder.path(), &run));
    let lines: Vec<&str> = said.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "x : 2_n|->3 = [[0, 1, 2], [3, 4, 5]]",
            "sum(x) *. i = 15",
            "sum(x) *. i = 30",
        ]
    );
    let json = out(&lozenge(
        folder.path(),
        &[&run[..], &["--format", "json"]].concat(),
    ));
    let json: serde_json::Value = serde_json::from_str(&json).expect("one document");
    let printed = &json["printed"];
    assert_eq!(printed[0]["text"], "x");
    assert_eq!(printed[0]["shape"]["batch"]["axes"][0]["basis"], "n");
    assert_eq!(printed[0]["values"].as_array().map(Vec::len), Some(6));
    assert_eq!(printed[2]["value"], 30.0);
}

/// The first number of each epoch is on a falling or rising line of the picture as the printed lines say; the page has
/// the same picture.
#[test]
fn curves_show_what_was_printed() {
    let folder = folder();
    let at = folder.path();
    let train = |file: &str, more: &[&str]| {
        let arguments = ["train", "p.loz", "--device", "interpreter", "--curve", file];
        lozenge(at, &[&arguments[..], more].concat())
    };
    let run = train("c.svg", &[]);
    assert!(run.status.success(), "{}", refused(&run));
    let svg = fs::read_to_string(at.join("c.svg")).expect("written");
    assert!(svg.starts_with("<svg "), "{svg}");
    for title in ["loss (line 4)", "mse(net(x), t) (line 4)"] {
        assert!(svg.contains(title), "{svg}");
    }
    // Two panels of eight marked points.
    let centres = svg.lines().filter(|line| line.starts_with("<circle"));
    let centres: Vec<f64> = centres
        .map(|line| {
            let rest = line.split("cy=\"").nth(1).expect("a centre");
            let number = rest.split('"').next().expect("an end");
            number.parse().expect("a number")
        })
        .collect();
    assert_eq!(centres.len(), 16, "{svg}");
    let text = out(&run);
    let lines = curve(&text);
    for (panel, column) in [(0, 3), (1, 6)] {
        let values: Vec<f64> = lines
            .iter()
            .map(|line| {
                let word = line.split_whitespace().nth(column);
                word.and_then(|word| word.parse().ok()).expect("a number")
            })
            .collect();
        let heights = &centres[8 * panel..8 * (panel + 1)];
        // A point is drawn at a height that is linear in its value, up to whole pixels.
        let slope = (heights[7] - heights[0]) / (values[7] - values[0]);
        assert!(slope < 0.0, "{heights:?} {values:?}");
        for (height, value) in heights.iter().zip(&values) {
            let expected = heights[0] + slope * (value - values[0]);
            assert!((height - expected).abs() <= 2.5, "{heights:?} {values:?}");
        }
    }

    assert!(train("c.html", &[]).status.success());
    let page = fs::read_to_string(at.join("c.html")).expect("written");
    assert!(page.contains(svg.trim_end()), "{page}");
    assert!(train("again.svg", &[]).status.success());
    assert_eq!(fs::read_to_string(at.join("again.svg")).ok(), Some(svg));
}

#[test]
fn curves_of_failed_runs_are_kept_and_impossible_ones_refused() {
    let folder = folder();
    let at = folder.path();
    let train = |program: &str, file: &str| {
        let arguments = ["train", program, "--device", "interpreter", "--curve", file];
        lozenge(at, &arguments)
    };
    assert!(refused(&train("p.loz", "c.png")).contains("`.svg` for a picture"));
    assert!(refused(&train("p.loz", "none/c.svg")).contains("cannot be written"));

    let silent = PROGRAM.replace(
        "  print loss\n  each epoch: print mse(net(x), t)\n",
        "  print x\n",
    );
    fs::write(at.join("silent.loz"), silent).expect("written");
    assert!(refused(&train("silent.loz", "c.svg")).contains("prints a number"));
    assert!(!at.join("c.svg").exists());

    let failing = format!("{PROGRAM}assert sum(x) == 0\n");
    fs::write(at.join("failing.loz"), failing).expect("written");
    assert!(refused(&train("failing.loz", "c.svg")).contains("an assertion does not hold"));
    let svg = fs::read_to_string(at.join("c.svg")).expect("written in spite of the failure");
    assert_eq!(svg.matches("<circle").count(), 16);
}
