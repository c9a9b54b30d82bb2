import { realpathSync } from "node:fs";
import { counted } from "../../base/text/counted.ts";
import { shellWord } from "../../base/text/shell-word.ts";
import { keyText } from "../../event/identity.ts";
import { countsText } from "../../inbox/counts.ts";
import type { Entry } from "../../inbox/entry.ts";
import type { EntryFilter } from "../../inbox/entry-filter.ts";
import { type EntryState, STATE_WORDS } from "../../inbox/entry-state.ts";
import type { Erasing, Erasure, Inbox } from "../../inbox/inbox.ts";
import { ERASED } from "../../inbox/reasons.ts";
import {
  copiesBeside,
  eraseInCopy,
  otherInboxesBeside,
  readCopy,
} from "../../inbox/sqlite/care/copies.ts";
import type { CliContext } from "../context.ts";
import type { FieldValue } from "../handlers/values.ts";
import { nameInbox } from "../inbox/named-inbox.ts";
import { confirmed, mayAsk } from "../may-ask.ts";
import type { Output } from "../output.ts";
import { printEntry } from "./entry-view.ts";
import { findEntry, withInbox } from "./inbox.ts";
import { matching } from "./matching.ts";
import { type ChangeOptions, checkChange, SELECTORS, toFilter } from "./selection.ts";

export interface EraseOptions extends ChangeOptions {
  readonly yes?: boolean;
}

/** Which entries: those that a filter selects, and whose bodies fit. */
interface Selected {
  readonly filter: EntryFilter;
  readonly where: readonly FieldValue[];
}

/** Entries to erase, by the steps in which they are. */
interface ErasableEntries {
  readonly steps: number[][];
  readonly states: Partial<Record<EntryState, number>>;
  /** The newest of them. */
  readonly newest: Entry[];
  readonly running: Entry[];
  /** How many have no body any more that could fit. */
  bodiless: number;
  /** The dedup keys, also of what was erased before: a copy may still have it. */
  readonly keys: Set<string>;
}

/** Entries of a copy of the inbox. */
interface InCopy {
  readonly file: string;
  readonly seqs: readonly number[];
}

/**
 * Entries, and bytes of their bodies, that are erased at a time: a delivery may have to wait for
 * that.
 */
const STEP = { entries: 50, bytes: 512 * 1024 };

/** Entries that are shown before they are erased. */
const SHOWN = 10;

export async function eraseEvents(
  references: readonly string[],
  { yes, ...options }: EraseOptions,
  context: CliContext,
): Promise<void> {
  const states = STATE_WORDS.filter((state) => state !== "running");
  checkChange(references, options, { states, why: "a running entry has to end first" });
  const { file } = nameInbox(context, options.inbox);
  await withInbox(context, { inbox: options.inbox, access: "change" }, async (inbox) => {
    const filter = await toFilter(options, inbox, context.output);
    const named = await Promise.all(
      references.map(async (reference) => (await findEntry(inbox, reference)).seq),
    );
    const seqs = named.filter((seq) => filter.seqs?.includes(seq) !== false);
    const { where = [] } = options;
    const selected = { where, filter: named.length === 0 ? filter : { ...filter, seqs } };
    const path = file === undefined ? undefined : realpathSync(file);
    const found = await find(inbox, selected);
    const copies = path === undefined ? [] : await findInCopies(path, selected, found.keys);
    show(found, copies, context);
    if (!(await isMeant(yes, context))) return;
    const erased = await inbox.erase((erasing) =>
      eraseFound(inbox, erasing, found, copies, context),
    );
    printReceipt(erased, selectionText(references, options), path, context.output);
    const began = erased.late.map(({ seq }) => `#${seq}`).join(", ");
    if (began !== "")
      context.output.talk(
        `${began} began to run meanwhile, and must end first: run this again then`,
      );
    if (found.running.length + erased.late.length > 0) context.exitCode = 1;
  });
}

async function find(inbox: Inbox, { filter, where }: Selected): Promise<ErasableEntries> {
  const found: ErasableEntries = {
    steps: [],
    states: {},
    newest: [],
    running: [],
    bodiless: 0,
    keys: new Set(),
  };
  let room = { entries: 0, bytes: 0 };
  for await (const { entry, fits } of matching(inbox, filter, where)) {
    const isErased = entry.reason === ERASED;
    if (fits === undefined && !isErased) found.bodiless++;
    if (fits !== true) continue;
    found.keys.add(keyText(entry.key));
    if (isErased) continue;
    const state = entry.state;
    if (state === "running") {
      found.running.push(entry);
      continue;
    }
    found.states[state] = (found.states[state] ?? 0) + 1;
    if (found.newest.length < SHOWN) found.newest.push(entry);
    if (room.entries === 0 || room.bytes < entry.bodyLength) {
      found.steps.push([]);
      room = { ...STEP };
    }
    found.steps.at(-1)?.push(entry.seq);
    room = { entries: room.entries - 1, bytes: room.bytes - entry.bodyLength };
  }
  return found;
}

/**
 * The same entries in copies of the file, and what those have besides. Numbers differ there, so
 * they select nothing.
 */
async function findInCopies(path: string, { filter, where }: Selected, keys: ReadonlySet<string>) {
  const all: InCopy[] = [];
  for (const file of copiesBeside(path)) {
    const seqs = new Set<number>();
    await readCopy(file, async (copy) => {
      const isByKey = keys.size > 0 ? matching(copy, {}, []) : [];
      for await (const { entry } of isByKey) if (keys.has(keyText(entry.key))) add(entry);
      const isSelected = filter.seqs === undefined ? matching(copy, filter, where) : [];
      for await (const { entry, fits } of isSelected) if (fits === true) add(entry);
      function add({ seq, reason }: Entry) {
        if (reason !== ERASED) seqs.add(seq);
      }
    });
    if (seqs.size > 0) all.push({ file, seqs: [...seqs] });
  }
  return all;
}

function show(
  { states, newest, running, bodiless }: ErasableEntries,
  copies: readonly InCopy[],
  context: CliContext,
) {
  const { output, clock } = context;
  const count = Object.values(states).reduce((sum, number) => sum + number, 0);
  const parts = count === 0 ? "" : `: ${countsText(states)}`;
  output.data(`${counted(count, "entry", "entries")} to erase${parts}`);
  for (const entry of newest) printEntry(entry, clock(), output);
  if (count > newest.length) output.data(`… and ${count - newest.length} more`);
  for (const { file, seqs } of copies)
    output.data(`${counted(seqs.length, "entry", "entries")} to erase in ${file}`);
  if (running.length > 0)
    output.talk(
      `${running.map(({ seq }) => `#${seq}`).join(", ")} must end first: run this again then`,
    );
  if (bodiless > 0)
    output.talk(
      `${counted(bodiless, "other entry has", "other entries have")} no body any more to compare: select them by number or time`,
    );
  const files = copies.map(({ file, seqs }) => ({ file, entries: seqs.length }));
  output.record("to_erase", {
    entries: count,
    states,
    running: running.length,
    bodiless,
    copies: files,
  });
}

/** Whether to go on: `--yes`, or an answer at a terminal. */
async function isMeant(yes: boolean | undefined, context: CliContext): Promise<boolean> {
  if (yes === true || (mayAsk(context, yes) && (await confirmed("Erase them for good?", context))))
    return true;
  context.output.talk("nothing was erased: pass --yes to erase them");
  return false;
}

/** What an erasure did. */
interface Erased {
  /** The numbers of the entries, in ascending order. */
  readonly seqs: readonly number[];
  /** When it ended: milliseconds since 1970. */
  readonly at: number;
  /** What an earlier run erased that did not end. */
  readonly before: Erasure | undefined;
  /** Entries that began to run meanwhile. */
  readonly late: readonly Entry[];
}

async function eraseFound(
  inbox: Inbox,
  erasing: Erasing,
  found: ErasableEntries,
  copies: readonly InCopy[],
  { output, clock }: CliContext,
): Promise<Erased> {
  const left = new Set(found.steps.flat());
  const seqs: number[] = [];
  for (const step of found.steps) {
    for (const seq of await erasing.erase(step, clock())) {
      left.delete(seq);
      seqs.push(seq);
    }
  }
  const late = (await inbox.list({ seqs: [...left] })).filter(({ reason }) => reason !== ERASED);
  for (const copy of copies) {
    eraseInCopy(copy.file, copy.seqs, clock());
    output.data(`${counted(copy.seqs.length, "entry", "entries")} erased in ${copy.file}`);
  }
  const { entries, since } = (await erasing.end()) ?? { entries: 0, since: 0 };
  const before = entries > seqs.length ? { entries: entries - seqs.length, since } : undefined;
  return {
    seqs: seqs.sort((a, b) => a - b),
    at: clock(),
    before,
    late,
  };
}

function printReceipt(
  { seqs, at, before }: Erased,
  selection: string,
  path: string | undefined,
  output: Output,
) {
  const first = seqs[0] ?? null;
  const last = seqs.at(-1) ?? null;
  const numbers = seqs.length === 1 ? `#${first}` : `#${first} to #${last}`;
  const which = first === null ? "" : `, ${numbers}`;
  const erasedAt = new Date(at).toISOString();
  output.data(
    `${counted(seqs.length, "entry", "entries")} erased now, at ${erasedAt}${which}, selected by ${selection}`,
  );
  const unfinishedSince = before === undefined ? null : new Date(before.since).toISOString();
  if (before !== undefined)
    output.data(
      `${counted(before.entries, "entry", "entries")} erased before by an unfinished run since ${unfinishedSince}`,
    );
  const backups = path === undefined ? [] : otherInboxesBeside(path);
  output.record("erase", {
    erased: seqs.length,
    erasedAt,
    filter: selection,
    first,
    last,
    erasedBefore: before?.entries ?? 0,
    unfinishedSince,
    backups,
  });
  const beside = backups.length === 0 ? "" : ` (beside this inbox: ${backups.join(", ")})`;
  output.talk(
    `backups${beside}, exported files and folders of --save-dir may still have them: see ${PAGE}`,
  );
  if (path === undefined)
    output.talk(`the server's files keep the old bytes until VACUUM FULL: see ${PAGE}`);
}

/** What selects the entries, as it can be typed again. */
function selectionText(references: readonly string[], options: EraseOptions): string {
  const words = [...references];
  for (const name of SELECTORS) {
    const value = options[name];
    if (name === "where") {
      for (const { path, value: text } of options.where ?? [])
        words.push("--where", `${path}=${text}`);
    } else if (name === "since" || name === "until") {
      if (value !== undefined) words.push(`--${name}`, new Date(value as number).toISOString());
    } else if (value !== undefined) {
      words.push(`--${name}`, String(value)); // of which lists are joined by commas
    }
  }
  if (options.all === true) words.push("--all");
  return words.map(shellWord).join(" ");
}

const PAGE = "docs/guides/personal-data.md";
