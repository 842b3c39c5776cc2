// Starts the console: finds out who is signed in, and shows the page of the address.

import "uplot/dist/uPlot.min.css";
import "./style/base.css";
import "./style/frame.css";
import "./style/content.css";
import "./style/charts.css";
import "./style/pairs.css";
import "./style/playground.css";
import "./style/pages.css";
import { render } from "preact";
import { useEffect, useErrorBoundary, useLayoutEffect } from "preact/hooks";
import { ApiError } from "./api/problem.ts";
import { Api } from "./pages/api.tsx";
import { Cache } from "./pages/cache.tsx";
import { Events } from "./pages/events.tsx";
import { Hooks } from "./pages/hooks.tsx";
import { InventoryPage } from "./pages/inventory.tsx";
import { Keys } from "./pages/keys.tsx";
import { Memory } from "./pages/memory.tsx";
import { Overview } from "./pages/overview.tsx";
import { Packs } from "./pages/packs.tsx";
import { Playground } from "./pages/playground.tsx";
import { Problems } from "./pages/problems.tsx";
import { RecordPage } from "./pages/record.tsx";
import { Records } from "./pages/records.tsx";
import { SessionPage } from "./pages/session.tsx";
import { Sessions } from "./pages/sessions.tsx";
import { Settings } from "./pages/settings.tsx";
import { prepareFormats } from "./format.ts";
import { pageKey, route, type Route } from "./state/route.ts";
import { restoreScroll } from "./state/scroll.ts";
import { findSession, session } from "./state/session.ts";
import { Frame } from "./ui/frame.tsx";
import { SignIn, Unreachable } from "./ui/sign-in.tsx";
import { Failed, Loading } from "./ui/states.tsx";
import "./state/live.ts";
import "./ui/visible.ts";

const TITLES: Record<Route["page"], string> = {
  overview: "Overview", sessions: "Sessions", records: "Records", cache: "Cache misses", inventory: "Inventory", playground: "Playground",
  memory: "Memory", hooks: "Hooks", packs: "Packs", keys: "Keys and usage", events: "Events", problems: "Problems", api: "API", settings: "Settings",
};

function Page() {
  const { page, id } = route.value;
  switch (page) {
    case "overview": return <Overview />;
    case "sessions": return id === null ? <Sessions /> : <SessionPage key={id} id={id} />;
    case "records": return id === null ? <Records /> : <RecordPage key={id} id={id} />;
    case "cache": return <Cache />;
    case "inventory": return <InventoryPage />;
    case "playground": return <Playground />;
    case "memory": return <Memory />;
    case "hooks": return <Hooks />;
    case "packs": return <Packs />;
    case "keys": return <Keys />;
    case "events": return <Events />;
    case "problems": return <Problems />;
    case "api": return <Api />;
    case "settings": return <Settings />;
  }
}

/** A page that cannot be drawn leaves the menu and a sentence. */
function Guarded() {
  const [thrown, reset] = useErrorBoundary();
  if (thrown === undefined) return <Page />;
  return <Failed title="This page could not be drawn" error={new ApiError(0, "page", null, String(thrown))} retry={reset} />;
}

function App() {
  const state = session.value;
  const key = pageKey.value;
  useLayoutEffect(restoreScroll, [key]);
  useEffect(() => {
    const { page, id } = route.value;
    document.title = `${id ?? TITLES[page]} · Contexture`;
    // What had the focus may be gone with its page: the next key goes on from the start of the new one.
    if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
  }, [key]);
  if (state.status === "signed out") return <SignIn />;
  if (state.status === "failed") return <Unreachable message={state.message} />;
  if (state.status === "unknown") return <Loading />;
  return <Frame><Guarded key={`${state.who.tenant} ${state.who.key ?? ""} ${key}`} /></Frame>;
}

const app = document.getElementById("app");
if (app) {
  app.replaceChildren();
  render(<App />, app);
  void findSession();
  // While the server's response is on its way.
  setTimeout(prepareFormats);
}
