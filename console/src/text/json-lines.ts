// Lines of JSON as it is shown: with two blanks for each level.

/** The line of a pretty-printed document that a JSON Pointer names; 0 if there is none. */
export function lineOf(document: unknown, pointer: string): number {
  const steps = pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let value: unknown = document;
  let line = 0;
  for (const step of steps) {
    if (typeof value !== "object" || value === null) return line;
    const entries: [string, unknown][] = Array.isArray(value) ? value.map((item, at) => [String(at), item]) : Object.entries(value);
    line += 1;
    let found = false;
    for (const [name, item] of entries) {
      if (name === step) {
        value = item;
        found = true;
        break;
      }
      line += (JSON.stringify(item, null, 2) ?? "null").split("\n").length;
    }
    // A member that is missing has the place of what should have it.
    if (!found) return Math.max(line - (entries.length > 0 ? 1 : 0), 0);
  }
  return line;
}
