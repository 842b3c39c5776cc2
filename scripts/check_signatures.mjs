// Checks signatures with the JavaScript library of Standard Webhooks.
//
//     CONTEXTURE_SIGNATURES_OUT=signatures.jsonl cargo test --test it signatures
//     npm install --no-save standardwebhooks
//     node scripts/check_signatures.mjs signatures.jsonl
//
// Each row has a secret, the headers and the body of a call, and whether they belong together.
// The library refuses messages that are older than five minutes.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// The library is looked for where the command runs, not beside this file.
const { Webhook } = createRequire(join(process.cwd(), "x.js"))("standardwebhooks");

function verifies({ secret, headers, body }) {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

const rows = readFileSync(process.argv[2], "utf8").trim().split("\n").map((line) => JSON.parse(line));
const wrong = rows.filter((row) => verifies(row) !== row.valid);
console.log(`${rows.length - wrong.length} of ${rows.length} rows as they should be`);
process.exit(wrong.length > 0 || rows.length === 0 ? 1 : 0);
