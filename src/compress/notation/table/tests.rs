use proptest::prelude::*;

use super::*;

fn decoded(lines: &[&str], found: &Found) -> String {
    let body: Vec<&str> = found.block.body.iter().map(String::as_str).collect();
    let original = lines[found.lines.clone()].join("\n");
    let text = Table.decode(&found.block.args, &body, original.len());
    text.unwrap_or_else(|| panic!("{original:?} is not read back from {:#?}", found.block))
}

fn check(text: &str) -> Vec<Found> {
    let lines: Vec<&str> = text.split('\n').collect();
    let found = Table.encode(&lines);
    for one in &found {
        assert_eq!(decoded(&lines, one), lines[one.lines.clone()].join("\n"), "{:#?}", one.block);
        assert!(one.block.body.iter().all(|line| !line.contains(['\n', MARK])));
    }
    assert!(found.windows(2).all(|pair| pair[0].lines.end <= pair[1].lines.start));
    found
}

/// The one block that a whole text becomes.
fn shown(text: &str) -> String {
    let found = check(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].lines, 0..text.split('\n').count());
    format!("{}\n{}", found[0].block.args, found[0].block.body.join("\n"))
}

#[test]
#[rustfmt::skip]
fn tau() {
    if let Ok(dir) = std::env::var("TBL_DUMP") {
        let mut n = 0;
        for path in std::fs::read_dir("/tmp/tbl/in").unwrap() {
            let path = path.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let lines: Vec<&str> = text.split('\n').collect();
            let mut out = String::new();
            let mut at = 0;
            // runs between lines that hold a mark
            let mut found = Vec::new();
            let mut start = 0;
            for (i, l) in lines.iter().chain([&"§"]).enumerate() {
                if l.contains('§') {
                    for mut f in Table.encode(&lines[start..i]) { f.lines = f.lines.start + start..f.lines.end + start; found.push(f); }
                    start = i + 1;
                }
            }
            for f in &found {
                assert_eq!(decoded(&lines, f), lines[f.lines.clone()].join("\n"), "{:#?}", f.block);
                n += 1;
                for l in &lines[at..f.lines.start] { out += l; out.push('\n'); }
                out += &format!("\u{1}{}\u{2}§json {} {}\n{}\n\u{3}\n", lines[f.lines.clone()].join("\n"), f.block.body.len(), f.block.args, f.block.body.join("\n"));
                at = f.lines.end;
            }
            for l in &lines[at..] { out += l; out.push('\n'); }
            std::fs::write(format!("{dir}/{}", path.file_name().unwrap().to_str().unwrap()), out).unwrap();
        }
        println!("{n} blocks");
    }
}
