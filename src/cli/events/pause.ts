import { hostname, userInfo } from "node:os";
import type { HookporterError } from "../../base/errors.ts";
import { ownCommand } from "../../base/package/own-command.ts";
import { tryOr } from "../../base/try-or.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { pauseLines } from "../../inbox/paced-retry.ts";
import type { PauseOf, PauseScope, Pauses } from "../../inbox/pause.ts";
import { targetUrl } from "../../relay/target-url.ts";
import type { CliContext } from "../context.ts";
import { targetName } from "../handlers/forward-rules.ts";
import { usageError } from "../input-errors.ts";
import { type Output, printable } from "../output.ts";
import { withInbox } from "./inbox.ts";
import type { SelectOptions } from "./selection.ts";

export interface PauseOptions extends Pick<SelectOptions, "inbox" | "kind" | "target" | "source"> {
  readonly all?: boolean;
  readonly handler?: readonly string[];
  readonly retry?: number;
}

export async function pauseEvents(options: PauseOptions, context: CliContext): Promise<void> {
  const scopes = scopesOf(options);
  const access = scopes.length === 0 ? "read" : "change";
  await withInbox(context, { inbox: options.inbox, access }, async (inbox) => {
    const { retries } = await pausesOf(inbox);
    const { retry } = options;
    if (retry !== undefined && retries.every(({ id }) => id !== retry))
      throw noSuch(`retry ${retry}`, "under way");
    for (const scope of scopes)
      await inbox.pause({ ...scope, since: context.clock(), who: ownName() });
    await printPauses(inbox, context);
  });
}

export async function resumeEvents(options: PauseOptions, context: CliContext): Promise<void> {
  const { output, clock } = context;
  await withInbox(context, { inbox: options.inbox, access: "change" }, async (inbox) => {
    const { paused } = await pausesOf(inbox);
    const scopes = options.all === true ? paused : scopesOf(options);
    if (scopes.length === 0 && options.all !== true)
      throw usageError(
        "expected what to resume, such as --kind payment.received, or --all, got none: pass one",
      );
    for (const pause of scopes) {
      const { scope, name } = pause;
      const isPaused = paused.some((known) => known.scope === scope && known.name === name);
      if (!isPaused || (await inbox.resume({ scope, name }, inbox.now ?? clock())) !== true)
        throw noSuch(`${scope} ${name}`, "paused");
      output.data(
        `${scope === "all" ? "everything" : `${scope} ${printable(name, 200)}`} runs again`,
      );
      output.record("resume", { scope, name });
    }
    await printPauses(inbox, context);
  });
}

async function pausesOf(inbox: Inbox): Promise<Pauses> {
  return inbox.pauses();
}

function noSuch(what: string, how: string): HookporterError {
  const fix = `run \`${ownCommand("events pause")}\` to see what is`;
  return usageError(
    `expected ${printable(what, 200)} to be ${how}, got nothing of that name: ${fix}`,
  );
}

function scopesOf({ all, ...named }: PauseOptions): readonly PauseOf[] {
  const of = (scope: PauseScope, names: readonly (string | number)[] = []) =>
    names.map((name) => ({ scope, name: String(name) }));
  return [
    ...(all === true ? [{ scope: "all", name: "" } as const] : []),
    ...of("kind", named.kind),
    ...of("handler", named.handler),
    ...of("target", named.target?.map(nameOfTarget)),
    ...of("source", named.source),
    ...of("retry", named.retry === undefined ? [] : [named.retry]),
  ];
}

function nameOfTarget(given: string): string {
  const url = targetUrl(given);
  return url === undefined ? given : targetName(url);
}

async function printPauses(inbox: Inbox, { output, clock }: CliContext): Promise<void> {
  const pauses = await pausesOf(inbox);
  for (const line of pauseLines(pauses, clock())) output.data(printable(line, 1000));
  output.record("pauses", { ...pauses });
  if (pauses.paused.length + pauses.retries.length === 0) output.talk("nothing is paused");
}

/** Says on standard error what is paused, if anything is, after the words `before`. */
export async function sayPauses(
  inbox: Inbox,
  output: Output,
  now: number,
  before = "",
): Promise<void> {
  for (const line of pauseLines(await inbox.pauses(), now))
    output.talk(printable(before + line, 1000));
}

/** Who runs this command, for those who find something paused. */
export function ownName(): string {
  // a user without a name, as in some containers
  return tryOr(() => `${userInfo().username}@${hostname()}`, hostname());
}
