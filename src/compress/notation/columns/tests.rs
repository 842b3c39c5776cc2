use proptest::prelude::*;

use super::*;

fn check(text: &str) -> Vec<FoundBlock> {
    let lines: Vec<&str> = text.split('\n').collect();
    let found = ColumnsNotation.encode(&lines, ValueClass::Computed);
    for one in &found {
        let body: Vec<&str> = one.block.body.lines().collect();
        let original = lines[one.lines.clone()].join("\n");
        let decoded = ColumnsNotation.decode(&one.block.args, &body, original.len());
        assert_eq!(decoded.as_deref(), Some(original.as_str()), "{:#?}", one.block);
        assert_eq!(body.len(), one.lines.len());
    }
    found
}

fn shown(text: &str) -> String {
    let found = check(text);
    assert_eq!(found.len(), 1, "{found:?}");
    format!(
        "{}\n{}",
        found[0].block.args,
        found[0].block.body.lines().collect::<Vec<_>>().join("\n")
    )
}

#[test]
fn what_all_rows_have_stands_above_them() {
    let text = "id,state,land\n1,open,DE\n2,open,DE\n3,,DE\n";
    assert_eq!(shown(text), "comma\nid,state,land=DE\n1,open\n2,open\n3,");
}

#[test]
fn quotes_that_a_whole_column_has_go() {
    let text = "\"id\"\t\"na\"\n1\t\"a b\"\n2\t\"c\"\"d\"\n3\t\"\"\n4\t\"x\ty\"";
    assert_eq!(
        shown(text),
        "tab, quoted 2\n\"id\"\t\"na\"\n1\ta b\n2\t\"c\"\"d\"\n3\t\n4\t\"x\ty\""
    );
}

#[test]
fn what_stands_above_is_a_ditto_unless_there_is_such_a_field() {
    let text = "day;n\n2024-05-01;1\n2024-05-01;2\n2024-05-01;3\n2024-05-02;4";
    let short = "semicolon, ^ as above\nday;n\n2024-05-01;1\n^;2\n^;3\n2024-05-02;4";
    assert_eq!(shown(text), short);
    assert!(check(&text.replace(";4", ";^")).is_empty());
}

#[test]
fn a_row_that_reports_an_error_stands_whole() {
    let text = "id,level,text\n1,info,x\n2,info,y\n3,error,it failed\n4,info,z";
    let short = "comma\nid,level=info,text\n1,x\n2,y\n3,error,it failed\n4,z";
    assert_eq!(shown(text), short);
}

#[test]
fn every_row_of_a_long_table_is_shown() {
    let rows = (0..250).map(|row| format!("{row},\"item {row}\",{}.50,EUR", row % 7));
    let text = format!("id,name,price,unit\n{}", rows.collect::<Vec<_>>().join("\n"));
    let short = shown(&text);
    assert_eq!(short.lines().count(), 252);
    assert!((0..250).all(|row| short.contains(&format!("\n{row},item {row},"))));
}

#[test]
fn a_value_that_nearly_all_rows_have_stands_above_them() {
    let rows: Vec<String> = (0..40)
        .map(|row| format!("{},{}\n", 7 * row % 90, if row == 9 { "US" } else { "DE" }))
        .collect();
    let text = format!("id,land\n{}", rows.concat());
    let short = shown(text.trim_end());
    assert!(short.starts_with("comma\nid,land=DE\n0\n7\n"), "{short}");
    assert_eq!(short.matches(",US").count(), 1);
    assert_eq!(short.matches("DE").count(), 1);
}

#[test]
fn columns_that_count_show_every_eighth_row() {
    let rows: Vec<String> = (0..12)
        .map(|row| format!("2024-02-{:02},{}\n", 20 + row - row / 10 * 10, row * row))
        .collect();
    let text = format!("day,n\n{}", rows.concat())
        .replace("2024-02-20,100", "2024-03-01,100")
        .replace("2024-02-21,121", "2024-03-02,121");
    let expected = "comma, 1 counts by 1 day\nday,n\n2024-02-20,0\n1\n4\n9\n16\n25\n36\n49\n2024-02-28,64\n81\n100\n121";
    assert_eq!(shown(text.trim_end()), expected);
    let gap: Vec<String> = (0..40)
        .map(|row| (row, 15 * (row + row / 30 * 5)))
        .map(|(row, at)| format!("2024-05-01 {:02}:{:02},x{row}\n", at / 60, at % 60))
        .collect();
    let short = shown(format!("at,name\n{}", gap.concat()).trim_end());
    assert!(
        short.starts_with("comma, 1 counts by 15 min\n")
            && short.contains("\n2024-05-01 08:45,x30\nx31\n"),
        "{short}"
    );
}

#[test]
fn what_only_has_commas_stays() {
    for text in [
        "one, two, three\nof, them, here\nand, so, on\nand, so, on",
        "    a: 1,\n    b: 1,\n    c: 1,\n    d: 1,",
        "x,x\n1,2\n1,2\n1,2",
        "a=1,b\n1,2\n1,2\n1,2",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 1 | 2 |",
    ] {
        assert!(check(text).is_empty(), "{text}");
    }
}

fn any_field() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-c]{0,2}",
        2 => prop::sample::select(vec!["2024-05-01", "long value", "^", "=", "a=b", "é", "\"", "error"])
            .prop_map(str::to_owned),
        3 => "\"([a-c,;\t^=]|\"\"){0,6}\"",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_table_is_read_back(
        separator in prop::sample::select(vec![",", "\t", ";", "|"]),
        width in 2..5_usize,
        fixed in prop::collection::vec(prop::option::of(any_field()), 5),
        cells in prop::collection::vec(prop::collection::vec(any_field(), 5), 1..40),
        quote in any::<[bool; 5]>(),
        counts in any::<bool>(),
    ) {
        let mut lines = vec![["id", "name", "\"third\"", "d", "e"][..width].join(separator)];
        for row in &cells {
            let number = lines.len();
            let cell = |column: usize| {
                if counts && column == 0 && number % 33 > 0 {
                    return format!("2024-0{}-{:02}", 1 + number / 28, 1 + number % 28);
                }
                let cell = fixed[column].as_ref().unwrap_or(&row[column]);
                if quote[column] && !cell.contains('"') { format!("\"{cell}\"") } else { cell.clone() }
            };
            lines.push((0..width).map(cell).collect::<Vec<_>>().join(separator));
        }
        check(&lines.join("\n"));
    }

    #[test]
    fn any_block_may_come(
        args in "(comma|tab|bar)?(, quoted( [0-9]{1,2})+)?(, [0-9]{1,2} counts by [0-9]{1,8}( day| min| month)?){0,2}(, \\^ as above)?|[ -~]{0,12}",
        body in prop::collection::vec("[a-b,|\t\"=^]{0,12}", 0..8),
    ) {
        let body: Vec<&str> = body.iter().map(String::as_str).collect();
        if let Some(text) = ColumnsNotation.decode(&args, &body, 60) {
            prop_assert!(text.len() <= 60);
        }
    }

    #[test]
    fn any_text_may_be_encoded(text in "([a-c]|[,;|\t\"^=\n]){0,80}") {
        check(&text);
    }
}
