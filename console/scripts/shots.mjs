// The pictures of the documentation: which page each is of, and what is done on it first.

import { openPage } from "../tests/open.mjs";

const WIDE = { width: 1280, height: 860 };
const NARROW = { width: 360, height: 740 };
const STILL_MS = 8000;

const click = (role, name) => (page) => page.getByRole(role, { name }).first().click();

/**
 * The pictures by name. Each has a page, what it waits for, and what is done before. `isSteady`: it shows nothing that is
 * measured or made elsewhere, so that two pictures of it are the same. `of`: the server is not the demo.
 */
export async function shotsOf(server, seeded) {
  const { items } = await server.call("GET", "/sessions/flaky-test/timeline?limit=100");
  const compacted = items.find((row) => row.first_change?.why === "compaction") ?? items[0];
  return {
    overview: { at: "/#/overview?days=1", shown: ".why-list" },
    sessions: { at: "/#/sessions", shown: "tbody a", isSteady: true },
    session: { at: "/#/sessions/flaky-test", shown: ".turns", isSteady: true },
    records: { at: "/#/records", shown: ".record-row a", isSteady: true },
    record: { at: `/#/records/${items[0].compilation_id}`, shown: ".pair", isSteady: true, act: (page) => page.getByLabel("Changes only").check() },
    playground: { at: "/#/playground", shown: ".pair", isSteady: true },
    cache: { at: `/#/cache?b=${compacted.compilation_id}`, shown: ".strip", isSteady: true },
    inventory: { at: "/#/inventory?session=flaky-test&turns=5", shown: "tbody", isSteady: true },
    memory: { at: "/#/memory", shown: "tbody a", isSteady: true },
    entry: { at: "/#/memory/style", shown: ".versions", isSteady: true },
    candidates: { at: "/#/memory?tab=candidates", shown: ".candidate", isSteady: true },
    hooks: { at: "/#/hooks", shown: "tbody a", act: click("tab", "Order"), isSteady: true },
    hook: { at: "/#/hooks/audit", shown: ".attempts" },
    calls: { at: "/#/hooks/redact-mail", shown: ".calls", act: async (page) => page.locator(".calls .link").first().click() },
    packs: { at: `/#/packs/${encodeURIComponent(seeded.ref)}`, shown: ".lines", isSteady: true, act: async (page) => {
      await click("tab", "Golden runs")(page);
      await page.getByLabel("Run under").selectOption(seeded.next);
      await click("button", /^Run /)(page);
      await page.locator(".parted, .passed").first().waitFor();
    } },
    waterfall: { at: `/#/records/${seeded.ticket}`, shown: "[role=tab]", act: click("tab", /^Hooks/) },
    governed: { at: `/#/records/${seeded.records[0]}`, shown: "[role=tab]", act: click("tab", "Pack"), isSteady: true },
    keys: { at: "/#/keys", shown: ".toolbar", act: click("tab", "Usage"), isSteady: true },
    events: { at: "/#/events", shown: ".event" },
    settings: { at: "/#/settings", shown: "tbody", of: "serve" },
    api: { at: "/#/api", shown: ".operation" },
    problems: { at: "/#/problems", shown: ".markdown" },
  };
}

/** The looks of a page: the name's ending, and the browser's settings. */
export const LOOKS = {
  light: { ending: "", viewport: WIDE, colorScheme: "light" },
  dark: { ending: "-dark", viewport: WIDE, colorScheme: "dark" },
  narrow: { ending: "-narrow", viewport: NARROW, colorScheme: "light" },
};

/** Opens a page as pictures are taken of it: with fixed ids, times and fonts, and without movement. */
export function openSteady(browser, server, steady, at, { viewport, colorScheme, wait }) {
  return openPage(browser, server, steady.withFixed(at), {
    viewport, colorScheme, wait, locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce", prepare: (context) => steady.prepare(context),
  });
}

/** A picture of the page once it no longer changes. */
export async function takeStill(page, options = {}) {
  let last = await page.screenshot(options);
  for (const end = Date.now() + STILL_MS; Date.now() < end;) {
    await page.waitForTimeout(250);
    const next = await page.screenshot(options);
    if (next.equals(last)) return next;
    last = next;
  }
  throw new Error(`${page.url()} does not come to rest`);
}

/** A picture of a page in a look. */
export async function take(browser, server, steady, { at, shown, act }, { viewport, colorScheme }) {
  const { page, close } = await openSteady(browser, server, steady, at, { viewport, colorScheme, wait: shown });
  await act?.(page);
  await page.evaluate(() => scrollTo(0, 0));
  const picture = await takeStill(page);
  await close();
  return picture;
}
