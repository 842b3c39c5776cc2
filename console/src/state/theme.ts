// Light or dark: what the system says, unless the reader chose.

import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const KEY = "contexture-theme";

function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY);
    return text === "light" || text === "dark" ? text : "system";
  } catch {
    return "system";
  }
}

export const theme = signal<Theme>(stored());
/** Counts changes of what is shown, so that canvases are drawn again. */
export const themeChanges = signal(0);

effect(() => {
  const chosen = theme.value;
  const root = document.documentElement;
  if (chosen === "system") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", chosen);
  try {
    if (chosen === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // The choice lasts as long as the page.
  }
  themeChanges.value = themeChanges.peek() + 1;
});

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  themeChanges.value = themeChanges.peek() + 1;
});
