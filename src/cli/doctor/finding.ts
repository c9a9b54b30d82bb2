import { describeError } from "../../base/errors.ts";
import { unusableFrom } from "../../base/unusable.ts";
import { ALLOW_HOSTS } from "../mcp/reach.ts";
import type { Setup } from "./setup.ts";

/** How good a finding is: only `fail` means that something does not work. */
export type FindingStatus = "ok" | "warn" | "fail";

export interface Finding {
  readonly status: FindingStatus;
  /** What was found. Never contains a secret. */
  readonly message: string;
  /** What to do about it; absent if it is `ok`. */
  readonly fix?: string;
}

/** Looks at one part of a setup, and changes nothing. Errors that it throws are findings too. */
export interface DoctorCheck {
  /** One word or two, shown at the start of each line. */
  readonly name: string;
  /** Milliseconds after which it is given up. Default {@link TIME_LIMIT}. */
  readonly timeLimit?: number;
  /** What to do if it is given up. Default: run it again. */
  readonly late?: string;
  /** Returns no finding if the setup has no such part. */
  readonly run: (setup: Setup) => readonly Finding[] | Promise<readonly Finding[]>;
}

/** Milliseconds that a check may take. */
export const TIME_LIMIT = 10_000;

export function ok(message: string): Finding {
  return { status: "ok", message };
}

/** It works, but may not for long, or not as intended. */
export function warn(message: string, fix: string): Finding {
  return { status: "warn", message, fix };
}

export function fail(message: string, fix: string): Finding {
  return { status: "fail", message, fix };
}

/** Another machine that an agent's doctor leaves alone. */
export function notAsked(shown: string): Finding {
  return warn(`${shown} is another machine, and was not asked`, ALLOW_HOSTS);
}

/** An error as a finding. The last part of our messages is the fix. */
export function failure(thrown: unknown): Finding {
  const { message, fix } = splitFix(describeError(unusableFrom(thrown) ?? thrown));
  return fail(message, fix ?? "run this command again with --debug, and look at what it names");
}

/** The parts of a message in the form "expected …, got …: fix", or "cause: explanation; fix". */
export function splitFix(text: string): {
  readonly message: string;
  readonly fix: string | undefined;
} {
  const at = text.indexOf("; ");
  const cut = at === -1 ? text.lastIndexOf(": ") : at;
  if (cut === -1) return { message: text, fix: undefined };
  return { message: text.slice(0, cut), fix: text.slice(cut + 2) };
}
