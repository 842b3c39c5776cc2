//! A folder for the files of one test, removed on drop.

use std::path::{Path, PathBuf};
use std::process::Output;

use super::ServerProcess;

pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// Returns the path of a file, which need not exist.
    pub fn file(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a path of text").to_owned()
    }

    /// Writes a file, and returns its path.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.file(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of the database of [`Self::url`].
    pub fn database(&self) -> PathBuf {
        self.file("contexture.db").into()
    }

    /// Returns the URL of a database in this folder.
    pub fn url(&self) -> String {
        format!("sqlite:{}", self.file("contexture.db"))
    }

    /// Starts a server with the database in this folder.
    pub fn serve(&self) -> ServerProcess {
        ServerProcess::start(&["--database-url", &self.url()])
    }

    /// Runs the program with these arguments and the database in this folder.
    pub fn run(&self, arguments: &[&str]) -> Output {
        let url = self.url();
        let place = ["--database-url", &url];
        ServerProcess::command().args(arguments).args(place).output().expect("the program runs")
    }
}
