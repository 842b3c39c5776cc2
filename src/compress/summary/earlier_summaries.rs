//! A summary that was made before, read back by its sections.
//!
//! It may be ours, or a model's that was asked for the same headings; what is under none of
//! them belongs to the state.

use super::{SECTIONS, Section};

/// Lines of earlier summaries by section.
#[derive(Debug, Default)]
pub(super) struct EarlierSummaries {
    lines: [Vec<String>; SECTIONS.len()],
}

impl EarlierSummaries {
    pub(super) fn read(texts: &[&str]) -> Self {
        let mut earlier = Self::default();
        for text in texts {
            let mut section = Section::State as usize;
            for line in text.lines() {
                if let Some(found) = heading(line) {
                    section = found;
                    continue;
                }
                let line = line.trim();
                let bare = ["- ", "* ", "• "].iter().find_map(|dash| line.strip_prefix(dash));
                let line = bare.unwrap_or(line).trim();
                if let Some(lines) = earlier.lines.get_mut(section)
                    && !line.is_empty()
                    && !lines.iter().any(|known| known == line)
                {
                    lines.push(line.to_owned());
                }
            }
        }
        earlier
    }

    pub(super) fn section_lines(&self, section: Section) -> &[String] {
        self.lines.get(section as usize).map_or(&[], Vec::as_slice)
    }
}

/// The section that a line is the heading of, with or without marks of Markdown.
fn heading(line: &str) -> Option<usize> {
    let bare = line.trim().trim_matches(|sign: char| {
        matches!(sign, '#' | '*' | '_' | ':' | '.' | ' ') || sign.is_ascii_digit()
    });
    SECTIONS.iter().position(|known| known.trim_end_matches(':').eq_ignore_ascii_case(bare))
}
