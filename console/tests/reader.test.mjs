// What a reader does besides looking: goes back, sends an address to others, opens two tabs, and stays while the server is
// away.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import net from "node:net";
import { after, before, describe, test } from "node:test";
import { openPage } from "./open.mjs";
import { seed } from "./seed.mjs";
import { Server, launch, missing } from "./server.mjs";

const KEY = "k".repeat(32);
const OTHER_ORDER = /[\u202a-\u202e\u2066-\u2069]/;

/** A way to a server that can be closed and opened again. */
async function gateTo(server) {
  const { port } = new URL(server.url);
  const sockets = new Set();
  let listener;
  const gate = {
    url: "",
    open: async () => {
      listener = net.createServer((near) => {
        const far = net.connect(Number(port), "127.0.0.1");
        for (const socket of [near, far]) {
          sockets.add(socket);
          socket.on("error", () => {}).on("close", () => { sockets.delete(socket); near.destroy(); far.destroy(); });
        }
        near.pipe(far).pipe(near);
      });
      await new Promise((done) => { listener.listen(gate.url === "" ? 0 : Number(new URL(gate.url).port), "127.0.0.1", done); });
      gate.url = `http://127.0.0.1:${listener.address().port}`;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => { listener.close(done); });
    },
  };
  await gate.open();
  return gate;
}

describe("a reader of the console", { skip: missing }, () => {
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
  const newest = async () => (await demo.call("GET", "/sessions/flaky-test/timeline?limit=1")).items[0].compilation_id;

  test("a malformed address leaves a page", async () => {
    for (const [at, text, expected] of [
      ["/compilations/%E0%A4%A", "Not found", ["404"]], ["/#/overview?days=x", "Tokens in", []], ["/#/overview?days=-3", "Tokens in", []],
      ["/#/inventory?turns=x", "20 turns", []], ["/#/memory?tab=x", "test-command", []], ["/#/keys?tab=x", "No key is stored", []],
    ]) {
      const { page, faults, close } = await open(demo, at, { expected, wait: "main" });
      await page.getByText(text).first().waitFor();
      assert.deepEqual(faults, [], at);
      await close();
    }
  });

  test("a page that cannot be drawn leaves the menu", async () => {
    const { page, close } = await open(demo, "/#/sessions", { wait: "tbody a", expected: ["Cannot read"] });
    await page.route("**/memory?*", (route) => route.fulfill({ json: { items: [{ key: "a" }] } }));
    await page.getByRole("link", { name: "Memory" }).click();
    await page.getByText("This page could not be drawn").waitFor();
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.locator("tbody a").first().waitFor();
    await close();
  });

  test("going back leads to the same rows at the same place", async () => {
    const { page, faults, close } = await open(demo, "/#/records", { wait: ".record-row a", viewport: { width: 1280, height: 500 } });
    await page.evaluate(() => scrollTo(0, 640));
    await page.waitForFunction(() => scrollY === 640);
    const row = page.locator(".record-row a[title]").nth(12);
    await row.click();
    await page.locator(".pair").first().waitFor();
    assert.equal(await page.evaluate(() => scrollY), 0);
    await page.goBack();
    await page.waitForFunction(() => scrollY === 640);
    // The same in a list that is read again.
    await page.goto(`${demo.url}/#/sessions/flaky-test`);
    await page.locator("tbody a").first().waitFor();
    await page.locator("tbody th a").last().scrollIntoViewIfNeeded();
    const top = await page.evaluate(() => scrollY);
    assert.ok(top > 500, `${top}`);
    await page.locator("tbody th a").last().click();
    await page.locator(".pair").first().waitFor();
    await page.goBack();
    await page.waitForFunction((wanted) => Math.abs(scrollY - wanted) < 2, top);
    assert.deepEqual(faults, []);
    await close();
  });

  test("older rows stay when new ones come", async () => {
    const { items: [model] } = await demo.call("GET", "/compilations?limit=1");
    const row = (at) => ({ ...model, id: `cmp_${String(at).padStart(32, "0")}` });
    let newestRow = 1200;
    const { page, faults, close } = await open(demo, "/#/sessions", { wait: "tbody a" });
    await page.route("**/compilations?*", (route) => {
      const query = new URL(route.request().url()).searchParams;
      const from = query.has("cursor") ? Number(query.get("cursor")) : newestRow;
      const end = Math.max(from - Number(query.get("limit")), 0);
      return route.fulfill({ json: { items: Array.from({ length: from - end }, (_, at) => row(from - at)), next_cursor: end > 0 ? String(end) : null } });
    });
    await page.getByRole("link", { name: "Records" }).click();
    const rows = () => page.locator(".record-list [role=listitem]").first().getAttribute("aria-setsize").then(Number);
    await page.locator(".record-row a").first().waitFor();
    assert.equal(await rows(), 200);
    await page.getByRole("button", { name: "Load older records" }).click();
    await page.getByRole("button", { name: "Load older records" }).waitFor({ state: "detached" });
    assert.equal(await rows(), 1200);
    newestRow = 1450;
    await demo.call("POST", "/compile", { messages: [{ role: "user", content: "now" }] });
    await page.waitForFunction(() => document.querySelector(".record-list [role=listitem]")?.getAttribute("aria-setsize") === "1450");
    assert.deepEqual(faults, []);
    await close();
  });

  test("tabs, filters and messages have addresses", async () => {
    const { page, faults, close } = await open(demo, `/compilations/${seeded.ticket}?`, { wait: ".pair" });
    await page.getByRole("tab", { name: /^Hooks/ }).click();
    assert.ok(page.url().endsWith(`/#/records/${seeded.ticket}?tab=hooks`), page.url());
    await page.reload();
    await page.locator(".calls").waitFor();
    // A neighbour opens at the same tab.
    await page.goto(`${demo.url}/#/records/${await newest()}?tab=stages`);
    await page.locator("table.stages").waitFor();
    await page.getByText("22 of 22").waitFor();
    await page.keyboard.press("[");
    await page.getByText("21 of 22").waitFor();
    await page.locator("table.stages").waitFor();
    await page.goto(`${demo.url}/#/records/${await newest()}?message=24`);
    await page.locator(".pair.marked header").getByText("24", { exact: true }).waitFor();
    await page.goto(`${demo.url}/#/records?kept=hashes`);
    await page.getByText("No record is like this").waitFor();
    assert.equal(await page.getByLabel("Kept").inputValue(), "hashes");
    await page.getByLabel("Kept").selectOption("full");
    await page.locator(".record-row a").first().waitFor();
    assert.ok(page.url().endsWith("?kept=full"), page.url());
    await page.goto(`${demo.url}/#/hooks?tab=order`);
    await page.getByText("The ordering manifest").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("what is searched for has an address", async () => {
    for (const [at, label, text, found, absent] of [
      ["/#/sessions", "Find", "flaky", "flaky-test", "release-1"], ["/#/memory", "Find in memory", "npm", "test-command", "deploy-window"],
      ["/#/problems", "Find a problem", "quota", "quota_exceeded", "not_found"],
      ["/#/api", "Find an operation", "/inventory", "/inventory", "/skills"], ["/#/events", "Find in events", "flaky-test", "flaky-test", "release-1"],
    ]) {
      const { page, faults, close } = await open(demo, at, { wait: "input[type=search]" });
      const main = page.locator("#main");
      await page.getByLabel(label, { exact: true }).fill(text);
      await page.waitForFunction((wanted) => new URLSearchParams(location.hash.split("?")[1]).get("find") === wanted, text);
      await main.getByText(found).first().waitFor();
      // Back from another page, and for whom the address is sent to.
      await page.goto(`${demo.url}/#/overview`);
      await page.getByText("Tokens in").first().waitFor();
      await page.goBack();
      for (const again of [() => undefined, () => page.reload()]) {
        await again();
        await main.getByText(found).first().waitFor();
        assert.equal(await page.getByLabel(label, { exact: true }).inputValue(), text, at);
        assert.equal(await main.getByText(absent, { exact: true }).count(), 0, at);
      }
      assert.deepEqual(faults, [], at);
      await close();
    }
    const server = await Server.start();
    try {
      const settings = await open(server, "/#/settings?find=database&only=changed", { wait: "input[type=search]" });
      assert.ok(await settings.page.getByLabel("Changed ones only").isChecked());
      assert.equal(await settings.page.getByLabel("Find a setting").inputValue(), "database");
      await settings.page.getByLabel("Changed ones only").uncheck();
      await settings.page.getByText("--database-url").waitFor();
      assert.ok(settings.page.url().endsWith("/#/settings?find=database"), settings.page.url());
      await settings.close();
    } finally {
      server.stop();
    }
    const { page, faults, close } = await open(demo, "/#/memory?status=retracted", { wait: "tbody a" });
    assert.deepEqual(await page.locator("tbody th a").allInnerTexts(), ["old-endpoint"]);
    await page.getByLabel("Status").selectOption("");
    assert.ok(page.url().endsWith("/#/memory"), page.url());
    await page.goto(`${demo.url}/#/memory?tab=recall`);
    await page.getByLabel("What the conversation is about").fill("Which tests?");
    await page.getByRole("button", { name: "Recall" }).click();
    await page.getByText("would be shown").waitFor();
    await page.reload();
    await page.getByText("would be shown").waitFor();
    assert.equal(await page.getByLabel("What the conversation is about").inputValue(), "Which tests?");
    await page.goto(`${demo.url}/#/records/${await newest()}?only=changed&find=pool`);
    await page.getByText(/^[1-9][0-9]* of 54 texts$/).waitFor();
    assert.ok(await page.getByLabel("Changes only").isChecked());
    assert.deepEqual(faults, []);
    await close();
  });

  test("a record that is older than a thousand others has its neighbours", async () => {
    const id = await newest();
    const { items: [model] } = await demo.call("GET", "/compilations?session_id=flaky-test&limit=1");
    const { page, faults, close } = await open(demo, "/#/sessions", { wait: "tbody a" });
    const rows = Array.from({ length: 2500 }, (_, at) => ({ ...model, id: at === 1500 ? id : `cmp_${String(2500 - at).padStart(32, "0")}` }));
    let read = 0;
    await page.route("**/compilations?*", (route) => {
      const query = new URL(route.request().url()).searchParams;
      const from = Number(query.get("cursor") ?? 0);
      const end = from + Number(query.get("limit"));
      read += 1;
      return route.fulfill({ json: { items: rows.slice(from, end), next_cursor: end < rows.length ? String(end) : null } });
    });
    await page.goto(`${demo.url}/#/records/${id}`);
    await page.getByText("1,500 newer").waitFor();
    assert.equal(read, 2);
    const pager = page.locator("nav.pager a");
    assert.deepEqual(await pager.evaluateAll((links) => links.map((link) => link.hash)), [`#/records/${rows[1501].id}`, `#/records/${rows[1499].id}`]);
    assert.deepEqual(faults, []);
    await close();
  });

  test("a record in full shows what hooks were sent, and what came back from the queue", async () => {
    await demo.call("POST", "/hooks", { id: "noted", point: "before_compile", kind: "observe", url: `${seeded.url}/noted`, delivery: "async" });
    const { id } = await demo.call("POST", "/compile", { messages: [{ role: "user", content: "What is noted?" }], record: "full" });
    const noted = async () => (await demo.call("GET", `/compilations/${id}`)).hooks.some((run) => run.delivery?.response);
    for (const end = Date.now() + 20_000; Date.now() < end && !await noted();) await new Promise((done) => { setTimeout(done, 100); });
    const { page, faults, close } = await open(demo, `/#/records/${id}?tab=hooks`, { wait: ".calls" });
    const row = page.locator(".calls tr", { hasText: "noted" });
    await row.getByRole("button", { name: /^Sent/ }).click();
    await page.locator(".calls .answer", { hasText: "What is noted?" }).waitFor();
    await row.getByRole("button", { name: /^Returned/ }).click();
    await page.locator(".calls .answer", { hasText: "\"noted\": true" }).waitFor();
    assert.equal(await page.locator(".calls .answer").count(), 1);
    await page.goto(`${demo.url}/#/hooks/noted?tab=runs`);
    await page.getByRole("button", { name: /^Returned/ }).first().waitFor();
    assert.deepEqual(faults, []);
    await close();
    await demo.call("DELETE", "/hooks/noted");
  });

  test("a session of Codex is compiled in the playground", async () => {
    const line = (type, payload) => JSON.stringify({ timestamp: "2026-03-01T10:00:00Z", type, payload });
    const log = [
      line("session_meta", { id: "s", instructions: null }), line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "Look at the orders" }] }),
      line("response_item", { type: "reasoning", summary: [], encrypted_content: "abc" }), line("response_item", { type: "function_call", name: "shell", arguments: "{}", call_id: "c1" }),
      line("response_item", { type: "function_call_output", call_id: "c1", output: "order 40 failed" }), line("event_msg", { type: "token_count", info: null }),
    ].join("\n");
    const { page, faults, close } = await open(demo, "/#/playground", { wait: ".pair" });
    await page.getByLabel("Request, session or log").fill(log);
    await page.getByText("A session of Codex of 6 lines").waitFor();
    await page.locator(".pair", { hasText: "Look at the orders" }).waitFor();
    await page.locator(".pair", { hasText: "order 40 failed" }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("texts of a record are found by words", async () => {
    const { page, faults, close } = await open(demo, `/#/records/${await newest()}`, { wait: ".pair" });
    await page.getByText("54 texts").waitFor();
    await page.getByLabel("Find in the texts").fill("Who holds them?");
    await page.getByText(/^[1-9] of 54 texts$/).waitFor();
    await page.locator(".pair").getByText("A connection was not there for five seconds.").first().waitFor();
    await page.getByLabel("Find in the texts").fill("nothing is like this");
    await page.getByText("No text is like this.").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("the keyboard goes on within a page that a link opened", async () => {
    const { page, close } = await open(demo, "/#/sessions", { wait: "tbody a" });
    await page.locator("tbody a").first().focus();
    await page.keyboard.press("Enter");
    await page.locator(".turns, .empty").first().waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await close();
  });

  test("what was typed into the playground is there after a look at another page", async () => {
    const { page, close } = await open(demo, "/#/playground", { wait: ".pair" });
    await page.getByLabel("Request, session or log").fill("09:00 INFO started\n".repeat(30));
    await page.getByText("A text of 30 lines").waitFor();
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.locator("tbody a").first().waitFor();
    await page.getByRole("link", { name: "Playground" }).click();
    await page.getByText("A text of 30 lines").waitFor();
    await close();
  });

  test("no name is shown in another order than it has", async () => {
    const name = "invoice\u202egnp.exe";
    await demo.call("POST", "/compile", { messages: [{ role: "user", content: "Hi" }], session_id: name });
    await demo.call("PUT", `/memory/${encodeURIComponent(name)}`, { value: name });
    for (const at of ["/", "/#/sessions", `/#/sessions/${encodeURIComponent(name)}`, "/#/records", "/#/memory", `/#/memory/${encodeURIComponent(name)}`, "/#/events"]) {
      const { page, close } = await open(demo, at);
      await page.getByText("invoice").first().waitFor();
      const [text, titles] = await page.evaluate(() => [document.body.textContent, [...document.querySelectorAll("[title]")].map((part) => part.title).join()]);
      assert.ok(!OTHER_ORDER.test(text) && !OTHER_ORDER.test(titles), at);
      await close();
    }
    // The name itself is untouched: its page is found.
    const { page, close } = await open(demo, "/#/sessions", { wait: "tbody a" });
    await page.getByRole("link", { name: /invoice/ }).click();
    await page.getByText("1 turn").first().waitFor();
    await close();
  });

  test("queued calls lead to the record, and to each attempt", async () => {
    await demo.call("POST", "/hooks", { id: "watch", point: "after_compress", kind: "observe", url: "http://127.0.0.1:65535/", delivery: "async" });
    const messages = [{ role: "user", content: "09:00 INFO request done\n".repeat(400) }, { role: "assistant", content: "Yes" }, { role: "user", content: "And now?" }];
    const { id } = await demo.call("POST", "/compile", { messages, budget: { context_window: 1500, reserve_output: 200 }, record: "full" });
    const attempted = async () => (await demo.call("GET", "/hooks/watch/deliveries")).items[0]?.attempts.length > 0;
    for (const end = Date.now() + 20_000; Date.now() < end && !await attempted();) await new Promise((done) => { setTimeout(done, 100); });
    const { page, faults, close } = await open(demo, "/#/hooks/watch", { wait: "button.attempts" });
    await page.locator("button.attempts").click();
    await page.locator(".attempt-list li").getByText("cannot connect").first().waitFor();
    await page.getByRole("group", { name: "State" }).getByRole("button", { name: "given up" }).click();
    await page.getByText("No call is given up").waitFor();
    await page.getByRole("group", { name: "State" }).getByRole("button", { name: "queued" }).click();
    await page.getByRole("link", { name: /^record cmp_/ }).click();
    await page.locator(".calls tr", { hasText: "watch" }).waitFor();
    assert.ok(page.url().endsWith(`/#/records/${id}?tab=hooks`), page.url());
    assert.deepEqual(faults, []);
    await close();
    await demo.call("DELETE", "/hooks/watch");
  });

  test("calls that were given up are queued again together", async () => {
    const call = (at) => ({ id: `msg_${at}`, hook: "audit", point: "memory_changed", state: "dead", created_at: new Date().toISOString(), due_at: null, compilation_id: null, session_id: null, attempts: [{ number: 1, at: new Date().toISOString(), ms: 3, status: 503, cause: "status", detail: "the receiver returned 503" }] });
    const { page, faults, close } = await open(demo, "/#/sessions", { wait: "tbody a" });
    const retried = [];
    await page.route("**/hooks/audit/deliveries?*", (route) => route.fulfill({ json: { items: [call(1), call(2), call(3)], next_cursor: null } }));
    await page.route("**/deliveries/*/retry", (route) => {
      retried.push(new URL(route.request().url()).pathname.split("/")[2]);
      return route.fulfill({ json: {} });
    });
    await page.goto(`${demo.url}/#/hooks/audit`);
    await page.getByRole("button", { name: "Retry all 3 given up" }).click();
    await page.getByRole("group", { name: "Queue 3 calls again?" }).getByRole("button", { name: "Retry" }).click();
    await page.getByText("3 calls are queued again.").waitFor();
    assert.deepEqual(retried, ["msg_1", "msg_2", "msg_3"]);
    await page.locator("button.attempts").first().click();
    await page.getByText("the receiver returned 503").waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test("an empty server shows the first request, which fills it", async () => {
    const server = await Server.start();
    try {
      const { page, faults, close } = await open(server, "/#/records");
      await page.getByText("No compile is recorded").waitFor();
      execFileSync("sh", ["-c", await page.locator(".first pre").innerText()], { stdio: "ignore" });
      await page.locator(".record-row a", { hasText: "first" }).waitFor();
      assert.deepEqual(faults, []);
      await close();
    } finally {
      server.stop();
    }
  });

  test("two tabs are one reader", async () => {
    const server = await Server.start("--bootstrap-key", KEY);
    try {
      const { key } = await server.call("POST", "/keys", { scopes: ["admin"], name: "other" }, KEY);
      const context = await browser.newContext();
      const one = await open(server, "/#/keys", { context, expected: ["401"], wait: "input" });
      const signIn = async (page, text) => {
        await page.locator("#key").fill(text);
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: "New key" }).waitFor();
      };
      await signIn(one.page, KEY);
      const two = await open(server, "/#/keys", { context, expected: ["401"], wait: "tbody th" });
      await one.page.getByRole("button", { name: "Sign out" }).click();
      await two.page.locator("#key").waitFor();
      // Another key signs in: what the other tab shows and sends is of that one.
      await signIn(one.page, key);
      await two.page.getByRole("button", { name: "New key" }).click();
      await two.page.getByLabel("Name").fill("from the other tab");
      await two.page.getByRole("button", { name: "Make the key" }).click();
      await two.page.locator(".secret code").waitFor();
      assert.deepEqual([one.faults, two.faults], [[], []]);
      await context.close();
    } finally {
      server.stop();
    }
  });

  test("a page comes back with its server, and its reader stays signed in", async () => {
    const server = await Server.start("--bootstrap-key", KEY);
    const gate = await gateTo(server);
    try {
      const expected = ["401", "ERR_", "Failed to load"];
      const { page, faults, close } = await open({ url: gate.url }, "/#/records", { expected, wait: "input" });
      await page.getByLabel("Key").fill(KEY);
      await page.keyboard.press("Enter");
      await page.getByText("No compile is recorded").waitFor();
      await page.getByText("Live", { exact: true }).waitFor();
      await gate.close();
      await page.getByText("Reconnecting").waitFor();
      await page.getByRole("link", { name: "Sessions" }).click();
      await page.getByText("the server could not be reached").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByText("Still signed in").waitFor();
      await page.getByRole("link", { name: "Events" }).click();
      await page.getByText("The stream of events is not connected").waitFor();
      await page.getByRole("link", { name: "Sessions" }).click();
      await page.getByText("the server could not be reached").first().waitFor();
      await gate.open();
      await page.getByText("No session is open").waitFor();
      assert.deepEqual(faults, []);
      await close();
    } finally {
      await gate.close().catch(() => {});
      server.stop();
    }
  });

  test("a response that is no JSON says so", async () => {
    const { page, close } = await open(demo, "/#/sessions", { wait: "tbody a" });
    await page.route("**/hooks?*", (route) => route.fulfill({ contentType: "text/html", body: "<h1>Log in</h1>" }));
    await page.getByRole("link", { name: "Hooks" }).click();
    await page.getByText("is not JSON: a proxy in between may have sent it").waitFor();
    await close();
  });

  test("large numbers have room", async () => {
    const { page, close } = await open(demo, "/#/sessions", { wait: "tbody a" });
    await page.route("**/compilations?*", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      return route.fulfill({ json: { ...body, items: body.items.map((row) => ({ ...row, tokens_before: row.tokens_before * 1e9, tokens_after: row.tokens_after * 1e9 })) } });
    });
    await page.getByRole("link", { name: "Records" }).click();
    await page.locator(".record-row a").first().waitFor();
    const wide = await page.locator(".record-row .number").evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent));
    assert.deepEqual(wide, []);
    await close();
  });
});
