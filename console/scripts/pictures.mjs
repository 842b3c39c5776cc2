// Makes the pictures of docs/console.md from `contexture demo`, light and dark.
//
//     npm ci && CONTEXTURE_BIN=../target/debug/contexture npm run pictures [-- NAME…]
//
// Needs Chromium (Debian's package `chromium`).

import process from "node:process";
import { openPage } from "../tests/open.mjs";
import { seed } from "../tests/seed.mjs";
import { Server, launch, missing } from "../tests/server.mjs";

if (missing) {
  console.error(missing);
  process.exit(1);
}
const folder = new URL("../../docs/images/", import.meta.url).pathname;
const server = await Server.start("demo");
const browser = await launch();
const seeded = await seed(server);
try {
  const { items } = await server.call("GET", "/sessions/flaky-test/timeline?limit=100");
  const compacted = items.find((row) => row.first_change?.why === "compaction") ?? items[0];
  const click = (role, name) => (page) => page.getByRole(role, { name }).first().click();
  const pages = {
    overview: { at: "/#/overview?days=1", shown: ".stats" },
    session: { at: "/#/sessions/flaky-test", shown: ".turns" },
    record: { at: `/#/records/${items[0].compilation_id}`, shown: ".pair" },
    playground: { at: "/#/playground", shown: ".pair" },
    sessions: { at: "/#/sessions", shown: "tbody a" },
    records: { at: "/#/records", shown: ".record-row a" },
    events: { at: "/#/events", shown: ".event" },
    cache: { at: `/#/cache?b=${compacted.compilation_id}`, shown: ".strip" },
    inventory: { at: "/#/inventory?session=flaky-test&turns=5", shown: "tbody" },
    memory: { at: "/#/memory/style", shown: ".versions" },
    candidates: { at: "/#/memory?tab=candidates", shown: ".candidate" },
    hooks: { at: "/#/hooks", shown: "tbody a", act: click("tab", "Order") },
    hook: { at: "/#/hooks/audit", shown: ".attempts" },
    packs: { at: `/#/packs/${encodeURIComponent(seeded.ref)}`, shown: ".lines", act: async (page) => {
      await click("tab", "Golden runs")(page);
      await page.getByLabel("Run under").selectOption(seeded.next);
      await click("button", /^Run /)(page);
      await page.locator(".parted, .passed").first().waitFor();
    } },
    governed: { at: `/#/records/${seeded.records[0]}`, shown: "[role=tab]", act: click("tab", "Pack") },
    keys: { at: "/#/keys", shown: ".toolbar", act: click("tab", "Usage") },
    problems: { at: "/#/problems", shown: ".markdown" },
    api: { at: "/#/api", shown: ".operation" },
    settings: { at: "/#/settings", shown: "h2" },
  };
  const wanted = process.argv.slice(2);
  for (const colorScheme of ["light", "dark"]) {
    for (const [name, { at, shown, act }] of Object.entries(pages)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const { page, close } = await openPage(browser, server, at, {
        viewport: { width: 1280, height: 860 }, colorScheme, locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce", wait: shown,
      });
      if (name === "record") await page.getByLabel("Changes only").check();
      await act?.(page);
      await page.waitForLoadState("networkidle", { timeout: 2000 }).catch(() => {});
      await page.waitForTimeout(600);
      const suffix = colorScheme === "dark" ? "-dark" : "";
      await page.screenshot({ path: `${folder}console-${name}${suffix}.png` });
      await close();
    }
  }
} finally {
  await browser.close();
  seeded.close();
  server.stop();
}
