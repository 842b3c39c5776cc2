// An agent with the Vercel AI SDK: every request is compiled first, on its way out.
//
//     npm install ai @ai-sdk/openai-compatible zod
//     OPENAI_API_KEY=… node vercel_ai_sdk.mjs "Where does the build fail?"

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";

const contexture = process.env.CONTEXTURE_URL ?? "http://localhost:8080";
const model = process.env.MODEL ?? "gpt-4o";

/** Sends what the compiler makes of a request in its place. */
async function compiling(url, init) {
  const { messages, tools, ...rest } = JSON.parse(init.body);
  const response = await fetch(`${contexture}/compile`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages, tools, target: "openai", model }),
  });
  const { payload, report } = await response.json();
  if (!response.ok) throw new Error(`the compile failed: ${response.status}`);
  console.error(report.summary);
  return fetch(url, { ...init, body: JSON.stringify({ ...rest, ...payload }) });
}

const provider = createOpenAICompatible({
  name: "openai",
  apiKey: process.env.OPENAI_API_KEY,
  baseURL: process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1",
  fetch: compiling,
});

const readLog = tool({
  description: "Reads the log of the last build.",
  inputSchema: jsonSchema({
    type: "object", properties: { lines: { type: "integer", minimum: 1 } }, required: ["lines"],
  }),
  execute: ({ lines }) => {
    const row = (at) => `step ${at}: compiled unit ${at} in ${(at * 37) % 400} ms`;
    return [...Array.from({ length: lines }, (_, at) => row(at)), "ERROR unit 7 failed: no such column"].join("\n");
  },
});

const { text } = await generateText({
  model: provider(model),
  system: "You mend builds.",
  prompt: process.argv.slice(2).join(" ") || "Where does the build fail?",
  tools: { read_log: readLog },
  stopWhen: stepCountIs(5),
});
console.log(text);
