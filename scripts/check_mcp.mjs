// Speaks MCP with the official TypeScript SDK; `check_mcp.sh` runs it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// Packages are looked up where this is run.
const require = createRequire(`${process.cwd()}/`);
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${name}.js`)));
const { Client } = await load("index");
const { StdioClientTransport } = await load("stdio");
const { StreamableHTTPClientTransport } = await load("streamableHttp");

const [binary, database, url] = process.argv.slice(2);

async function check(name, transport) {
  const client = new Client({ name: "check", version: "1.0.0" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.equal(tools.length, 7);
  const text = Array.from({ length: 200 }, (_, row) => `row ${row} of the log says ${(row * 31) % 97}\n`).join("");
  const made = await client.callTool({ name: "compress", arguments: { text } });
  const shown = made.content[0].text.replace(/\n\n\[[^\]]*\]$/, "");
  const back = await client.callTool({ name: "expand", arguments: { text: shown } });
  assert.equal(back.content[0].text, text);
  await assert.rejects(client.callTool({ name: "nothing", arguments: {} }));
  await client.close();
  console.log(`the TypeScript SDK over ${name}: ${text.length} bytes became ${shown.length} and back`);
}

await check("stdio", new StdioClientTransport({ command: binary, args: ["mcp", "--database-url", database] }));
await check("http", new StreamableHTTPClientTransport(new URL(url)));
