/** A client for Contexture, a context compiler as a service. */
export { Contexture } from "./client.js";
export { ContextureError } from "./errors.js";
export type { EventOptions } from "./events.js";
export type { HookCall, HookInputs, Kind, Point } from "./hook-types.js";
export type { Compiled, CompileKeys, Payloads, Target, Turned } from "./payloads.js";
export type * from "./schema.js";
export { type Functions, SessionHandle, type TurnOptions } from "./session.js";
export type { CallOptions, ContextureOptions } from "./transport.js";
export { VERSION } from "./version.js";
export { type VerifyOptions, verifyWebhook, WebhookVerificationError } from "./webhooks.js";
export { wrap } from "./wrap.js";
