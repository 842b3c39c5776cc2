// Opens pages of a server with the files that are built in src/console, also if the program embeds older ones.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export const BUILT = new URL("../../src/console", import.meta.url).pathname;
/** The paths of the files that pages load. */
export const FILES = new Set(["/console/console.js", "/console/console.css"]);

/** A debug build on a loaded machine takes its time for a large record. */
const WAIT_MS = 60_000;
const current = new Map();

/** Whether the server itself has the files that are built. */
export async function isCurrent(server) {
  if (!current.has(server.url)) {
    const same = await Promise.all([...FILES].map(async (path) => {
      const own = await (await fetch(server.url + path)).text();
      return own === readFileSync(join(BUILT, path.split("/").pop()), "utf8");
    }));
    current.set(server.url, same.every(Boolean));
  }
  return current.get(server.url);
}

/** Opens a page that must not complain, ask another server or run a text. */
export async function openPage(browser, server, at, options = {}) {
  const context = options.context ?? await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  if (!await isCurrent(server)) {
    await context.route((url) => url.href.startsWith(server.url) && FILES.has(url.pathname), (route) => {
      const name = new URL(route.request().url()).pathname.split("/").pop();
      return route.fulfill({ path: join(BUILT, name) });
    });
  }
  await options.prepare?.(context);
  const page = await context.newPage();
  const faults = [];
  const expected = options.expected ?? [];
  page.on("dialog", (dialog) => { faults.push("a dialog opened"); void dialog.dismiss(); });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !expected.some((text) => message.text().includes(text))) faults.push(message.text());
  });
  page.on("request", (request) => { if (!request.url().startsWith(server.url) && !request.url().startsWith("blob:")) faults.push(`asked for ${request.url()}`); });
  await page.exposeFunction("hit", (what) => faults.push(`a text ran: ${what}`));
  await page.goto(server.url + at);
  await page.waitForSelector(options.wait ?? "main h1", { timeout: WAIT_MS });
  return { page, faults, close: () => context.close() };
}
