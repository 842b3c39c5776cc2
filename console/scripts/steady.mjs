// Makes the same picture of the same page: ids, times and today are replaced by fixed ones in what the server sends, and
// the fonts are those that come with Chromium. Durations stay: they are as measured.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BUILT } from "../tests/open.mjs";

const NOW = "2026-01-15T09:41:00.000Z";
/** Times of the rows of a list are so far apart. */
const STEP_MS = 7000;
const FOLDER = "/var/lib/contexture";
const DAY_MS = 86_400_000;
const FONTS = "\n:root { --sans: \"Liberation Sans\", sans-serif; --mono: \"DejaVu Sans Mono\", monospace; }\n";
/** Ids that begin with the time at which they were made. */
const ID = /\b([a-z]+_)01[0-9a-f]{14,}/g;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

export class Steady {
  #fixed = new Map();
  #real = new Map();

  /** Reads the ids of all records, so that each has the same in every run. */
  static async of(server) {
    const steady = new Steady();
    const { items } = await server.call("GET", "/compilations?limit=1000");
    for (const { id } of items.reverse()) steady.fixed(id);
    steady.server = server;
    return steady;
  }

  /** The fixed id of a real one. */
  fixed(id) {
    if (!this.#fixed.has(id)) {
      const prefix = id.slice(0, id.indexOf("_") + 1);
      const made = `${prefix}01a2b3c4${String(this.#fixed.size + 1).padStart(24, "0")}`;
      this.#fixed.set(id, made);
      this.#real.set(made, id);
    }
    return this.#fixed.get(id);
  }

  /** A text with fixed ids for real ones. */
  withFixed(text) {
    return text.replace(ID, (id) => this.fixed(id));
  }

  /** Prepares a browser context. */
  async prepare(context) {
    await context.addInitScript((now) => {
      globalThis.Date = class extends Date {
        constructor(...given) {
          super(...(given.length === 0 ? [now] : given));
        }

        static now() {
          return now;
        }
      };
    }, Date.parse(NOW));
    await context.route((url) => url.href.startsWith(this.server.url), (route) => this.#answer(route));
  }

  async #answer(route) {
    const request = route.request();
    const url = new URL(request.url());
    if (url.pathname === "/console/console.css") return route.fulfill({ contentType: "text/css", body: readFileSync(join(BUILT, "console.css"), "utf8") + FONTS });
    if (url.pathname === "/console/console.js") return route.fulfill({ contentType: "text/javascript", path: join(BUILT, "console.js") });
    if (request.resourceType() !== "fetch") return route.continue();
    const real = (text) => text.replace(/[a-z]+_01a2b3c4\d{24}/g, (id) => this.#real.get(id) ?? id);
    try {
      const response = await route.fetch({ url: real(request.url()), ...(request.postData() === null ? {} : { postData: real(request.postData()) }) });
      const body = this.#written(await response.text());
      return await route.fulfill({ response, body });
    } catch {
      // The page is closed, or has cancelled the request.
      return undefined;
    }
  }

  #written(text) {
    const now = Date.now();
    const today = new Date(now).toISOString().slice(0, 10);
    let body = this.withFixed(text).replaceAll(this.server.folder, FOLDER).replaceAll(`"${today}"`, `"${NOW.slice(0, 10)}"`);
    try {
      body = JSON.stringify(steadyTimes(JSON.parse(body), 0, now));
    } catch {
      // A page of the documentation, which has no times.
    }
    return body;
  }
}

/**
 * The same value with other times: those that are past count back from NOW by the place in the outer list, those to come
 * stay as many days away.
 */
function steadyTimes(value, place, now, depth = 0) {
  if (typeof value === "string" && TIME.test(value)) {
    const at = Date.parse(value);
    return new Date(at <= now ? Date.parse(NOW) - (place + 1) * STEP_MS : Date.parse(NOW) + Math.round((at - now) / DAY_MS) * DAY_MS).toISOString();
  }
  if (Array.isArray(value)) return value.map((item, at) => steadyTimes(item, depth === 0 ? at : place, now, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, steadyTimes(member, place, now, depth)]));
}
