/** Code in documents. */

import { readFileSync } from "node:fs";

/** The blocks of a document after `<!-- run -->`. */
export function runnable(path) {
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  return [...text.matchAll(/<!-- run -->\n```js\n(.*?)```/gs)].map((found) => found[1]);
}
