// Builds dist/ from src/.
import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = new URL("..", import.meta.url);
const inside = (name) => fileURLToPath(new URL(name, folder));
rmSync(inside("dist"), { recursive: true, force: true });
const compiler = [inside("node_modules/typescript/bin/tsc"), "-p", inside("tsconfig.json")];
const { status } = spawnSync(process.execPath, compiler, { stdio: "inherit" });
if (status !== 0) process.exit(1);
copyFileSync(inside("src/schema.d.ts"), inside("dist/schema.d.ts"));
copyFileSync(inside("../../LICENSE"), inside("LICENSE"));
