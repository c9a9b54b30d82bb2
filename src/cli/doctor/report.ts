import { readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { ownCommand } from "../../base/package/own-command.ts";
import { counted } from "../../base/text/counted.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { timeText } from "../../base/text/time-text.ts";
import { withoutParticulars } from "../../inbox/failures.ts";
import { REASON_WORDS } from "../../inbox/reasons.ts";
import { ENOUGH_BODIES } from "../../inbox/senders.ts";
import { placed } from "../events/failure-view.ts";
import { CONFIG_FILES } from "../settings/config-source.ts";
import { database, tables } from "./database.ts";
import { disk } from "./disk.ts";
import { BEHIND, entries, processes } from "./entries.ts";
import { type DoctorCheck, ok, warn } from "./finding.ts";
import { inboxContent } from "./inbox-content.ts";
import { node, sqlite } from "./runtime.ts";
import { secret } from "./secrets.ts";
import type { Setup } from "./setup.ts";
import { signatures } from "./signatures.ts";

/** Groups of dead letters that are shown, those with most first, and characters of each error. */
const MOST_GROUPS = 5;
const LONGEST_ERROR = 120;
/** Milliseconds before the trouble began in which a change may have caused it. */
const BEFORE = 3_600_000;

const time: DoctorCheck = {
  name: "time",
  run: ({ context }) => {
    const now = context.clock();
    return [ok(`${new Date(now).toISOString()}, ${timeText(now, now)} on this machine`)];
  },
};

/** A check that also says what it says only while all is well. */
function stating(
  check: DoctorCheck,
  facts: (setup: Setup) => Promise<readonly string[]>,
): DoctorCheck {
  return {
    ...check,
    run: async (setup) => {
      const [stated, found] = await Promise.all([facts(setup), check.run(setup)]);
      return [...stated.map(ok), ...found.filter(({ status }) => status !== "ok")];
    },
  };
}

const deliveries = stating(signatures, async ({ facts, context }) => {
  const now = context.clock();
  return ((await facts()).senders ?? []).map(({ source, authenticAt, mismatches }) => {
    const mismatch =
      mismatches === undefined ? "no mismatch since" : `latest mismatch ${ago(mismatches.to, now)}`;
    return `${source}: latest authentic delivery ${ago(authenticAt, now)}, ${mismatch}`;
  });
});

const waiting = stating(entries, async ({ contents, context }) => {
  const found = await contents();
  if (found === undefined) return [];
  const { waiting, due, oldestDue, dead } = found;
  const oldest = ago(oldestDue ?? undefined, context.clock());
  return [
    `${waiting} unfinished, ${due} due, the oldest: ${oldest}; ${counted(dead, "dead letter", "dead letters")}`,
  ];
});

/**
 * What dead letters have in common. Their errors are shown without what is particular to an event.
 */
const deadLetters: DoctorCheck = {
  name: "dead letters",
  run: async (setup) => {
    const groups = await deadGroups(setup);
    const shown = groups.slice(0, MOST_GROUPS).map(({ words, at, dead, seqs, since }) => {
      const isOwn = Object.values(REASON_WORDS).includes(words);
      const error = placed((isOwn ? words : withoutParticulars(words)).slice(0, LONGEST_ERROR), at);
      return warn(
        `${dead} since ${timeText(since, setup.context.clock())}: ${error}`,
        `correct the cause, then ${ownCommand(`events retry --like ${seqs.at(-1)}`, setup.inboxWord)}`,
      );
    });
    const others = counted(groups.length - shown.length, "other error", "other errors");
    const all = `run \`${ownCommand("events list --group", setup.inboxWord)}\` to see all`;
    return groups.length === shown.length ? shown : [...shown, warn(others, all)];
  },
};

async function deadGroups({ contents, failures }: Setup) {
  if (((await contents())?.dead ?? 0) === 0) return [];
  return (await failures()).groups.filter(({ dead }) => dead > 0);
}

/**
 * What changed since all was well, or within the hour before: files that receivers read, and
 * processes.
 */
const changes: DoctorCheck = {
  name: "changes",
  run: async (setup) => {
    const { context, facts } = setup;
    const now = context.clock();
    const well = await lastWell(setup);
    if (well === undefined) return [];
    const started = ((await facts()).processes ?? []).map(({ since, role, version }) => ({
      at: since ?? 0,
      what: `a process started (role ${role}, version ${version})`,
    }));
    const changed = [...changedFiles(setup), ...started]
      .filter(({ at }) => at >= well - BEFORE)
      .sort((a, b) => a.at - b.at)
      .map(({ at, what }) => `${timeText(at, now)} ${what}`);
    const list = changed.length === 0 ? "no file or process here" : changed.join("; ");
    return [ok(`last well at ${timeText(well, now)}; changed since an hour before: ${list}`)];
  },
};

/**
 * When the first of what is wrong began, or if nothing is known to be, the latest authentic
 * delivery arrived.
 */
async function lastWell(setup: Setup): Promise<number | undefined> {
  const { oldestDue } = (await setup.contents()) ?? {};
  const { senders = [] } = await setup.facts();
  const refused = senders.filter(({ mismatches }) => (mismatches?.bodies ?? 0) >= ENOUGH_BODIES);
  const began = [
    ...refused.map(({ authenticAt, mismatches }) => authenticAt ?? mismatches?.from),
    ...(await deadGroups(setup)).map(({ since }) => since),
    oldestDue != null && setup.context.clock() - oldestDue > BEHIND ? oldestDue : undefined,
  ].filter((at) => at !== undefined);
  if (began.length > 0) return Math.min(...began);
  const authentic = senders.flatMap(({ authenticAt }) => authenticAt ?? []);
  return authentic.length === 0 ? undefined : Math.max(...authentic);
}

const FILES = [
  ...CONFIG_FILES,
  "package.json",
  "package-lock.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "dist",
];

/** When files were written, replaced or renamed last; of a folder, the latest one in it. */
function changedFiles({ options, context: { io } }: Setup) {
  const paths = [options.envFile ?? ".env", ...FILES, options.handlers ?? []].flat();
  return [...new Set(paths.map((path) => resolve(io.cwd, path)))].flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    const names = found.isDirectory()
      ? readdirSync(path, { recursive: true, encoding: "utf8" })
      : [];
    const files = names.map((name) => join(path, name)).map((file) => changeOf(file, io.cwd));
    return files.sort((a, b) => b.at - a.at)[0] ?? changeOf(path, io.cwd);
  });
}

function changeOf(file: string, cwd: string) {
  return {
    at: statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0,
    what: `${relative(cwd, file)} changed`,
  };
}

/** `08:43 (2 h ago)`, or `none`. */
function ago(at: number | undefined, now: number): string {
  return at === undefined
    ? "none"
    : `${timeText(at, now)} (${durationText(Math.max(0, now - at))} ago)`;
}

/** One page of facts for an incident's channel, without payloads. */
export const REPORT: readonly DoctorCheck[] = [
  time,
  node,
  sqlite,
  secret,
  disk,
  inboxContent,
  database,
  tables,
  processes,
  deliveries,
  waiting,
  deadLetters,
  changes,
];
