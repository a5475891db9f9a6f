//! A folder with compiled kernels, so that a program that was run before need not be compiled again.
//!
//! Some drivers take as long to hand out a binary as to compile, PoCL for one. So a text that is compiled for the first
//! time is only announced, and its binary is kept when it is compiled again: programs that are changed between two runs
//! cost nothing.
//!
//! Each entry is a file: a line that names the form, the SHA-256 of what follows, and the binary of the driver, or
//! nothing if it is only announced. Its name is the SHA-256 of everything that the binary depends on. An entry is
//! written to a temporary file, synced and renamed, so that processes that use one folder at the same time see whole
//! entries only, and two that write the same entry write the same kernels. Kernels whose entry cannot be read are
//! compiled again; nothing that happens to the folder is an error.
//!
//! The crate `cacache` was considered. It sets no limit to the size of its folder, and keeps an index beside the
//! contents, where here an entry is one file.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

/// The first line of an entry.
const FORM: &[u8] = b"lozenge kernels, form 1\n";

/// The number of bytes of a checksum.
const SUM: usize = 32;

/// The end of the name of an entry.
const ENDING: &str = "kernels";

/// The beginning of the name of a file that is being written.
const WRITING: &str = "writing-";

/// A file that is being written for longer than this belongs to a process that was killed.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// A folder of compiled kernels with a limit of its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelCache {
    folder: PathBuf,
    /// The most bytes that its entries take together.
    bytes: u64,
}

/// The entry of a folder for a key.
#[derive(Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing.
    Missing,
    /// Kernels that were compiled once.
    Announced,
    /// The binary.
    Binary(Vec<u8>),
    /// A file that is not what was written, and why.
    Damaged(String),
}

impl KernelCache {
    /// Creates a cache in a folder, which is made when the first entry is written. Its entries take together at most
    /// these bytes.
    pub fn new(folder: impl Into<PathBuf>, bytes: u64) -> KernelCache {
        KernelCache {
            folder: folder.into(),
            bytes,
        }
    }

    /// Names the file for kernels that depend on these texts, each of which may contain anything.
    pub fn file(&self, depends_on: &[&str]) -> PathBuf {
        let mut sum = Sha256::new();
        for text in depends_on {
            // With its length, no two lists of texts are the same sequence of bytes.
            sum.update((text.len() as u64).to_le_bytes());
            sum.update(text);
        }
        let name: String = sum.finalize().iter().map(|b| format!("{b:02x}")).collect();
        self.folder.join(name).with_extension(ENDING)
    }

    /// Reads the binary in a file, which is then the newest, so that it is the last that is removed.
    pub fn load(&self, file: &Path) -> Entry {
        let open = match File::options().read(true).append(true).open(file) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => File::open(file),
            open => open,
        };
        let open = match open {
            Ok(open) => open,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Entry::Missing,
            Err(error) => return Entry::Damaged(error.to_string()),
        };
        // A folder that cannot be written is still good to read.
        let _ = open.set_modified(SystemTime::now());
        let mut found = Vec::new();
        match open
            .take(self.bytes.saturating_add(1))
            .read_to_end(&mut found)
        {
            Ok(_) if found.len() as u64 > self.bytes => {
                Entry::Damaged("it is larger than the whole cache may be".to_string())
            }
            Ok(_) => whole(found),
            Err(error) => Entry::Damaged(error.to_string()),
        }
    }

    /// Notes that kernels were compiled for the first time.
    ///
    /// # Errors
    /// As for [`KernelCache::store`].
    pub fn announce(&self, file: &Path) -> io::Result<()> {
        self.store(file, &[])
    }

    /// Writes an entry, and removes the oldest ones if all together are larger than the limit.
    ///
    /// # Errors
    /// Of the file system. The entry is then not there.
    pub fn store(&self, file: &Path, binary: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut new = tempfile::Builder::new()
            .prefix(WRITING)
            .tempfile_in(&self.folder)?;
        new.write_all(FORM)?;
        new.write_all(&Sha256::digest(binary))?;
        new.write_all(binary)?;
        new.as_file().sync_all()?;
        new.persist(file)?;
        self.bound()
    }

    /// Removes the oldest entries beyond the limit, and the files that killed processes left.
    fn bound(&self) -> io::Result<()> {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for one in fs::read_dir(&self.folder)? {
            let path = one?.path();
            // Another process may have removed it.
            let Ok(about) = fs::symlink_metadata(&path) else {
                continue;
            };
            let changed = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let age = now.duration_since(changed).unwrap_or_default();
            if name.starts_with(WRITING) && age > ABANDONED {
                let _ = fs::remove_file(&path);
            } else if path.extension().is_some_and(|end| end == ENDING) {
                entries.push((changed, path, about.len()));
            }
        }
        entries.sort();
        let mut bytes: u64 = entries.iter().map(|(_, _, bytes)| bytes).sum();
        for (_, path, length) in entries {
            if bytes <= self.bytes {
                break;
            }
            let _ = fs::remove_file(path);
            bytes -= length;
        }
        Ok(())
    }
}

/// Extracts the binary in the contents of a file.
fn whole(mut found: Vec<u8>) -> Entry {
    let damaged = |why: &str| Entry::Damaged(why.to_string());
    let begin = FORM.len() + SUM;
    if !found.starts_with(FORM) || found.len() < begin {
        return damaged("it does not begin as an entry of this form");
    }
    let binary = found.split_off(begin);
    match Sha256::digest(&binary).as_slice() == &found[FORM.len()..] {
        true if binary.is_empty() => Entry::Announced,
        true => Entry::Binary(binary),
        false => damaged("its checksum differs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(bytes: u64) -> (tempfile::TempDir, KernelCache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = KernelCache::new(folder.path().join("below"), bytes);
        (folder, cache)
    }

    fn names(cache: &KernelCache) -> Vec<PathBuf> {
        let all = fs::read_dir(&cache.folder).unwrap();
        let mut all: Vec<_> = all.map(|one| one.unwrap().path()).collect();
        all.sort();
        all
    }

    fn aged(file: &Path, seconds: u64) {
        let open = File::options().append(true).open(file).unwrap();
        open.set_modified(SystemTime::now() - Duration::from_secs(seconds))
            .unwrap();
    }

    #[test]
    fn an_entry_is_read_back_and_a_key_is_all_of_its_texts() {
        let (_folder, cache) = cache(1 << 20);
        let file = cache.file(&["source", "device"]);
        assert_eq!(cache.load(&file), Entry::Missing);
        cache.announce(&file).unwrap();
        assert_eq!(cache.load(&file), Entry::Announced);
        cache.store(&file, b"binary").unwrap();
        assert_eq!(cache.load(&file), Entry::Binary(b"binary".to_vec()));
        for other in [
            &["sourcedevice"][..],
            &["source", "device 2"],
            &["sourced", "evice"],
        ] {
            assert_eq!(cache.load(&cache.file(other)), Entry::Missing, "{other:?}");
        }
        assert_eq!(names(&cache), [file]);
    }

    #[test]
    fn every_changed_bit_and_every_lost_byte_is_noticed() {
        let (_folder, cache) = cache(1 << 20);
        let file = cache.file(&["source"]);
        cache.store(&file, b"a binary").unwrap();
        let good = fs::read(&file).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            fs::write(&file, &bad).unwrap();
            assert!(matches!(cache.load(&file), Entry::Damaged(_)), "{at}");
            fs::write(&file, &good[..at]).unwrap();
            assert!(matches!(cache.load(&file), Entry::Damaged(_)), "{at}");
        }
        fs::write(&file, &good).unwrap();
        assert_eq!(cache.load(&file), Entry::Binary(b"a binary".to_vec()));
    }

    #[test]
    fn the_entries_that_were_used_last_stay() {
        let (_folder, cache) = cache(3 * (FORM.len() + SUM + 100) as u64);
        let files: Vec<_> = (0..4).map(|n| cache.file(&[&n.to_string()])).collect();
        for (n, file) in files[..3].iter().enumerate() {
            cache.store(file, &[0; 100]).unwrap();
            aged(file, 100 - n as u64);
        }
        // Reading makes the oldest the newest.
        cache.load(&files[0]);
        cache.store(&files[3], &[0; 100]).unwrap();
        let mut kept = vec![files[0].clone(), files[2].clone(), files[3].clone()];
        kept.sort();
        assert_eq!(names(&cache), kept);
        // An entry that is larger than the whole cache does not stay.
        cache.store(&files[1], &[0; 1000]).unwrap();
        assert!(!files[1].exists());
    }

    #[test]
    fn files_of_killed_processes_are_removed_and_other_files_stay() {
        let (_folder, cache) = cache(1 << 20);
        let file = cache.file(&["source"]);
        cache.store(&file, b"a").unwrap();
        let killed = cache.folder.join("writing-killed");
        let alive = cache.folder.join("writing-alive");
        let other = cache.folder.join("notes");
        for path in [&killed, &alive, &other] {
            fs::write(path, "").unwrap();
        }
        aged(&killed, 2 * 60 * 60);
        aged(&other, 2 * 60 * 60);
        cache.store(&file, b"a").unwrap();
        let mut kept = vec![file, alive, other];
        kept.sort();
        assert_eq!(names(&cache), kept);
    }

    #[test]
    fn processes_that_write_and_read_one_entry_see_it_whole() {
        let (_folder, cache) = cache(1 << 20);
        let file = cache.file(&["source"]);
        let binary = vec![7; 1 << 16];
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        cache.store(&file, &binary).unwrap();
                        assert_eq!(cache.load(&file), Entry::Binary(binary.clone()));
                    }
                });
            }
        });
        assert_eq!(names(&cache), [file]);
    }
}
