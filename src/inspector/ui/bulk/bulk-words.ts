import type { BulkFates, BulkResult, Change, Tally } from "../../changes/bulk-api.ts";
import type { PageFilter } from "../page-filter.ts";
import { counted } from "../parts/format.ts";

export interface Choice {
  readonly change: Change;
  readonly count: number;
  readonly label: string;
  readonly text: string;
}

const number = (count: number) => count.toLocaleString("en");
const entries = (count: number) => counted(count, "entry");

/**
 * What can be done with the counted entries, the likeliest first. With `takeBack`, dropped ones run
 * again too.
 */
export function choicesFor({ states, dropped }: Tally, takeBack: boolean): readonly Choice[] {
  const back = takeBack ? dropped : 0;
  const ended = states.dead + states.received + back;
  const soon = states.failing + states.waiting;
  const open = soon + states.running + states.dead + states.received;
  const parts = listed({ dead: states.dead, received: states.received, dropped: back });
  const early = listed({ failing: states.failing, waiting: states.waiting });
  const verb = states.dead + soon + back === 0 ? "Run" : "Retry"; // received ones have never run
  const retry: Choice = {
    change: "retry",
    count: ended + soon,
    label: `${verb} ${number(ended + soon)}`,
    text: [
      ended > 0 &&
        `${capital(parts)}: their handlers run${verb === "Run" ? "." : ", and attempts are counted from 1."}`,
      soon > 0 && `${capital(early)}: the next attempt is now.`,
    ]
      .filter(Boolean)
      .join(" "),
  };
  const drop: Choice = {
    change: "drop",
    count: open,
    label: `Drop ${number(open)}`,
    text: `No further attempts, until someone retries them.${states.running > 0 ? ` ${capital(counted(states.running, "run"))} under way may still succeed.` : ""}`,
  };
  return [retry, drop].filter(({ count }) => count > 0);
}

export function leftText({ states, foreign }: Tally, change: Change): readonly string[] {
  return [
    change !== "drop" &&
      states.running > 0 &&
      `${number(states.running)} running: left to its run.`,
    foreign > 0 && `${number(foreign)} of other sources: this receiver does not run them.`,
  ].filter((text) => text !== false);
}

export function resultText({ due, ended, dropped, retry, left }: BulkResult): string {
  const did = [
    ended > 0 &&
      `${entries(ended)} ${ended === 1 ? "runs" : "run"} again${retry === undefined ? "" : `, in retry ${retry}`}`,
    due > 0 && `${entries(due)} ${due === 1 ? "runs" : "run"} now`,
    dropped > 0 && `${entries(dropped)} dropped`,
  ].filter(Boolean);
  const was = (count: number) => (count === 1 ? "was" : "were");
  const not = [
    left.running > 0 && `${number(left.running)} ${was(left.running)} already running`,
    left.changedMeanwhile > 0 && `${number(left.changedMeanwhile)} changed in the meantime`,
    left.dropped > 0 && `${number(left.dropped)} ${was(left.dropped)} dropped before`,
    left.foreign > 0 && `${number(left.foreign)} of other sources ${was(left.foreign)} left alone`,
  ].filter(Boolean);
  const first = did.length === 0 ? "Nothing was changed" : did.join(", ");
  return `${[first, ...not].join("; ")}.`;
}

/** What has become of entries that run again, such as `37 of 40 handled, 2 failing, 1 waiting`. */
export function fatesText({
  handled,
  failing,
  dead,
  waiting,
  running,
  received,
}: BulkFates): string {
  const all = handled + failing + dead + waiting + running + received;
  const others = listed({
    "failing again": failing,
    "dead again": dead,
    waiting,
    running,
    received,
  });
  return `${number(handled)} of ${number(all)} handled${others === "" ? "" : `, ${others}`}.`;
}

/** Which entries a filter selects, to end a sentence such as `12 entries`. */
export function filterText(filter: PageFilter): string {
  const states = (filter.get("state") ?? "").split(",").filter((state) => state !== "");
  const words = states.join(" or ");
  const kind = filter.get("kind") ?? "";
  const text = filter.get("text") ?? "";
  return [
    words !== "" && `that are ${words}`,
    kind !== "" && `of kind ${kind}`,
    filter.has("like") && `that failed like #${filter.get("like")}`,
    text !== "" && `with “${text}”`,
    (filter.has("within") || filter.has("since") || filter.has("until")) && "of the chosen time",
  ]
    .filter(Boolean)
    .join(", ");
}

function listed(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([word, count]) => `${number(count)} ${word}`).join(", ");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
