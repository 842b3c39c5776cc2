use proptest::prelude::*;

use super::*;
use crate::compress::segment::segment;
use crate::json::{self, Limits};

fn read(text: &str) -> Option<StructuredText> {
    StructuredText::read(text, &segment(text))
}

fn shown(text: &str, bytes: usize) -> String {
    let document = read(text).unwrap_or_else(|| panic!("no document: {text}"));
    document.fill(text, bytes).unwrap_or_else(|| text.to_owned())
}

#[test]
fn members_and_items_go_and_are_counted() {
    let row = |at: usize| {
        let state = if at == 31 { "lost" } else { "open" };
        format!(r#""part-{at}": {{"state": "{state}", "count": 3, "owner": "team {}"}}"#, at % 4)
    };
    let rows: Vec<String> = (0..60).map(row).collect();
    let text = format!(r#"{{"version": 2, "parts": {{{}}}}}"#, rows.join(", "));
    let short = shown(&text, 600);
    assert!(short.contains(r#""version": 2"#) && short.contains("\"lost\""), "{short}");
    let node = json::parse(&short, Limits::default()).unwrap();
    let parts = node.get("parts").and_then(|parts| parts.as_object()).unwrap();
    assert!(parts.len() < 20, "{short}");
    assert!(short.contains(r#""…": "… "#) && short.contains("more members"), "{short}");
}

#[test]
fn elements_go_and_are_counted() {
    let item = |at: usize| {
        let state = if at == 31 { "recalled" } else { "sold" };
        format!("  <item id=\"i{at}\"><state>{state}</state><count>{}</count></item>\n", at % 3)
    };
    let text = format!(
        "<?xml version=\"1.0\"?>\n<list>\n{}</list>\n",
        (0..60).map(item).collect::<String>()
    );
    let short = shown(&text, 400);
    assert!(short.starts_with("<?xml version=\"1.0\"?>") && short.contains("recalled"), "{short}");
    assert!(short.contains("<!-- … ") && short.trim_end().ends_with("</list>"), "{short}");
    assert!(roxmltree::Document::parse(&short).is_ok(), "{short}");
}

#[test]
fn comments_and_blank_lines_are_not_counted_and_do_not_take_the_place_of_elements() {
    let items = |blank: &str| {
        let item = |at: usize| format!("- id: {at}\n  name: n{at}\n{blank}");
        (0..60).map(item).collect::<String>()
    };
    for blank in ["\n", "# aside\n", "\n  # aside\n"] {
        let text = format!("items:\n{}", items(blank));
        let short = shown(&text, 300);
        let read: yaml_serde::Value = yaml_serde::from_str(&short).unwrap();
        let shown = read["items"].as_sequence().unwrap().len();
        let counts = short.lines().filter_map(|line| line.trim().strip_prefix("# … "));
        let gone: usize =
            counts.filter_map(|count| count.split(' ').next()?.parse::<usize>().ok()).sum();
        assert_eq!(shown + gone, 60, "{short}");
    }
    let server = |at: usize| format!("  <server id=\"s{at}\"/>\n  <!-- note {at} -->\n");
    let servers: String = (0..40).map(server).collect();
    let licence = "<!--\n".to_owned()
        + &"  Licensed under some terms, without any warranty.\n".repeat(20)
        + "-->\n";
    let text = format!("<?xml version=\"1.0\"?>\n{licence}<settings>\n{servers}</settings>\n");
    let short = shown(&text, 300);
    let document = roxmltree::Document::parse(&short).unwrap();
    let shown = document.root_element().children().filter(|node| node.is_element()).count();
    assert!(shown > 4 && !short.contains("warranty"), "{short}");
    let gone: usize = short
        .split("… ")
        .skip(1)
        .filter_map(|rest| rest.split(' ').next()?.parse::<usize>().ok())
        .sum();
    assert_eq!(shown + gone, 40, "{short}");
}

#[test]
fn collections_of_several_lines_are_left_out_as_a_whole() {
    let entry = |at: usize| {
        format!(
            "part{at}:\n  list: [\n    one{at},\n    \"] two\", # aside\n  ]\n  map: {{a: [1,\n  2], b: 3\n}}\n  state: open\n"
        )
    };
    let text: String = (0..40).map(entry).collect();
    assert!(yaml_serde::from_str::<yaml_serde::Value>(&text).is_ok());
    for bytes in [60, 200, 500, 1_500] {
        let short = shown(&text, bytes);
        assert!(short.len() < text.len() / 2 && short.contains("# … "), "{short}");
        assert!(yaml_serde::from_str::<yaml_serde::Value>(&short).is_ok(), "{short}");
    }
}

#[test]
fn entries_of_yaml_go_and_what_is_pointed_at_stays() {
    let entry = |at: usize| {
        format!(
            "  part{at}:\n    <<: *base\n    text: |\n      line {at}\n      # no comment\n    list:\n    - one\n    - two\n"
        )
    };
    let text =
        format!("base: &base\n  count: 3\nparts:\n{}", (0..40).map(entry).collect::<String>());
    for bytes in [60, 200, 500, 1_500] {
        let short = shown(&text, bytes);
        assert!(short.contains("&base") && short.contains("# … "), "{short}");
        assert!(yaml_serde::from_str::<yaml_serde::Value>(&short).is_ok(), "{short}");
    }
}

#[test]
fn pages_lose_scripts_first() {
    let row =
        |at: usize| format!("<tr><td>part {at}<td>{}</tr>\n", if at == 9 { "down" } else { "up" });
    let rows: String = (0..50).map(row).collect();
    let text = format!(
        "<!DOCTYPE html>\n<html><head><title>Parts</title><script>if (a < b) {{ go(); }}</script></head>\n<body><h1>State of parts</h1><table>\n{rows}</table></body></html>\n"
    );
    let short = shown(&text, 300);
    assert!(short.contains("State of parts") && short.contains("down"), "{short}");
    assert!(!short.contains("go();") && short.ends_with("</html>\n"), "{short}");
}

#[test]
fn drawings_have_no_names() {
    let row = |at: usize| {
        let line =
            "M0 96C0 78.3 14.3 64 32 64H416c17.7 0 32 14.3 32 32s-14.3 32-32 32H32C14.3 128 0"
                .repeat(3);
        let state = if at == 9 { "down" } else { "up" };
        format!(
            "<li><a href=\"/{at}\"><svg viewBox=\"0 0 9 9\"><path d=\"{line}\"/></svg></a><b>part {at} is {state}</b></li>\n"
        )
    };
    let rows: String = (0..30).map(row).collect();
    let text =
        format!("<!DOCTYPE html>\n<html><body><h1>Parts</h1><ul>\n{rows}</ul></body></html>\n");
    let short = shown(&text, 900);
    assert!(short.contains("part 9 is down") && !short.contains("<path"), "{short}");
}

#[test]
fn a_document_shows_what_it_is_and_how_it_ends() {
    let job = |at: usize| format!("  job{at}:\n    on: linux\n    run: make part{at} {}\n", at * 7);
    let jobs: String = (0..20).map(job).collect();
    let text = format!(
        "name: ci\non: [push]\njobs:\n{jobs}  deploy:\n    needs: [job1]\n    if: main\n    steps:\n      - run: ./deploy.sh\n"
    );
    let short = shown(&text, 220);
    assert!(short.contains("name: ci") && short.contains("./deploy.sh"), "{short}");
}

#[test]
fn hostile_texts_are_read_once() {
    let bits = [
        "<a>", "<a/>", "</a>", "<!--", "<script>", "<li>", "<a b='", "[", "[1,", "{\"a\":", "- ",
        "a:\n", "a: |\n", "a: \"\n", "  a:\n", "# b\n", "1,2\n", "\"", "&",
    ];
    for bit in bits {
        for text in [bit.repeat(100_000), format!("<r>{}</r>", bit.repeat(100_000))] {
            if let Some(document) = read(&text) {
                let _ = document.fill(&text, text.len() / 10);
            }
        }
    }
}

fn any_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        "-?[1-9][0-9]{0,5}",
        "[a-z ]{0,300}".prop_map(|text| format!("\"{text}\"")),
        Just(r#""a\"b\\c\né""#.to_owned()),
    ];
    leaf.prop_recursive(5, 90, 9, |inner| {
        let items = prop::collection::vec(inner, 0..9);
        (items, any::<bool>()).prop_map(|(items, is_object)| {
            let member = |(at, item): (usize, &String)| format!("\"key{at}\" : {item}");
            if is_object {
                let members: Vec<String> = items.iter().enumerate().map(member).collect();
                format!("{{{}}}", members.join(","))
            } else {
                format!("[ {}]", items.join(",\n "))
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn json_parses_at_every_size_and_more_room_shows_more(value in any_value(), sizes in prop::array::uniform4(1_usize..3_000)) {
        let text = format!("[{value}, {value}, {value}]");
        let mut sizes = sizes;
        sizes.sort_unstable();
        let mut before = 0;
        if let Some(document) = read(&text) {
            for bytes in sizes {
                let shown = document.fill(&text, bytes).unwrap_or_else(|| text.clone());
                prop_assert!(json::parse(&shown, Limits::default()).is_ok(), "{} of {}", shown, text);
                let order = document.order.get().expect("it was asked for");
                let kept = order.first(&document.tree, bytes).iter().filter(|kept| **kept).count();
                prop_assert!(kept >= before);
                before = kept;
            }
        }
    }

    #[test]
    fn any_text_may_come(
        text in "(<[a-c]>|</[a-c]>|<[a-c]/>|[a-c]: |- |\n|\n  |\\{|\\}|\\[|\\]|\"|,|[a-z0-9 ]{1,30}){0,80}",
        bytes in 0_usize..400,
    ) {
        for text in [text.clone(), format!("<doc>{text}</doc>"), format!("a:\n  b: 1\n{text}")] {
            if let Some(document) = read(&text) {
                let _ = document.fill(&text, bytes);
            }
        }
    }
}
