// The client of @hey-api/openapi-ts: the walk of check.py.
import { compile, patchMemory, putMemory, readEvents } from "./hey-api/sdk.gen.js";
import { client } from "./hey-api/client.gen.js";
import type { CompileDoneEvent, EventList, EventRow } from "./hey-api/types.gen.js";

client.setConfig({ baseUrl: process.argv[2]! });
const messages = [{ role: "user", content: "Where does the build fail?" }];
const { data: compiled } = await compile({ body: { target: "openai", messages, session_id: "hey" } });
if (!compiled || compiled.report.hooks.length !== 0) throw new Error("no payload");

const path = { key: "hey" };
await putMemory({ path, body: { value: ["any", { json: "value" }] } });
const { data: entry } = await patchMemory({ path, body: { importance: 0.9 } });
if (entry?.importance !== 0.9) throw new Error("the entry was not changed");

const { data: page } = await readEvents({ query: { format: "json", after: 0, limit: 1_000 }, parseAs: "json" });
const isDone = (event: EventRow): event is CompileDoneEvent => event.type === "compile:done";
const done = (page as EventList).items.filter(isDone).find((event) => event.session_id === "hey");
if (done?.data.tokens_after !== compiled.report.tokens_after) throw new Error("no event of the compile");

const { error } = await compile({ body: { targt: "openai" } as never });
if (error?.code !== "invalid_request" || error.status !== 422) throw new Error(`another problem: ${JSON.stringify(error)}`);
