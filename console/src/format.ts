// Numbers, money and times as people read them.

/** A number of so many decimals, with commas between thousands. */
function grouped(value: number, digits = 0): string {
  const [whole = "", rest] = value.toFixed(digits).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest === undefined ? "" : `.${rest}`);
}

export function count(value: number): string {
  return grouped(Math.round(value));
}

/** A number in full as long as a column has room for it: 12,345,678, then 123 M. */
export function fitted(value: number): string {
  return Math.abs(value) < 1e8 ? count(value) : short(value);
}

/** A number in at most five characters: 812, 9.4 k, 128 k, 1.28 M. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size < 1000) return String(Math.round(value));
  if (size < 1e6) return `${trim(value / 1e3)}\u00a0k`;
  if (size < 1e9) return `${trim(value / 1e6)}\u00a0M`;
  if (size < 1e12) return `${trim(value / 1e9)}\u00a0G`;
  return `${trim(value / 1e12)}\u00a0T`;
}

function trim(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\.0+$/, "");
}

/** Millionths of a dollar as dollars. */
export function money(micros: number): string {
  const dollars = micros / 1e6;
  const size = Math.abs(dollars);
  const sign = dollars < 0 ? "−" : "";
  if (size > 0 && size < 0.0001) return `${sign}<$0.0001`;
  const digits = size >= 100 ? 0 : size >= 1 || size === 0 ? 2 : 4;
  return `${sign}$${grouped(size, digits)}`;
}

/** A share, or a dash if there is nothing to divide by. */
export function percent(part: number, all: number, digits = 1): string {
  const share = (100 * part) / all;
  return all > 0 ? `${share >= 1000 ? grouped(share) : share.toFixed(digits)}\u00a0%` : "–";
}

/** The share of the tokens that is left out; with a sign and "added" if the payload has more tokens than came in. */
export function leftOut(before: number, after: number, digits = 1): string {
  return after > before && before > 0 ? `+${percent(after - before, before, digits)} added` : percent(before - after, before, digits);
}

export function bytes(value: number): string {
  return value < 1024 ? `${value} B` : value < 1048576 ? `${(value / 1024).toFixed(1)} KB` : `${(value / 1048576).toFixed(1)} MB`;
}

/** Milliseconds with at most three digits: 0.4 ms, 38 ms, 2.1 s; less than any that is measured is "<1 ms". */
export function duration(ms: number): string {
  if (ms < 0.05) return "<1 ms";
  if (ms >= 10_000) return `${Math.round(ms / 1000)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 10 ? Math.round(ms) : Number(ms.toFixed(1))} ms`;
}

function makeFormats() {
  return {
    full: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }),
    clock: new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" }),
    date: new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" }),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

let made: ReturnType<typeof makeFormats> | undefined;

/** Formats of times, made once: making one takes longer than all else that a row of a list needs. */
function formats(): ReturnType<typeof makeFormats> {
  return (made ??= makeFormats());
}

/** Makes the formats of times before a page needs them: the first one loads the browser's tables. */
export function prepareFormats(): void {
  formats();
}

/** Local time with its zone, for titles. */
export function fullTime(text: string): string {
  const { full, zone } = formats();
  return `${full.format(new Date(text))} (${zone})`;
}

/** Local time: of today without the day. */
export function time(text: string, now = new Date()): string {
  const at = new Date(text);
  const { clock, date } = formats();
  return at.toDateString() === now.toDateString() ? clock.format(at) : `${date.format(at)}, ${clock.format(at)}`;
}

export function zoneName(): string {
  return formats().zone;
}

/** The first characters of an id that is long. */
export function shortId(id: string): string {
  return id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id;
}

/** "1 message", "2 messages". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
