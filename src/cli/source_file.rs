//! A file that a command reads, and what is wrong in it: shown with name, line, column and a caret.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::CommandError;
use super::failure::{FileFaults, GivenFlag, flag_fault, refused};
use super::json_lines::strip_byte_order_mark;
use super::paths::is_standard_input;
use crate::http::problem::Problem;
use crate::json::{self, ErrorKind as JsonFault, Fault, Limits, Node, Value};

/// Bytes of a line that is shown as a whole.
const MAX_LINE_BYTES: usize = 4096;
/// Bytes of a longer line that are shown before the place; twice as many are shown after it.
const WINDOW_BYTES: usize = 200;

/// Bytes of a pointer that is shown as a whole.
const MAX_POINTER_BYTES: usize = 100;

/// A fault whose place is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LocatedFault {
    pub(super) title: String,
    /// Bytes of the file; none for a fault of the whole file.
    pub(super) span: Option<Range<usize>>,
    /// What is written next to the caret.
    pub(super) label: String,
}

/// The content of a file, or of standard input.
#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    name: String,
    pub(super) text: String,
}

impl SourceFile {
    /// Reads a file, or standard input for `-`.
    pub(super) fn read(path: &Path) -> Result<Self, CommandError> {
        Self::read_shown(path, str::to_owned)
    }

    /// As [`Self::read`]; `shown` gives what may be shown of a text that is not UTF-8, in as many bytes.
    pub(super) fn read_shown(
        path: &Path,
        shown: impl Fn(&str) -> String,
    ) -> Result<Self, CommandError> {
        let is_input = is_standard_input(path);
        let name = if is_input { "standard input".to_owned() } else { path.display().to_string() };
        let mut bytes = Vec::new();
        let read = if is_input {
            io::stdin().read_to_end(&mut bytes).map(|_| ())
        } else {
            fs::read(path).map(|read| bytes = read)
        };
        read.map_err(|error| format!("cannot read {name}: {error}"))?;
        String::from_utf8(bytes).map(|text| Self { name: name.clone(), text }).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let title = format!("{name} is not UTF-8 (byte {} of it)", at + 1);
            // What is before the place has the same bytes in this text.
            let text = shown(&String::from_utf8_lossy(error.as_bytes()));
            let file = Self { name, text };
            file.fault_at(&title, &(at..at), "").into()
        })
    }

    /// Reads a file that has to be JSON.
    pub(super) fn read_json(path: &Path) -> Result<Self, CommandError> {
        let mut file = Self::read(path)?;
        file.take_as_json();
        Ok(file)
    }

    /// Takes the text as JSON, as the body of a request is: a byte order mark at its beginning is
    /// ignored, and halves of surrogate pairs are replaced.
    pub(super) fn take_as_json(&mut self) {
        let text = strip_byte_order_mark(&self.text).to_owned();
        self.text = json::replace_halves(text);
    }

    /// The same file with another text, to be shown instead.
    pub(super) fn with_text(&self, text: String) -> Self {
        Self { name: self.name.clone(), text }
    }

    /// What people call the file.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Refuses a text that is no JSON, or JSON that is not accepted. `command`: what may have been
    /// meant, for a file that does not even begin as JSON does.
    pub(super) fn check_json(&self, command: Option<&str>) -> Result<(), FileFaults> {
        let Err(error) = json::parse(&self.text, Limits::default()) else { return Ok(()) };
        let span = error.offset..error.offset;
        if !error.kind.is_malformed() {
            let place = shown_pointer(&error.pointer);
            return Err(self.fault_at(&error.kind.to_string(), &self.span_of(&error), &place));
        }
        let begins = self.text.trim_start().starts_with(['{', '[']);
        let title = match command.filter(|_| !begins) {
            Some(command) => {
                format!("{} is not JSON; did you mean `contexture {command}`?", self.name)
            }
            None => format!("{} is not JSON", self.name),
        };
        let label = if begins { error.kind.to_string() } else { String::new() };
        Err(self.fault_at(&title, &span, &label))
    }

    /// Where JSON is that is not accepted: a key that is there twice, or the place at which reading
    /// stopped.
    fn span_of(&self, error: &json::Error) -> Range<usize> {
        let before = self.text.get(..error.offset.saturating_sub(1)).unwrap_or_default();
        match before.rfind('"').filter(|_| error.kind == JsonFault::DuplicateKey) {
            Some(start) => start..error.offset,
            None => error.offset..error.offset,
        }
    }

    /// Returns a fault that serde found in the text.
    pub(super) fn misfit(&self, error: &serde_json::Error) -> FileFaults {
        let words = error.to_string();
        let detail = words.rsplit_once(" at line ").map_or(&*words, |(detail, _)| detail);
        let detail = detail.replace("map, ", "an object, ").replace("a sequence", "a list");
        let mut lines = self.text.split_inclusive('\n');
        let start: usize = lines.by_ref().take(error.line().saturating_sub(1)).map(str::len).sum();
        let at = self.text.floor_char_boundary(start + error.column().saturating_sub(1));
        self.fault_at(&detail, &(at..at), "")
    }

    /// Refuses a text without a character that says something.
    pub(super) fn check_not_empty(&self) -> Result<(), CommandError> {
        let is_empty = strip_byte_order_mark(&self.text).trim().is_empty();
        if is_empty { Err(format!("{} is empty", self.name).into()) } else { Ok(()) }
    }

    /// Says where a text that is meant to be JSON stops being it; none for JSON and for other texts.
    pub(super) fn broken_json(&self) -> Option<String> {
        let text = strip_byte_order_mark(&self.text);
        let begins = |first: char, next: &[char]| {
            let rest = text.trim_start().strip_prefix(first)?.trim_start();
            Some(rest.is_empty() || rest.starts_with(next))
        };
        let looks = begins('{', &['"', '}']).or_else(|| begins('[', &['{', '[', '"', ']']))?;
        let error = json::parse(text, Limits::default()).err()?;
        // After a whole document there may be more of them, or a log that begins with brackets.
        let ends_early = error.kind == JsonFault::Trailing;
        if !looks || ends_early || !error.kind.is_malformed() {
            return None;
        }
        let before = text.get(..error.offset).unwrap_or(text);
        let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(start..).unwrap_or_default().chars().count() + 1;
        let place = format!("line {line}, column {column}");
        Some(match error.kind {
            JsonFault::Syntax => place,
            kind => format!("{place} ({kind})"),
        })
    }

    /// Returns the faults of a problem: that of the first flag that is at fault, else each at its place
    /// in this file.
    pub(super) fn problem_of(
        &self,
        problem: &Problem,
        list_key: &str,
        given: &[GivenFlag],
    ) -> CommandError {
        match flag_fault(&problem.errors, given) {
            Some(fault) => Box::new(fault),
            None => self.problem(problem, list_key),
        }
    }

    /// Returns the faults of a problem, each at its place in this file. `list_key`: the key under which
    /// a list in the file was read, whose pointers begin with it.
    pub(super) fn problem(&self, problem: &Problem, list_key: &str) -> CommandError {
        if problem.errors.is_empty() {
            return refused(problem);
        }
        Box::new(self.faults(&problem.errors, list_key))
    }

    /// Returns these faults, each at its place in this file.
    pub(super) fn faults(&self, faults: &[Fault], list_key: &str) -> FileFaults {
        FileFaults(self.show(faults, list_key, |_| Level::ERROR, Fault::clone))
    }

    /// Shows faults at places that another reader found, one below the other.
    pub(super) fn located(&self, faults: &[LocatedFault]) -> FileFaults {
        let shown = faults.iter().map(|LocatedFault { title, span, label }| {
            let group = if let Some(span) = span {
                self.group_at(Level::ERROR, title, span, label)
            } else {
                let title = format!("{}: {title}", self.name);
                Group::with_title(Level::ERROR.primary_title(title))
            };
            Renderer::styled().render(&[group])
        });
        FileFaults(shown.collect::<Vec<_>>().join("\n\n"))
    }

    /// Shows findings at their places, one below the other.
    pub(super) fn show<F>(
        &self,
        findings: &[F],
        list_key: &str,
        level: impl Fn(&F) -> Level<'static>,
        fault: impl Fn(&F) -> Fault,
    ) -> String {
        let document = json::parse(&self.text, Limits::default()).ok();
        let is_list = self.text.trim_start().starts_with('[');
        let mut shown = String::new();
        for finding in findings {
            let fault = fault(finding);
            let is_count = fault.unlisted().is_some();
            let Fault { pointer, detail, did_you_mean } = fault;
            let mut title = detail;
            if let Some(near) = did_you_mean {
                let _ = write!(title, " (did you mean `{near}`?)");
            }
            let under_key = pointer.strip_prefix('/').and_then(|rest| rest.strip_prefix(list_key));
            let local = match under_key.filter(|_| !list_key.is_empty()) {
                Some(rest) if is_list => Some(rest),
                // In a bare list, other members are of what a flag says.
                _ => Some(&*pointer)
                    .filter(|pointer| !is_list || list_key.is_empty() || pointer.is_empty()),
            };
            let span = document.as_ref().zip(local).and_then(|(node, at)| self.span(node, at));
            let shown_place = shown_pointer(&pointer);
            let group = if let Some(span) = span.filter(|_| !is_count) {
                self.group_at(level(finding), &title, &span, &shown_place)
            } else {
                let place = match (is_count, &document) {
                    (true, _) => String::new(),
                    (false, Some(_)) => format!(": {shown_place}"),
                    (false, None) => format!(": {shown_place} of {}", self.name),
                };
                Group::with_title(level(finding).primary_title(format!("{title}{place}")))
            };
            if !shown.is_empty() {
                shown.push_str("\n\n");
            }
            shown.push_str(&Renderer::styled().render(&[group]));
        }
        shown
    }

    /// The bytes of the value at a pointer: with its key, and only its key if it has values of its own.
    /// Of what is missing, the value in which it is.
    fn span(&self, document: &Node<'_>, pointer: &str) -> Option<Range<usize>> {
        let mut node = document;
        let mut key_text: Option<&str> = None;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let inner = match &node.value {
                Value::Object(members) => members
                    .iter()
                    .find(|(key, _)| *key == step)
                    .map(|(key, value)| (Some(key.as_ref()), value)),
                Value::Array(items) => {
                    step.parse::<usize>().ok().and_then(|at| items.get(at)).map(|item| (None, item))
                }
                _ => None,
            };
            let Some(found) = inner else { break };
            (key_text, node) = found;
        }
        let value = self.range(node.raw)?;
        let has_values = matches!(node.value, Value::Object(_) | Value::Array(_));
        // A key with escapes is a copy and has no place; the value has.
        let key = key_text.and_then(|key| self.range(key));
        Some(match key {
            Some(key) if has_values => key.start.saturating_sub(1)..key.end + 1,
            Some(key) => key.start.saturating_sub(1)..value.end,
            None if has_values => value.start..value.start + 1,
            None => value,
        })
    }

    /// Where a slice of the text is in it; `None` for another text.
    fn range(&self, part: &str) -> Option<Range<usize>> {
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        let range = start..start + part.len();
        (range.end <= self.text.len()).then_some(range)
    }

    /// Returns one fault at a place.
    fn fault_at(&self, title: &str, span: &Range<usize>, label: &str) -> FileFaults {
        let group = self.group_at(Level::ERROR, title, span, label);
        FileFaults(Renderer::styled().render(&[group]))
    }

    /// Shows the line of a place, or the part around the place of a line that is very long.
    fn group_at<'g>(
        &self,
        level: Level<'g>,
        title: &str,
        span: &Range<usize>,
        label: &str,
    ) -> Group<'g> {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = self.text.get(before.len()..).unwrap_or_default();
        let line_end = before.len() + rest.find('\n').unwrap_or(rest.len());
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let is_long = line_end - line_start > MAX_LINE_BYTES;
        let (start, end) = if is_long {
            let start = line_start.max(before.len().saturating_sub(WINDOW_BYTES));
            let end = line_end.min(before.len() + 2 * WINDOW_BYTES);
            (self.text.ceil_char_boundary(start), self.text.floor_char_boundary(end))
        } else {
            (line_start, line_end)
        };
        let excerpt = self.text.get(start..end).unwrap_or_default().to_owned();
        let marked = (before.len() - start)..span.end.clamp(before.len(), end) - start;
        let annotation = AnnotationKind::Primary.span(marked);
        let annotation =
            if label.is_empty() { annotation } else { annotation.label(label.to_owned()) };
        let snippet = Snippet::source(excerpt).line_start(line).annotation(annotation);
        let title = level.primary_title(title.to_owned());
        if is_long {
            // Of a part of a line the renderer does not know the column.
            let column =
                self.text.get(line_start..before.len()).unwrap_or_default().chars().count();
            let origin = Origin::path(self.name.clone()).line(line).char_column(column + 1);
            return title.element(origin).element(snippet);
        }
        title.element(snippet.path(self.name.clone()))
    }
}

/// A pointer as people read it: the whole document is `/`, and of a very long one the beginning.
pub(super) fn shown_pointer(pointer: &str) -> String {
    match json::cut(pointer, MAX_POINTER_BYTES) {
        "" => "/".to_owned(),
        shown if shown.len() < pointer.len() => format!("{shown}…"),
        whole => whole.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> SourceFile {
        SourceFile { name: "r.json".to_owned(), text: text.to_owned() }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn fault(pointer: &str) -> Fault {
        Fault { pointer: pointer.to_owned(), detail: "unknown key".to_owned(), did_you_mean: None }
    }

    #[test]
    fn a_fault_is_shown_at_its_place() {
        let file = file("{\"messages\": [],\n  \"targett\": \"openai\"}\n");
        let mut unknown = fault("/targett");
        unknown.did_you_mean = Some("target".to_owned());
        assert_eq!(
            plain(&file.faults(&[unknown], "messages").to_string()),
            "error: unknown key (did you mean `target`?)\n \
             --> r.json:2:3\n  |\n\
             2 |   \"targett\": \"openai\"}\n  |   ^^^^^^^^^^^^^^^^^^^ /targett"
        );
    }

    #[test]
    fn a_fault_in_a_bare_list_is_found_below_its_key() {
        let shown = plain(
            &file("[{\"role\": 5}]").faults(&[fault("/messages/0/role")], "messages").to_string(),
        );
        assert!(shown.contains("r.json:1:3") && shown.contains("^^^^^^^^^"), "{shown}");
        let other =
            plain(&file("[]").faults(&[fault("/budget/context_window")], "messages").to_string());
        assert_eq!(other, "error: unknown key: /budget/context_window");
    }

    #[test]
    fn a_text_that_is_no_json_is_refused_at_its_place() {
        let error = |text: &str| {
            plain(&file(text).check_json(Some("compress r.json")).unwrap_err().to_string())
        };
        let shown = error("{\"a\": 1,\n ,}");
        assert!(shown.contains("r.json is not JSON") && shown.contains("r.json:2:2"), "{shown}");
        assert!(!shown.contains("compress"), "{shown}");
        assert!(error("12:00 started").contains("did you mean `contexture compress r.json`?"));
        assert!(file("{\"a\": 1}").check_json(None).is_ok());
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let long = "é".repeat(100_000);
        let file = file(&format!("{{\"a\": \"{long}\", \"b\": 1, \"c\": \"{long}\"}}"));
        let shown = plain(&file.faults(&[fault("/b")], "messages").to_string());
        assert!(shown.len() < 2_000 && shown.contains("r.json:1:100011"), "{shown}");
        assert!(shown.contains("\"b\": 1"), "{shown}");
    }
}
