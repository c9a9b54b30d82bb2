import { HookporterError as AnyError, type LibraryErrorCode } from "./errors.ts";

/**
 * The base of every error hookporter throws on purpose: branch on `code`, show `message`.
 *
 * It is the class that the command line throws too, whose codes a program never meets: here they are left out of its type.
 */
export interface HookporterError extends Error {
  /** Stable; safe to branch on. */
  readonly code: LibraryErrorCode;
}

/**
 * The class of {@link HookporterError}: for `instanceof`, and for an inbox of your own to reject with.
 *
 * @example
 * ```ts
 * import { createReceiver, HookporterError } from "hookporter";
 *
 * try {
 *   await createReceiver({ secret: process.env.HOOKPORTER_SECRET }).start();
 * } catch (error) {
 *   if (!(error instanceof HookporterError) || error.code !== "inbox_busy") throw error;
 *   console.error(`try again later: ${error.message}`);
 * }
 * ```
 */
export const HookporterError: {
  new (code: LibraryErrorCode, message: string, options?: { cause?: unknown }): HookporterError;
  readonly prototype: HookporterError;
} = AnyError as typeof HookporterError;
