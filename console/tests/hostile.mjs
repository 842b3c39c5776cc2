// Texts that would do something where a page took them for markup.

export const HOSTILE = [
  "<script>hit('script')</script>",
  "<img src=x onerror=\"hit('image')\">",
  "<svg/onload=hit('svg')>",
  "\"><script>hit('quote')</script>",
  "'-hit('js')-'",
  "</title></style></textarea></pre><script>hit('close')</script>",
  "<iframe srcdoc=\"<script>parent.hit('frame')</script>\"></iframe>",
  "<a href=\"javascript:hit('link')\">open</a>",
  "<details open ontoggle=hit('toggle')>",
  "<math><mtext></table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=hit('mutate')&gt;\">",
  "<base href=//elsewhere.example/>",
  "<meta http-equiv=refresh content=\"0;url=//elsewhere.example\">",
  "<link rel=stylesheet href=//elsewhere.example/x.css>",
  "${hit('template')}{{hit('braces')}}",
  "\u2028hit('line')\u2029",
  "&lt;script&gt;hit('entity')&lt;/script&gt;",
];

const said = (role, content) => ({ role, content });

/** Fills a server with hostile texts in everything that its pages show. Returns the id of the record. */
export async function fill(server) {
  const all = HOSTILE.join("\n");
  const log = Array.from({ length: 400 }, (_, at) => `${at} ${HOSTILE[at % HOSTILE.length]}`).join("\n");
  const messages = [said("system", all), said("user", all)];
  for (const [at, text] of HOSTILE.entries()) {
    messages.push({ role: "assistant", content: text, tool_calls: [{ id: `call_${at}`, type: "function", function: { name: "run", arguments: JSON.stringify({ command: text }) } }] });
    messages.push({ role: "tool", tool_call_id: `call_${at}`, content: `${text}\n${log}` });
  }
  messages.push(said("user", `And now? ${all}`));
  for (const [at, text] of HOSTILE.entries()) await server.call("PUT", `/memory/key_${at}`, { value: text, description: text, tags: [`tag ${at}`] });
  await server.call("POST", "/hooks", { id: "audit", point: "memory_changed", kind: "observe", url: "http://127.0.0.1:65535/?<script>hit('hook')</script>", delivery: "async" });
  const request = {
    target: "anthropic", model: "<script>hit('model')</script>", messages, memory: true, session_id: "<img src=x onerror=hit('session')>",
    dynamic_state: { state: all }, implicit_context: all, budget: { context_window: 24000, reserve_output: 1000 },
  };
  return { request, id: (await server.call("POST", "/compile", request)).id };
}
