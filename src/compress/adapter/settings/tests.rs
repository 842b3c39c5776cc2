use proptest::prelude::*;

use super::super::fixture::{PROSE, SHORT_PROSE, any_prose, shortened, shown};
use super::*;
use crate::compress::adapter::laws::detects;

const CARGO: &str = "[package]\nname = \"lampshop\" # the name\nversion = \"0.1.0\"\n\n\
    [dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n\
    tokio = { version = \"1\", features = [\n  \"rt\",\n  \"net\",\n] }\n\n[[bin]]\nname = \"a\"\n\n\
    [[bin]]\nname = \"b\"\n";

#[test]
fn settings_of_several_kinds_are_known() {
    for text in [
        CARGO,
        "# local\nDATABASE_URL=postgres://localhost/shop\nexport SECRET=\"a b\"\nEMPTY=\nKEY=\"-----BEGIN\nAAAA\n-----END\"\n",
        "; php\n[PHP]\nmemory_limit = 128M\nerror_log = /var/log/php.log\n\n[mysqld]\nskip-name-resolve\nport=3306\n",
        "[metadata]\nname = shop\nclassifiers =\n    one\n    two\n\n[options]\npackages = find:\n",
        "spring.datasource.url=jdbc:postgresql://db/shop\r\nserver.port=8080\r\n",
        "[Unit]\nDescription=A shop\nAfter=network.target\n\n[Service]\nEnvironment=A=1\nEnvironment=B=2\nExecStart=/usr/bin/shop --port 80\n",
    ] {
        assert!(detects(&SettingsAdapter, text), "{text}");
    }
    for text in [
        "",
        "a = 1\n",
        "time=12 level=info msg=one\ntime=13 level=info msg=two\ntime=14 level=warn msg=three\n",
        "name: shop\nimage: shop:4\n",
        "set -e\nA=1\nB=2\necho $A $B\n",
        "Words that go on, and on.\nMore words.\n",
        "let a = 1;\nlet b = 2;\nfn c() {}\n",
        "if a == 1\nb = 2\nc = 3\n",
    ] {
        assert!(!detects(&SettingsAdapter, text), "{text}");
    }
}

#[test]
fn comments_and_values_that_are_prose_are_shortened_where_they_are() {
    let lines = |words: &str| words.replace(". ", ".\n# ");
    let text = |words: &str| format!("# {}\nA=1\n  B = \"{words}\"\nC=2\n", lines(words));
    let short = shown(&SettingsAdapter, &text(PROSE));
    assert!(short.contains("\nA=1\n  B = \"") && short.ends_with("\"\nC=2\n"), "{short}");
    assert!(short.contains(&format!("B = \"{SHORT_PROSE}\"")), "{short}");
    assert!(short.len() * 10 < text(PROSE).len() * 8, "{short}");
    assert!(short.lines().all(|line| line.starts_with('#') || line.contains('=')), "{short}");
}

#[test]
fn every_key_of_settings_without_prose_stays() {
    for text in [CARGO, &"# one\n# two\n".repeat(40), "A=1\nB=2\n"] {
        assert_eq!(shown(&SettingsAdapter, text), *text);
    }
}

fn lock(count: usize) -> String {
    let package = |at: usize| {
        let source = if at == 31 { "git" } else { "registry" };
        let extra = if at == 40 { "yanked = true\n" } else { "" };
        format!(
            "[[package]]\nname = \"part-{at}\"\nversion = \"1.{at}.0\"\nsource = \"{source}\"\n\
             checksum = \"{at:064}\"\ndependencies = [\n \"serde\",\n]\n{extra}\n"
        )
    };
    format!("version = 4\n\n{}", (0..count).map(package).collect::<String>())
}

#[test]
fn a_long_list_of_sections_loses_some_that_are_counted() {
    for text in [lock(60), lock(60).replace('\n', "\r\n")] {
        let short = shown(&SettingsAdapter, &text);
        assert!(short.len() * 2 < text.len(), "{short}");
        assert!(short.starts_with("version = 4"), "{short}");
        assert!(short.contains("yanked = true") && short.contains("part-59"), "{short}");
        let marks = short
            .lines()
            .filter_map(|line| elision::mark_items(line.strip_prefix("# ")?, SECTION_NOUN));
        let left = short.matches("[[package]]").count();
        assert_eq!(left + marks.sum::<usize>(), 60);
        assert_eq!(shown(&SettingsAdapter, &short), short);
    }
    assert_eq!(shown(&SettingsAdapter, &lock(8)), lock(8));
}

#[test]
fn what_says_something_else_does_not_hold() {
    let text = lock(60);
    let good = shown(&SettingsAdapter, &text);
    assert!(SettingsAdapter.holds(&text, &good));
    let mark = good.lines().find(|line| line.starts_with("# … ")).unwrap();
    for bad in [
        good.replacen(mark, "# … 1 more section", 1),
        good.replacen(mark, "", 1),
        good.replace("version = 4", "version = 5"),
        good.replace("version = 4\n", ""),
        good.clone() + "A=1\n",
    ] {
        assert!(bad != good && !SettingsAdapter.holds(&text, &bad), "{bad}");
    }
}

#[test]
fn hostile_settings_are_read_once() {
    for bit in ["a=[\n", "a=\"\n", "[[a]]\n", "a=\n", "#\n", "a='''\n", "[a]\n", "a=1\n", " a\n"] {
        let text = format!("a=1\nb=2\n{}", bit.repeat(100_000));
        let _ = detects(&SettingsAdapter, &text);
        let _ = shortened(&SettingsAdapter, &text);
    }
}

fn any_settings() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        3 => (0..30_u8, "[a-z0-9 ]{0,9}").prop_map(|(at, value)| format!("key_{at} = {value}")),
        1 => (0..30_u8, any_prose()).prop_map(|(at, words)| {
            format!("text_{at} = \"{}\"", words.replace(['\n', '"', '\\'], " "))
        }),
        1 => any_prose().prop_map(|words| format!("# {}", words.replace('\n', "\n# "))),
        1 => prop::sample::select(vec!["", "[a]", "[[b]]", "[b.c]", "list = [\n 1,\n 2,\n]", "; x"])
            .prop_map(str::to_owned),
    ];
    let section = prop::collection::vec(0..9_u8, 0..60).prop_map(|sections| {
        let one = |at: u8| format!("[[s]]\nname = \"{at}\"\nvalue = {at}\n");
        sections.into_iter().map(one).collect::<String>()
    });
    (prop::collection::vec(key, 2..20), section, any::<bool>()).prop_map(
        |(keys, list, is_windows)| {
            let text = format!("{}\n{list}", keys.join("\n"));
            if is_windows { text.replace('\n', "\r\n") } else { text }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_is_shown_has_the_same_keys(text in any_settings()) {
        let shortened = shortened(&SettingsAdapter, &text);
        prop_assert!(shortened.reverted.is_empty(), "{}", text);
        if let Some(shown) = shortened.text.filter(|_| shortened.used == ["settings"]) {
            prop_assert!(shown.len() < text.len());
            let keys = |text: &str| {
                let known = text.lines().filter_map(|line| line.split_once(" = "));
                known.map(|(key, _)| key.to_owned()).collect::<std::collections::BTreeSet<_>>()
            };
            prop_assert_eq!(keys(&shown), keys(&text));
        }
    }

    #[test]
    fn any_text_may_come(text in "(a ?= ?|\\[|\\]|\"|'|#|;|\\{|\\}|\\\\|[a-c]|\r?\n| |\\PC){0,80}") {
        let _ = shortened(&SettingsAdapter, &format!("a=1\nb=2\n{text}"));
    }
}
