import { DEFAULT_ENDPOINT } from "../../default-endpoint.ts";
import type { RunningServer } from "../../receiver/server.ts";
import { shownUrl } from "../../shown-url.ts";
import type { CliContext } from "../context.ts";
import { announceForwardRequest } from "../handlers/forward-request.ts";
import { describeRule } from "../handlers/forward-rules.ts";
import { printable } from "../printable.ts";
import type { ListenOptions } from "./options.ts";
import { streamAddress } from "./stream.ts";
import { sayWaiting, type Waiting } from "./waiting.ts";

/** What to announce besides the options. */
export interface Announced {
  /** Where the secret comes from. */
  readonly from: string;
  readonly fingerprint: string;
  /** The inbox, as it may be shown. */
  readonly inbox: string;
  readonly healthUrl: URL | undefined;
  /** The address of the inspector page. */
  readonly page: URL | undefined;
  /** What waits for targets from before. */
  readonly waiting: Waiting;
}

/** Prints where `listen` listens and what it does; returns the same as the fields of a record. */
export function announce(
  { url }: RunningServer,
  { from, fingerprint, inbox, healthUrl, page, waiting }: Announced,
  options: ListenOptions,
  context: CliContext,
): object {
  const { output } = context;
  const { handlers, exec, forwardTo = [], sync = false } = options;
  const own = from.startsWith(".hookporter/") ? "development secret " : "secret ";
  output.talk(`listening on ${url.href}`);
  output.talk(`  ${own}${from} (fingerprint ${fingerprint})`);
  output.talk(`  inbox ${inbox}`);
  if (handlers !== undefined) output.talk(`  handlers ${handlers}`);
  const program = exec?.[0] ?? null; // arguments may hold secrets
  if (program !== null) output.talk(`  running ${printable(program)} for each event`);
  const waits = sync ? " while the sender waits" : "";
  for (const rule of forwardTo) output.talk(`  forwarding to ${describeRule(rule)}${waits}`);
  announceForwardRequest(options, context);
  sayWaiting(waiting, "  ", output);
  if (handlers === undefined && program === null && forwardTo.length === 0)
    output.talk(
      "  events are only kept and shown; to process them, pass --handlers PATH or --forward-to URL",
    );
  const stream = options.stream === undefined ? null : streamAddress(options.stream);
  if (stream !== null) output.talk(`  stream ${stream} (experimental; unsigned)`);
  if (healthUrl !== undefined) output.talk(`  ${healthUrl.href}readyz reports readiness`);
  if (page !== undefined) output.talk(`  inspector ${page.href}`);
  const where = url.href === DEFAULT_ENDPOINT ? "" : ` --url ${url.href}`;
  output.talk(`try it in this folder: npx hookporter trigger payment.received${where}`);
  const forward = forwardTo.map(({ pattern, target }) => ({ pattern, url: shownUrl(target) }));
  return {
    ...{ url: url.href, pid: process.pid, inbox, secretFingerprint: fingerprint },
    ...{
      handlers: handlers ?? null,
      exec: program,
      forward: forward.length === 0 ? null : forward,
      stream,
      sync,
    },
    health: healthUrl?.href ?? null,
    inspector: page?.href ?? null,
    waiting: waiting.targets,
  };
}
