import { InvalidArgumentError } from "commander";
import { describeError } from "../../errors.ts";
import { readInteger } from "../settings/values.ts";

/** Readers of option values that apply only to some tunnels. */

/** The name or IP address of another machine, a name in the SSH configuration, or a URL such as `ssh://me@box:2222`. */
export function readHost(text: string): string {
  if (/^[\p{L}\p{N}_][\p{L}\p{N}_.:-]*$/u.test(text)) return text;
  if (/^ssh:\/\/(?:[\w.+][\w.+-]*@)?(?:[\w.][\w.-]*|\[[\da-f:]+\])(?::\d{1,5})?$/i.test(text)) return text;
  throw new InvalidArgumentError("expected a host such as ssh.example.com or ssh://me@ssh.example.com:2222.");
}

/** A port on another machine. */
export function readRemotePort(text: string): number {
  return readInteger(text, 1, 65_535, "a port from 1 to 65535");
}
readRemotePort.numbers = "only";

/** A regular expression, as its text. */
export function readPattern(text: string): string {
  try {
    new RegExp(text);
    return text;
  } catch (thrown) {
    throw new InvalidArgumentError(`expected a regular expression: ${describeError(thrown)}.`);
  }
}
