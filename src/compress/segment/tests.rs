//! Every kind on a text of its own, and the traps.

use super::*;

fn kinds(text: &str) -> Vec<Kind> {
    segment(text).into_iter().map(|span| span.kind).collect()
}

#[track_caller]
fn is_one(kind: Kind, text: &str) {
    assert_eq!(kinds(text), [kind], "{text}");
}

/// The texts of the spans of one kind.
fn parts(kind: Kind, text: &str) -> Vec<&str> {
    let of_kind = segment(text).into_iter().filter(|span| span.kind == kind);
    of_kind.map(|span| &text[span.range]).collect()
}

#[test]
fn prose_with_words_of_formats_is_prose() {
    for text in [
        "If the first supplier is late the delay can cascade through the rest of the week. The \
         people in the store then have to call every customer by phone.",
        "The constraint is a boolean, returning an integer where values trigger it from the view.",
        "The small plan costs $5 a month and the large one costs $12, as it did last year.",
        "First we read → then we write. Nothing else happens.",
        "Anna: I think we should go there by train.\nBoris: Fine with me, let us meet at noon.",
        "Anna: yes\nBoris: no\nAnna: why",
        "Hello, everyone\nthank you, all of you\nand see you, next week",
        "the test_user_can_login_with_2fa_enabled case fails.",
    ] {
        is_one(Kind::Prose, text);
    }
}

#[test]
fn json_is_found_whole_and_by_line() {
    is_one(Kind::Json, "{\n  \"a\": [1, 2.5e3, null],\n  \"b\": {\"c\": \"d\\n\"}\n}\n");
    is_one(Kind::JsonLines, "{\"a\":1}\n{\"a\":2}\n{\"a\":3}");
    let text = "The answer is:\n\n[\n  {\"id\": 1},\n  {\"id\": 2}\n]\n\nIt has two rows.";
    assert_eq!(kinds(text), [Kind::Prose, Kind::Json, Kind::Prose]);
    assert_eq!(parts(Kind::Json, text), ["[\n  {\"id\": 1},\n  {\"id\": 2}\n]\n\n"]);
}

#[test]
fn what_only_begins_like_json_is_not_json() {
    for text in [
        "{ see above }",
        "[1] The first note of this page.",
        "[see the list below]",
        "{\"a\": 1",
        "{\"a\" 1}",
        "{\"a\":1]",
        "{}",
        "[1]",
    ] {
        assert!(!kinds(text).contains(&Kind::Json), "{text}");
    }
}

#[test]
fn fences_pair_as_in_commonmark() {
    let text = "Text before it.\n\n````md\n```rust\nfn a() {}\n```\n````\n\nAnd after it.\n\n~~~\n```\n~~~\n";
    assert_eq!(
        parts(Kind::Fence, text),
        ["````md\n```rust\nfn a() {}\n```\n````\n\n", "~~~\n```\n~~~\n"]
    );
    assert_eq!(kinds("```\n```\n```\n```"), [Kind::Fence, Kind::Fence]);
    is_one(Kind::Fence, "```python\nimport shutil\n\nx = 1\n");
    // A backtick in the info string, and indented code, are no fences.
    assert!(!kinds("``` a`b\nx\n").contains(&Kind::Fence));
    assert!(!kinds("text\n\n     ```\n     x\n").contains(&Kind::Fence));
}

#[test]
fn a_fence_in_a_list_item_ends_with_it() {
    let text = "- do this:\n\n  1. and this\n\n     ```sh\n     ls\n     ```\n- next one\n";
    assert_eq!(parts(Kind::Fence, text), ["     ```sh\n     ls\n     ```\n"]);
    let open = "- item\n  ```\n  code\nnot in the list\n";
    assert_eq!(parts(Kind::Fence, open), ["  ```\n  code\n"]);
    assert_eq!(parts(Kind::Fence, "- ```\n  x\n  ```\n- b\n"), ["- ```\n  x\n  ```\n"]);
}

#[test]
fn diffs_keep_what_their_hunks_hold() {
    let diff = "diff --git a/README.md b/README.md\nindex 1..2 100644\n--- a/README.md\n+++ b/README.md\n@@ -1,4 +1,4 @@\n ```\n-a\n+2024-01-01 00:00:00 b\n\n ```\n@@ -9 +9 @@ tail\n-x\n\\ No newline at end of file\n+y\n";
    is_one(Kind::Diff, diff);
    assert_eq!(
        kinds(&format!("Here it is:\n\n{diff}That is all of it.")),
        [Kind::Prose, Kind::Diff, Kind::Prose]
    );
}

#[test]
fn markup_needs_balance_and_structure() {
    is_one(
        Kind::Xml,
        "<?xml version=\"1.0\"?>\n<note a=\"x>y\">\n  <!-- c -- d -->\n  <to>Dana</to><port/>\n  <![CDATA[ < ]]>\n</note>",
    );
    is_one(Kind::Xml, "<note><to>Dana</to><port>8080</port><ok>true</ok></note>");
    is_one(
        Kind::Html,
        "<!DOCTYPE html>\n<html>\n<body><p>One<p>Two<br>\n<script>if (a < b) {}</script>\n</body>\n</html>\n",
    );
    is_one(Kind::Html, "<table>\n<tr><td>1</td><td>2</td></tr>\n</table>");
    for text in [
        "<thinking>\nWe should go there by train.\n</thinking>",
        "<a><b></a></b>",
        "<T as Trait>",
        "a < b > c",
    ] {
        assert!(!kinds(text).iter().any(|kind| matches!(kind, Kind::Xml | Kind::Html)), "{text}");
    }
}

#[test]
fn documents_and_what_their_blocks_hold_are_one_text_of_yaml() {
    let script = |at: usize| {
        format!(
            "kind: ConfigMap\nmetadata:\n  name: c{at}\ndata:\n  run: |\n    #!/bin/sh\n    # hash\n    id,item\n    1,lamp\n    2,oar\n"
        )
    };
    let documents = [script(1), script(2), script(3)].join("---\n");
    for text in [&*documents, include_str!("../../../openapi.yaml")] {
        let spans = segment(text);
        let other = spans.iter().find(|span| span.kind != Kind::Yaml);
        let line = other.map(|span| {
            (span.kind, &text[span.range.start..span.range.end.min(span.range.start + 300)])
        });
        assert_eq!(line, None);
    }
}

#[test]
fn yaml_needs_keys_that_nest_or_hold_values() {
    is_one(
        Kind::Yaml,
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels: {a: b}\n\nspec:\n  containers:\n  - image: shop@sha256:abc\n    args: [\"x\"]\n  script: |\n    if [ -f x ]; then\n      echo y\n    fi\n",
    );
    is_one(
        Kind::Yaml,
        "name: lampshop\nimage: shop:4.2\nreplicas: 2\ndescription: The service takes the orders of the shop and hands them on.",
    );
    is_one(Kind::Yaml, "- name: a\n  value: 1\n- name: b\n  value: 2\n");
    is_one(Kind::Yaml, "- { name: a, value: 1 }\r\n- { name: b, value: [2] }\r\n");
    is_one(Kind::Yaml, "paths:\n  /:\n    get: 1\n  /a/{id}:\n    get: 2\n");
}

#[test]
fn rows_of_one_width_are_csv() {
    is_one(
        Kind::Csv { separator: b',' },
        "id,name,price\n1,\"Lamp, \"\"big\"\"\",2.50\n2,\"two\nlines\",3\n",
    );
    is_one(Kind::Csv { separator: b'\t' }, "a\tb c\td\n1\t2\t3\n4\t5\t6\n");
}

#[test]
fn rows_with_blanks_are_csv_if_they_are_no_sentences() {
    let rows = |row: &dyn Fn(usize) -> String| (1..9).map(row).collect::<String>();
    is_one(Kind::Csv { separator: b',' }, &rows(&|at| format!("part-{at}, {}\n", at * 7)));
    is_one(
        Kind::Csv { separator: b';' },
        &rows(&|at| format!("{at} parts;  {:>4}; open\n", at * 7)),
    );
    for text in [
        rows(&|at| format!(" src/part_{at}.rs | {at} ++--\n")),
        rows(&|at| format!("    \"part {at} was read, and {at} of it\",\n")),
        rows(&|at| format!("We went to part {at} of it, and it was cold there\n")),
        rows(&|at| format!("Ann said {at}, Bob said no.\n")),
        rows(&|_| "red, green\n".to_owned()),
    ] {
        assert!(!kinds(&text).iter().any(|kind| matches!(kind, Kind::Csv { .. })), "{text}");
    }
}

#[test]
fn a_byte_order_mark_belongs_to_the_first_part() {
    let text = "\u{feff}{\n  \"a\": [1, 2]\n}\n\nWords that go on, and on.\n";
    assert_eq!(kinds(text), [Kind::Json, Kind::Prose]);
    assert_eq!(segment(text)[0].range.start, 0);
    is_one(Kind::Csv { separator: b',' }, "\u{feff}a,b\n1,2\n3,4\n");
    is_one(Kind::Prose, "\u{feff}");
}

#[test]
fn comments_of_scripts_are_no_headings() {
    for text in [
        "#!/bin/sh\n# One. It is the first.\necho \"a b c d\"\n# Two\nls\n",
        "# The image.\nFROM a AS b\n# More words of it.\nRUN x \\\n  && y\nCMD [\"z\"]\n",
        "# Ignored\n*.log\n/target\nnode_modules/\n# kept\n!keep.txt\n",
        "# m h dom mon dow\n0 5 * * * /usr/bin/backup\n*/5 * * * * /usr/bin/check\n",
        "# Pinned\ndjango==4.2\nrequests>=2.0\n",
    ] {
        is_one(Kind::Code, text);
    }
    for text in [
        "# One\n\nSome words that a person wrote, and more of them.\n\n## Two\n\nmake test\n",
        "# List\n\n- run `make --all`\n- then `ls -l | wc`\n",
        "# Table\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "From the sea, and from the hills,\nthey came\n",
    ] {
        assert!(!kinds(text).contains(&Kind::Code), "{text}");
    }
}

#[test]
fn the_root_of_xml_may_have_any_name() {
    let body = "<article><title>a</title><p>b</p></article>";
    is_one(Kind::Html, body);
    is_one(Kind::Xml, &format!("<?xml version=\"1.0\"?>\n{body}"));
    is_one(Kind::Xml, &format!("<!DOCTYPE article PUBLIC \"x\" \"y\">\n{body}"));
    is_one(Kind::Xml, &body.replacen("<article>", "<article xmlns='urn:a'>", 1));
    is_one(
        Kind::Html,
        &body.replacen("<article>", "<article xmlns='http://www.w3.org/1999/xhtml'>", 1),
    );
    is_one(Kind::Html, "<p>a</p><p>b <b>c</b></p>\n");
}

#[test]
fn logs_are_runs_of_entries() {
    is_one(
        Kind::Log,
        "2024-01-02T03:04:05Z INFO start\n2024-01-02T03:04:06Z ERROR broken\n  because of that\n2024-01-02T03:04:07Z INFO end\n",
    );
    is_one(Kind::Log, "[INFO] one\n[WARN] two\n");
    is_one(Kind::Log, "Jan  2 03:04:05 host sshd[1]: a\nJan  2 03:04:06 host sshd[1]: b\n");
    is_one(
        Kind::Log,
        "   Compiling a v1.0.0\n   Compiling b v1.2.0\n   Compiling c v0.1.0\n   Compiling d v3.0.1\n",
    );
}

#[test]
fn runners_of_tests_are_known() {
    is_one(
        Kind::Test,
        "running 2 tests\ntest a::b ... ok\ntest a::c ... FAILED\n\nfailures:\n\n---- a::c stdout ----\nleft: 1\n\ntest result: FAILED. 1 passed; 1 failed\n",
    );
    is_one(
        Kind::Test,
        "============ test session starts ============\ncollected 2 items\n\ntests/test_a.py .F                [100%]\n\nE   assert 1 == 2\n\n===== 1 failed, 1 passed in 0.12s =====\n",
    );
    is_one(Kind::Test, "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tpkg/a\t0.003s\n");
    is_one(Kind::Test, "TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b\n");
    is_one(
        Kind::Test,
        " ✓ src/a.test.ts (3 tests)\n ✓ src/b.test.ts (1 test)\n\n Test Files  2 passed (2)\n",
    );
    is_one(Kind::Test, "test_a (m.T) ... ok\ntest_b (m.T) ... FAIL\n\nRan 2 tests in 0.001s\n");
}

#[test]
fn traces_hold_their_message() {
    is_one(
        Kind::Trace,
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nKeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 5, in h\nValueError: y\n",
    );
    is_one(
        Kind::Trace,
        "Exception in thread \"main\" java.lang.IllegalStateException: x\n\tat a.B.c(B.java:3)\n\tat a.B.main(B.java:9)\nCaused by: java.io.IOException\n\tat a.D.e(D.java:1)\n\t... 12 more\n",
    );
    is_one(
        Kind::Trace,
        "TypeError: x is not a function\n    at f (/a/b.js:1:2)\n    at node:internal/main:3:4\n",
    );
    is_one(
        Kind::Trace,
        "thread 'main' panicked at src/main.rs:2:5:\nboom\nstack backtrace:\n   0: core::panicking::panic\n             at /rustc/x.rs:1:2\nnote: some details\n",
    );
    is_one(
        Kind::Trace,
        "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/a/main.go:3 +0x1\n\ngoroutine 2 [chan receive]:\nmain.f()\n\t/a/main.go:9 +0x2\n",
    );
}

#[test]
fn numbered_lines_follow_each_other() {
    for text in [
        "     1\tfn a() {\n     2\t\n     3\t}\n",
        "12→a\n13→\n14→b\n",
        "1459:a\n1460:b\n1461:c\n",
        " 9| a\n10| b\n11| c\n",
    ] {
        is_one(Kind::Numbered, text);
    }
    for text in ["1. one\n2. two\n3. three\n", " 1 | ann | 3\n 2 | ben | 4\n 3 | cy  | 5\n"] {
        assert!(!kinds(text).contains(&Kind::Numbered), "{text}");
    }
}

#[test]
fn hits_of_a_search_are_known() {
    is_one(Kind::Search, "src/a.rs:12:fn a() {\nsrc/a.rs-13-}\n--\nsrc/b.rs:3:5:fn b() {}\n");
    is_one(
        Kind::Search,
        "Cargo.toml:[a]\nCargo.toml:b = 1\nsrc/a.rs:12:c\nBinary file d matches\n",
    );
    assert!(!kinds("10.0.0.1:80\n10.0.0.2:80\n10.0.0.3:80\n").contains(&Kind::Search));
    is_one(Kind::Search, "src/a.rs\n12:fn a() {\n40:fn c() {\n\nsrc/b.rs\n3:fn b() {}\n");
}

#[test]
fn listings_are_known() {
    is_one(
        Kind::Listing,
        "total 8\n-rw-r--r-- 1 a a 12 Jan 2 03:04 x\ndrwxr-xr-x 2 a a 4096 Jan 2 03:04 src\n",
    );
    is_one(Kind::Listing, "./src/a.rs\n./src/b.rs\n./README\n");
    is_one(Kind::Listing, ".\n├── a.rs\n│   └── b\n└── c.rs\n");
    is_one(Kind::Listing, "docs/ (2)\n  a.md\n  b.md\nMakefile\n");
}

#[test]
fn source_outside_fences_is_code() {
    is_one(
        Kind::Code,
        "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"a\")\n}\n",
    );
    is_one(
        Kind::Code,
        "import jwt from \"jsonwebtoken\";\n\nexport function verify(token: string) {\n  // a comment\n  return jwt.verify(token, process.env.KEY);\n}\n",
    );
    is_one(
        Kind::Code,
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n",
    );
    is_one(Kind::Code, "def f(x):\n    if x > 1:\n        return x\n    return None\n");
}

#[test]
fn markdown_tells_its_parts() {
    use Part::{FrontMatter, Heading, List, Quote, Table};
    let text = "---\ntitle: A\n---\n# One\n\nSome words here.\n\n- a\n- b\n  more\n\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n***\n";
    let markdown = Kind::Markdown;
    assert_eq!(
        kinds(text),
        [
            markdown(FrontMatter),
            markdown(Heading),
            Kind::Prose,
            markdown(List),
            markdown(Quote),
            markdown(Table),
            markdown(Heading)
        ]
    );
}

#[test]
fn base64_is_a_part_where_it_is_long() {
    let line = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAx";
    is_one(Kind::Base64, &format!("{line}\n{line}\n{line}\nQUI=\n"));
    is_one(Kind::Base64, "-----BEGIN CERTIFICATE-----\nMIIB\nAAAA\n-----END CERTIFICATE-----\n");
    let inside = format!("see data:image/png;base64,{} here", line.repeat(4));
    assert_eq!(kinds(&inside), [Kind::Prose, Kind::Base64, Kind::Prose]);
    assert_eq!(kinds(&format!("a digest {} in words", "0f".repeat(30))), [Kind::Prose]);
}

#[test]
fn json_inside_one_line_is_a_part() {
    let json = format!("{{\"a\":\"{}\"}}", "x y ".repeat(60));
    assert_eq!(parts(Kind::Json, &format!("Result: {json} (done)")), [json.as_str()]);
}

#[test]
fn blank_lines_belong_to_what_they_follow() {
    assert_eq!(segment("\n\nab\n\n"), [Span { kind: Kind::Prose, range: 0..6 }]);
    assert_eq!(segment(" \n\t"), [Span { kind: Kind::Prose, range: 0..3 }]);
    assert_eq!(segment(""), []);
}

#[test]
fn hostile_texts_are_one_or_few_parts() {
    // Deeper than any stack of calls would bear.
    for unit in ["a", " ", "-", "[", "{\"a\":", "<a>", "[\n", "<a b=\"\n", "- ", "> "] {
        let text = unit.repeat(100_000 / unit.len());
        assert!(segment(&text).len() <= 2, "{unit:?}");
    }
    let fences = "````x\n```\n".repeat(10_000);
    is_one(Kind::Fence, &fences);
}
