import { HookporterError } from "../../errors.ts";

/** The error for what is wrong with a configuration file. */
export function invalidConfig(file: string, what: string, cause?: unknown): HookporterError {
  return new HookporterError("config_invalid", `${file} ${what}`, cause === undefined ? {} : { cause });
}
