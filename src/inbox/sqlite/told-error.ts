import { describeError, ERROR_CODES, type ErrorCode, HookporterError } from "../../errors.ts";
import type { ToldError } from "./writer-messages.ts";

/** An error in words that go from one thread to another. */
export function tellError(thrown: unknown): ToldError {
  const { code, errcode } = (thrown ?? {}) as { code?: unknown; errcode?: unknown };
  return {
    message: describeError(thrown),
    ...(thrown instanceof HookporterError && typeof code === "string" && { code }),
    ...(typeof errcode === "number" && { errcode }),
  };
}

/** The error that was told. */
export function toldError({ message, code, errcode }: ToldError): Error {
  if (code !== undefined && isErrorCode(code)) return new HookporterError(code, message);
  return Object.assign(new Error(message), errcode !== undefined && { errcode });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}
