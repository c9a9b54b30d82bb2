import { ownCommand } from "../../base/package/own-command.ts";
import { shellWord } from "../../base/text/shell-word.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { DEFAULT_ENDPOINT } from "../../http/default-endpoint.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import { printable } from "../output.ts";
import type { InboxesHere } from "./inboxes-here.ts";
import { keptInMemory } from "./which-inbox.ts";

/**
 * The inbox of an endpoint, to wait for what becomes of what is sent there. Throws `usage` if none
 * of the folder's is.
 */
export function inboxOfEndpoint(
  url: URL | undefined,
  given: string | undefined,
  { inboxes: here }: CliContext,
): string | undefined {
  if (here === undefined || here.isNamed) return given;
  const target = url ?? new URL(DEFAULT_ENDPOINT);
  const running = here.listens.find(({ listen }) => isSameServer(listen.url, target));
  if (running?.inbox?.isMemory === true) throw keptInMemory(running.listen);
  if (running?.inbox?.option !== undefined) return running.inbox.option;
  if (running?.inbox !== undefined) {
    const { shown } = running.inbox;
    throw usageError(
      `expected --inbox beside --wait: listen (process ${running.listen.pid}) keeps its events in ${printable(shown)}, outside this folder: add --inbox ${shellWord(shown)}`,
    );
  }
  if (here.endpoints.some((endpoint) => isSameServer(endpoint, target))) return here.own;
  if (url === undefined)
    throw usageError(
      `expected a listen that runs in this folder, got none: run \`${ownCommand("listen")}\` in another terminal first, or pass ${receiverFlags(here)}`,
    );
  throw usageError(
    `expected --inbox beside --wait: ${shownUrl(target)} belongs neither to a listen in this folder nor to its project; name the inbox of that endpoint, or leave out --wait`,
  );
}

/** How to name another receiver than `listen`. */
function receiverFlags({ endpoints: [server] }: InboxesHere): string {
  return server === undefined
    ? "--url and --inbox of the receiver"
    : `--url ${shownUrl(server)} for the project's server`;
}

/** `localhost` and 127.0.0.1 are one machine; the path may differ, as behind a router. */
function isSameServer(a: URL, b: URL): boolean {
  const isHere = isLoopback(a) && isLoopback(b);
  return (isHere || a.hostname === b.hostname) && portOf(a) === portOf(b);
}

function portOf({ port, protocol }: URL): string {
  return port !== "" ? port : protocol === "https:" ? "443" : "80";
}
