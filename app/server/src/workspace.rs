//! Description that a client gives of itself when it begins: the folders that are open, whether it watches files, and
//! its process.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use lozenge_lang::identity;
use lsp_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, InitializeParams,
    Registration, RegistrationParams, Uri, WorkspaceFolder,
};

use crate::place;

/// The files on which programs rest, as a pattern of the protocol.
const WATCHED: &str = "**/*.{loz,csv,tsv,txt,gz,npy,npz,safetensors}";
/// The method by which a client tells that watched files have changed.
const METHOD: &str = "workspace/didChangeWatchedFiles";
/// The time between two looks at the process of the client.
const LOOK: Duration = Duration::from_secs(1);

/// The client.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// The folders that are open in it.
    pub folders: Vec<PathBuf>,
    /// True if it watches files for a server that asks for it.
    pub watches: bool,
    /// The number of its process.
    pub process: Option<u32>,
}

impl Workspace {
    /// Reads what the client says. One of before the folders of workspaces says a root.
    // The fields of before are deprecated in the protocol, and clients still send them.
    #[allow(deprecated)]
    pub fn of(params: &InitializeParams) -> Workspace {
        let folders = params.workspace_folders.iter().flatten();
        let mut folders: Vec<PathBuf> = folders
            .filter_map(|folder| folder_of(&folder.uri))
            .collect();
        if folders.is_empty() {
            folders.extend(params.root_uri.as_ref().and_then(folder_of));
        }
        let watched = params.capabilities.workspace.as_ref();
        let watched = watched.and_then(|workspace| workspace.did_change_watched_files);
        Workspace {
            folders,
            watches: watched.and_then(|watched| watched.dynamic_registration) == Some(true),
            process: params.process_id,
        }
    }

    /// Adds folders and removes others.
    pub fn change(&mut self, added: &[WorkspaceFolder], removed: &[WorkspaceFolder]) {
        let paths = |folders: &[WorkspaceFolder]| -> Vec<PathBuf> {
            folders
                .iter()
                .filter_map(|folder| folder_of(&folder.uri))
                .collect()
        };
        let removed = paths(removed);
        self.folders.retain(|folder| !removed.contains(folder));
        self.folders.extend(paths(added));
    }
}

fn folder_of(uri: &Uri) -> Option<PathBuf> {
    Some(identity(&place::path(uri.as_str())?))
}

/// Returns the wish that the client watch the files on which programs rest.
pub(crate) fn watchers() -> RegistrationParams {
    let options = DidChangeWatchedFilesRegistrationOptions {
        watchers: vec![FileSystemWatcher {
            glob_pattern: GlobPattern::String(WATCHED.into()),
            kind: None,
        }],
    };
    RegistrationParams {
        registrations: vec![Registration {
            id: "files".into(),
            method: METHOD.into(),
            register_options: serde_json::to_value(options).ok(),
        }],
    }
}

/// Calls a function once the process with a number has ended. A client that ends without a word, and whose pipe another
/// process keeps open, would else leave the server behind.
///
/// # Errors
/// If the system cannot start a thread.
pub(crate) fn when_ended(
    process: u32,
    call: impl FnOnce() + Send + 'static,
) -> std::io::Result<()> {
    let watch = move || {
        while is_running(process) {
            thread::sleep(LOOK);
        }
        call();
    };
    thread::Builder::new().name("client".into()).spawn(watch)?;
    Ok(())
}

/// Tells whether a process is there. One that may not be asked is.
#[cfg(unix)]
fn is_running(process: u32) -> bool {
    let number = i32::try_from(process)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    let asked = number.map(rustix::process::test_kill_process);
    asked != Some(Err(rustix::io::Errno::SRCH))
}

/// Tells whether a process is there. Where no crate tells, the end of the input has to do.
#[cfg(not(unix))]
fn is_running(_: u32) -> bool {
    true
}
