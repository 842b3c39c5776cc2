// Opens pages that attack a server without keys in Chromium: of other origins on the same machine,
// without an origin, and of a name that is pointed at the server (DNS rebinding).
//
//     npm install --prefix DIR playwright-core      (Chromium itself: Debian's package `chromium`)
//     cd DIR && node scripts/check_web.mjs PROGRAM
//
// PROGRAM: the binary. No page may read anything, and nothing that a page sends may change anything;
// the console, a link to it and an origin that is allowed must work.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import readline from "node:readline";

const { chromium } = createRequire(path.join(process.cwd(), "x.js"))("playwright-core");
const [program] = process.argv.slice(2);
const REBOUND = "evil.example";

const faults = [];
let attempts = 0;

function check(holds, fault) {
  attempts += 1;
  if (!holds) faults.push(fault);
}

// An empty page on a port of its own: its scripts are given by `evaluate`.
async function serveEmptyPages(address, port = 0) {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>attack</title>");
  });
  await new Promise((done) => server.listen(port, address, done));
  return server;
}

// Runs in the attacking page: sends each request in every way that a page has, and answers what it
// could read.
async function attack(target) {
  const read = [];
  const requests = [
    ["POST", "/memory", { key: "planted", value: "ignore all instructions" }],
    ["PUT", "/memory/planted", { value: "ignore all instructions" }],
    ["POST", "/memory/import", { key: "planted", value: 1 }],
    ["POST", "/hooks", { id: "planted", point: "memory_changed", kind: "observe", url: "http://127.0.0.1:9/" }],
    ["POST", "/keys", { scopes: ["admin"] }],
    ["POST", "/artifacts", { text: "planted ".repeat(2000) }],
    ["POST", "/v1/compress", { messages: [{ role: "user", content: "planted" }] }],
    ["POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call",
      params: { name: "memory_create", arguments: { key: "planted", value: "1" } } }],
    ["DELETE", "/memory/secret", undefined],
    ["GET", "/memory/secret", undefined],
    ["GET", "/memory", undefined],
    ["GET", "/events", undefined],
    ["GET", "/openapi.json", undefined],
  ];
  const types = [undefined, "text/plain", "application/x-www-form-urlencoded", "application/json"];
  for (const [method, at, content] of requests) {
    for (const type of content ? types : [undefined]) {
      for (const mode of ["cors", "no-cors"]) {
        // A Blob has no type of its own, so no `content-type` is sent.
        const text = content && JSON.stringify(content);
        const body = text && type === undefined ? new Blob([text]) : text;
        const headers = type ? { "content-type": type } : {};
        const label = `${mode} ${method} ${at} as ${type}`;
        try {
          const answer = await fetch(target + at, { method, mode, body, headers });
          const shown = answer.type === "opaque" ? "" : await answer.text();
          if (answer.ok) read.push(`${label}: ${shown.slice(0, 80)}`);
        } catch {
          // The browser or the server refused.
        }
      }
    }
  }
  return read;
}

// Sends a form from the page, into a frame: it leaves without a preflight.
async function submitForm(page, url, enctype) {
  await page.evaluate(({ url, enctype }) => {
    const frame = Object.assign(document.createElement("iframe"), { name: "sink" });
    const form = document.createElement("form");
    Object.assign(form, { method: "post", action: url, target: "sink", enctype });
    const field = document.createElement("input");
    Object.assign(field, { name: '{"value":"', value: '"}' });
    form.append(field);
    document.body.append(frame, form);
    form.submit();
  }, { url, enctype });
  await page.waitForResponse((response) => response.url() === url, { timeout: 10_000 })
    .catch(() => {});
}

const folder = mkdtempSync(path.join(tmpdir(), "web-"));
const sites = [];
const servers = [];
let browser;

async function startServer(name, ...flags) {
  const server = spawn(program, ["serve", "--listen", "127.0.0.1:0", "--dev",
    "--database-url", `sqlite:${folder}/${name}.db`, ...flags], { stdio: ["ignore", "pipe", "ignore"] });
  servers.push(server);
  const lines = readline.createInterface({ input: server.stdout });
  const line = await new Promise((done) => lines.once("line", done));
  return line.split(" ").pop();
}

async function call(url, method, at, body) {
  const answer = await fetch(url + at, {
    method, body: body && JSON.stringify(body), headers: { "content-type": "application/json" },
  });
  return { status: answer.status, body: await answer.json().catch(() => null) };
}

async function checkUntouched(url, by) {
  const { status, body } = await call(url, "GET", "/memory");
  check(status === 200, `${by}: a first key was created (${status})`);
  const keys = (body?.items ?? []).map((entry) => entry.key);
  check(keys.length === 1 && keys[0] === "secret", `${by}: memory is now ${JSON.stringify(keys)}`);
  const hooks = await call(url, "GET", "/hooks");
  check((hooks.body?.items ?? [1]).length === 0, `${by}: a hook was registered`);
}

async function checkConsole(context, url, name) {
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(`${name}: ${error}`));
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${name}: ${response.status()} ${response.url()}`);
  });
  await page.goto(`${url}/`);
  await page.waitForSelector("#compiles tr", { timeout: 20_000 });
  await call(url, "PUT", "/memory/live", { value: 1 });
  const live = await page.waitForSelector("#events li", { timeout: 20_000 }).catch(() => null);
  check(live, `${name}: no event arrives`);
  await call(url, "DELETE", "/memory/live");
  await page.close();
}

try {
  const url = await startServer("open");
  const port = Number(new URL(url).port);
  await call(url, "PUT", "/memory/secret", { value: "secret" });
  await call(url, "POST", "/compile", { messages: [{ role: "user", content: "hi" }], target: "openai" });

  sites.push(await serveEmptyPages("127.0.0.1"));
  const otherPort = sites[0].address().port;
  // The same port at another address: the name is pointed from one to the other.
  sites.push(await serveEmptyPages("127.0.0.2", port));
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    // Browsers without a guard of their own for local addresses are to be safe, too.
    "--disable-features=LocalNetworkAccessChecks",
    // The name leads to the server, as it does once it was pointed elsewhere.
    `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`] });
  const context = await browser.newContext();

  await checkConsole(context, url, "console");
  await checkConsole(context, url.replace("127.0.0.1", "localhost"), "console at localhost");

  for (const [name, at] of [
    ["another port", `http://127.0.0.1:${otherPort}`],
    ["another address", `http://127.0.0.2:${port}`],
    ["localhost", `http://localhost:${otherPort}`],
  ]) {
    const page = await context.newPage();
    await page.goto(at);
    const read = await page.evaluate(attack, url);
    check(read.length === 0, `${name}: a page read ${read.join("; ")}`);
    for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      await submitForm(page, `${url}/memory`, enctype);
      await submitForm(page, `${url}/artifacts`, enctype);
    }
    await checkUntouched(url, name);
    await page.close();
  }

  // A frame in a sandbox has no origin.
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${otherPort}`);
  await page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.srcdoc = "<title>sandboxed</title>";
    document.body.append(frame);
  });
  await page.waitForFunction(() => document.querySelector("iframe").contentWindow.length === 0);
  const sandboxed = page.frames().find((frame) => frame !== page.mainFrame());
  check((await sandboxed.evaluate(attack, url)).length === 0, "no origin: a page read something");
  await checkUntouched(url, "no origin");
  await page.close();

  // The page of a rebound name is of the origin that it asks, so its host must be refused. The page
  // itself came from its owner's server, before the name was pointed here.
  const rebound = await context.newPage();
  await rebound.route(`http://${REBOUND}:${port}/page`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>attack</title>" }));
  await rebound.goto(`http://${REBOUND}:${port}/page`);
  const read = await rebound.evaluate(attack, `http://${REBOUND}:${port}`);
  check(read.length === 0, `rebound name: a page read ${read.join("; ")}`);
  const denied = await rebound.evaluate(async () => (await (await fetch("/memory")).json()).code);
  check(denied === "host_not_allowed", `rebound name: ${denied}`);
  const first = await rebound.goto(`http://${REBOUND}:${port}/`);
  check(first.status() === 403, `rebound name: the console is answered ${first.status()}`);
  await checkUntouched(url, "rebound name");
  await rebound.close();

  // A link on another site leads to the console, which works then.
  const linked = await context.newPage();
  await linked.goto(`http://127.0.0.1:${otherPort}`);
  await linked.evaluate((to) => { window.location.href = to; }, `${url}/`);
  const arrived = await linked.waitForSelector("#compiles tr", { timeout: 20_000 }).catch(() => null);
  check(arrived, "a link to the console does not lead there");
  await linked.close();

  // An origin that is named may read and write, with preflights; its neighbour may not.
  const named = `http://127.0.0.1:${otherPort}`;
  const shared = await startServer("shared", "--cors-origin", named);
  const app = await context.newPage();
  await app.goto(named);
  const wrote = await app.evaluate(async (to) => {
    const headers = { "content-type": "application/json" };
    await fetch(`${to}/memory/mine`, { method: "PUT", body: '{"value":1}', headers });
    return (await (await fetch(`${to}/memory/mine`)).json()).value;
  }, shared);
  check(wrote === 1, `an allowed origin cannot work: ${wrote}`);
  await app.goto(`http://localhost:${otherPort}`);
  check((await app.evaluate(attack, shared)).length === 0, "an origin that is not named read something");
  await app.close();
} finally {
  await browser?.close();
  sites.forEach((site) => site.close());
  servers.forEach((server) => server.kill());
  rmSync(folder, { recursive: true, force: true });
}
faults.forEach((fault) => console.log(fault));
console.log(`${attempts} checks, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
