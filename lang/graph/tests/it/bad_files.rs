//! Files that are no models, or no more.

use std::fs;
use std::io::{Cursor, Write};

use lozenge_graph::{Limits, ModelError, Where, read, read_file};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::examples::{example, folder, fx_text, names};

fn error(content: impl Into<Vec<u8>>) -> ModelError {
    read(content.into(), &Limits::default()).expect_err("the file is refused")
}

/// Gives the content of an archive with these entries.
pub(crate) fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in entries {
        writer.start_file(*name, options).expect("the entry is new");
        writer.write_all(content).expect("memory takes it");
    }
    writer.finish().expect("memory takes it").into_inner()
}

#[test]
fn what_a_file_of_another_kind_is_is_said() {
    let cases: &[(&[u8], &str)] = &[
        (b"", "the file is empty"),
        (b"hello", "no file of a known kind"),
        (b"GGUF\x03\0\0\0", "GGUF"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"\x1c\0\0\0TFL3", "TensorFlow Lite"),
        (b"\x80\x02}q\0.", "pickle"),
        (b"\x40\0\0\0\0\0\0\0{\"a\":", "safetensors"),
        (b"{}", "no `nodes`"),
        (b"{\"nodes\":", "EOF"),
        (b"PK\x03\x04", "zip archive is damaged"),
        (b"\x08\x09", "has no graph"),
    ];
    for (content, expected) in cases {
        let error = error(*content);
        assert!(error.to_string().contains(expected), "{content:?}: {error}");
    }
}

#[test]
fn an_archive_without_a_program_says_what_it_probably_is() {
    let error_of = |entries: &[(&str, &[u8])]| error(archive(entries));
    let pickled = error_of(&[("model/data.pkl", b"\x80\x02."), ("model/version", b"3")]);
    assert!(
        pickled.help.as_ref().unwrap().contains("torch.export.save"),
        "{pickled:?}"
    );
    let older = error_of(&[("serialized_exported_program.json", b"{}")]);
    assert!(older.help.as_ref().unwrap().contains("2.7"), "{older:?}");
    let several = error_of(&[("a/models/one.json", b"{}"), ("a/models/two.json", b"{}")]);
    assert!(
        several.to_string().contains("`a/models/two.json`"),
        "{several}"
    );
    assert!(
        error_of(&[("readme", b"")])
            .to_string()
            .contains("models/NAME.json")
    );
}

#[test]
fn another_version_of_the_form_is_an_error_that_names_both() {
    let program = br#"{"schema_version":{"major":9,"minor":1},"graph_module":{"all":"new"}}"#;
    let error = error(archive(&[("x/models/model.json", program)]));
    assert_eq!(
        error.message,
        "the program is of version 9.1 of its form, and version 8 is read"
    );
}

/// Every beginning of a file is refused with a place in it, but for an ONNX file whose end is a whole field earlier.
#[test]
fn truncated_files_are_refused() {
    let mut refused = 0;
    for name in names("onnx", ".onnx")
        .iter()
        .filter(|name| *name != "constants")
    {
        let content = fs::read(folder(&format!("onnx/{name}.onnx"))).expect("the file is there");
        for end in 0..content.len() {
            if let Err(error) = read(content[..end].to_vec(), &Limits::default()) {
                refused += 1;
                assert_ne!(error.message, "", "{name} until {end}");
                if let Where::Byte(offset) = error.place {
                    assert!(offset <= end as u64, "{name} until {end}: {error}");
                }
            }
        }
    }
    assert!(refused > 5000, "only {refused}");
    let content = fs::read(folder("torch_export/tagger.pt2")).expect("the file is there");
    for end in 0..content.len() {
        read(content[..end].to_vec(), &Limits::default())
            .expect_err("the directory at the end is missing");
    }
    let content = fx_text("ConvExample");
    for end in 0..content.len() {
        let error = read(content[..end].to_vec(), &Limits::default())
            .expect_err("the last brace is missing");
        assert!(end == 0 || matches!(error.place, Where::Byte(_)), "{error}");
    }
}

#[test]
fn an_error_in_json_has_the_byte() {
    let text = "{\n  \"nodes\": [ 5x ]\n}";
    let error = error(text);
    assert_eq!(
        error.place,
        Where::Byte(text.find('x').unwrap() as u64),
        "{error}"
    );
    let text =
        "{\"nodes\":[{\"name\":\"a\",\"op\":\"placeholder\",\"target\":\"a\"}, {\"name\":7}]}";
    let error = self::error(text);
    assert_eq!(
        error.place,
        Where::Byte(text.find("{\"name\":7").unwrap() as u64),
        "{error}"
    );
}

#[test]
fn a_folder_and_a_missing_file_are_errors() {
    let limits = Limits::default();
    let missing =
        read_file("no/such/file.onnx".as_ref(), &limits).expect_err("the file is not there");
    assert!(missing.to_string().contains("cannot be read"), "{missing}");
    read_file(&folder("onnx"), &limits).expect_err("a folder is no file");
}

/// Gives the text of the program in an example.
fn program(name: &str) -> String {
    let content = fs::read(folder(&format!("torch_export/{name}.pt2"))).expect("the file is there");
    let mut archive = zip::ZipArchive::new(Cursor::new(content)).expect("the file is an archive");
    let mut entry = archive
        .by_name(&format!("{name}/models/model.json"))
        .expect("the program is there");
    std::io::read_to_string(&mut entry).expect("the program is text")
}

/// A directory that lies about places, sizes and the number of entries: whatever stands there, nothing panics or takes
/// long.
#[test]
fn an_archive_whose_directory_lies_is_read_or_refused() {
    let whole = archive(&[
        ("x/models/model.json", program("window").as_bytes()),
        ("x/version", b"1"),
    ]);
    let directory = whole
        .windows(4)
        .position(|bytes| bytes == b"PK\x01\x02")
        .expect("the directory is there");
    let mut refused = 0;
    for at in directory..whole.len() {
        for lie in [0x00, 0x01, 0x7f, 0xff] {
            let mut lying = whole.clone();
            lying[at] = lie;
            refused += usize::from(read(lying, &Limits::default()).is_err());
        }
    }
    assert!(refused > 100, "only {refused} lies are noticed");
}

#[test]
fn a_program_with_sizes_that_are_none_is_refused() {
    let text = program("counter");
    let with_size = |size: &str| {
        let changed = text.replacen("\"sizes\": [{\"as_int\": 1}]", size, 1);
        assert_ne!(changed, text);
        error(archive(&[("x/models/model.json", changed.as_bytes())]))
    };
    let negative = with_size("\"sizes\": [{\"as_int\": -7}]");
    assert!(negative.message.contains("the size -7"), "{negative}");
    let large = with_size("\"sizes\": [{\"as_int\": 9223372036854775808}]");
    assert!(matches!(large.place, Where::Byte(_)), "{large}");
}

/// A pickle beside the program is neither opened nor in the way.
#[test]
fn a_pickle_beside_the_program_is_not_opened() {
    let text = program("window");
    let with_pickle = archive(&[
        (
            "window/data/sample_inputs/model.pt",
            b"\x80\x02cos\nsystem\n",
        ),
        ("window/models/model.json", text.as_bytes()),
    ]);
    let graph = read(with_pickle, &Limits::default()).expect("the program is whole");
    assert_eq!(graph, example("torch_export/window.pt2"));
}
