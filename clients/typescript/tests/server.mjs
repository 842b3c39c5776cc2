/** A server of the program that `CONTEXTURE_BIN` names, for the tests that need a real one. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export const KEY = `cx_test_${"k".repeat(40)}`;
export const program = process.env.CONTEXTURE_BIN;
/** Options of a test that needs the program. */
export const needsProgram = { skip: program ? false : "CONTEXTURE_BIN names no program" };

/** Runs a function with the address of a new server with nothing in it, whose hooks may call this machine. */
export async function serving(run, environment = {}) {
  const given = ["serve", "--listen", "127.0.0.1:0", "--database-url", "memory:", "--dev", "--log-level", "warn"];
  const child = spawn(program, given, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...environment } });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  try {
    const line = await new Promise((resolve, reject) => {
      createInterface(child.stdout).once("line", resolve);
      child.once("error", reject);
      ended.then((code) => reject(new Error(`the server ended with ${code}`)));
    });
    return await run(line.split(" ").at(-1));
  } finally {
    child.kill();
    await ended;
  }
}
