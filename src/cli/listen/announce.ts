import { ownCommand } from "../../base/package/own-command.ts";
import { VERSION } from "../../base/package/version.ts";
import { shellWord } from "../../base/text/shell-word.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { severalAt } from "../../http/connect-options.ts";
import { DEFAULT_ENDPOINT } from "../../http/default-endpoint.ts";
import type { PageAddresses } from "../../inspector/inspector.ts";
import { announceForwardRequest } from "../handlers/forward-request.ts";
import { describeRule } from "../handlers/forward-rules.ts";
import { printable } from "../output.ts";
import { runningListen } from "../ready/running-listen.ts";
import type { ListenSession } from "./plan.ts";
import { streamAddress } from "./stream.ts";
import { printWaiting, type WaitingCounts } from "./waiting.ts";

/** Says which targets get nothing, since programs of several users answer to their names. */
export async function warnOfSeveral({ options, context }: ListenSession): Promise<void> {
  const targets = (options.forwardTo ?? []).map(({ target }) => target);
  const found = await Promise.all(targets.map(severalAt));
  const texts = found.flatMap((several) => (several === undefined ? [] : [several.message]));
  for (const text of new Set(texts)) context.output.talk(`warning: ${text}`);
}

interface OpenedListener {
  readonly url: URL;
  readonly healthUrl: URL | undefined;
  /** The addresses of the inspector page. */
  readonly page: PageAddresses | undefined;
  readonly waiting: WaitingCounts;
}

/** Prints where `listen` listens and what it does; returns the same as the fields of a record. */
export function announce(
  {
    options,
    context,
    secrets: { from },
    current,
    inbox: { shown: inbox },
    newInbox,
  }: ListenSession,
  { url, healthUrl, page, waiting }: OpenedListener,
): object {
  const { output } = context;
  const { handlers, exec, forwardTo = [], sync = false } = options;
  const fingerprint = current?.fingerprint ?? "";
  const program = exec?.[0] ?? null; // arguments may hold secrets
  const stream = options.stream === undefined ? null : streamAddress(options.stream);
  const waits = sync ? ", while the sender waits" : "";
  const own = from.startsWith(".hookporter/") ? ", made for development" : "";
  const rows: readonly (readonly [label: string, text: string | null | undefined])[] = [
    ["Endpoint", url.href],
    ["Secret", `${from} (fingerprint ${fingerprint})${own}`],
    ["Inbox", newInbox.made ? `${inbox}, new and empty` : inbox],
    ["Handlers", handlers],
    ["Program", program === null ? null : `${printable(program)}, run for each event`],
    ...forwardTo.map((rule) => ["Forward", `${describeRule(rule)}${waits}`] as const),
    ["Stream", stream === null ? null : `${stream} (experimental; unsigned)`],
    ["Health", healthUrl === undefined ? null : `${healthUrl.href}readyz`],
    ["Inspector", page?.url.href],
    ["Or at", page?.loopbackUrl.href],
  ];
  output.talk(`hookporter ${VERSION}\n`);
  for (const [label, text] of rows)
    if (typeof text === "string") output.talk(`  ${label.padEnd(9)}  ${text}`);
  output.talk("");
  announceForwardRequest(options, context);
  printWaiting(waiting, "  ", output);
  if (options.role === "receive")
    output.talk("  Role receive: events are kept here, and run by other processes on this inbox.");
  else if (handlers === undefined && program === null && forwardTo.length === 0)
    output.talk(
      "  Events are kept and shown.\n  To process them, pass --handlers PATH or --forward-to URL.",
    );
  // where trigger sends without --url
  const usual = runningListen(context.io.cwd)?.url.href ?? DEFAULT_ENDPOINT;
  const where = url.href === usual ? "" : ` --url ${shellWord(url.href)}`;
  output.talk(`  Try it in this folder:\n  ${ownCommand(`trigger payment.received${where}`)}\n`);
  const forward = forwardTo.map(({ pattern, target }) => ({ pattern, url: shownUrl(target) }));
  return {
    url: url.href,
    pid: process.pid,
    inbox,
    secretFingerprint: fingerprint,
    handlers: handlers ?? null,
    exec: program,
    forward: forward.length === 0 ? null : forward,
    stream,
    sync,
    health: healthUrl?.href ?? null,
    inspector: page?.url.href ?? null,
    inspectorLoopback: page?.loopbackUrl.href ?? null,
    waiting: waiting.targets,
  };
}
