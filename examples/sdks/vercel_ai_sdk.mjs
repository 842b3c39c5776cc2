// An agent with the Vercel AI SDK: every request is compiled first, on its way out.
//
//     npm install ai @ai-sdk/openai-compatible ./clients/typescript/contexture-sdk-0.1.0.tgz
//     OPENAI_API_KEY=… node vercel_ai_sdk.mjs "Where does the build fail?"

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from "ai";
import { compileMiddleware } from "contexture-sdk/ai-sdk";

const provider = createOpenAICompatible({
  name: "openai",
  apiKey: process.env.OPENAI_API_KEY,
  baseURL: process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1",
});

const model = wrapLanguageModel({
  model: provider(process.env.MODEL ?? "gpt-4o"),
  middleware: compileMiddleware({ onCompiled: ({ report }) => console.error(report.summary) }),
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
  model,
  system: "You mend builds.",
  prompt: process.argv.slice(2).join(" ") || "Where does the build fail?",
  tools: { read_log: readLog },
  stopWhen: stepCountIs(5),
});
console.log(text);
