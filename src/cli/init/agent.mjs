// An agent whose history is kept by Contexture: inside the window, with a prefix that caches keep.
//
//     (cd <contexture>/clients/typescript && npm ci && npm pack)     # the client is in Contexture's repository
//     npm install <contexture>/clients/typescript/contexture-sdk-0.1.0.tgz openai
//     contexture serve &
//     OPENAI_API_KEY=... node contexture-agent.mjs "How many files are here?"

import { readdir } from "node:fs/promises";
import { Contexture } from "contexture-sdk";
import OpenAI from "openai";

const MODEL = "gpt-5.6";

const tools = [{
  type: "function",
  function: {
    name: "list_files",
    description: "Lists the files of a folder.",
    parameters: { type: "object", properties: { folder: { type: "string" } }, required: ["folder"] },
  },
}];

const functions = { list_files: async ({ folder }) => (await readdir(folder)).sort() };

const session = new Contexture().session("contexture-agent", {
  target: "openai", model: MODEL, system: "You answer questions about files.", tools,
});
const provider = new OpenAI();
const question = process.argv.slice(2).join(" ") || "How many files are here?";
let turn = await session.turn({ role: "user", content: question });
let reply;
while (turn) {
  console.error("  ", turn.report.summary);
  const response = await provider.chat.completions.create({ model: MODEL, ...turn.payload });
  reply = response.choices[0].message;
  // Appends the reply, runs its calls, and returns the next payload; undefined if there were no calls.
  turn = await session.run(reply, functions, { usage: response.usage });
}
console.log(reply.content);
