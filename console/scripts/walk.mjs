// A walk through the console as frames: a session, its newest record, and the playground.

import { decode } from "./png.mjs";
import { openSteady, takeStill } from "./shots.mjs";

const VIEW = { width: 1040, height: 660 };
const PAUSE_MS = 1100;
const MOVE_MS = 350;

/** The frames, each with how long it is shown. */
export async function takeWalk(browser, server, steady) {
  const { page, close } = await openSteady(browser, server, steady, "/#/sessions/flaky-test", { viewport: VIEW, colorScheme: "light", wait: ".turns" });
  const frames = [];
  const show = async (ms) => frames.push({ picture: decode(await takeStill(page)), ms: Math.round(ms) });
  const scroll = async (steps, px) => {
    for (let step = 0; step < steps; step += 1) {
      await page.evaluate((by) => scrollBy(0, by), px);
      await show(MOVE_MS);
    }
  };
  await show(PAUSE_MS * 1.5);
  await scroll(1, 220);
  await page.locator(".turns li a").last().hover();
  await show(PAUSE_MS);
  await page.locator(".turns li a").last().click();
  await page.locator(".pair").first().waitFor();
  await show(PAUSE_MS * 1.5);
  await page.getByLabel("Changes only").check();
  await scroll(2, 220);
  for (let step = 0; step < 4; step += 1) {
    await page.keyboard.press("j");
    await show(step === 0 ? PAUSE_MS : MOVE_MS * 2);
  }
  await page.locator(".pair.compressed").first().scrollIntoViewIfNeeded().catch(() => {});
  await show(PAUSE_MS * 1.5);
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole("tab", { name: "Window" }).click();
  await show(PAUSE_MS);
  await page.getByRole("link", { name: "Playground" }).click();
  await page.locator(".pair").first().waitFor();
  await show(PAUSE_MS * 1.5);
  await scroll(1, 240);
  const slider = page.getByRole("slider", { name: "Window" });
  await slider.focus();
  for (const key of ["ArrowLeft", "ArrowLeft", "ArrowLeft"]) {
    const answered = page.waitForResponse((response) => response.url().includes("/compile?"));
    await page.keyboard.press(key);
    await answered;
    await show(MOVE_MS * 2);
  }
  await scroll(2, 260);
  await show(PAUSE_MS * 2);
  await close();
  return frames;
}
