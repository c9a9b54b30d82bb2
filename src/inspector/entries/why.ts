import type { Entry } from "../../inbox/entry.ts";
import { entryState } from "../../inbox/entry-state.ts";
import type { RunOutline } from "../../inbox/outline.ts";
import { reasonWords } from "../../inbox/reasons.ts";
import { NO_HANDLER } from "../../inbox/runner.ts";
import { summarise } from "../live/verdict.ts";

const MAX_WHY = 300;

/** Why an entry is not handled, in one line: the field that does not fit, the handler's error, or the reason. */
export function whyOf(entry: Entry, lastRuns: readonly RunOutline[]): string | null {
  const { reason, problems, waits } = entry;
  const state = entryState(entry);
  if (state === "handled") return null;
  if (problems.length > 0) return oneLine(summarise(problems));
  const isGivenUp = state === "dead" && reason === "attempts_exhausted";
  const error = isGivenUp || state === "failing" ? errorOf(lastRuns) : null;
  if (error !== null) return error;
  const target = waits.find(({ over }) => over === null)?.target;
  if (state === "waiting" && target !== undefined) return oneLine(`waits for ${target}`);
  return reason === null || reason === NO_HANDLER ? null : reasonWords(reason);
}

function errorOf(runs: readonly RunOutline[]): string | null {
  const failed = runs.find(({ outcome }) => outcome !== "ok");
  if (failed === undefined) return null;
  return oneLine(failed.error ?? (failed.outcome === "timeout" ? "timed out" : "failed"));
}

function oneLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length > MAX_WHY ? `${line.slice(0, MAX_WHY)}…` : line;
}
