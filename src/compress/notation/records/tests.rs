//! The laws of the notations, and what their blocks look like.

use proptest::prelude::*;

use super::*;
use crate::compress::notation::tests::blocks;

fn shown(notation: &dyn Notation, text: &str) -> String {
    let found = blocks(notation, text);
    assert_eq!(found.len(), 1, "{found:?}");
    format!(
        "{}\n{}",
        found[0].block.args,
        found[0].block.body.lines().collect::<Vec<_>>().join("\n")
    )
}

#[test]
fn maps_in_a_list_become_rows() {
    let text = "ports:\n- name: web\n  port: 80\n  protocol: TCP\n- name: admin\n  port: 8080\n  protocol: TCP\n- name: x\n  protocol: TCP\nend: 1";
    assert_eq!(
        shown(&YamlRecordsNotation, text),
        "indent 2\n- {name,port,protocol=TCP} ×3\nweb,80\nadmin,8080\nx,"
    );
}

#[test]
fn maps_of_maps_become_rows_with_their_key_in_front() {
    let text = "codes:\n  '400':\n    $ref: bad\n    more:\n      a: 1\n  '404':\n    $ref: none, at all\n    more:\n      a: 1\n  '500':\n    $ref: x\n    list:\n    - p\n    - q r\n# a comment\nend: 1";
    assert_eq!(
        shown(&YamlRecordsNotation, text),
        "indent 2\n  *: {$ref|list|more{a}} ×3\n'400'|bad||1\n'404'|none, at all||1\n'500'|x|-[p,q r]|"
    );
}

#[test]
fn maps_on_one_line_become_rows() {
    let text = "- { name: { common: Aruba, official: Aruba }, tld: [.aw, x], cur: { AWG: { a: 1 } }, id: '1' }\n- { name: { common: Chad, official: 'Republic, of' }, tld: [], cur: { XAF: { a: 1 } } }\n- { name: { common: Peru, official: Peru }, tld: [.pe], cur: null }";
    assert_eq!(
        shown(&YamlRecordsNotation, text),
        "indent 2\n- { name{common,official},tld,cur,id } ×3\nAruba,=,[.aw, x],{ AWG: { a: 1 } },'1'\nChad,'Republic, of',[],{ XAF: { a: 1 } },\nPeru,=,[.pe],null,"
    );
}

#[test]
fn attributes_become_columns_and_rare_ones_keep_their_names() {
    let row = |at: usize| {
        let rare = if at == 3 { " z=\"1, 2\"" } else { "" };
        let title = if at == 4 { "" } else { " title=\"\"" };
        format!("  <book id=\"b{at}\"{rare} lang=\"en\"{title} year=\"19{at}0\"/>")
    };
    let rows: Vec<String> = (0..9).map(row).collect();
    let text = format!("<books>\n{}\n</books>", rows.join("\n"));
    let expected = "indent 2\n  <book {id,*,lang=en,title,year}/> ×9\nb0,,\"\",1900\nb1,,\"\",1910\nb2,,\"\",1920\nb3,z=\"1, 2\",\"\",1930\nb4,,,1940\nb5,,\"\",1950\nb6,,\"\",1960\nb7,,\"\",1970\nb8,,\"\",1980";
    assert_eq!(shown(&XmlRecordsNotation, &text), expected);
    // One in another order keeps its name, too.
    let text = text.replace("<book id=\"b5\" lang=\"en\"", "<book lang=\"en\" id=\"b5\"");
    assert!(
        shown(&XmlRecordsNotation, &text).contains("id=\"b5\",\"\",1950"),
        "{}",
        shown(&XmlRecordsNotation, &text)
    );
}

#[test]
fn elements_of_text_become_columns() {
    let text = "<list>\n\t<dep>\n\t\t<group>org.a</group>\n\t\t<of>\n\t\t\t<v>1.0</v>\n\t\t</of>\n\t</dep>\n\t<dep>\n\t\t<group>org.b</group>\n\t\t<of>\n\t\t\t<v>1.0</v>\n\t\t</of>\n\t\t<scope>test</scope>\n\t</dep>\n</list>";
    assert_eq!(
        shown(&XmlRecordsNotation, text),
        "tab\n\t<dep> {group,of{v=1.0},scope} </dep> ×2\norg.a,\norg.b,test"
    );
    let text = "<item><id>1</id><name>a, b</name></item>\n<item><id>2</id><name>c</name></item>\n<item><id>3</id></item>";
    assert_eq!(
        shown(&XmlRecordsNotation, text),
        "\n<item>{id,name}</item> ×3\n1,\"a, b\"\n2,c\n3,"
    );
    let text = "<string name=\"app\">My App</string>\n<string name=\"ok\">OK</string>\n<string name=\"no\"></string>";
    assert_eq!(
        shown(&XmlRecordsNotation, text),
        "\n<string {name}>*</string> ×3\napp,My App\nok,OK\nno,\"\""
    );
}

#[test]
fn lines_between_tables_stand_as_they_are() {
    let rows = "- name: web\n  port: 80\n- name: admin\n  port: 8080\n- name: other\n  port: 9090";
    let more = rows.replace("web", "x").replace("admin", "y").replace("other", "z");
    let text = format!("# first\n{rows}\n\ntext: |\n  any\n  - thing\n{more}\nlast: 1");
    let table = "{name,port} ×3\nweb,80\nadmin,8080\nother,9090";
    let again = "{} ×3\nx,80\ny,8080\nz,9090";
    assert_eq!(
        shown(&YamlRecordsNotation, &text),
        format!("indent 2\n- {table}\n\ntext: |\n  any\n  - thing\n- {again}")
    );
    assert!(blocks(&YamlRecordsNotation, &text.replace("  any", "  any ×3")).is_empty());
}

#[test]
fn stretches_that_stand_again_are_named() {
    let spec = "spec:\n    image: registry.example.org/worker\n    command: [run, --verbose]\n    ports:\n    - {a: 1}\n";
    let text = format!("worker:\n  {spec}scheduler:\n  {spec}end: 1");
    assert_eq!(
        shown(&YamlRecordsNotation, &text),
        "indent 2, *1 repeats the lines from &1 on\n  spec: &1 5\n    image: registry.example.org/worker\n    command: [run, --verbose]\n    ports:\n    - {a: 1}\nscheduler:\n  *1"
    );
}

#[test]
fn lines_that_end_with_a_carriage_return_are_as_short() {
    let text = "- name: web\n  port: 80\n- name: admin\n  port: 8080\n- name: other\n  port: 9090";
    let plain = shown(&YamlRecordsNotation, text);
    let other = shown(&YamlRecordsNotation, &format!("{}\r", text.replace('\n', "\r\n")));
    assert_eq!(other, plain.replacen("indent 2", "indent 2, crlf", 1));
    blocks(&YamlRecordsNotation, &text.replace("web\n", "web\r\n"));
}

#[test]
fn reports_of_errors_are_shown_in_each_row() {
    let row = |name: &str| format!("- name: {name}\n  status: error at start\n  kind: x\n");
    let text = row("a") + &row("b") + &row("c");
    assert_eq!(
        shown(&YamlRecordsNotation, text.trim_end()),
        "indent 2\n- {name,status,kind=x} ×3\na,error at start\nb,error at start\nc,error at start"
    );
}

#[test]
fn what_is_no_run_of_records_stays() {
    for text in [
        "- a: 1\n  b: 2\n\n- a: 1\n  b: 2\n\n- a: 1\n  b: 2",
        "- a: |\n    x\n- a: |\n    y\n- a: |\n    z",
        "- a: 1\n   b: 2\n- a: 1\n   b: 2",
        "a:\nb:\nc:\nd:",
        "- {a: 1, b: 2}\n- {a: 1, b: 2}\n- {a: 1, b: 2}",
    ] {
        assert!(blocks(&YamlRecordsNotation, text).is_empty(), "{text}");
    }
    for text in [
        "<a x='1'/>\n<a x='2'/>\n<a x='3'/>",
        "<a x=\"1\"  y=\"2\"/>\n<a x=\"1\"  y=\"2\"/>",
        "<a x=\"1\" x=\"2\"/>\n<a x=\"1\" x=\"2\"/>\n<a x=\"1\" x=\"2\"/>",
        "<p>text <b>bold</b></p>\n<p>text <b>bold</b></p>",
    ] {
        assert!(blocks(&XmlRecordsNotation, text).is_empty(), "{text}");
    }
}

#[test]
fn hostile_lines_are_read_once() {
    let deep: Vec<String> = (0..3_000).map(|depth| format!("{}a:", " ".repeat(depth))).collect();
    let turned: Vec<&str> = (0..60_000)
        .map(|at| if at % 2 == 0 { "- a: 1\n  b: 2" } else { "- b: 1\n  a: 2" })
        .collect();
    let odd: Vec<String> = (0..30_000).map(|at| format!("- k{at}: 1\n  l{at}: 2")).collect();
    let flow = "- ".to_owned() + &"{ a: ".repeat(100_000);
    let tags: Vec<String> = (0..30_000).map(|at| format!("<a k{at}=\"1\" l=\"2\"/>")).collect();
    for text in [
        deep.join("\n"),
        turned.join("\n"),
        odd.join("\n"),
        flow,
        tags.join("\n"),
        "<a>".repeat(300_000),
        "<a>\n".repeat(200_000),
        "- ".repeat(400_000),
        "a:\n".repeat(200_000),
        "- a: [".to_owned() + &"[".repeat(800_000),
    ] {
        blocks(&YamlRecordsNotation, &text);
        blocks(&XmlRecordsNotation, &text);
    }
}

#[test]
fn a_block_that_says_too_much_is_refused() {
    for (args, body) in [
        ("", vec!["- {a=1} ×99999999999"]),
        ("indent 99", vec!["- {a} ×1", "1"]),
        ("", vec!["- {} ×1", "1"]),
        ("", vec!["- {a,b|c} ×1", "1,2,3"]),
        ("", vec!["- {a,b} ×1", "1,2,3"]),
        ("", vec!["- {a,b} ×1", "=,2"]),
        ("", vec!["<t {a}/> ×1", "\"x"]),
    ] {
        assert_eq!(YamlRecordsNotation.decode(args, &body, 1 << 16), None, "{body:?}");
        assert_eq!(XmlRecordsNotation.decode(args, &body, 1 << 16), None, "{body:?}");
    }
    let deep = format!("- {} ×1", "{a".repeat(100_000));
    assert_eq!(YamlRecordsNotation.decode("", &[&deep, ""], 1 << 20), None);
    let wide = format!("- {{{}}} ×1000", vec!["a=1"; 900].join(","));
    let body: Vec<&str> = std::iter::once(wide.as_str()).chain(vec![""; 1000]).collect();
    assert_eq!(YamlRecordsNotation.decode("", &body, 1 << 16), None);
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-c0-9]{1,5}",
        2 => prop::sample::select(vec![
            "same", "=", "'it''s, so'", "\"a \\\" b\"", "[a, 'b, c']", "a, b", "a|b", "a, b|c", "-[x",
            "{ k: v }", "null", "x # note", "é", "error", "a: b", "*", "{}", "a=b", "it's", "[x] y",
        ])
        .prop_map(str::to_owned),
        1 => "[ -~]{1,8}",
    ]
}

/// A record: a value for each key that it has, `None` for those that it has not.
fn records() -> impl Strategy<Value = Vec<Vec<Option<String>>>> {
    prop::collection::vec(prop::collection::vec(prop::option::weighted(0.85, value()), 6), 1..8)
}

const KEYS: [&str; 6] = ["name", "a", "$ref", "b-c", "'4'", "k.x"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn yaml_is_read_back(
        records in records(),
        form in 0..5_usize,
        fixed in prop::option::of(value()),
        nest in 1..4_usize,
        pad in 0..3_usize,
    ) {
        let pad = " ".repeat(pad);
        let mut lines = vec!["top: 1".to_owned()];
        for (at, record) in records.iter().enumerate() {
            let value = |(at, (key, value)): (usize, (&'static str, &Option<String>))| {
                let fixed = fixed.clone().filter(|_| at == 2);
                Some((key, fixed.or_else(|| value.clone())?))
            };
            let record: Vec<(&str, String)> =
                KEYS.into_iter().zip(record).enumerate().filter_map(value).collect();
            let (plain, nested) = record.split_at(record.len() / nest);
            if form < 2 {
                let head = if form == 0 { format!("- id: {at}") } else { format!("k{at}:\n{pad}  id: x") };
                lines.push(format!("{pad}{head}"));
                lines.extend(plain.iter().map(|(key, value)| format!("{pad}  {key}: {value}")));
                if let Some(((_, last), rest)) = nested.split_last() {
                    lines.push(format!("{pad}  deep:"));
                    lines.extend(rest.iter().map(|(key, value)| format!("{pad}    {key}: {value}")));
                    lines.push(format!("{pad}    list:\n{pad}    - {last}\n{pad}    - x"));
                }
                continue;
            }
            let map = |members: &[(&str, String)]| {
                let members: Vec<String> =
                    members.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                format!("{{ {} }}", members.join(", "))
            };
            let mut members = plain.to_vec();
            members.push(("deep", map(nested)));
            let head = if form == 2 { "- ".to_owned() } else { format!("k{at}: ") };
            lines.push(format!("{pad}{head}{}", map(&members)));
        }
        let text = lines.join("\n");
        blocks(&YamlRecordsNotation, &text);
        blocks(&XmlRecordsNotation, &text);
    }

    #[test]
    fn xml_is_read_back(
        records in records(),
        form in 0..5_usize,
        step in prop::sample::select(vec!["  ", "\t", "    "]),
    ) {
        let keys = ["name", "a", "x:ref", "b-c", "d", "k.x"];
        let mut lines = vec!["<top>".to_owned()];
        for record in &records {
            let value = |(key, value): (&'static str, &Option<String>)| Some((key, value.clone()?));
            let record: Vec<(&str, String)> = keys.into_iter().zip(record).filter_map(value).collect();
            let each = |write: &dyn Fn(&str, &str) -> String| {
                let written = record.iter().map(|(key, value)| write(key, value));
                written.collect::<Vec<_>>().concat()
            };
            let attributes = each(&|key, value| format!(" {key}=\"{value}\""));
            let children =
                |pad: &str| each(&|key, value| format!("{pad}<{key}>{value}</{key}>"));
            let text = record.first().map_or("", |(_, value)| value);
            lines.push(match form {
                0 => format!("{step}<t{attributes}/>"),
                1 => format!("{step}<t{attributes} />"),
                2 => format!("<t{attributes}>{text}</t>"),
                3 => format!("{step}<t><in>{}</in><id>1</id></t>", children("")),
                _ => format!(
                    "{step}<t>\n{step}{step}<in>{}\n{step}{step}</in>{}\n{step}</t>",
                    children(&format!("\n{step}{step}{step}")),
                    children(&format!("\n{step}{step}")),
                ),
            });
        }
        let text = lines.join("\n");
        blocks(&XmlRecordsNotation, &text);
        blocks(&YamlRecordsNotation, &text);
    }

    #[test]
    fn any_block_may_come(
        args in "(indent [0-9]|tab)?(, dashes [0-9])?(, crlf)?(, \\*1 repeats the lines from &1 on)?|[ -~]{0,12}",
        body in prop::collection::vec(
            "( {0,2}(- |\\*: |<t |<t>|<t> )\\{ ?(\\||\\*|[a-c]([,|{}=]|[a-c]){0,6})? ?\\}(/>| </t>|</t>|>\\*</t>)? ×[0-4])|[ -~]{0,12}|  [a-c]{0,2}( &[1-3] [1-4]|\\*[1-3]( [1-4])?)|([a-z0-9\"'=\\[-]{0,3}[,|]){0,4}",
            0..8,
        ),
    ) {
        let body: Vec<&str> = body.iter().map(String::as_str).collect();
        for notation in [&YamlRecordsNotation as &dyn Notation, &XmlRecordsNotation] {
            if let Some(text) = notation.decode(&args, &body, 300) {
                prop_assert!(text.len() <= 300);
            }
        }
    }

    #[test]
    fn any_text_may_be_encoded(
        yaml in "(- |  |    |[a-c]: ?|[0-9]|\n|\\{ | \\}|, |'|\"|\\[|\\]|- \n){0,60}",
        xml in "(<a>|</a>|<b |x=\"1\"|/>|>| |\n|  |\t|[a-c]){0,60}",
    ) {
        blocks(&YamlRecordsNotation, &yaml);
        blocks(&XmlRecordsNotation, &xml);
    }
}
