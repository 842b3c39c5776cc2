/** The built tarball, in an empty folder: it installs, its examples run against a real server, its types are complete. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Contexture } from "../dist/index.js";
import { runnable } from "./blocks.mjs";
import { needsProgram, serving } from "./server.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "contexture-sdk-"));
let files;

function run(command, given, options = {}) {
  const { status, stdout, stderr } = spawnSync(command, given, { cwd: folder, encoding: "utf8", ...options });
  assert.equal(status, 0, `${command} ${given.join(" ")}:\n${stdout}${stderr}`);
  return stdout;
}

/** Runs a program in the folder; its output when it has ended. */
function output(name, environment) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [name], { cwd: folder, env: { ...process.env, ...environment } });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
    child.on("exit", (code) => (code === 0 ? resolve(text) : reject(new Error(`${name} ended with ${code}:\n${text}`))));
  });
}

before(() => {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], { cwd: root }));
  files = packed.files.map((row) => row.path);
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${packed.filename}`]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("it brings what it exports, and nothing else", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = Object.values(exports).flatMap((row) => (typeof row === "string" ? [row] : Object.values(row)));
  for (const path of named) assert.ok(files.includes(path.replace("./", "")), path);
  assert.deepEqual(files.filter((path) => !path.startsWith("dist/")).sort(), ["LICENSE", "README.md", "package.json"]);
  assert.deepEqual(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith(".")), ["contexture-sdk"]);
});

test("its types need no other package, and hold without skipLibCheck", () => {
  writeFileSync(join(folder, "types.ts"), `
    import { Contexture, verifyWebhook, wrap } from "contexture-sdk";
    import { Hooks } from "contexture-sdk/hooks";
    import * as openai from "contexture-sdk/openai";
    import * as anthropic from "contexture-sdk/anthropic";
    import * as google from "contexture-sdk/google-genai";
    import type { Session } from "contexture-sdk/schema";
    export const session: Promise<Session> = new Contexture().getSession("s");
    export const used = [verifyWebhook, wrap, Hooks, openai, anthropic, google];
  `);
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--skipLibCheck", "false"];
  const kinds = [
    ["--module", "NodeNext", "--lib", "ES2022,DOM,DOM.Iterable", "--types", "none"],
    ["--module", "ESNext", "--moduleResolution", "bundler"],
    // Node without the types of browsers.
    ["--module", "NodeNext", "--lib", "ES2022", "--typeRoots", join(root, "node_modules/@types"), "--types", "node"],
  ];
  mkdirSync(join(folder, "node_modules/@types/none"), { recursive: true });
  writeFileSync(join(folder, "node_modules/@types/none/index.d.ts"), "");
  for (const kind of kinds) {
    run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...options, ...kind, "--target", "ES2022", "types.ts"]);
  }
});

for (const path of ["../README.md", "../../../docs/clients-typescript.md"]) {
  runnable(path).forEach((code, at) => {
    test(`block ${at + 1} of ${path.replaceAll("../", "")} runs`, needsProgram, () =>
      serving(async (url) => {
        writeFileSync(join(folder, "block.mjs"), code);
        assert.notEqual(await output("block.mjs", { CONTEXTURE_URL: url, CONTEXTURE_KEY: "" }), "");
      }));
  });
}

test("the example of five hooks does what it says, in at most 30 lines", needsProgram, () =>
  serving(async (url) => {
    const code = readFileSync(join(root, "examples/five-hooks.mjs"), "utf8");
    const lines = code.split("\n").filter((line) => line.trim() && !line.startsWith("//"));
    const own = lines.filter((line) => !line.startsWith("import "));
    assert.ok(own.length <= 30, `${own.length} lines`);
    writeFileSync(join(folder, "five-hooks.mjs"), code);
    const port = String(await freePort());
    const secret = `whsec_${btoa("0123456789012345678901234")}`;
    const environment = { ...process.env, CONTEXTURE_URL: url, CONTEXTURE_KEY: "", CONTEXTURE_HOOK_SECRETS: secret, PORT: port };
    const child = spawn(process.execPath, ["five-hooks.mjs"], { cwd: folder, env: environment, stdio: "inherit" });
    try {
      const client = new Contexture({ url });
      await Promise.race([
        until(async () => (await client.listHooks()).items.length === 5),
        new Promise((_, reject) => child.once("exit", (code_) => reject(new Error(`the example ended with ${code_}`)))),
      ]);
      const recipe = new URL("../../../examples/recipes/offload/request.json", import.meta.url);
      const request = JSON.parse(readFileSync(recipe, "utf8"));
      const { payload } = await client.compile({ ...request, dynamic_state: { step: "rollback" } });
      const text = JSON.stringify(payload);
      assert.match(text, /Offloaded to offloaded\/call_1\.txt/);
      assert.equal(readFileSync(join(folder, "offloaded/call_1.txt"), "utf8"), request.messages[2].content);
      assert.match(text, /A rollback keeps the database as it is/);
      assert.match(text, /Reply in one sentence\./);
      const call = { id: "c", type: "function", function: { name: "create_memory", arguments: '{"key":"k","value":"my password"}' } };
      const { results } = await client.handleCalls({ calls: [call] });
      assert.equal(results[0].decision, "deny");
      await client.putMemory("colour", { value: "green" });
      const log = join(folder, "audit.jsonl");
      await until(async () => existsSync(log) && readFileSync(log, "utf8").includes('"memory:changed"'));
    } finally {
      child.kill();
    }
  }));

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits for a condition that the server or another process brings about. */
async function until(holds) {
  const deadline = performance.now() + 15_000;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, "it does not come true");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
