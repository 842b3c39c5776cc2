// Makes the pictures of docs/console.md from `contexture demo`, light, dark and narrow, and the walk.
//
//     npm ci && CONTEXTURE_BIN=../target/debug/contexture npm run pictures [-- NAME…]
//
// Needs Chromium (Debian's package `chromium`). Two runs on the same Chromium make the same pictures, apart from
// durations; tests/pictures.test.mjs compares the pages with them. `walk` is the name of the walk.

import { writeFileSync } from "node:fs";
import process from "node:process";
import { seed } from "../tests/seed.mjs";
import { Server, launch, missing } from "../tests/server.mjs";
import { makerOf } from "./maker.mjs";
import { animate, decode, encode } from "./png.mjs";
import { LOOKS, shotsOf, take } from "./shots.mjs";
import { Steady } from "./steady.mjs";
import { takeWalk } from "./walk.mjs";

if (missing) {
  console.error(missing);
  process.exit(1);
}
const folder = new URL("../../docs/images/", import.meta.url).pathname;
const server = await Server.start("demo");
const plain = await Server.start();
const browser = await launch();
const seeded = await seed(server);
const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
const keep = (name, picture) => {
  writeFileSync(`${folder}console-${name}.png`, picture);
  console.log(`console-${name}.png: ${(picture.length / 1024).toFixed(1)} KB`);
};
try {
  const steady = await Steady.of(server);
  const plainSteady = await Steady.of(plain);
  for (const [name, shot] of Object.entries(await shotsOf(server, seeded))) {
    if (!isWanted(name)) continue;
    for (const look of Object.values(LOOKS)) keep(name + look.ending, encode(decode(await take(browser, ...(shot.of === "serve" ? [plain, plainSteady] : [server, steady]), shot, look))));
  }
  if (isWanted("walk")) keep("walk", animate(await takeWalk(browser, server, steady)));
  if (wanted.length === 0) writeFileSync(`${folder}console.json`, `${JSON.stringify(await makerOf(browser), null, 2)}\n`);
} finally {
  await browser.close();
  seeded.close();
  server.stop();
  plain.stop();
}
