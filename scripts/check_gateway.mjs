// Runs headroom's JavaScript client against a server.
//
//     npm install headroom-ai
//     node scripts/check_gateway.mjs http://127.0.0.1:8080

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// Packages are looked up where this is run.
const require = createRequire(`${process.cwd()}/`);
const { HeadroomClient, compress } = await import(pathToFileURL(require.resolve("headroom-ai")));

const baseUrl = process.argv[2];
const client = new HeadroomClient({ baseUrl, fallback: false });

const health = await client.health();
assert.equal(health.status, "healthy");
assert.equal((await client.validateSetup()).valid, true);

const text = (name) =>
  Array.from({ length: 80 }, (_, row) => `${name} step ${row}: ${(row * 7919) % 1000} of ${(row * 104729) % 997}`).join("\n");
const messages = [{ role: "user", content: "What failed?" }];
for (let turn = 0; turn < 12; turn += 1) {
  const id = `c${turn}`;
  messages.push({ role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: "build", arguments: "{}" } }] });
  messages.push({ role: "tool", tool_call_id: id, content: text(`unit-${turn}`) });
}
messages.push({ role: "user", content: "And now?" });

const answer = await client.compress(messages, { model: "gpt-4o" });
assert.equal(answer.messages.length, messages.length);
assert.ok(answer.tokensAfter < answer.tokensBefore);
assert.equal(answer.tokensSaved, answer.tokensBefore - answer.tokensAfter);
assert.ok(answer.ccrHashes.length > 0 && answer.transformsApplied.length > 0);

const [hash] = answer.ccrHashes;
const found = await client.retrieve(hash);
assert.ok(messages.some((message) => message.content === found.originalContent));
assert.equal((await client.retrieve(hash, { query: "step 7:" })).originalContent.split("\n").filter(Boolean).length, 1);
await assert.rejects(client.retrieve("0".repeat(24)));

const tight = await compress(messages, { client, model: "gpt-4o", tokenBudget: 800 });
assert.ok(tight.tokensAfter <= 800, `${tight.tokensAfter} tokens`);
const anthropic = await compress(
  [{ role: "user", content: [{ type: "text", text: "Hello" }] }], { client, model: "claude-sonnet-4-5" });
assert.equal(anthropic.messages[0].role, "user");
console.log(`headroom's JavaScript client: ${answer.tokensBefore} tokens became ${answer.tokensAfter}`);
