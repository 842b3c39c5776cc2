use proptest::prelude::*;

use super::super::reports_error;
use super::*;

/// Reads a block as the engine does, and puts it back into the run.
pub(super) fn decoded(lines: &[&str]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut next = 0;
    for FoundBlock { lines: range, block } in TemplateNotation.encode(lines, ValueClass::Computed) {
        out.extend(lines[next..range.start].iter().map(|line| (*line).to_owned()));
        let body: Vec<&str> = block.body.lines().collect();
        let shown = lines[range.clone()].join("\n");
        out.push(TemplateNotation.decode(&block.args, &body, shown.len()).expect("decodes"));
        next = range.end;
    }
    out.extend(lines[next..].iter().map(|line| (*line).to_owned()));
    out.join("\n")
}

pub(super) fn shown(lines: &[&str]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut next = 0;
    for FoundBlock { lines: range, block } in TemplateNotation.encode(lines, ValueClass::Computed) {
        out.extend(lines[next..range.start].iter().map(|line| (*line).to_owned()));
        out.push(format!("§template {} {}", block.body.len(), block.args));
        out.extend(block.body.lines().map(str::to_owned));
        next = range.end;
    }
    out.extend(lines[next..].iter().map(|line| (*line).to_owned()));
    out.join("\n")
}

fn check(lines: &[&str]) -> Result<(), TestCaseError> {
    for values in [ValueClass::Plain, ValueClass::Computed] {
        check_values(lines, values)?;
    }
    Ok(())
}

fn check_values(lines: &[&str], values: ValueClass) -> Result<(), TestCaseError> {
    let mut end = 0;
    for FoundBlock { lines: range, block } in TemplateNotation.encode(lines, values) {
        prop_assert!(range.start >= end);
        end = range.end;
        prop_assert!(!block.args.contains('\n'));
        prop_assert!(block.body.lines().all(|line| !line.contains('\n')));
        let body: Vec<&str> = block.body.lines().collect();
        let reports = lines.iter().filter(|line| reports_error(line)).count();
        let kept = lines[range.clone()].iter().filter(|line| reports_error(line));
        for line in kept.filter(|_| reports * 3 <= lines.len()) {
            let escaped = format!("\\{line}");
            prop_assert!(body.contains(line) || body.contains(&escaped.as_str()), "{line}");
        }
        prop_assert!(TemplateNotation.kind(&block.args, &body).values() <= values);
        let text = lines[range].join("\n");
        prop_assert_eq!(
            TemplateNotation.decode(&block.args, &body, text.len()),
            Some(text.clone())
        );
        prop_assert_eq!(
            TemplateNotation.decode(&block.args, &body, text.len().saturating_sub(1)),
            None,
            "longer than the limit"
        );
    }
    prop_assert!(end <= lines.len());
    Ok(())
}

fn check_all(lines: &[String]) -> Result<(), TestCaseError> {
    check(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_report_of_many_fields_has_a_form_for_each() {
    let lines: Vec<String> = (0..600)
        .map(|n| {
            let field = ["Heap", "Stack", "Anon", "Cache"][n % 4];
            let kind = ["Clean", "Dirty", "Shared", "Own", "Swapped"][n / 4 % 5];
            format!("{field}{kind}: {}", n * n % 997)
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shown = shown(&lines);
    assert!(shown.starts_with("§template 620 with 20\nA,=HeapClean: {}\n"), "{shown}");
    assert!(shown.lines().skip(21).all(|row| row.len() <= 5), "{shown}");
    assert_eq!(decoded(&lines), lines.join("\n"));
}

#[test]
fn a_log_of_nothing_but_errors_is_rows_with_filled_cells() {
    let lines: Vec<String> = (0..40)
        .map(|n| {
            format!("12:00:{n:02} ERROR pool-{}: connection refused by 10.0.0.{}", n % 2, n / 8)
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shown = shown(&lines);
    assert!(
        shown.starts_with(
            "§template 41 with 1\n,=12:00:{} ERROR pool-{}: connection refused by 10.0.0.{}\n00,0,0\n01,1,0\n"
        ),
        "{shown}"
    );
    assert_eq!(decoded(&lines), lines.join("\n"));
}

#[test]
fn up_to_a_third_of_the_lines_may_report_errors_and_stay_whole() {
    let line = |n: usize| match n % 3 {
        0 => format!("12:00:{n:02} ERROR pool: connection {n} refused"),
        _ => format!("12:00:{n:02} INFO pool: connection {n} open"),
    };
    let lines: Vec<String> = (0..39).map(line).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shown = shown(&lines);
    assert!(shown.contains("§template"), "{shown}");
    for error in lines.iter().filter(|line| reports_error(line)) {
        assert!(shown.lines().any(|line| line == *error), "{error}\n{shown}");
    }
}

#[test]
fn a_word_that_varies_gets_no_forms_of_its_own() {
    let lines: Vec<String> = (0..600)
        .map(|n| {
            let town = char::from(b'a' + u8::try_from(n * 7 % 20).unwrap());
            format!("request {} of tenant {town}ville took {} ms in all", n * 31 % 997, n * n % 89)
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert!(shown(&lines).starts_with("§template 601 with 1"), "{}", shown(&lines));
}

#[test]
fn lines_of_one_form_become_rows() {
    let lines: Vec<String> = (0..6)
        .map(|n| {
            format!(
                "2024-05-01T12:00:{:02} INFO worker-{} done in {}ms",
                n / 2 + 8,
                n * n % 4,
                n * n + 120
            )
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(
        shown(&lines),
        "§template 7 with 1, empty as before\n\
         ,=2024-05-01T12:00:{} INFO worker-{} done in {}ms\n\
         08,0,120\n\
         ,1,121\n\
         09,0,124\n\
         ,1,129\n\
         10,0,136\n\
         ,1,145"
    );
}

#[test]
fn forms_share_what_stood_in_another() {
    let lines: Vec<String> = (0..12)
        .flat_map(|n| {
            let name = ["zlib", "curl", "bash", "perl"][n * 7 % 4];
            let time = 11 + n * n;
            [
                format!("09:10:{time} unpack package {name} from the archive"),
                format!("09:10:{time} configure package {name} at once"),
            ]
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shown = shown(&lines);
    assert!(shown.contains("\nA =09:10:{a} unpack package {b} from the archive\n"), "{shown}");
    assert!(shown.contains("\nB"), "{shown}");
    assert!(shown.ends_with("\nA 132 curl\nB"), "{shown}");
}

#[test]
fn numbers_that_count_leave_the_rows() {
    let lines: Vec<String> = (0..8)
        .map(|n| {
            format!("64 bytes from 10.0.0.1: icmp_seq={} ttl=64 time={} ms", n + 8, 900 - n * n)
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shown = shown(&lines);
    assert!(shown.contains("icmp_seq={=8+1} ttl=64 time={} ms\n900\n899\n"), "{shown}");
}

#[test]
fn columns_keep_their_width() {
    let lines: Vec<String> = (0..9)
        .map(|n| {
            format!(
                "-rw-r--r-- 1 {:<8} staff {:>9} Nov 22 01:33 file_{n}",
                ["ann", "robert", "li", "maria", "sven", "bo", "jo", "carla", "x"][n],
                [1, 22, 333, 4, 55_555, 6, 7_777_777, 88, 99][n]
            )
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let shown = shown(&lines);
    assert!(shown.contains("-rw-r--r-- 1 {<8} staff {>9} Nov 22 01:33 file_{=0+1}\n"), "{shown}");
    check(&lines).unwrap();
}

#[test]
fn paths_name_their_folder_once() {
    let lines: Vec<String> = (0..12)
        .map(|n| {
            format!(
                "Compiling object src/engine/part{}/file{}.c with flags",
                n / 6,
                (n * 7) % 12 + n
            )
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    check(&lines).unwrap();
    let paths: Vec<String> = (0..12)
        .map(|n| {
            format!(
                "added to index: src/{}/{}",
                ["a/b", "some"][n / 6],
                ["x.rs", "y/z.rs", "w"][n % 3]
            )
        })
        .collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let shown = shown(&paths);
    assert!(shown.contains("index: src/{/}\n") && shown.contains("^w"), "{shown}");
}

#[test]
fn lines_that_look_like_rows_stay_what_they_are() {
    let mut lines: Vec<String> = (0..8)
        .map(|n| format!("request number {n} was answered in {} ms", n * n * 31 % 17))
        .collect();
    // Every letter begins a line, so some look like rows.
    for (at, tag) in ('A'..='Z').chain('a'..='z').enumerate() {
        lines.insert(at % 7 + 1, format!("{tag}1,2"));
        lines.insert(at % 7 + 1, format!("{tag}"));
    }
    lines.insert(3, "\\A1".to_owned());
    lines.insert(3, "A,={}".to_owned());
    check_all(&lines).unwrap();
    assert!(shown(&lines.iter().map(String::as_str).collect::<Vec<_>>()).contains("§template "));
}

#[test]
fn reports_of_errors_stand_verbatim() {
    let lines: Vec<String> = (0..40)
        .map(|n| {
            format!("job {n} {} after {} ms", if n % 9 == 4 { "failed" } else { "ended" }, n * n)
        })
        .collect();
    check_all(&lines).unwrap();
}

#[test]
fn what_is_no_block_of_ours_is_refused() {
    let none = |args: &str, body: &[&str]| {
        assert_eq!(TemplateNotation.decode(args, body, 1000), None, "{args} {body:?}");
    };
    none("", &[]);
    none("with", &["A,={}"]);
    none("with 2, empty as before", &["A,={}"]);
    none("with 99999999999999999999, empty as before", &["A,={}"]);
    none("with 2, empty as before", &["A,={}", "A =x{}"]);
    none("with 2, empty as before", &["A,={}", ",={}"]);
    none("with 2, empty as before", &[",={}", ",={}"]);
    none("with 1, empty as before", &["AB={}"]);
    none("with 1, empty as before", &["A,{}"]);
    none("with 1, empty as before", &["A,={"]);
    none("with 1, empty as before", &["A,={>201}", "A1"]);
    none("with 1, empty as before", &["A,={+x}", "A1"]);
    none("with 1, empty as before", &["A,={A}", "A1"]);
    // No value before; no number to add to; no width; no folder.
    none("with 1, empty as before", &["A,={}", "A"]);
    none("with 1, empty as before", &["A,={+1}", "A,x", "A"]);
    none("with 1, empty as before", &["A,={-1}", "A0", "A"]);
    none("with 1, empty as before", &["A,={>}{}", "A,x,1"]);
    none("with 1, empty as before", &["A,={>}{}", "A999,1"]);
    none("with 1, empty as before", &["A,={/}", "A,a/b", "A,^^c"]);
    none("with 1, empty as before", &["A,=x", "A1"]);
    assert_eq!(
        TemplateNotation.decode("with 1, empty as before", &["A,={>3}|", "A1", "\\A1"], 1000),
        Some("  1|\nA1".into())
    );
}

#[test]
fn a_short_block_that_stands_for_much_is_refused() {
    let mut body = vec!["A,={}".to_owned(), format!("A,{}", "x".repeat(1000))];
    body.extend((0..1000).map(|_| "A".to_owned()));
    let body: Vec<&str> = body.iter().map(String::as_str).collect();
    assert_eq!(TemplateNotation.decode("with 1, empty as before", &body, 100_000), None);
}

/// Lines as programs write them: some forms, filled with values of all kinds.
fn log_lines() -> impl Strategy<Value = Vec<String>> {
    let value = prop_oneof![
        "[0-9]{1,6}",
        "0{0,3}[0-9]{1,2}",
        "[a-f0-9]{7}",
        "(src|lib)(/[ab]{1,2}){0,3}/?",
        "[A-Z]{1,3}",
        "(GET|PUT|)",
        "[a-z]{1,4}( [a-z]{1,3}){0,2}",
        "[,|; \t~{}^\\\\=+]{1,3}",
        "é{1,3}|[ -~]{0,6}",
    ];
    let text = prop_oneof!["[ -~]{1,14}", " {1,3}", "[a-z]{2,8}: ", "\t|\\[|\\{|\\{\\}|, "];
    let forms = prop::collection::vec(prop::collection::vec((text, 0..3_usize), 1..6), 1..3);
    let rows =
        prop::collection::vec((0..4_usize, prop::collection::vec(value, 8), 0..4_u64), 8..50);
    (forms, rows).prop_map(|(forms, rows)| {
        let row = |(at, (form, values, kind)): (usize, (usize, Vec<String>, u64))| {
            let mut line = "the worker said: ".to_owned();
            for ((text, width), value) in forms[form % forms.len()].iter().zip(&values) {
                line += text;
                match (kind, width) {
                    (0, _) => line += &at.to_string(),
                    (_, 1) => line
                        .extend([&" ".repeat(8_usize.saturating_sub(value.len())), value.as_str()]),
                    (_, 2) => line
                        .extend([value.as_str(), &" ".repeat(9_usize.saturating_sub(value.len()))]),
                    _ => line += value,
                }
            }
            line
        };
        rows.into_iter().enumerate().map(row).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn log_lines_decode_to_themselves(lines in log_lines()) {
        check_all(&lines)?;
    }

    #[test]
    fn regular_lines_decode_to_themselves(
        shape in "[a-z]{1,6} on its way to[=:, /-]{1,2}",
        rows in prop::collection::vec((0..30_u32, "[A-Za-z0-9/,. ^]{0,12}", any::<bool>()), 0..50),
    ) {
        let line = |(at, (number, text, odd)): (usize, (u32, String, bool))| {
            if odd { format!("{shape}{number:>4} {text}") } else { format!("{at:03} {shape}{text} {number}") }
        };
        check_all(&rows.into_iter().enumerate().map(line).collect::<Vec<_>>())?;
    }

    #[test]
    fn any_lines_decode_to_themselves(lines in prop::collection::vec("[A-C0-3,= \\t{}\\\\é^/]{0,20}", 0..40)) {
        check_all(&lines)?;
    }

    #[test]
    fn rows_and_forms_as_text_decode_to_themselves(lines in log_lines()) {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let once = shown(&lines);
        let again: Vec<&str> = once.split('\n').filter(|line| !line.contains('§')).collect();
        check(&again)?;
        let both: Vec<&str> = again.iter().chain(&lines).copied().collect();
        check(&both)?;
    }

    #[test]
    fn any_block_is_read_without_panic(
        args in "with [0-9]{1,3}, empty as before|.*",
        forms in prop::collection::vec("[A-C][, ]=([a ]|\\{([<>][0-9]{0,3})?/?[a-c]?(=[0-9]{0,20})?([+-][0-9]{0,20})?\\}){0,6}", 0..4),
        rows in prop::collection::vec("[A-C]?([0-9]{0,20}|[,^ a/]{0,5}){0,4}", 0..12),
    ) {
        let count = format!("with {}, empty as before", forms.len());
        let body: Vec<&str> = forms.iter().chain(&rows).map(String::as_str).collect();
        for args in [count, args] {
            if let Some(text) = TemplateNotation.decode(&args, &body, 5_000) {
                prop_assert!(text.len() <= 5_000);
            }
        }
    }
}

#[test]
fn the_example_of_the_module_reads_as_it_says() {
    let body = [
        "A,=2024-05-01T12:{a}:{b} INFO worker-{} done in {}ms",
        "B,=2024-05-01T12:{a}:{b} INFO cache holds {} pages, tick {=1+1}",
        "A00,01,3,417",
        "B,,,940",
        "A,,02,4,530",
        "A,,,,512",
        "B01,07,944",
    ];
    let text = TemplateNotation.decode("with 2, empty as before", &body, 1000).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "2024-05-01T12:00:01 INFO worker-3 done in 417ms",
            "2024-05-01T12:00:01 INFO cache holds 940 pages, tick 1",
            "2024-05-01T12:00:02 INFO worker-4 done in 530ms",
            "2024-05-01T12:00:02 INFO worker-4 done in 512ms",
            "2024-05-01T12:01:07 INFO cache holds 944 pages, tick 2",
        ]
    );
}
