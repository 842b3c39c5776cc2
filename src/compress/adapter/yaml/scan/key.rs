//! Keys: before a colon, or after a question mark on a line of their own.

use super::{UnsureYaml, YamlKind, YamlLine, YamlScan, before_comment, flow};

impl YamlScan<'_> {
    /// The colon after the key that begins at a byte, if one does.
    pub(super) fn key_end(&self, at: usize, line: YamlLine) -> Result<Option<usize>, UnsureYaml> {
        let rest = self.slice(at..line.end);
        let ends = |colon: usize| {
            self.byte(colon) == Some(b':')
                && (colon + 1 == line.end || self.byte(colon + 1) == Some(b' '))
        };
        match rest.as_bytes().first().ok_or(UnsureYaml)? {
            b'"' | b'\'' => {
                let end = flow::quoted_end(self.text, at).ok_or(UnsureYaml)?;
                let colon = if end < line.end { self.skip(end, line) } else { end };
                Ok((end < line.end && ends(colon)).then_some(colon))
            }
            b'|' | b'>' | b'[' | b'{' | b'*' | b'#' => Ok(None),
            b'?' | b':' if rest.len() == 1 || rest.as_bytes().get(1) == Some(&b' ') => {
                Err(UnsureYaml)
            }
            b'%' | b'@' | b'`' | b',' | b']' | b'}' | b'\t' => Err(UnsureYaml),
            _ => {
                let rest = before_comment(rest);
                let mut colons = memchr::memchr_iter(b':', rest.as_bytes()).map(|colon| at + colon);
                Ok(colons.find(|colon| ends(*colon)))
            }
        }
    }

    /// Takes a key after a question mark: a scalar that ends on that line.
    pub(super) fn asked_key(&mut self, at: usize, line: YamlLine) -> Option<()> {
        let column = at - line.start;
        self.push(YamlKind::Item, column, at..at + 1)?;
        self.parents.push(column);
        let own = self.properties(self.skip(at + 1, line), line)?;
        let end = match self.byte(own).filter(|_| own < line.end)? {
            b'"' | b'\'' => flow::quoted_end(self.text, own).filter(|end| *end <= line.end)?,
            b'|' | b'>' | b'[' | b'{' | b'*' | b'#' | b'%' | b'@' | b'`' | b',' | b']' | b'}'
            | b'\t' => return None,
            _ if [b'-', b'?', b':'].iter().any(|mark| self.is_mark(*mark, own, line)) => {
                return None;
            }
            _ => {
                let bare = before_comment(self.slice(own..line.end)).trim_ascii_end();
                let is_whole = !bare.contains(": ")
                    && !bare.ends_with(':')
                    && self.next_line_of_scalar(line.next).is_none();
                own + is_whole.then_some(bare.len())?
            }
        };
        self.push(YamlKind::Key, own - line.start, own..end)?;
        self.read_line_end(end)
    }
}
