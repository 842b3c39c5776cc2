// Opens the console and a record's page in Chromium, with hostile texts in everything that they show.
//
//     npm install --prefix DIR playwright-core      (Chromium itself: Debian's package `chromium`)
//     cd DIR && node scripts/check_pages.mjs PROGRAM [SCREENSHOTS]
//
// PROGRAM: the binary. SCREENSHOTS: a folder for `console.png` and `compilation.png`. No script of a
// text may run, no dialog open, nothing be asked of another host, nothing break the page's policy.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import readline from "node:readline";

const { chromium } = createRequire(path.join(process.cwd(), "x.js"))("playwright-core");
const [program, screenshots] = process.argv.slice(2);

const HOSTILE = [
  "<script>hit('script')</script>",
  "<img src=x onerror=\"hit('image')\">",
  "<svg/onload=hit('svg')>",
  "\"><script>hit('quote')</script>",
  "'-hit('js')-'",
  "</title></style></textarea></pre><script>hit('close')</script>",
  "<iframe srcdoc=\"<script>parent.hit('frame')</script>\"></iframe>",
  "<a href=\"javascript:hit('link')\">open</a>",
  "<details open ontoggle=hit('toggle')>",
  "<math><mtext></table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=hit('mutate')&gt;\">",
  "<base href=//elsewhere.example/>",
  "<meta http-equiv=refresh content=\"0;url=//elsewhere.example\">",
  "<link rel=stylesheet href=//elsewhere.example/x.css>",
  "${hit('template')}{{hit('braces')}}",
  "\u2028hit('line')\u2029",
  "&lt;script&gt;hit('entity')&lt;/script&gt;",
];

const folder = mkdtempSync(path.join(tmpdir(), "pages-"));
const server = spawn(program, ["serve", "--listen", "127.0.0.1:0", "--dev",
  "--database-url", `sqlite:${folder}/pages.db`], { stdio: ["ignore", "pipe", "ignore"] });
const faults = [];
let browser;
try {
  const lines = readline.createInterface({ input: server.stdout });
  const [line] = await new Promise((done) => lines.once("line", (line) => done([line])));
  const url = line.split(" ").pop();

  async function call(method, at, body) {
    const answer = await fetch(url + at, {
      method, body: JSON.stringify(body), headers: { "content-type": "application/json" },
    });
    if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  const all = HOSTILE.join("\n");
  const log = Array.from({ length: 400 }, (_, at) => `${at} ${HOSTILE[at % HOSTILE.length]}`).join("\n");
  const said = (role, content) => ({ role, content });
  const messages = [said("system", all), said("user", all)];
  for (const [at, text] of HOSTILE.entries()) {
    messages.push({ role: "assistant", content: text, tool_calls: [{ id: `call_${at}`, type: "function",
      function: { name: "run", arguments: JSON.stringify({ command: text }) } }] });
    messages.push({ role: "tool", tool_call_id: `call_${at}`, content: `${text}\n${log}` });
  }
  messages.push(said("user", `And now? ${all}`));
  for (const [at, text] of HOSTILE.entries()) {
    await call("PUT", `/memory/key_${at}`, { value: text, description: text, tags: [`tag ${at}`] });
  }
  await call("POST", "/hooks", { id: "audit", point: "memory_changed", kind: "observe",
    url: "http://127.0.0.1:65535/?<script>hit('hook')</script>", delivery: "async" });
  const compiled = await call("POST", "/compile", {
    target: "anthropic", model: "<script>hit('model')</script>", messages, memory: true,
    session_id: "<img src=x onerror=hit('session')>", dynamic_state: { state: all },
    implicit_context: all, record: "full", budget: { context_window: 24000, reserve_output: 1000 },
  });

  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.exposeFunction("hit", (what) => faults.push(`a text ran: ${what}`));

  async function visit(name, at, shown) {
    const page = await context.newPage();
    page.on("dialog", (dialog) => { faults.push(`${name}: a dialog opened`); dialog.dismiss(); });
    page.on("pageerror", (error) => faults.push(`${name}: ${error}`));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(`${name}: ${message.text()}`);
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(url)) faults.push(`${name}: asked for ${request.url()}`);
    });
    await page.goto(url + at);
    await page.waitForSelector(shown, { timeout: 20_000 });
    return page;
  }

  const record = await visit("record", `/compilations/${compiled.id}`, "main, body");
  const text = await record.evaluate(() => document.body.innerText);
  if (!text.includes("<script>hit('script')</script>")) faults.push("record: the texts are not shown");
  if (await record.evaluate(() => document.scripts.length)) faults.push("record: it has a script");
  for (const cut of await record.$$("details")) await cut.evaluate((element) => { element.open = true; });
  if (screenshots) await record.screenshot({ path: `${screenshots}/compilation.png` });

  const page = await visit("console", "/", "#compiles tr");
  await call("PUT", "/memory/live", { value: all });
  await page.waitForSelector("#events li", { timeout: 20_000 });
  if (screenshots) await page.screenshot({ path: `${screenshots}/console.png` });
  const link = await page.$("#compiles a");
  if (!link) faults.push("console: a compile has no link to its page");
} finally {
  await browser?.close();
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
faults.forEach((fault) => console.log(fault));
console.log(`${HOSTILE.length} hostile texts, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
