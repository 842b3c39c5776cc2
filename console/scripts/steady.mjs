// Makes the same picture of the same page: ids, times and today are replaced by fixed ones in what the server sends, and
// the fonts are those that come with Chromium. Durations stay: they are as measured.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BUILT } from "../tests/open.mjs";

const NOW = "2026-01-15T09:41:00.000Z";
/** Times of a response are so far apart. */
const STEP_MS = 7000;
const DAY_MS = 86_400_000;
const FONTS = "\n:root { --sans: \"Liberation Sans\", sans-serif; --mono: \"DejaVu Sans Mono\", monospace; }\n";
/** Ids that begin with the time at which they were made. */
const ID = /\b([a-z]+_)01[0-9a-f]{14,}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

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
    const times = [...new Set(text.match(TIME) ?? [])].sort();
    const past = times.filter((time) => Math.abs(now - Date.parse(time)) < DAY_MS / 2);
    const fixed = new Map(times.map((time) => {
      const place = past.indexOf(time);
      const at = place >= 0 ? Date.parse(NOW) - (past.length - place) * STEP_MS : Date.parse(NOW) + Math.round((Date.parse(time) - now) / DAY_MS) * DAY_MS;
      return [time, new Date(at).toISOString()];
    }));
    const today = new Date(now).toISOString().slice(0, 10);
    return text.replace(TIME, (time) => fixed.get(time)).replace(ID, (id) => this.fixed(id)).replaceAll(`"${today}"`, `"${NOW.slice(0, 10)}"`);
  }
}
