// Shapes of the API, from the types that the TypeScript client generates from openapi.yaml.

import type { components, paths } from "../../../clients/typescript/src/schema.d.ts";

export type Paths = paths;
type Schemas = components["schemas"];

export type Action = Schemas["MessageAction"];
export type ApiKey = Schemas["ApiKey"];
export type Candidate = Schemas["Candidate"];
export type CompilationRecord = Schemas["CompilationRecord"];
export type CompilationRow = Schemas["CompilationRow"];
export type CompileCost = Schemas["CompileCost"];
export type CompileResult = Schemas["Compilation"];
export type CompareResponse = Schemas["CompareResponse"];
export type ConsoleSession = Schemas["ConsoleSession"];
export type EventRow = Schemas["EventRow"];
export type FirstChange = Schemas["FirstChange"];
export type Delivery = Schemas["Delivery"];
export type GoldenCase = Schemas["GoldenCase"];
export type GoldenRun = Schemas["GoldenRun"];
export type HookOrder = Schemas["HookOrder"];
export type HookRecord = Schemas["HookRecord"];
export type HookRow = Schemas["HookRow"];
export type HookTestResult = Schemas["HookTestResult"];
export type Inventory = Schemas["Inventory"];
export type MemoryEntry = Schemas["MemoryEntry"];
export type MemoryScope = Schemas["MemoryScope"];
export type MemoryVersionRow = Schemas["MemoryVersionRow"];
export type MessageDecision = Schemas["MessageDecision"];
export type ModelRow = Schemas["ModelRow"];
export type Pack = Schemas["Pack"];
export type PackDiff = Schemas["PackDiff"];
export type PackLintFault = Schemas["PackLintFault"];
export type PackRow = Schemas["PackRow"];
export type PartTokens = Schemas["PartTokens"];
export type ProblemBody = Schemas["Problem"];
export type QuotaRow = Schemas["QuotaRow"];
export type RecalledEntry = Schemas["RecalledEntry"];
export type ReplayResponse = Schemas["ReplayResponse"];
export type Report = Schemas["Report"];
export type Session = Schemas["Session"];
export type SettingRow = Schemas["SettingRow"];
export type StageRow = Schemas["StageRow"];
export type TimelineRow = Schemas["TimelineRow"];
export type UsageDurations = Schemas["UsageDurations"];
export type UsageRow = Schemas["UsageRow"];

/** A value of JSON, such as a request or a payload, whose shape depends on the provider. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
