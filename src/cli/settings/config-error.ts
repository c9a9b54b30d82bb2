import { HookporterError } from "../../errors.ts";

export function invalidConfig(file: string, what: string, cause?: unknown): HookporterError {
  return new HookporterError("config_invalid", `${file} ${what}`, cause === undefined ? {} : { cause });
}
