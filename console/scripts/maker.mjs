// What pictures depend on besides the pages: the version of Chromium, and the fonts of the machine.

import { createHash } from "node:crypto";

const SAMPLE = "<p style=\"font: 14px 'Liberation Sans'\">Tokens 0123 → %</p><p style=\"font: 13px 'DejaVu Sans Mono'\">cmp_01 {\"a\": 2}</p>";

/** The version of Chromium, and a hash of how it draws the fonts of the pictures. */
export async function makerOf(browser) {
  const page = await browser.newPage({ viewport: { width: 300, height: 100 } });
  await page.setContent(SAMPLE);
  const fonts = createHash("sha256").update(await page.screenshot()).digest("hex").slice(0, 16);
  await page.close();
  return { chromium: browser.version(), fonts };
}
