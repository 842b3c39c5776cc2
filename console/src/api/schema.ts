// Shapes of the API, from the types that the TypeScript client generates from openapi.yaml.

import type { components, paths } from "../../../clients/typescript/src/schema.d.ts";

export type Paths = paths;
type Schemas = components["schemas"];

export type Action = Schemas["MessageAction"];
export type CompilationRecord = Schemas["CompilationRecord"];
export type CompilationRow = Schemas["CompilationRow"];
export type CompileCost = Schemas["CompileCost"];
export type CompileResult = Schemas["Compilation"];
export type CompareResponse = Schemas["CompareResponse"];
export type ConsoleSession = Schemas["ConsoleSession"];
export type EventRow = Schemas["EventRow"];
export type FirstChange = Schemas["FirstChange"];
export type HookRow = Schemas["HookRow"];
export type MessageDecision = Schemas["MessageDecision"];
export type ModelRow = Schemas["ModelRow"];
export type PartTokens = Schemas["PartTokens"];
export type ProblemBody = Schemas["Problem"];
export type ReplayResponse = Schemas["ReplayResponse"];
export type Report = Schemas["Report"];
export type Session = Schemas["Session"];
export type TimelineRow = Schemas["TimelineRow"];
export type UsageRow = Schemas["UsageRow"];

/** A value of JSON, such as a request or a payload, whose shape depends on the provider. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
