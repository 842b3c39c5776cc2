// The console in Chromium: what each page shows, live, by keyboard, with hostile texts, with a key and without.
//
//     npm ci && CONTEXTURE_BIN=../target/debug/contexture npm test
//
// Skipped where the program or Chromium is missing.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { HOSTILE, fill } from "./hostile.mjs";
import { openPage } from "./open.mjs";
import { seed } from "./seed.mjs";
import { Server, launch, missing } from "./server.mjs";

const KEY = "k".repeat(32);
const PAGES = ["overview", "sessions", "records", "events", "playground", "cache misses", "inventory", "memory", "hooks", "packs", "keys and usage", "settings", "api", "problems"];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("the console", { skip: missing }, () => {
  let browser;
  let demo;
  let seeded;
  before(async () => {
    browser = await launch();
    demo = await Server.start("demo");
    seeded = await seed(demo);
  });
  after(async () => {
    seeded?.close();
    demo?.stop();
    await browser?.close();
  });

  const open = (server, at, options) => openPage(browser, server, at, options);

  const newest = async (id = "flaky-test") => (await demo.call("GET", `/sessions/${id}/timeline?limit=1`)).items[0].compilation_id;

  const broken = async () => (await demo.call("GET", "/sessions/flaky-test/timeline?limit=100")).items.find((row) => row.first_change?.why === "compaction").compilation_id;

  test("each page has its content, in both themes, and axe finds nothing", async () => {
    const record = await newest();
    const wanted = {
      "/": ["Tokens in", "claude-sonnet-4-5", "flaky-test", "Worst cache breaks"],
      "/#/sessions": ["flaky-test", "order-8812", "gpt-4o"],
      "/#/sessions/flaky-test": ["The window now", "Turns", "compaction", "tools"],
      "/#/records": ["flaky-test", "claude-sonnet-4-5"],
      [`/#/records/${record}`]: ["Came in", "summarized", "Changes only", "checkout_retries"],
      "/#/playground": ["Request, session or log", "tokens", "Level"],
      "/#/hooks": ["no-secrets", "healthy", "built in: redact"],
      "/#/hooks/audit": ["attempts of the newest", "given up"],
      [`/#/records/${record}?tab=stages`]: ["Reaches it from outside", "ingest"],
      "/#/events": ["Compiled", "compile:done"],
      [`/#/cache?b=${await broken()}`]: ["The prefix broke", "The first byte that differs", "What to do"],
      "/#/inventory?session=flaky-test&turns=5": ["Leaving these out saves", "deploy", "never", "pool_size", "no trace"],
      "/#/memory": ["test-command", "retracted", "npm test"],
      "/#/memory/style": ["3 versions", "subjects", "Restore"],
      "/#/memory?tab=candidates": ["preferred_contact", "Telegram", "Ask back"],
      "/#/memory?tab=recall": ["What the conversation is about"],
      "/#/packs": ["pack.coding-agent", "1.1.0"],
      [`/#/packs/${encodeURIComponent(seeded.ref)}`]: ["2 versions", "Check for faults", "contract_meta"],
      "/#/keys": ["No key is stored"],
      "/#/problems": ["invalid_request"],
      "/#/api": ["/compile", "/memory/recall"],
      "/#/settings": ["The settings are not known"],
    };
    for (const theme of ["light", "dark"]) {
      for (const [at, texts] of Object.entries(wanted)) {
        const { page, faults, close } = await open(demo, at, { colorScheme: theme, bypassCSP: true });
        for (const text of texts) await page.getByText(text).filter({ visible: true }).first().waitFor({ timeout: 10_000 });
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
        assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html} ${one.nodes[0].failureSummary}`), [], `${theme} ${at}`);
        assert.deepEqual(faults, [], `${theme} ${at}`);
        await close();
      }
    }
  });

  test("nothing is wider than a narrow screen", async () => {
    for (const at of ["/", "/#/sessions", "/#/sessions/flaky-test", "/#/records", `/#/records/${await newest()}`, `/#/records/${await newest()}?tab=stages`, `/#/records/${seeded.records[0]}?tab=pack`, "/#/keys?tab=usage", "/#/keys?tab=quotas", "/#/playground", "/#/events", `/#/cache?b=${await broken()}`, "/#/inventory",
      "/#/memory", "/#/memory/style", "/#/memory?tab=candidates", "/#/hooks", "/#/hooks/audit", "/#/packs", `/#/packs/${encodeURIComponent(seeded.ref)}`, `/#/packs/${encodeURIComponent(seeded.ref)}?tab=golden`, "/#/keys", "/#/problems", "/#/api"]) {
      const narrow = await open(demo, at, { viewport: { width: 360, height: 740 }, bypassCSP: true });
      await narrow.page.waitForTimeout(300);
      await narrow.page.evaluate(axe);
      const { violations } = await narrow.page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
      assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html}`), [], at);
      const width = await narrow.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${at}: ${width} px`);
      const outside = await narrow.page.evaluate(() => [...document.querySelectorAll(".side a")]
        .filter((link) => { const box = link.getBoundingClientRect(); return box.width > 0 && (box.left < 0 || box.right > innerWidth); }).map((link) => link.textContent));
      assert.deepEqual(outside, [], at);
      await narrow.page.getByRole("button", { name: "Menu" }).click();
      for (const name of ["Hooks", "Events", "API", "Problems"]) assert.ok(await narrow.page.locator(".side").getByRole("link", { name }).isVisible(), `${at}: ${name}`);
      // Ids in tables are whole, and what is wider than the screen has a shadow where it goes on.
      const faults = await narrow.page.evaluate(() => [
        ...[...document.querySelectorAll("tbody th a, tbody td code")].filter((part) => !/\s/.test(part.textContent) && part.getClientRects().length > 1).map((part) => `broken: ${part.textContent}`),
        ...[...document.querySelectorAll("main *")].filter((part) => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX === "auto" && part.matches(".scroll, .record-list")
          && !getComputedStyle(part).backgroundAttachment.includes("local")).map((part) => `no shadow: ${part.className}`),
        ...[...document.querySelectorAll("table")].filter((table) => !table.closest(".scroll")).map((table) => `does not scroll: ${table.className}`),
      ]);
      assert.deepEqual(faults, [], at);
      // A record has its figures without scrolling.
      if (at === "/#/records") {
        const sides = await narrow.page.locator(".record-row .number").evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect()).filter((box) => box.width > 0).map((box) => box.right));
        assert.ok(sides.length >= 3 && sides.every((side) => side <= 360), sides.join(" "));
      }
      await narrow.close();
    }
  });

  test("a compile shows by itself", async () => {
    const { page, faults, close } = await open(demo, "/#/records", { wait: ".record-row a" });
    await page.getByText("Live").first().waitFor();
    const { id } = await demo.call("POST", "/compile", { messages: [{ role: "user", content: "now" }], session_id: "live" });
    await page.locator(`a[title="${id}"]`).waitFor({ timeout: 5000 });
    await page.goto(`${demo.url}/#/sessions`);
    await page.getByRole("link", { name: "live", exact: true }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("an event leads to a record if there is one", async () => {
    const messages = [{ role: "user", content: "now" }];
    const { id: without } = await demo.call("POST", "/compile", { messages, session_id: "unrecorded", record: "none" });
    const { id } = await demo.call("POST", "/compile", { messages, session_id: "recorded" });
    const { page, faults, close } = await open(demo, "/#/events", { wait: ".event" });
    await page.locator(`.event a[href$="${id}"]`).first().waitFor();
    await page.locator(".event a", { hasText: "unrecorded" }).first().waitFor();
    assert.equal(await page.locator(`.event a[href$="${without}"]`).count(), 0);
    // Compiles that come while the page is open are looked up, too.
    const { id: later } = await demo.call("POST", "/compile", { messages, session_id: "recorded" });
    await page.locator(`.event a[href$="${later}"]`).first().waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("shares of the window have one denominator", async () => {
    const { items: [row] } = await demo.call("GET", "/sessions/flaky-test/timeline?limit=1");
    const whole = row.budget + row.parts.reserve;
    const number = (value) => value.toLocaleString("en-US");
    const { page, close } = await open(demo, "/#/sessions/flaky-test", { wait: ".window" });
    const card = page.locator(".card", { has: page.locator(".window") });
    await card.getByText(`${number(row.tokens_after)} of the ${number(whole)} tokens of the window, ${((100 * row.tokens_after) / whole).toFixed(1)} %`).waitFor();
    await card.getByText(`Shares are of the window: ${number(whole)} tokens`).waitFor();
    const shares = await card.locator("dd small").allTextContents();
    const total = shares.reduce((sum, text) => sum + Number.parseFloat(text), 0);
    assert.ok(Math.abs(total - 100) < 0.5, shares.join(" "));
    await close();
  });

  test("reasons of cache breaks are explained, and heads are above their cells", async () => {
    const { page, close } = await open(demo, "/");
    const card = page.locator(".card", { hasText: "Worst cache breaks" });
    await card.locator(".why-list dd").first().waitFor();
    assert.ok((await card.locator("tbody th .why-word").first().getAttribute("title")).endsWith("."));
    const sides = await card.locator("table").evaluate((table) => {
      const side = (cell) => getComputedStyle(cell).textAlign;
      return [...table.tHead.rows[0].cells].map((head, at) => [head.textContent, side(head), side(table.tBodies[0].rows[0].cells[at])]);
    });
    for (const [name, head, cell] of sides) assert.equal(head, cell, name);
    await close();
  });

  test("a record has one spelling, and no class on what a summary replaced", async () => {
    const { page, faults, close } = await open(demo, `/compilations/${await newest()}`, { wait: ".pair.summarized" });
    const text = await page.locator("main").innerText();
    assert.ok(text.includes("summarized"));
    assert.ok(!text.includes("summarised"), text.slice(0, 600));
    assert.equal(await page.locator(".pair.summarized .why span").count(), 0);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a record leads to its neighbours, and j and k to its changes", async () => {
    const { page, faults, close } = await open(demo, `/compilations/${await newest()}`, { wait: ".pair" });
    await page.keyboard.press("j");
    await page.waitForSelector(".pair.marked:not(.kept)");
    await page.getByText("22 of 22").waitFor();
    await page.keyboard.press("[");
    await page.getByText("21 of 22").waitFor();
    assert.match(page.url(), /\/#\/records\/cmp_/);
    await page.getByRole("tab", { name: "Messages" }).focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-window");
    await page.getByRole("tab", { name: "Replay and compare" }).click();
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("Equal, stage by stage").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("the map names the message that one points at, and leads to it", async () => {
    const id = await newest();
    const { decisions } = await demo.call("GET", `/compilations/${id}?explain=full`);
    const { page, faults, close } = await open(demo, `/#/records/${id}`, { wait: ".pair" });
    const map = page.locator(".token-map");
    const { width, height } = await map.evaluate((svg) => svg.getBoundingClientRect().toJSON());
    const titleAt = async (x, y) => {
      await map.hover({ position: { x, y } });
      return map.locator("title").textContent();
    };
    assert.match(await titleAt(0.5, 1), new RegExp(`^message ${decisions[0].index}: ${decisions[0].action} `));
    const last = decisions.at(-1);
    assert.match(await titleAt(width - 1, height - 5), new RegExp(`^message ${last.index}: ${last.action} `));
    await map.click({ position: { x: width - 1, y: height - 5 } });
    await page.locator(".pair.marked header").getByText(String(last.index), { exact: true }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("every page can be reached with the keyboard alone", async () => {
    const { page, close } = await open(demo, "/");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to content");
    await page.keyboard.press("Tab");
    for (const name of PAGES) {
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.waitForFunction((wanted) => document.querySelector("main h1")?.textContent.toLowerCase() === wanted, name);
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
      assert.notEqual(outline, "none", name);
    }
    await close();
  });

  test("the playground compiles as one types, and cancels what is out of date", async () => {
    const { page, faults, close } = await open(demo, "/#/playground", { wait: ".pair", expected: ["422"] });
    const sent = [];
    const urls = [];
    page.on("request", (request) => {
      if (!request.url().includes("/compile?")) return;
      urls.push(request.url());
      sent.push(JSON.parse(request.postData()));
    });
    const source = page.getByLabel("Request, session or log");
    await source.fill("09:00 INFO started\n".repeat(300));
    await page.getByText("A text of 300 lines").waitFor();
    const slider = page.getByLabel("Window");
    await slider.focus();
    for (let step = 0; step < 4; step += 1) await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => document.querySelector(".result .summary")?.textContent.includes("1 message shortened"));
    assert.ok(sent.length <= 3, `${sent.length} requests`);
    assert.equal(sent.at(-1).budget.context_window, 1000);
    assert.ok(sent.every((request) => request.record === "none" && request.explain === "full"));
    assert.ok(urls.every((url) => url.endsWith("/compile?dry_run=true")), urls.join(" "));
    await source.fill("{");
    await page.getByText("This is not JSON").waitFor();
    await page.locator(".result").waitFor({ state: "detached" });
    // A request as it goes to a provider loads; an error leaves no figures of what was there before.
    await source.fill(JSON.stringify({ messages: [{ role: "user", content: "Hi" }], temperature: 0, stream: true, response_format: { type: "text" } }));
    await page.getByText("without temperature, stream, response_format").waitFor();
    await page.locator(".result").waitFor();
    await source.fill(JSON.stringify({ messages: [{ role: "user", content: "Hi" }], unknown_member: 1 }));
    await page.getByRole("alert").getByText("unknown_member").first().waitFor();
    await page.locator(".result").waitFor({ state: "detached" });
    await source.fill("{\"model\":\"gpt-4o\"}");
    await page.getByText("There is no conversation").waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
    const model = page.getByLabel("Model");
    assert.ok(await model.evaluate((input) => input.scrollWidth <= input.clientWidth), "the model is cut");
    assert.deepEqual(faults, []);
    await close();
  });

  test("the theme can be chosen and stays", async () => {
    const { page, close } = await open(demo, "/", { colorScheme: "light" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByLabel("Dark", { exact: true }).check({ force: true });
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    await page.waitForSelector("main h1");
    assert.equal(await ground(), dark);
    await close();
  });

  test("hostile texts are text on every page", async () => {
    const server = await Server.start("--dev");
    try {
      const { id, request } = await fill(server);
      const session = encodeURIComponent(request.session_id);
      for (const at of ["/", "/#/sessions", `/#/sessions/${session}`, "/#/records", `/compilations/${id}`, `/#/cache?b=${id}`, `/#/inventory?session=${session}`, "/#/memory", "/#/memory/key_1", "/#/memory?tab=candidates", "/#/memory?tab=recall",
        "/#/hooks", "/#/hooks/audit", "/#/packs", "/#/keys", "/#/events", "/#/problems", "/#/api", "/#/settings", "/#/playground"]) {
        const { page, faults, close } = await open(server, at);
        if (at.endsWith("recall")) await page.getByRole("button", { name: "Recall" }).click();
        if (at === "/#/playground") {
          await page.getByLabel("Request, session or log").fill(JSON.stringify(request));
          await page.getByText("A request of").waitFor();
        } else {
          await page.waitForTimeout(400);
        }
        const raw = await page.evaluate(() => document.querySelectorAll("main script, main iframe, main img, main base, main meta, main link, main math, main [onload], main [onerror]").length);
        assert.equal(raw, 0, at);
        if (at.startsWith("/compilations")) {
          await page.waitForSelector(".pair");
          assert.ok((await page.evaluate(() => document.body.innerText)).includes(HOSTILE[0]));
          for (const tab of ["Payload", "Report", "Stages", "Hooks", "Memory", "JSON"]) await page.getByRole("tab", { name: tab }).click();
        }
        await server.call("PUT", "/memory/live", { value: HOSTILE.join("\n") });
        assert.deepEqual(faults, [], at);
        await close();
      }
    } finally {
      server.stop();
    }
  });

  test("a key signs in, a wrong one does not, and scopes decide what is shown", async () => {
    const server = await Server.start("--bootstrap-key", KEY);
    try {
      const record = await server.call("POST", "/compile", { messages: [{ role: "user", content: "secret words" }], record: "full" }, KEY);
      const expected = ["401"];
      const { page, faults, close } = await open(server, `/compilations/${record.id}`, { expected });
      assert.ok(!(await page.content()).includes("secret words"));
      await page.getByLabel("Key").fill("wrong");
      await page.keyboard.press("Enter");
      await page.getByText("does not know this key").waitFor();
      await page.getByLabel("Key").fill(KEY);
      await page.keyboard.press("Enter");
      await page.getByText("secret words").first().waitFor();
      const stored = await page.evaluate(() => JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]));
      assert.ok(!stored.includes(KEY) && !stored.includes("contexture-console"), stored);
      const [cookie] = await page.context().cookies();
      assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.value.includes(KEY)], [true, "Strict", false]);
      // What writes works with the cookie: the playground compiles.
      await page.goto(`${server.url}/#/playground`);
      await page.waitForSelector(".pair");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("Key").waitFor();
      assert.equal((await page.context().cookies()).length, 0);
      assert.deepEqual(faults, []);

      const weak = await server.call("POST", "/keys", { scopes: ["sessions:read"] }, KEY);
      await page.getByLabel("Key").fill(weak.key);
      await page.keyboard.press("Enter");
      await page.getByRole("navigation", { name: "Pages" }).waitFor();
      assert.deepEqual(await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents().then((list) => list.map((text) => text.trim())), ["Overview", "Sessions", "Inventory", "API", "Problems"]);
      await close();
    } finally {
      server.stop();
    }
  });

  test("hooks are ordered by keys, tested, disabled, and a call is retried", async () => {
    const { page, faults, close } = await open(demo, "/#/hooks", { wait: "tbody a" });
    await page.getByRole("tab", { name: "Order" }).click();
    const list = page.getByRole("list", { name: "transform hooks at tool_result" });
    const ids = () => list.locator("b").allTextContents();
    await list.locator("b").first().waitFor();
    assert.deepEqual(await ids(), ["cut-logs", "redact-mail"]);
    await page.getByRole("button", { name: "Move cut-logs down" }).focus();
    await page.keyboard.press("Alt+ArrowDown");
    assert.deepEqual(await ids(), ["redact-mail", "cut-logs"]);
    await page.getByRole("button", { name: "Store the order" }).click();
    await page.getByText("\"revision\": 1").waitFor();
    assert.deepEqual((await demo.call("GET", "/hook-order")).order.tool_result.transform, ["redact-mail", "cut-logs"]);
    await page.goto(`${demo.url}/#/hooks/no-secrets`);
    await page.getByRole("tab", { name: "Test" }).click();
    await page.getByRole("button", { name: "Call the hook" }).click();
    await page.getByText("What would follow").waitFor();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Enable" }).waitFor();
    assert.equal((await demo.call("GET", "/hooks/no-secrets")).enabled, false);
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Disable" }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("calls of hooks have their time, and what they returned where that is recorded", async () => {
    const { hooks } = await demo.call("GET", `/compilations/${seeded.ticket}`);
    const call = hooks.find((row) => row.hook === "house-rules");
    const ms = call.took_us / 1000;
    const { page, faults, close } = await open(demo, "/#/hooks/redact-mail", { wait: ".calls" });
    await page.locator(".calls tr", { hasText: "applied" }).first().getByRole("button", { name: /characters/ }).click();
    await page.locator(".calls .answer").getByText("[REDACTED]").waitFor();
    await page.goto(`${demo.url}/#/hooks/house-rules`);
    await page.locator(".calls tr", { hasText: "before_compile" }).first().getByText(/^[\d.]+ m?s$/).waitFor();
    await page.goto(`${demo.url}/#/records/${seeded.ticket}`);
    await page.getByRole("tab", { name: /^Hooks/ }).click();
    const row = page.locator(".calls tr", { hasText: "house-rules" });
    await row.getByText(ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms >= 10 ? Math.round(ms) : Number(ms.toFixed(1))} ms`, { exact: true }).waitFor();
    await row.getByText(`${call.tokens} tokens`).waitFor();
    assert.deepEqual(await page.locator(".calls tbody th a").allTextContents(), hooks.map((line) => line.hook));
    assert.deepEqual(faults, []);
    await close();
  });

  test("a memory entry is restored, and retracted after a question", async () => {
    await demo.call("PUT", "/memory/walk", { value: "first" });
    await demo.call("PUT", "/memory/walk", { value: "second" });
    const { page, faults, close } = await open(demo, "/#/memory/walk", { wait: ".versions" });
    assert.deepEqual(await page.locator(".versions li").first().locator("del, ins").allTextContents(), ["first", "second"]);
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Version 1 is the current one again").waitFor();
    assert.equal((await demo.call("GET", "/memory/walk")).value, "first");
    const question = page.getByRole("group", { name: "Hide it from models?" });
    await page.getByRole("button", { name: "Retract" }).click();
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    assert.equal((await demo.call("GET", "/memory/walk")).status, "promoted");
    await page.getByRole("button", { name: "Retract" }).click();
    await question.getByRole("button", { name: "Retract" }).click();
    await page.getByText("The entry is retracted").waitFor();
    assert.equal((await demo.call("GET", "/memory/walk")).status, "retracted");
    assert.deepEqual(faults, []);
    await close();
  });

  test("a candidate is approved with a reason", async () => {
    const { page, faults, close } = await open(demo, "/#/memory?tab=candidates", { wait: ".candidate" });
    const card = page.locator(".candidate").first();
    assert.ok(await card.getByRole("button", { name: "Approve" }).isDisabled());
    await card.getByLabel("Why").fill("she said so twice");
    await card.getByLabel("Your name").fill("bob");
    await card.getByRole("button", { name: "Approve" }).click();
    await page.getByText("The queue is empty").waitFor();
    await page.getByRole("button", { name: "approved" }).click();
    await page.getByText("approve by bob: she said so twice").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("golden runs are red with the first stage that differs", async () => {
    const { page, faults, close } = await open(demo, `/#/packs/${encodeURIComponent(seeded.ref)}`, { wait: ".lines" });
    await page.getByRole("tab", { name: "Golden runs" }).click();
    await page.getByRole("button", { name: "Run 3 compiles" }).waitFor();
    await page.getByLabel("Run under").selectOption(seeded.ref);
    await page.getByRole("button", { name: "Run 3 compiles" }).click();
    await page.getByText("All 3 are the same.").waitFor();
    await page.getByLabel("Run under").selectOption(seeded.next);
    await page.getByRole("button", { name: "Run 3 compiles" }).click();
    await page.getByText("3 of 3 differ.").waitFor();
    assert.equal(await page.locator(".golden .parted .stage-dots .other").count() > 0, true);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a governed record shows what its pack decided", async () => {
    const { page, faults, close } = await open(demo, `/#/records/${seeded.records[0]}`, { wait: "[role=tab]" });
    await page.getByRole("tab", { name: "Pack" }).click();
    for (const text of ["Policy decisions", "Withheld", "Buckets", "Allocated"]) await page.getByText(text, { exact: true }).first().waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("settings in force are shown without secrets, and a key is made, shown once and revoked", async () => {
    const server = await Server.start("--bootstrap-key", KEY);
    try {
      const { page, faults, close } = await open(server, "/#/settings", { expected: ["401"], wait: "input" });
      await page.getByLabel("Key").fill(KEY);
      await page.keyboard.press("Enter");
      await page.getByText("--bootstrap-key").waitFor();
      assert.ok(!(await page.content()).includes(KEY));
      await page.getByText("set, not shown").waitFor();
      assert.ok(!(await page.locator("main").innerText()).includes("`"));
      await page.goto(`${server.url}/#/keys`);
      await page.getByRole("button", { name: "New key" }).click();
      await page.getByLabel("Name").fill("<script>hit('key')</script>");
      await page.getByRole("button", { name: "Make the key" }).click();
      await page.locator(".secret code").waitFor();
      assert.match(await page.locator(".secret code").innerText(), /^cx_live_/);
      await page.getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("group").getByRole("button", { name: "Revoke" }).click();
      await page.getByText("The key is revoked").waitFor();
      await page.getByText("No key is stored").waitFor();
      assert.deepEqual(faults, []);
      await close();
    } finally {
      server.stop();
    }
  });
});
