// Checks that the built files in src/console are what the sources build to, byte for byte, and that they are small.
//
//     npm ci && node scripts/check.mjs
//
// Builds into a folder of its own, and ends with 1 if a file differs or if all of them together, compressed, are more
// than MAX_BYTES.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";

const MAX_BYTES = 120 * 1024;
const root = new URL("..", import.meta.url).pathname;
const kept = join(root, "../src/console");
const built = mkdtempSync(join(tmpdir(), "console-"));
const faults = [];
let total = 0;
try {
  const build = spawnSync(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], {
    cwd: root, env: { ...process.env, CONSOLE_OUT: built }, stdio: "inherit",
  });
  if (build.status !== 0) faults.push("the sources do not build");
  const names = new Set([...readdirSync(built), ...readdirSync(kept)]);
  for (const name of [...names].sort()) {
    const read = (folder) => {
      try {
        return readFileSync(join(folder, name));
      } catch {
        return null;
      }
    };
    const [one, other] = [read(built), read(kept)];
    if (!one || !other || !one.equals(other)) faults.push(`src/console/${name} is stale: run npm run build`);
    const bytes = one ? gzipSync(one, { level: 9 }).length : 0;
    total += bytes;
    console.log(`${name}: ${bytes} bytes compressed`);
  }
} finally {
  rmSync(built, { recursive: true, force: true });
}
if (total > MAX_BYTES) faults.push(`${total} bytes compressed are more than ${MAX_BYTES}`);
faults.forEach((fault) => console.log(fault));
console.log(`${total} of ${MAX_BYTES} bytes, ${faults.length} faults`);
process.exit(faults.length > 0 ? 1 : 0);
