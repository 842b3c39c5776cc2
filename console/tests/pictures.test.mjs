// Pages look as in the pictures of the documentation, dark and narrow: at most MAX_SHARE of the pixels differ visibly.
// Pictures depend on Chromium and fonts, so the test is skipped where these are not those of docs/images/console.json;
// `npm run pictures` makes them again.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { makerOf } from "../scripts/maker.mjs";
import { decode, difference } from "../scripts/png.mjs";
import { LOOKS, shotsOf, take } from "../scripts/shots.mjs";
import { Steady } from "../scripts/steady.mjs";
import { seed } from "./seed.mjs";
import { Server, launch, missing } from "./server.mjs";

const MAX_SHARE = 0.01;
const images = new URL("../../docs/images/", import.meta.url);
const made = JSON.parse(readFileSync(new URL("console.json", images), "utf8"));

describe("pictures", { skip: missing }, () => {
  let browser;
  let server;
  let seeded;
  let other;
  before(async () => {
    browser = await launch();
    const own = await makerOf(browser);
    other = own.chromium !== made.chromium ? `the pictures are of Chromium ${made.chromium}, this is ${own.chromium}`
      : own.fonts !== made.fonts && "the pictures are made with other fonts than this machine has";
    if (other) return;
    server = await Server.start("demo");
    seeded = await seed(server);
  });
  after(async () => {
    seeded?.close();
    server?.stop();
    await browser?.close();
  });

  test("pages are as in the documentation, dark and narrow", async (context) => {
    if (other) {
      console.log(`skipped pictures: ${other}`);
      context.skip(other);
      return;
    }
    const steady = await Steady.of(server);
    const shots = Object.entries(await shotsOf(server, seeded)).filter(([, shot]) => shot.isSteady);
    assert.ok(shots.length >= 10);
    const faults = [];
    for (const [name, shot] of shots) {
      for (const look of [LOOKS.dark, LOOKS.narrow]) {
        const file = `console-${name}${look.ending}.png`;
        const share = difference(decode(await take(browser, server, steady, shot, look)), decode(readFileSync(new URL(file, images))));
        if (share > MAX_SHARE) faults.push(`${file}: ${(100 * share).toFixed(2)} % of the pixels differ`);
      }
    }
    assert.deepEqual(faults, [], "look at the pages, then run npm run pictures");
  });

  test("every picture of the documentation is there, and small", () => {
    const page = readFileSync(new URL("../console.md", images), "utf8");
    const wanted = [...page.matchAll(/images\/(console-[\w-]+\.png)/g)].map(([, name]) => name);
    assert.ok(wanted.length >= 20);
    for (const name of wanted) {
      assert.ok(existsSync(new URL(name, images)), name);
      const { length } = readFileSync(new URL(name, images));
      assert.ok(length < (name === "console-walk.png" ? 1024 : 100) * 1024, `${name} has ${length} bytes`);
    }
  });
});
