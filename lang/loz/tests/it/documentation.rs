//! The examples of `docs/language.md` are programs: each is read, and each error is the one shown there.

use std::path::Path;

use lozenge_lang::{parse, parse_in};
use lozenge_vocabulary::program::Surroundings;

struct Block {
    info: String,
    text: String,
}

fn blocks() -> Vec<Block> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md");
    let document = std::fs::read_to_string(path).expect("the document is there");
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in document.lines() {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(info), None) => {
                let (info, text) = (info.to_string(), String::new());
                open = Some(Block { info, text });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

#[test]
fn every_program_is_read() {
    let blocks = blocks();
    let programs: Vec<_> = blocks.iter().filter(|block| block.info == "loz").collect();
    // A block with a name is a file in the folder of the programs.
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = 0;
    for block in &blocks {
        if let Some(name) = block
            .info
            .strip_prefix("loz ")
            .filter(|name| *name != "fails")
        {
            std::fs::write(folder.path().join(name), &block.text).expect("it is written");
            files += 1;
        }
    }
    assert!(files >= 1);
    let surroundings = Surroundings::folder(folder.path());
    assert!(
        programs.len() >= 9,
        "only {} programs found",
        programs.len()
    );
    for block in programs {
        if let Err(errors) = parse_in(&block.text, &surroundings) {
            panic!("{}", errors[0].render(&block.text, "language.md", false));
        }
    }
}

#[test]
fn every_error_is_the_one_that_is_shown() {
    let blocks = blocks();
    let mut shown = 0;
    for (at, block) in blocks.iter().enumerate() {
        if block.info != "loz fails" {
            continue;
        }
        let errors = parse(&block.text).expect_err("the program has an error");
        let rendered: Vec<_> = errors
            .iter()
            .map(|error| error.render(&block.text, "program.loz", false))
            .collect();
        assert_eq!(rendered.join("\n\n"), blocks[at + 1].text.trim_end());
        shown += 1;
    }
    assert_eq!(shown, 2);
}
