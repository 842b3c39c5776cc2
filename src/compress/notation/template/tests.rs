use super::*;
use proptest::prelude::*;

/// Reads a block as the engine does, and puts it back into the run.
fn decoded(lines: &[&str]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut next = 0;
    for Found { lines: range, block } in Template.encode(lines) {
        out.extend(lines[next..range.start].iter().map(|line| (*line).to_owned()));
        let body: Vec<&str> = block.body.iter().map(String::as_str).collect();
        let shown = lines[range.clone()].join("\n");
        out.push(Template.decode(&block.args, &body, shown.len()).expect("decodes"));
        next = range.end;
    }
    out.extend(lines[next..].iter().map(|line| (*line).to_owned()));
    out.join("\n")
}

fn shown(lines: &[&str]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut next = 0;
    for Found { lines: range, block } in Template.encode(lines) {
        out.extend(lines[next..range.start].iter().map(|line| (*line).to_owned()));
        out.push(format!("§template {} {}", block.body.len(), block.args));
        out.extend(block.body);
        next = range.end;
    }
    out.extend(lines[next..].iter().map(|line| (*line).to_owned()));
    out.join("\n")
}

#[test]
fn real_logs_shrink() {
    #[expect(clippy::disallowed_methods, reason = "a folder that only a developer has")]
    let Ok(folder) = std::env::var("CONTEXTURE_LOGS") else { return };
    let counter = crate::tokenizer::Counter::new();
    let count = |text: &str| counter.count(crate::domain::TokenizerName::O200kBase, text);
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut sums = (0, 0);
    let mut table = String::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "log")) {
        let bytes = std::fs::read(file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let short = shown(&lines);
        std::fs::write(file.with_extension("short"), &short).unwrap();
        let (before, after) = (count(&lines.join("\n")), count(&short));
        if let Some((a, b)) = decoded(&lines).lines().zip(&lines).find(|(a, b)| a != *b) {
            eprintln!("{file:?}\n {a:?}\n {b:?}");
        }
        let equal = decoded(&lines) == lines.join("\n");
        sums = (sums.0 + before, sums.1 + after);
        let saved = 100.0 - 100.0 * after as f64 / before as f64;
        table += &format!(
            "{:16} {before:8} {after:8} {saved:6.1} {equal}\n",
            file.file_stem().unwrap().to_string_lossy()
        );
    }
    eprintln!("{table}all {sums:?} {:.1}", 100.0 - 100.0 * sums.1 as f64 / sums.0 as f64);
}
