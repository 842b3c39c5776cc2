// Builds the console into src/console, from where the program embeds it. File names have no hashes, and nothing in
// the output depends on the machine, so a second build gives the same bytes.

import { copyFileSync } from "node:fs";
import { defineConfig } from "vite";

const out = process.env.CONSOLE_OUT ?? "../src/console";
const server = process.env.CONTEXTURE_URL ?? "http://127.0.0.1:8080";
const paths = ["adapters", "artifacts", "compilations", "compile", "compress", "console", "docs", "events", "expand",
  "hooks", "keys", "memory", "models", "openapi.json", "problems", "sessions", "skills", "tokens", "usage"];

export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: out,
    copyPublicDir: false,
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: "console/console.js",
        assetFileNames: "console/console[extname]",
        codeSplitting: false,
      },
    },
  },
  plugins: [flatten()],
  server: {
    proxy: Object.fromEntries(paths.map((path) => [`^/${path}(?=/|$|\\?)`, { target: server, changeOrigin: true, headers: { origin: server } }])),
  },
});

// The program serves the files under /console/ and keeps them in one folder.
function flatten() {
  return {
    name: "flatten",
    // Browsers send `Origin` for files with `crossorigin`, which a server behind a proxy may refuse.
    transformIndexHtml: { order: "post", handler: (html) => html.replaceAll(" crossorigin", "") },
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        for (const file of Object.values(bundle)) {
          file.fileName = file.fileName.replace(/^console\//, "");
          if (file.fileName.endsWith(".js") && !file.code.endsWith("\n")) file.code += "\n";
        }
      },
    },
    writeBundle() {
      copyFileSync("public/console/icon.svg", `${out}/icon.svg`);
    },
  };
}
