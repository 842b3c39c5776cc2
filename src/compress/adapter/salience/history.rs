//! The commits of a history: `commit 9f2c…`, headers, and the subject after a blank line.

use super::super::page::LinePage;

/// Digits of the shortest name of a commit.
const MIN_NAME_DIGITS: usize = 7;
/// Lines after the head of a commit in which its subject is.
const MAX_HEADER_LINES: usize = 12;

/// The lines that say what a commit is.
#[derive(Debug)]
pub(super) struct Commit {
    pub(super) head: usize,
    pub(super) subject: Option<usize>,
    /// Whether it takes another one back.
    pub(super) is_revert: bool,
}

/// The commits of a text, in order.
pub(super) fn find_commits(page: &LinePage<'_>) -> Vec<Commit> {
    let heads = (0..page.len()).filter(|at| names_commit(page.body(*at)));
    let commit = |head: usize| {
        let lines = head + 1..(head + MAX_HEADER_LINES).min(page.len());
        let own = lines.take_while(|at| !names_commit(page.body(*at)));
        let mut own = own.skip_while(|at| !page.is_blank(*at)).filter(|at| !page.is_blank(*at));
        let subject = own.next();
        let is_revert = subject.is_some_and(|at| page.body(at).starts_with("Revert "));
        Commit { head, subject, is_revert }
    };
    heads.map(commit).collect()
}

/// Whether a line is the head of a commit.
fn names_commit(body: &str) -> bool {
    body.strip_prefix("commit ").is_some_and(|hash| {
        let digits = hash.bytes().take_while(u8::is_ascii_hexdigit).count();
        digits >= MIN_NAME_DIGITS && hash.as_bytes().get(digits).is_none_or(|next| *next == b' ')
    })
}
