// The guide at /docs/guide in Chromium: its scripts run under the policy of the page, and its search works without a network.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPage } from "./open.mjs";
import { Server, launch, missing } from "./server.mjs";

describe("the guide", { skip: missing }, () => {
  let browser;
  let server;
  before(async () => {
    browser = await launch();
    server = await Server.start();
  });
  after(async () => {
    server?.stop();
    await browser?.close();
  });

  test("a page has its contents, colours and neighbours, in both themes", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, faults, close } = await openPage(browser, server, "/docs/guide/concepts.html", { colorScheme });
      assert.equal(await page.locator("html").getAttribute("class").then((names) => names.includes(colorScheme === "dark" ? "navy" : "light")), true);
      await page.locator("#mdbook-sidebar a", { hasText: "Retrieval and a veto" }).waitFor();
      assert.match(await page.locator("#mdbook-sidebar a.active").innerText(), /Concepts/);
      await page.goto(`${server.url}/docs/guide/report.html`);
      await page.locator("code.hljs span").first().waitFor();
      await page.locator("a[rel=next]").first().waitFor({ state: "attached" });
      assert.deepEqual(faults, []);
      await close();
    }
  });

  test("the search finds a page by what it says, and leads there", async () => {
    const { page, faults, close } = await openPage(browser, server, "/docs/guide/");
    await page.locator("#mdbook-search-toggle").click();
    // mdBook reads what is typed once its index is there.
    await page.waitForFunction(() => globalThis.search?.index && !document.querySelector("#mdbook-searchbar-outer.searching"));
    await page.locator("#mdbook-searchbar").pressSequentially("compaction point");
    const first = page.locator("#mdbook-searchresults a").first();
    await first.waitFor({ timeout: 20_000 });
    const results = await page.locator("#mdbook-searchresults a").allInnerTexts();
    assert.ok(results.some((text) => text.includes("Compaction points")), results.join("\n"));
    await first.click({ noWaitAfter: true });
    await page.waitForURL(/\/docs\/guide\/\w+[\w-]*\.html/);
    await page.waitForSelector("main h1");
    assert.deepEqual(faults, []);
    await close();
  });
});
