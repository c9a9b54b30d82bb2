import { ownCommand } from "../../base/package/own-command.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { REJECTED } from "../../event/identity.ts";
import type { Entry } from "../../inbox/entry.ts";
import { PAUSED } from "../../inbox/pause.ts";
import { ERASED, reasonWords } from "../../inbox/reasons.ts";
import { DROPPED, TARGET_AWAY } from "../../inbox/target-wait.ts";
import type { Explanation } from "../api.ts";

type EntrySummary = Pick<Explanation, "summary" | "fix">;

export function summariseEntry(entry: Entry): EntrySummary {
  const rejected = entry.key.timestamp === REJECTED; // authentic, but not an event
  if (entry.reason === ERASED)
    return { summary: "It was erased by hand; its key is left.", fix: null };
  if (entry.state === "handled") return handled(entry, rejected);
  if (entry.reason === DROPPED) return dropped(entry);
  if (rejected) return notAnEvent(entry);
  if (entry.state === "dead") return dead(entry);
  if (entry.state === "received") {
    const fix =
      "Start listen with a handler or target for this kind (--handlers, --forward-to), then retry it.";
    return {
      summary: "It was received and kept. There was no handler or target for its kind.",
      fix,
    };
  }
  if (entry.state === "running")
    return { summary: `Attempt ${entry.attempts} is running.`, fix: null };
  return waiting(entry);
}

function handled({ attempts, settledAt, receivedAt }: Entry, rejected: boolean): EntrySummary {
  const first = rejected ? "It was rejected at first, then retried. " : "";
  const after = settledAt === null ? "" : `, ${durationText(settledAt - receivedAt)} after arrival`;
  const again = attempts > 1 ? ` at attempt ${attempts}` : "";
  return { summary: `${first}Handled${again}${after}.`, fix: null };
}

function dropped({ state }: Entry): EntrySummary {
  if (state !== "dead")
    return { summary: "It is dropped as soon as this attempt ends.", fix: null };
  return {
    summary: "It was dropped by hand, and does not run again by itself.",
    fix: "Retry it to take it back.",
  };
}

function notAnEvent({ reason }: Entry): EntrySummary {
  const isTime = reason === "too_old" || reason === "future_timestamp";
  const fix = isTime
    ? "Retry it to accept it anyway, or send it again as new, with the current time."
    : "Correct the body and send it as a new delivery.";
  return { summary: `It is authentic, but was rejected: ${reasonWords(reason ?? "")}.`, fix };
}

function dead({ reason, kind, attempts }: Entry): EntrySummary {
  if (reason === "invalid_data") {
    return {
      summary: `Its data does not fit the schema of ${kind}, so no handler ran.`,
      fix: "Correct the schema, then retry it; or edit the data and send it again.",
    };
  }
  if (reason === "schema_failed") {
    return {
      summary: `The schema of ${kind} failed, so no handler ran.`,
      fix: "Mend the schema, then retry it.",
    };
  }
  if (reason === "inexact_number") {
    return {
      summary: "It has a number that JavaScript would change, so no handler ran.",
      fix: "Let its handler read the number with exactNumber, then retry it.",
    };
  }
  const times = attempts === 1 ? "The only attempt" : `All ${attempts} attempts`;
  const why =
    reason === "attempts_exhausted"
      ? `${times} failed`
      : `Dead letter: ${reasonWords(reason ?? "")}`;
  return {
    summary: `${why}. It does not run again by itself.`,
    fix: "Fix the cause, then retry it.",
  };
}

function waiting({ reason, attempts, waits }: Entry): EntrySummary {
  if (reason === TARGET_AWAY) {
    const targets = waits.flatMap(({ target, over }) => (over === null ? [target] : []));
    return {
      summary: `${targets.join(" and ") || "Its target"} takes no events at present, so it waits for its turn.`,
      fix: "Start the target, or mend what the last attempt names: what waits for it is then sent in order of arrival.",
    };
  }
  const resume =
    reason === PAUSED ? `Resume it: \`${ownCommand("events pause")}\` shows what is paused.` : null;
  if (reason !== null)
    return { summary: `It does not run now: ${reasonWords(reason)}.`, fix: resume };
  if (attempts === 0) return { summary: "It was kept, and waits for its turn.", fix: null };
  const times = attempts === 1 ? "The first attempt" : `${attempts} attempts`;
  const fix = "Fix the handler or the target: the next attempt uses the new version.";
  return { summary: `${times} failed. It is retried.`, fix };
}
