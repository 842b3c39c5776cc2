// Makes the pictures of docs/console.md from `contexture demo`, light and dark.
//
//     npm ci && CONTEXTURE_BIN=../target/debug/contexture npm run pictures
//
// Needs Chromium (Debian's package `chromium`).

import process from "node:process";
import { Server, launch, missing } from "../tests/server.mjs";

if (missing) {
  console.error(missing);
  process.exit(1);
}
const folder = new URL("../../docs/images/", import.meta.url).pathname;
const server = await Server.start("demo");
const browser = await launch();
try {
  const { items } = await server.call("GET", "/sessions/flaky-test/timeline?limit=1");
  const pages = {
    overview: { at: "/#/overview?days=1", shown: ".stats" },
    session: { at: "/#/sessions/flaky-test", shown: ".turns" },
    record: { at: `/#/records/${items[0].compilation_id}`, shown: ".pair" },
    playground: { at: "/#/playground", shown: ".pair" },
  };
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme, locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce" });
    for (const [name, { at, shown }] of Object.entries(pages)) {
      const page = await context.newPage();
      await page.goto(server.url + at);
      await page.waitForSelector(shown);
      if (name === "record") await page.getByLabel("Changes only").check();
      await page.waitForTimeout(800);
      const suffix = colorScheme === "dark" ? "-dark" : "";
      await page.screenshot({ path: `${folder}console-${name}${suffix}.png` });
      await page.close();
    }
    await context.close();
  }
} finally {
  await browser.close();
  server.stop();
}
