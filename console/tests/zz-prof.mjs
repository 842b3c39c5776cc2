import { flood } from "./flood.mjs";
import { openPage } from "./open.mjs";
import { Server, launch } from "./server.mjs";
const browser = await launch(); const demo = await Server.start("demo");
const rate = Number(process.argv[3] ?? 1000);
const many = await flood(demo, { records: 10000, eventsPerSecond: rate });
const observe = () => { globalThis.longTasks = []; new PerformanceObserver((l) => l.getEntries().forEach((e) => globalThis.longTasks.push([Math.round(e.startTime), Math.round(e.duration)]))).observe({ type: "longtask", buffered: true }); };
const at = process.argv[2];
const t0 = Date.now();
const { page } = await openPage(browser, many, "/docs/", { wait: "body", expected: ["a"], prepare: (c) => c.addInitScript(observe) });
const cdp = await page.context().newCDPSession(page);
await cdp.send("Profiler.enable"); await cdp.send("Profiler.setSamplingInterval", { interval: 500 }); await cdp.send("Profiler.start");
await page.goto(many.url + at); await page.waitForSelector(".record-row a, .event, .stats, tbody a, .pair");
console.log("shown", Date.now() - t0);
if (at.includes("records")) {
  const more = page.getByRole("button", { name: "Load older records" });
  while (await more.count() > 0) { await page.evaluate(() => scrollTo(0, document.body.scrollHeight)); await more.click().catch(() => {}); }
  await page.evaluate(() => scrollTo(0, 0));
}
const scroll = (many) => page.evaluate(async (many) => { for (let s = 0; s < many; s += 1) { scrollBy(0, 1500); await new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d))); } }, many);
if (at.includes("records")) await scroll(60); else for (const end = Date.now() + 4000; Date.now() < end;) await scroll(5);
const { profile } = await cdp.send("Profiler.stop");
console.log("longtasks", JSON.stringify(await page.evaluate(() => globalThis.longTasks)));
console.log("perf", await page.evaluate(() => performance.now()));
const self = new Map(); const byId = new Map(profile.nodes.map((n) => [n.id, n]));
profile.samples.forEach((id, i) => { const n = byId.get(id); const k = `${n.callFrame.functionName || "(anon)"}:${n.callFrame.lineNumber}:${n.callFrame.columnNumber}`; self.set(k, (self.get(k) ?? 0) + profile.timeDeltas[i]); });
for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 18)) console.log((v / 1000).toFixed(0).padStart(7), k);
await browser.close(); many.stop(); demo.stop(); process.exit(0);
