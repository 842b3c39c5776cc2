//! Files that build an image, such as a Dockerfile: what the image is made from and what it runs has to
//! stay. Other instructions are lines like those of any source.
//!
//! Instructions and continuations: <https://docs.docker.com/reference/dockerfile/>.

use super::{LineRank, SourceLine, set};

/// Instructions that say what an image is made from and what it runs.
const KEPT_INSTRUCTIONS: [&str; 3] = ["FROM", "ENTRYPOINT", "CMD"];

/// Ranks the lines that have to stay, if the file is one that builds an image.
pub(super) fn rank(lines: &[SourceLine<'_>], ranks: &mut [LineRank]) {
    if !is_recipe(lines) {
        return;
    }
    let (mut is_continued, mut is_kept) = (false, false);
    for (at, line) in lines.iter().enumerate() {
        // Comments and blank lines do not end an instruction that goes on below them.
        if line.is_comment || line.body.is_empty() {
            continue;
        }
        if !is_continued {
            is_kept = has_instruction(line.body, &KEPT_INSTRUCTIONS);
        }
        if is_kept {
            set(ranks, at, LineRank::Must);
        }
        is_continued = line.body.ends_with('\\');
    }
}

/// Whether the first instruction says what the image is made from. Only arguments come before it.
fn is_recipe(lines: &[SourceLine<'_>]) -> bool {
    let mut own = lines.iter().filter(|line| !line.is_comment && !line.body.is_empty());
    let first = own.find(|line| !has_instruction(line.body, &["ARG"]));
    first.is_some_and(|line| has_instruction(line.body, &["FROM"]))
}

/// Whether a line begins with one of some instructions, in any case, and says something after it.
fn has_instruction(body: &str, names: &[&str]) -> bool {
    let (name, rest) = body.split_once([' ', '\t']).unwrap_or_default();
    !rest.is_empty() && names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::super::SourceAdapter;
    use crate::compress::adapter::laws::short;

    /// A recipe with many instructions before those that say what the image runs.
    fn recipe(head: &str, end: &str) -> String {
        let run =
            |at: usize| format!("RUN install --quiet package-{at} && rm -rf /var/cache/p{at}\n");
        let lines: String = (0..14).map(run).collect();
        format!(
            "{head}FROM debian:bookworm AS build\nWORKDIR /src\n{lines}FROM scratch\nCOPY --from=build /src/out /app\n{end}"
        )
    }

    #[test]
    fn what_an_image_is_made_from_and_runs_stays() {
        for head in ["", "# syntax=docker/dockerfile:1\nARG VERSION=1\n", "# made by hand\n\n"] {
            let end = "EXPOSE 8080\nentrypoint [\"/app\"]\nCMD [\"serve\", \\\n     # where\n     \"--listen\", \\\n     \"0.0.0.0:8080\"]\n";
            let shown = short(&SourceAdapter, &recipe(head, end));
            for line in [
                "FROM debian:bookworm AS build",
                "FROM scratch",
                "entrypoint [\"/app\"]",
                "CMD [\"serve\", \\",
                "     \"--listen\", \\",
                "     \"0.0.0.0:8080\"]",
            ] {
                assert!(shown.lines().any(|shown| shown == line), "{line} in:\n{shown}");
            }
            assert!(shown.contains("[… "), "{shown}");
        }
    }

    #[test]
    fn a_line_of_another_file_is_no_instruction() {
        let text = recipe("import os\n", "CMD [\"serve\"]\n");
        let lines: Vec<_> = super::super::lines(text.lines());
        assert!(!super::is_recipe(&lines));
    }
}
