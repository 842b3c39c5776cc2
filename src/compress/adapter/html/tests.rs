use proptest::prelude::*;

use super::*;
use crate::compress::adapter::fixture::shown;
use crate::compress::adapter::trial::{apply, cuts, shortened};
use crate::compress::segment::segment;

const PAGE: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>The label printer</title>
  <link rel="stylesheet" href="/style.css">
  <style>body > p { color: red }</style>
  <script>if (a < b) { load("</p>"); }</script>
</head>
<body class="page dark">
  <nav><ul><li><a href="/">Home</a></li><li><a href="/help">Help</a></li></ul></nav>
  <div class="content" data-id="17">
    <div>
      <h1 class="title" style="margin: 0">The label printer</h1>
      <p class="lead">The printer in <span class="hall">hall B</span> prints the labels of
        all parcels. It was bought long ago and has been moved twice since then. Most people in
        the hall like it. You must <b>never</b> open it while it prints. The
        <a class="link" href="https://example.org/manual.pdf?v=3" target="_blank">manual</a> is
        there. A copy of it is in the office. Somebody spilled coffee over
        the first one some years ago, and nobody found out who it was.</p>
      <!-- the table of drivers -->
      <table class="wide"><tr><td colspan="2">Driver</td><td>4.2.0</td></tr></table>
      <pre class="code">
  print --copies 2
    <span class="k">label</span>.txt
</pre>
      <p>Call 4711 &amp; ask.<br>Thanks.</p>
      <img src="/printer.png" alt="The printer" width="300">
      <svg viewBox="0 0 1 1"><path d="M0 0L1 1"/></svg>
    </div>
  </div>
  <footer>All rights belong to somebody.</footer>
</body>
</html>
"#;

#[test]
fn a_page_keeps_what_a_reader_needs() {
    let shown = shortened(&HtmlAdapter, PAGE).unwrap();
    assert!(shown.len() * 10 < PAGE.len() * 6, "{shown}");
    for stays in [
        "<title>The label printer</title>",
        "<h1>The label printer</h1>",
        "You must <b>never</b> open it while it prints.",
        "<a href=\"https://example.org/manual.pdf?v=3\">manual</a>",
        "<table><tr><td colspan=\"2\">Driver</td><td>4.2.0</td></tr></table>",
        "<pre>\n  print --copies 2\n    label.txt\n</pre>",
        "<p>Call 4711 &amp; ask.<br>Thanks.</p>",
        "<img src=\"/printer.png\" alt=\"The printer\">",
        "[…]",
    ] {
        assert!(shown.contains(stays), "{stays} is not in {shown}");
    }
    for goes in ["script", "style", "svg", "<!--", "class", "div", "Home", "rights", "meta"] {
        assert!(!shown.contains(goes), "{goes} is in {shown}");
    }
}

#[test]
fn words_of_neighbours_stay_apart() {
    let made = |text| apply(text, &cuts(&HtmlAdapter, text));
    assert_eq!(made("<div>a</div><div>b</div>"), "\na\nb\n");
    assert_eq!(made("<p>a<span>b</span> <span>c</span></p>"), "<p>ab c</p>");
    assert_eq!(made("<p>a <!-- x --> b</p>"), "<p>a b</p>");
    assert_eq!(
        made("<ul>\n    <li>a</li>\n\n    <li>b\n      c</li>\n</ul>"),
        "<ul>\n<li>a</li>\n<li>b\nc</li>\n</ul>"
    );
    assert_eq!(made("<pre> a\n\n   <i class=x>b</i> </pre>"), "<pre> a\n\n   <i>b</i> </pre>");
}

#[test]
fn what_nothing_closes_stays() {
    let made = |text| apply(text, &cuts(&HtmlAdapter, text));
    assert_eq!(made("<p>a</p><nav><p>b"), "<p>a</p><nav><p>b");
    assert_eq!(made("<p>a</p><!-- b"), "<p>a</p><!-- b");
    assert_eq!(made("<svg class=\"x\"/><p>a</p>"), "<svg/><p>a</p>");
}

#[test]
fn an_attribute_goes_whole_behind_a_stray_mark() {
    let page = |attributes: &str| format!("<html{attributes}><p>Words</p></html>\n");
    let given = page(&format!(" a=\"{}\" href=es b</k", "x".repeat(400)));
    assert_eq!(shown(&HtmlAdapter, &given), page(" href=es"));
}

#[test]
fn nothing_becomes_a_tag_behind_a_stray_mark() {
    let words = "and so on, for as long as a page is shortened at all. ".repeat(3);
    for stray in ["a <<!-- x -->b c", "a </<!-- x -->b>", "a <<div>b</div>"] {
        let page = format!("<html><p>{stray} {words}</p><!-- what goes --></html>");
        let short = shortened(&HtmlAdapter, &page).unwrap();
        assert!(short.contains("a <") && !short.contains("a <b"), "{short}");
        assert!(!short.contains("what goes"), "{short}");
    }
}

#[test]
fn pages_are_known() {
    let detects = |text: &str| HtmlAdapter.detects(Part::new(text, &segment(text)));
    assert!(detects(PAGE));
    assert!(detects("<ul>\n<li><p>a</p></li>\n</ul>\n"));
    assert!(!detects("Words, and a <b>tag</b>."));
}

#[test]
fn what_loses_words_or_links_does_not_hold() {
    for (from, to) in [
        ("4711", ""),
        ("manual.pdf?v=3", "manual.pdf"),
        ("<table class=\"wide\">", ""),
        ("All rights belong", "All rights belong</footer><p>x</p>"),
    ] {
        assert!(!HtmlAdapter.holds(PAGE, &PAGE.replacen(from, to, 1)), "{from}");
    }
    assert!(HtmlAdapter.holds(PAGE, PAGE));
}

#[test]
fn hostile_texts_take_linear_time() {
    for piece in [
        "a",
        " ",
        "[",
        "#",
        "`",
        "<",
        "<a ",
        "<a \"",
        "<a b='",
        "<!--",
        "<nav>",
        "</nav>",
        "<nav><svg>",
        "<script>",
        "<b>",
        "</b>",
        "<b>a. B ",
        "<div>",
        "<p>a",
        "<pre>",
        "&",
        "<a b c d=e ",
        "<nav></nav>",
        "\n  ",
        ">",
        "<br>",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        for text in [format!("{text}>"), format!("<html>{text}")] {
            let shown = apply(&text, &cuts(&HtmlAdapter, &text));
            assert!(HtmlAdapter.holds(&text, &shown), "{piece}");
        }
    }
}

#[test]
fn comments_between_sentences_that_go_are_one_gap_with_them() {
    let sentence = "The report lists every order that was placed after noon.";
    let page =
        format!("{sentence}<!-- a. B --><!-- a. B -->{sentence}<!-- a. B --><a href=\"/x\"><p>");
    let shown = apply(&page, &cuts(&HtmlAdapter, &page));
    assert!(HtmlAdapter.holds(&page, &shown), "{shown}");
}

#[test]
fn a_declaration_among_words_stays_whole() {
    for declaration in ["<!\na. B>", "<!doctype a. B. C>"] {
        let sentence = "The report lists every order that was placed after noon. ";
        let page = format!("<html>4{declaration}{}", sentence.repeat(9));
        let shown = apply(&page, &cuts(&HtmlAdapter, &page));
        assert!(shown.contains(declaration) && HtmlAdapter.holds(&page, &shown), "{shown}");
    }
    let signs = "\u{fffd}".repeat(60);
    let page = format!("<html>4<!\n{signs}>{signs}");
    let shown = apply(&page, &cuts(&HtmlAdapter, &page));
    assert!(HtmlAdapter.holds(&page, &shown), "{shown}");
}

#[test]
fn a_value_without_quotes_takes_no_slash_in() {
    let page = "<html><a href=i b/>x</a><img src='i' b/><br b/><a b href=i/>";
    let shown = apply(page, &cuts(&HtmlAdapter, page));
    assert!(HtmlAdapter.holds(page, &shown), "{shown}");
    assert!(shown.contains("<img src='i'/>") && shown.contains("<br/>"), "{shown}");
}

#[test]
fn what_nothing_closes_is_not_closed_by_a_cut() {
    let sentence = "The report lists every order that was placed after noon. ";
    let page = format!("<html><b x=\"{}<i>{}", sentence.repeat(4), sentence.repeat(4));
    let shown = apply(&page, &cuts(&HtmlAdapter, &page));
    assert!(HtmlAdapter.holds(&page, &shown), "{shown}");
}

#[test]
fn a_tag_that_ends_on_a_line_of_its_own_stays_or_goes_whole() {
    let signs = |count| "\u{fffd}".repeat(count) + "\u{3}";
    let (tag, words) = (signs(22), signs(19));
    let page = format!("<html>h</a {tag}\n>\n{}\n{}\n{words}", signs(6), signs(2));
    let shown = apply(&page, &cuts(&HtmlAdapter, &page));
    assert!(HtmlAdapter.holds(&page, &shown), "{shown}");
}

/// Tags and words in any order.
fn pages() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<p>",
        "</p>",
        "<div class=\"a b\">",
        "</div>",
        "<span style='x'>",
        "</span>",
        "<b>",
        "</b>",
        "<a href=\"https://example.org/a.b?c=1\" class=x>",
        "</a>",
        "<a href='/x'>",
        "<nav>",
        "</nav>",
        "<script>a < b. C</script>",
        "<style>a. B</style>",
        "<!-- a. B -->",
        "<!note a. B. C>",
        "<b x=\"",
        "<a href=i class=x/>",
        "<img src=i b />",
        "</i\n>",
        "<i\n>",
        "<pre class=x>",
        "</pre>",
        "<table><tr><td colspan=2>",
        "</td></tr></table>",
        "<img src=x.png alt=\"a. B\">",
        "<br>",
        "<h2 id=x>",
        "</h2>",
        "<svg>",
        "</svg>",
        "<li>",
        "<",
        "a < b",
        "\n   ",
        " ",
        "\n\n",
        "é",
        "The report lists every order that was placed after noon.",
        "It must never be sent to 10.0.0.7 before the job_runner ends.",
        "Some more words follow here, and they say nothing at all.",
        "[…]",
        "&amp;",
    ]);
    prop::collection::vec(piece, 0..50).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_is_read_stays(page in pages()) {
        let shown = apply(&page, &cuts(&HtmlAdapter, &page));
        prop_assert!(HtmlAdapter.holds(&page, &shown), "{:?} became {:?}", page, shown);
        prop_assert!(shown.len() <= page.len());
        let again = apply(&shown, &cuts(&HtmlAdapter, &shown));
        prop_assert!(HtmlAdapter.holds(&shown, &again), "{:?} became {:?}", shown, again);
    }

    #[test]
    fn any_text_is_read(text in "(\\PC|[<>/='\" \n!-]|<p>|\\. ){0,200}") {
        let shown = apply(&text, &cuts(&HtmlAdapter, &text));
        prop_assert!(HtmlAdapter.holds(&text, &shown), "{:?} became {:?}", text, shown);
    }
}
