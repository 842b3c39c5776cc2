// Prints sizes, lines, and what a wrapped call takes longer than a bare one.
//
//     CONTEXTURE_BIN=… node scripts/figures.mjs

import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import OpenAI from "openai";
import { Contexture, wrap } from "../dist/index.js";
import { program, serving } from "../tests/server.mjs";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;

async function sizeOf(code) {
  const bundled = await build({
    stdin: { contents: code, resolveDir: dist }, bundle: true, minify: true, format: "esm", write: false, target: "es2022",
    // A browser has no modules of Node: a bundle that needs one fails here.
    platform: "browser",
  });
  const { contents } = bundled.outputFiles[0];
  return `${kib(contents.length)} min, ${kib(gzipSync(contents).length)} min+gzip`;
}

const exported = {
  "all of contexture-sdk": 'export * from "./index.js"',
  "{ Contexture }": 'export { Contexture } from "./index.js"',
  "{ verifyWebhook }": 'export { verifyWebhook } from "./index.js"',
  "contexture-sdk/hooks": 'export * from "./hooks.js"',
  "contexture-sdk/openai": 'export * from "./openai.js"',
  "contexture-sdk/ai-sdk": 'export * from "./ai-sdk.js"',
  "contexture-sdk/opencode": 'export * from "./opencode.js"',
};
for (const [name, code] of Object.entries(exported)) console.log(`${name}: ${await sizeOf(code)}`);

const source = new URL("../src/", import.meta.url);
const generated = ["schema.d.ts", "operations.ts"];
const lines = (name) => readFileSync(new URL(name, source), "utf8").split("\n").length - 1;
const files = readdirSync(source).filter((name) => !generated.includes(name));
for (const name of files) console.log(`${name}: ${lines(name)} lines`);
console.log(`written by hand: ${files.reduce((sum, name) => sum + lines(name), 0)} lines`);

/**
 * Milliseconds of the clock and of this process's CPU that calls take. They take turns, so that all of them meet the
 * same machine: medians, and of the clock the 95th of a hundred, too.
 */
async function timesOf(calls, times = 900) {
  const taken = Object.fromEntries(Object.keys(calls).map((name) => [name, { clock: [], cpu: [] }]));
  for (let at = 0; at < times; at += 1) {
    for (const [name, call] of Object.entries(calls)) {
      const started = performance.now();
      const used = process.cpuUsage();
      await call();
      const { user, system } = process.cpuUsage(used);
      if (at < times / 3) continue;
      taken[name].clock.push(performance.now() - started);
      taken[name].cpu.push((user + system) / 1_000);
    }
  }
  const share = (values, part) => values.sort((one, other) => one - other)[Math.floor(values.length * part)];
  return Object.entries(taken).map(([name, { clock, cpu }]) => (
    { name, clock: share(clock, 0.5), p95: share(clock, 0.95), cpu: share(cpu, 0.5) }
  ));
}

const answer = JSON.stringify({
  id: "a", object: "chat.completion", created: 0, model: "gpt-4o", usage: { prompt_tokens: 9, completion_tokens: 1 },
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
});
const provider = createServer((request, response) => {
  request.resume().on("end", () => response.setHeader("content-type", "application/json").end(answer));
});
await new Promise((resolve) => provider.listen(0, "127.0.0.1", resolve));
const messages = Array.from({ length: 40 }, (_, at) => ({
  role: at % 2 ? "assistant" : "user", content: `Message ${at}: ${"the build fails in the linker. ".repeat(10)}`,
}));
const openai = new OpenAI({ baseURL: `http://127.0.0.1:${provider.address().port}/v1`, apiKey: "x" });
const ask = (client) => () => client.chat.completions.create({ model: "gpt-4o", messages });

/** A server that answers at once, in this process: what is left is the client's own work. */
let asked = 0;
async function instant(url, { body }) {
  asked += 1;
  if (!url.endsWith("/compile")) return new Response('{"id":"s","warnings":[]}', { headers: { "content-type": "application/json" } });
  const { messages: given } = JSON.parse(new TextDecoder().decode(body));
  const text = JSON.stringify({ id: "cmp_1", payload: { messages: given }, report: {} });
  return new Response(text, { headers: { "content-type": "application/json" } });
}

const local = new Contexture({ url: "http://contexture", fetch: instant });
const calls = {
  "a bare call": ask(openai),
  "wrapped, with a server that takes no time": ask(wrap(openai, { contexture: local })),
  "wrapped, in a session": ask(wrap(openai, { contexture: local, session: "s" })),
};

async function print(more = {}) {
  const [bare, ...others] = await timesOf({ ...calls, ...more });
  console.log(`${bare.name}: ${bare.cpu.toFixed(2)} ms of CPU, ${bare.clock.toFixed(2)} ms (p95 ${bare.p95.toFixed(2)})`);
  for (const { name, clock, p95, cpu } of others) {
    const longer = `${(cpu - bare.cpu).toFixed(2)} ms of CPU and ${(clock - bare.clock).toFixed(2)} ms more than bare`;
    console.log(`${name}: ${cpu.toFixed(2)} ms of CPU, ${clock.toFixed(2)} ms (p95 ${p95.toFixed(2)}), ${longer}`);
  }
}

if (program) {
  await serving(async (url) => {
    const contexture = new Contexture({ url });
    const body = { target: "openai", model: "gpt-4o", messages };
    await print({
      "wrapped, with a server on this machine": ask(wrap(openai, { contexture })),
      "its compile alone": () => contexture.compile(body),
    });
  });
} else {
  await print();
}
console.log(`compiles that took no time: ${asked}`);
provider.close();
