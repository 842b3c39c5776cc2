// Sessions and records of the gateway, in front of a provider that reports no usage.

import assert from "node:assert/strict";
import http from "node:http";
import { after, before, describe, test } from "node:test";
import { openPage } from "./open.mjs";
import { Server, launch, missing } from "./server.mjs";

const KEY = "k".repeat(32);

/** A provider of chat completions whose responses have no usage, except to the user "counted". */
async function provider() {
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (data) => { body += data; });
    request.on("end", () => {
      const usage = JSON.parse(body).user === "counted" ? { usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 } } : {};
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id: "c", object: "chat.completion", model: "gpt-4o", choices: [{ index: 0, message: { role: "assistant", content: "Done" }, finish_reason: "stop" }], ...usage }));
    });
  });
  await new Promise((done) => { server.listen(0, "127.0.0.1", done); });
  return server;
}

describe("the gateway in the console", { skip: missing }, () => {
  let browser;
  let upstream;
  let server;
  let row;
  const open = (at, options) => openPage(browser, server, at, options);
  before(async () => {
    browser = await launch();
    upstream = await provider();
    server = await Server.start("--dev", "--upstream", `openai=http://127.0.0.1:${upstream.address().port}/v1`, "--gateway-mode", "compress");
    const log = Array.from({ length: 400 }, (_, at) => JSON.stringify({ id: at, status: "passed", file: "tests/cart.test.ts", duration_ms: 40 })).join(",\n");
    await server.call("POST", "/v1/chat/completions", { model: "gpt-4o", prompt_cache_key: "agent-1", messages: [
      { role: "user", content: "Why is it red?" },
      { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "tests", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c", content: `[${log}]` },
    ] }, KEY);
    for (let end = Date.now() + 10_000; !row && Date.now() < end;) row = (await server.call("GET", "/compilations")).items[0];
  });
  after(async () => {
    server?.stop();
    upstream?.close();
    await browser?.close();
  });

  test("a session of the gateway has a page, and is in the list next to the others", async () => {
    assert.match(row.session_id, /^gws_/);
    const { page, faults, close } = await open("/#/records", { wait: ".record-row a" });
    await page.getByRole("link", { name: row.session_id }).click();
    await page.getByText("A session of the gateway").waitFor();
    await page.locator(".turns li a").first().waitFor();
    await page.locator("tbody th a").first().click();
    await page.getByRole("heading", { name: "Record" }).waitFor();
    assert.ok((await page.locator(".about a").getAttribute("href")).endsWith(`#/sessions/${row.session_id}`));
    await page.goto(`${server.url}/#/records?session_id=${row.session_id}`);
    await page.getByText(`Of the session ${row.session_id}`).waitFor();
    await page.getByRole("link", { name: "Show all records" }).click();
    await page.getByText("Of the session").waitFor({ state: "detached" });
    assert.deepEqual(faults, []);
    await close();
  });

  test("a record without usage says what was saved, and no share", async () => {
    assert.equal(row.tokens_after, 0);
    assert.ok(row.tokens_before > 0);
    const saved = row.tokens_before.toLocaleString("en-US");
    const { page, faults, close } = await open("/#/records", { wait: ".record-row a" });
    assert.deepEqual(await page.locator(".record-row:not(.head) .number").allTextContents(), ["–", "–", `${saved} saved`]);
    await page.goto(`${server.url}/#/records/${row.id}`);
    await page.getByText("the provider reported no usage").waitFor();
    const text = await page.locator("main").innerText();
    assert.ok(text.includes(`${saved} tokens`), text);
    assert.doesNotMatch(text, /100\.0\s%/);
    assert.deepEqual(await page.getByRole("tab").allTextContents(), ["Messages", "Payload", "Stages 2", "Compare", "JSON"]);
    await page.getByRole("tab", { name: "Compare" }).click();
    await page.getByText("Compare with another record").waitFor();
    assert.equal(await page.getByRole("button", { name: "Replay" }).count(), 0);
    assert.deepEqual(faults, []);
    await close();
  });

  test("the overview and the list of sessions lead to a session of the gateway", async () => {
    await server.call("POST", "/v1/chat/completions", { model: "gpt-4o", prompt_cache_key: "agent-2", user: "counted", messages: [{ role: "user", content: "Hi" }] }, KEY);
    const { page, faults, close } = await open("/");
    const link = page.locator('td a, th a').filter({ hasText: "gws_" }).first();
    await link.waitFor({ timeout: 15_000 });
    assert.match(await link.getAttribute("href"), /#\/sessions\/gws_/);
    await page.goto(`${server.url}/#/sessions`);
    await page.getByText("Through the gateway").waitFor();
    await page.locator("tbody th a").filter({ hasText: "gws_" }).first().waitFor();
    assert.deepEqual(faults, []);
    await close();
  });
});
