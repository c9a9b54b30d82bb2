import type { EntryFilter } from "../../inbox/entry-filter.ts";
import { type EntryState, STATE_WORDS } from "../../inbox/entry-state.ts";
import { LOOKED_AT, seqsLike } from "../../inbox/failures.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { DROPPED } from "../../inbox/target-wait.ts";
import { targetUrl } from "../../relay/target-url.ts";
import { targetName } from "../handlers/forward-rules.ts";
import type { FieldValue } from "../handlers/values.ts";
import { usageError } from "../input-errors.ts";
import type { Output } from "../output.ts";
import { findEntry } from "./inbox.ts";

export interface SelectOptions {
  readonly inbox?: string;
  readonly state?: readonly EntryState[];
  readonly kind?: readonly string[];
  readonly target?: readonly string[];
  readonly like?: string;
  readonly source?: readonly string[];
  readonly since?: number;
  readonly until?: number;
  readonly dropped?: boolean;
  readonly limit?: number;
}

export interface ChangeOptions extends SelectOptions {
  readonly where?: readonly FieldValue[];
  readonly all?: boolean;
}

/** @throws HookporterError `entry_unknown`, `usage` */
export async function toFilter(
  { state, kind, target, like, source, since, until, dropped }: SelectOptions,
  inbox: Inbox,
  output: Output,
): Promise<EntryFilter> {
  return {
    ...(state !== undefined && { states: state }),
    ...(kind !== undefined && { kinds: kind }),
    ...(target !== undefined && { targets: await targetNames(target, inbox) }),
    ...(like !== undefined && { seqs: await failedAlike(like, inbox, output) }),
    ...(source !== undefined && { sources: source }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(dropped !== undefined && { dropped }),
  };
}

/** The flags that select entries; others, such as `--json`, must not count as a selection. */
export const SELECTORS = [
  "state",
  "kind",
  "target",
  "like",
  "source",
  "since",
  "until",
  "dropped",
  "where",
] as const;

/**
 * Refuses to change every entry unless `--all` says so, and states that the command does not
 * change. Throws `usage`.
 */
export function checkChange(
  references: readonly string[],
  selection: ChangeOptions,
  { states, why }: { readonly states: readonly EntryState[]; readonly why: string },
): void {
  const words = STATE_WORDS.filter((state) => states.includes(state));
  const isSelected = SELECTORS.some((name) => selection[name] !== undefined);
  if (references.length === 0 && !isSelected && selection.all !== true)
    throw usageError(
      `expected entries, a selection such as --state ${words[0]}, or --all, got none: pass one`,
    );
  const wrong = selection.state?.find((state) => !states.includes(state));
  if (wrong === undefined) return;
  const list = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  throw usageError(`expected --state ${list}, got ${wrong}: ${why}`);
}

async function failedAlike(
  reference: string,
  inbox: Inbox,
  output: Output,
): Promise<readonly number[]> {
  const entry = await findEntry(inbox, reference);
  const similar = await seqsLike(inbox, entry);
  const { failing, dead } = await inbox.counts();
  if (failing + dead > LOOKED_AT)
    output.talk(
      `--like compared the newest ${LOOKED_AT} failed entries: older ones may be alike, too`,
    );
  if (similar !== undefined) return similar;
  const got = `#${entry.seq}, which is ${entry.reason === DROPPED ? "dropped" : entry.state}`;
  throw usageError(`expected --like to name a failing entry or a dead letter, got ${got}`);
}

/**
 * The names of targets: as given; as a forward to that address has it; and for a port alone, of all
 * paths there.
 */
async function targetNames(given: readonly string[], inbox: Inbox): Promise<readonly string[]> {
  const waitedFor = (await inbox.waiting()).map(({ target }) => target);
  const names = given.flatMap((text) => {
    const url = targetUrl(text);
    if (url === undefined) return [text];
    const name = targetName(url);
    const anyPath =
      url.pathname === "/" ? waitedFor.filter((target) => target.startsWith(name)) : [];
    return [text, name, ...anyPath];
  });
  return [...new Set(names)];
}
