// The types of openapi-typescript, with openapi-fetch: the walk of check.py.
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi-typescript.js";

type Event = components["schemas"]["EventRow"];

const client = createClient<paths>({ baseUrl: process.argv[2]! });
const messages = [{ role: "user", content: "Where does the build fail?" }];
const { data: compiled } = await client.POST("/compile", { body: { target: "openai", messages, session_id: "ots" } });
if (!compiled || compiled.report.hooks.length !== 0) throw new Error("no payload");

const path = { key: "ots" };
await client.PUT("/memory/{key}", { params: { path }, body: { value: ["any", { json: "value" }] } });
const { data: entry } = await client.PATCH("/memory/{key}", { params: { path }, body: { importance: 0.9 } });
if (entry?.importance !== 0.9) throw new Error("the entry was not changed");

const query = { format: "json", after: 0, limit: 1_000 } as const;
const { data: page } = await client.GET("/events", { params: { query } });
const isDone = (event: Event): event is components["schemas"]["CompileDoneEvent"] => event.type === "compile:done";
// The same operation streams events where the query does not ask for a page.
const items = (page && "items" in page ? page.items : []) as unknown as Event[];
const done = items.filter(isDone).find((event) => event.session_id === "ots");
if (done?.data.tokens_after !== compiled.report.tokens_after) throw new Error("no event of the compile");

const { error } = await client.POST("/compile", { body: { targt: "openai" } as never });
if (error?.code !== "invalid_request" || error.status !== 422) throw new Error(`another problem: ${JSON.stringify(error)}`);
