// A server of the program for tests and pictures, and a browser to open it with.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import readline from "node:readline";
import { chromium } from "playwright-core";

const root = new URL("../..", import.meta.url).pathname;
export const program = process.env.CONTEXTURE_BIN ?? path.join(root, "target/debug/contexture");
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Why the pages cannot be tested here; false if they can. */
export const missing = !existsSync(program) ? `there is no program at ${program}` : !existsSync(browserPath) && `there is no Chromium at ${browserPath}`;

export class Server {
  /** Starts the program with `serve` and these flags, or with `demo`. */
  static async start(...flags) {
    const server = new Server();
    server.folder = mkdtempSync(path.join(tmpdir(), "console-"));
    const [command, ...rest] = flags[0] === "demo" ? flags : ["serve", ...flags];
    const database = command === "demo" ? [] : ["--database-url", `sqlite:${server.folder}/console.db`];
    const environment = { PATH: process.env.PATH, CONTEXTURE_LOG: "error" };
    server.child = spawn(program, [command, "--listen", "127.0.0.1:0", ...database, ...rest], { stdio: ["ignore", "pipe", "inherit"], env: environment });
    const lines = readline.createInterface({ input: server.child.stdout });
    const line = await new Promise((done, fail) => {
      lines.once("line", done);
      server.child.once("exit", () => fail(new Error("the program ended")));
    });
    server.url = line.split(" ").pop();
    return server;
  }

  async call(method, at, body, key) {
    const headers = { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
    const response = await fetch(this.url + at, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? null : response.json();
  }

  stop() {
    this.child.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function launch() {
  return chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--font-render-hinting=none"] });
}
