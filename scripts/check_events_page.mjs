// Opens the page of examples/events in Chromium; `check_hooks.sh` runs it.
//
//     cd DIR && node scripts/check_events_page.mjs PROGRAM      (DIR has `playwright-core`)
//
// The page comes from another origin than the server, and has a key that may read events alone. The server is killed and
// started again, and the page must reconnect and draw what it missed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import readline from "node:readline";

const { chromium } = createRequire(path.join(process.cwd(), "x.js"))("playwright-core");
const file = path.join(import.meta.dirname, "../examples/events/index.html");
const KEY = "k".repeat(32);

const pages = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end(readFileSync(file));
});
await new Promise((done) => pages.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${pages.address().port}`;
const folder = mkdtempSync(path.join(os.tmpdir(), "events-"));
let server;
/** Starts a server on this address and returns its URL. */
async function start(address) {
  server = spawn(process.argv[2], ["serve", "--listen", address, "--database-url", `sqlite:${folder}/events.db`,
    "--bootstrap-key", KEY, "--cors-origin", origin], { stdio: ["ignore", "pipe", "ignore"] });
  const lines = readline.createInterface({ input: server.stdout });
  const line = await new Promise((done) => lines.once("line", done));
  return line.split(" ").pop();
}
let browser;
try {
  const url = await start("127.0.0.1:0");
  const headers = { "content-type": "application/json", authorization: `Bearer ${KEY}` };
  const { key } = await (await fetch(`${url}/keys`, { method: "POST", headers,
    body: JSON.stringify({ scopes: ["events:read"] }) })).json();
  const compile = async (content) => {
    const answer = await fetch(`${url}/compile`, { method: "POST", headers,
      body: JSON.stringify({ messages: [{ role: "user", content }] }) });
    assert.equal(answer.status, 200, await answer.text());
  };
  await compile("Before the page is there.");
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  await page.goto(`${origin}/?url=${encodeURIComponent(url)}&key=${key}`);
  const rows = (count) => page.waitForFunction((count) =>
    document.querySelectorAll("#compiles li meter").length === count, count);
  await rows(1);
  await compile("While it is open.");
  await rows(2);
  const ended = new Promise((done) => server.once("exit", done));
  server.kill("SIGKILL");
  await ended;
  await page.waitForFunction(() => document.querySelector("#state").textContent.startsWith("reconnecting"));
  await start(new URL(url).host);
  await compile("After a restart.");
  await rows(3);
  const texts = await page.locator("#compiles li").allTextContents();
  assert.ok(texts.every((text) => /^ \S+: \d+ → \d+ tokens$/.test(text)), texts.join("; "));
  assert.deepEqual(faults, []);
  console.log(`the page: ${texts.length} compiles drawn, one from before it was opened, one from after a restart`);
} finally {
  await browser?.close();
  server?.kill();
  pages.close();
  rmSync(folder, { recursive: true });
}
