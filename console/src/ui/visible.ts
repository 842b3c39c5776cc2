// Texts as they are: what would show a text in another order than it has, such as a name that seems to end in `.png`, is
// replaced in everything that pages show.

import { options, type VNode } from "preact";

const REORDERS = /[\u202a-\u202e\u2066-\u2069\0]/g;

/** Replaces characters that would show a text in another order than it has. */
export function visible(text: string): string {
  return text.replace(REORDERS, "\ufffd");
}

const next = options.vnode;
options.vnode = (node: VNode) => {
  // A node without a type is a text, and its props are the text itself.
  const text = node as unknown as { type: unknown; props: unknown };
  if (text.type === null && typeof text.props === "string") text.props = visible(text.props);
  else if (typeof node.type === "string") {
    const props = node.props as Record<string, unknown>;
    for (const name of ["title", "aria-label"]) if (typeof props[name] === "string") props[name] = visible(props[name]);
  }
  next?.(node);
};
