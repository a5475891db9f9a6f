//! A file that is written whole or not at all.
//!
//! The new contents are written into a file without a name in the same folder, brought to the disk, and put in the
//! place of the former file in one step. Until then the former file is as it was; a run that is stopped before that
//! leaves nothing.
//!
//! Crates that were tried: `tempfile` by itself gives a new file the mode 600, and a killed process leaves its file;
//! `atomic-write-file` puts a file in the place of a symbolic link, and says only at the end that a folder cannot be
//! written. A handful of lines here is about the name of the file for the moment between two calls of the system, and
//! about the file that a killed process left under it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The end of the name that new contents have for a moment, before they get the name of the file.
const ENDING: &str = ".lozenge-new";
/// The number of times that another process which is about to replace the same file is waited for, and the pause each
/// time.
const TRIES: usize = 500;
const PAUSE: Duration = Duration::from_millis(2);

/// New contents of a file. They take its place with [`NewFile::finish`]; if that is not called, the file stays as it
/// was.
#[derive(Debug)]
pub struct NewFile {
    /// The file itself, behind all symbolic links.
    path: PathBuf,
    /// The metadata of the file that is replaced, if there is one.
    former: Option<fs::Metadata>,
    out: BufWriter<File>,
    way: Way,
}

/// The way in which new contents get to their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The contents are there as soon as they are written: a pipe, a terminal or another device.
    Direct,
    /// The file without a name gets one.
    Named,
    /// The contents are copied into a file with a name, since the file system cannot give one to a file without.
    Copied,
}

impl NewFile {
    /// Prepares new contents of a file, which need not be there. Symbolic links are followed.
    ///
    /// # Errors
    /// When the file could not be written: its folder is not there or takes no files, or it is a folder or is
    /// protected.
    pub fn at(path: &Path) -> io::Result<NewFile> {
        let path = behind_links(path)?;
        let former = match fs::metadata(&path) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if is_device(&path, former.as_ref()) {
            // Where a shell has opened a file for an output, what is written comes behind what it has.
            let open = OpenOptions::new().append(true).open(&path)?;
            return Ok(NewFile::to(path, former, open, Way::Direct));
        }
        if former.is_some() {
            // A protected file could be replaced where its folder is not protected, but nobody expects that.
            OpenOptions::new().write(true).open(&path)?;
        }
        let (file, way) = unnamed(folder(&path))?;
        Ok(NewFile::to(path, former, file, way))
    }

    fn to(path: PathBuf, former: Option<fs::Metadata>, file: File, way: Way) -> NewFile {
        let out = BufWriter::new(file);
        NewFile {
            path,
            former,
            out,
            way,
        }
    }

    /// Replaces the contents of a file by a text or other bytes.
    ///
    /// # Errors
    /// When that fails, for instance on a full disk. The former contents are there then.
    pub fn replace(path: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
        let mut new = NewFile::at(path)?;
        new.write_all(contents.as_ref())?;
        new.finish()
    }

    /// Puts the new contents in the place of the former ones, with their mode and, as far as the system allows it,
    /// their owner.
    ///
    /// # Errors
    /// When that fails. The former contents are there then.
    pub fn finish(self) -> io::Result<()> {
        let NewFile {
            path,
            former,
            out,
            way,
        } = self;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if way == Way::Direct {
            return Ok(());
        }
        // Whoever finds a file with the name for a moment sees by the lock whether somebody still works on it.
        // Some file systems of a network have no locks.
        let _ = file.lock();
        let beside = beside(&path);
        let named = match way {
            Way::Named => with_name(&beside, || link(&file, &beside)).map(|()| file),
            Way::Copied | Way::Direct => copied(file, &beside),
        };
        let placed = named.and_then(|file| {
            belongs_to(&file, former.as_ref())?;
            file.sync_all()?;
            fs::rename(&beside, &path).inspect_err(|_| forget(&beside))
        });
        placed.map(|()| remember(folder(&path)))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Needed by writers of archives, which note the place of each entry.
impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

/// Returns the folder of a file.
fn folder(path: &Path) -> &Path {
    let parent = path.parent();
    let named = parent.filter(|folder| !folder.as_os_str().is_empty());
    named.unwrap_or(Path::new("."))
}

/// Returns the path of a file behind symbolic links, also of one that is not there yet. A file that the system has open
/// under a name of its own, such as /dev/stdout, is not followed: a shell goes on with the file that it has opened,
/// whatever gets its name.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    const MOST: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST {
        if is_of_system(&path) {
            return Ok(path);
        }
        match fs::read_link(&path) {
            Ok(to) => path = folder(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other(
        "too many symbolic links follow each other",
    ))
}

fn is_of_system(path: &Path) -> bool {
    ["/dev", "/proc"].iter().any(|root| path.starts_with(root))
}

/// Tells whether a path leads to something that is written as it comes, and that has no former contents.
fn is_device(path: &Path, former: Option<&fs::Metadata>) -> bool {
    is_of_system(path) || former.is_some_and(|found| !found.is_file() && !found.is_dir())
}

/// Returns the name that new contents have for a moment: in the same folder, and hidden.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(ENDING);
    folder(path).join(name)
}

/// Returns a file without a name in a folder.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> io::Result<(File, Way)> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match open(folder, flags, Mode::from_raw_mode(0o666)) {
        Ok(file) if Path::new("/proc/self/fd").is_dir() => Ok((file.into(), Way::Named)),
        // Some file systems have no files without a name. Mistakes of the folder are told by the other way, too.
        Ok(_) | Err(_) => Ok((tempfile::tempfile_in(folder)?, Way::Copied)),
    }
}

#[cfg(not(target_os = "linux"))]
fn unnamed(folder: &Path) -> io::Result<(File, Way)> {
    Ok((tempfile::tempfile_in(folder)?, Way::Copied))
}

/// Gives a name to a file without one.
#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, unnamed, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns a file with the given name that holds what a file without a name holds, and is locked like it.
fn copied(mut from: File, name: &Path) -> io::Result<File> {
    let open = || {
        let mut options = OpenOptions::new();
        let new = options.write(true).create_new(true).open(name)?;
        let _ = new.lock();
        Ok(new)
    };
    let mut to = with_name(name, open)?;
    let fill = || {
        from.seek(SeekFrom::Start(0))?;
        io::copy(&mut from, &mut to).map(|_| to)
    };
    fill().inspect_err(|_| forget(name))
}

/// Makes a file with a name. If there is one already, it is what a killed process left, and goes; or another process is
/// about to replace the same file, and is waited for.
fn with_name<T>(name: &Path, mut make: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..TRIES {
        match make() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made,
        }
        match File::open(name).map(|rest| rest.try_lock()) {
            Ok(Ok(())) => forget(name),
            Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) => {
                std::thread::sleep(PAUSE);
            }
            // The file has its place by now.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let message = format!("another process keeps writing {}", name.display());
    Err(io::Error::new(io::ErrorKind::ResourceBusy, message))
}

/// Removes a file that nobody needs. If that fails, the next run tries it again.
fn forget(name: &Path) {
    let _ = fs::remove_file(name);
}

/// Gives new contents the mode and the owner of the former ones. Another owner is something that only the system's
/// administrator can give.
fn belongs_to(file: &File, former: Option<&fs::Metadata>) -> io::Result<()> {
    let Some(former) = former else { return Ok(()) };
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let now = file.metadata()?;
        if (now.uid(), now.gid()) != (former.uid(), former.gid()) {
            let _ = fchown(file, Some(former.uid()), Some(former.gid()));
        }
    }
    file.set_permissions(former.permissions())
}

/// Brings the names of a folder to the disk, where the system has such a thing.
fn remember(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// Gives contents a name in one of the two ways.
    fn finish_by(way: Way, path: &Path, text: &str) -> io::Result<()> {
        let mut new = NewFile::at(path)?;
        if way == Way::Copied {
            new.out = BufWriter::new(tempfile::tempfile_in(folder(path))?);
            new.way = way;
        }
        new.write_all(text.as_bytes())?;
        new.finish()
    }

    #[test]
    fn contents_are_the_former_ones_until_the_end_and_nothing_else_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        for way in [Way::Named, Way::Copied] {
            fs::write(&path, "old").unwrap();
            let mut new = NewFile::at(&path).unwrap();
            new.write_all(b"half").unwrap();
            new.flush().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "old");
            assert_eq!(names(folder.path()), ["a.csv"]);
            drop(new);
            assert_eq!(fs::read_to_string(&path).unwrap(), "old");
            finish_by(way, &path, "new").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "new", "{way:?}");
            assert_eq!(names(folder.path()), ["a.csv"]);
        }
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_another_works_on_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        for way in [Way::Named, Way::Copied] {
            fs::write(beside(&path), "half").unwrap();
            finish_by(way, &path, "new").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
            assert_eq!(names(folder.path()), ["a.csv"]);
        }
        let other = File::create(beside(&path)).unwrap();
        other.lock().unwrap();
        let error = finish_by(Way::Named, &path, "newer").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(beside(&path).exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_the_mode_is_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("far")).unwrap();
        symlink("far/a.csv", at("link")).unwrap();
        symlink("link", at("second")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for way in [Way::Named, Way::Copied] {
            finish_by(way, &at("second"), "new").unwrap();
            assert_eq!(fs::read_to_string(at("far/a.csv")).unwrap(), "new");
            assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
            // A new file has what the umask leaves, like any other.
            fs::write(at("usual"), "").unwrap();
            assert_eq!(mode(&at("far/a.csv")), mode(&at("usual")));
            fs::set_permissions(at("far/a.csv"), fs::Permissions::from_mode(0o640)).unwrap();
            finish_by(way, &at("link"), "newer").unwrap();
            assert_eq!(mode(&at("far/a.csv")), 0o640);
            assert_eq!(names(&at("far")), ["a.csv"]);
            fs::remove_file(at("far/a.csv")).unwrap();
        }
        symlink("round", at("round")).unwrap();
        assert!(NewFile::at(&at("round")).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_is_open_gets_more_and_is_not_replaced() {
        use std::os::fd::AsRawFd;
        let mut open = tempfile::NamedTempFile::new().unwrap();
        open.write_all(b"first ").unwrap();
        let by_number = format!("/proc/self/fd/{}", open.as_file().as_raw_fd());
        NewFile::replace(Path::new(&by_number), "second").unwrap();
        assert_eq!(fs::read_to_string(open.path()).unwrap(), "first second");
    }

    #[test]
    fn what_cannot_be_written_is_told_before_anything_is_computed() {
        let folder = tempfile::tempdir().unwrap();
        let none = folder.path().join("none/a.csv");
        assert_eq!(
            NewFile::at(&none).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        assert_eq!(
            NewFile::at(folder.path()).unwrap_err().kind(),
            io::ErrorKind::IsADirectory
        );
    }
}
