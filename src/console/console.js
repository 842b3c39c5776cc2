"use strict";
// What is shown comes from events and the list of hooks. All of it is set as text, never as markup.
const PARTS = ["system", "skill", "tools", "memory", "history", "tail", "media"];
const COLOURS = ["#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377", "#bbbbbb"];
const MAX_EVENTS = 200;
const at = (id) => document.getElementById(id);
let last = 0;
let stream = null;

function headers() {
  const key = sessionStorage.getItem("key");
  return key ? { authorization: `Bearer ${key}` } : {};
}

async function ask(path, method = "GET") {
  const answer = await fetch(path, { method, headers: headers() });
  if (!answer.ok) throw new Error(answer.status === 401 ? "a key is required" : `status ${answer.status}`);
  return answer.json();
}

function cell(row, text, className) {
  const made = row.insertCell();
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function bar(parts) {
  const all = PARTS.reduce((sum, name) => sum + (parts[name] || 0), 0) || 1;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 1000 10");
  svg.setAttribute("preserveAspectRatio", "none");
  let from = 0;
  PARTS.forEach((name, index) => {
    const width = (1000 * (parts[name] || 0)) / all;
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of Object.entries({ x: from, y: 0, width, height: 10, fill: COLOURS[index] })) {
      rect.setAttribute(key, value);
    }
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = `${name}: ${parts[name] || 0}`;
    rect.append(title);
    svg.append(rect);
    from += width;
  });
  const box = document.createElement("div");
  box.className = "bar";
  box.append(svg);
  return box;
}

// A row for something that has a record.
function recorded(event) {
  const row = at("compiles").insertRow(0);
  cell(row, event.at.slice(11, 19));
  const link = document.createElement("a");
  link.href = `/compilations/${encodeURIComponent(event.compilation_id)}`;
  link.textContent = event.compilation_id;
  cell(row, "").append(link);
  while (at("compiles").rows.length > 20) at("compiles").deleteRow(-1);
  return row;
}

function compiled(event) {
  const row = recorded(event);
  const { target, model, tokens_before: before, tokens_after: after, fits, parts } = event.data;
  cell(row, model ? `${target}, ${model}` : target);
  cell(row, `${before.toLocaleString()} → ${after.toLocaleString()}`, fits ? "" : "bad");
  cell(row, "").append(bar(parts));
}

// A request through the gateway. What was not read or not sent has no record.
function relayed(event) {
  const { upstream, model, mode, tokens, saved_tokens: saved, status, code, payload_hash: hash } = event.data;
  if (!hash || code) return;
  const row = recorded(event);
  cell(row, model ? `${upstream}, ${model}` : upstream);
  const after = tokens ? tokens.uncached + tokens.read + tokens.written : 0;
  const figures = tokens ? `${(after + saved).toLocaleString()} → ${after.toLocaleString()}` : `−${saved.toLocaleString()}`;
  cell(row, figures, status < 400 ? "" : "bad");
  cell(row, mode);
}

function show(event) {
  const when = (event.at || "").slice(11, 19);
  last = Math.max(last, event.seq || 0);
  if (event.type === "compile:done") compiled(event);
  if (event.type === "gateway:request") relayed(event);
  if (event.type.startsWith("hook:")) hooks().catch(() => {});
  const line = document.createElement("li");
  line.textContent = `${when} ${event.type} ${JSON.stringify(event.data)}`;
  at("events").prepend(line);
  while (at("events").children.length > MAX_EVENTS) at("events").lastChild.remove();
}

async function hooks() {
  const { items } = await ask("/hooks?limit=100");
  const rows = at("hooks");
  rows.replaceChildren();
  for (const hook of items) {
    const row = rows.insertRow();
    cell(row, hook.id);
    cell(row, hook.kind);
    cell(row, hook.points.join(", "));
    const faults = [
      hook.enabled ? "" : `disabled${hook.disabled_because ? `: ${hook.disabled_because}` : ""}`,
      hook.circuit === "open" ? "circuit open, retrying" : "",
      hook.failing_since ? `failing since ${hook.failing_since}` : "",
    ].filter(Boolean);
    cell(row, faults.join(", ") || "healthy", faults.length ? "bad" : "");
  }
}

async function connect() {
  if (stream) stream.close();
  const { ticket } = await ask("/events/ticket", "POST");
  stream = new EventSource(`/events?as=message&after=${last}&ticket=${ticket}`);
  stream.onopen = () => { at("state").textContent = "live"; };
  stream.onmessage = (message) => show(JSON.parse(message.data));
  // A ticket opens one stream, so another one is asked for.
  stream.onerror = () => { stream.close(); again("reconnecting"); };
}

function again(text) {
  at("state").textContent = text;
  setTimeout(() => start().catch((error) => again(error.message)), 2000);
}

async function start() {
  // Behind the last number there is nothing, and the answer says which that is.
  const { next_after: newest } = await ask(`/events?format=json&limit=1&after=${Number.MAX_SAFE_INTEGER}`);
  let page = { has_more: true, next_after: Math.max(last, newest - 1000) };
  const kept = [];
  while (page.has_more) {
    page = await ask(`/events?format=json&limit=1000&after=${page.next_after}`);
    kept.push(...page.items);
    kept.splice(0, Math.max(0, kept.length - MAX_EVENTS));
  }
  kept.forEach(show);
  last = Math.max(last, page.next_after);
  hooks().catch((error) => { at("hooks").textContent = error.message; });
  await connect();
}

at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("key", at("key").value);
  at("key").value = "";
  start().catch((error) => { at("state").textContent = error.message; });
});
start().catch((error) => again(error.message));
