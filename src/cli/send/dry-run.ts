import { createHash } from "node:crypto";
import { isAbsolute, join, relative, resolve } from "node:path";
import { shownUrl } from "../../base/text/shown-url.ts";
import type { Disturbed, Sendable } from "../../relay/chaos.ts";
import { curlLine } from "../../relay/curl-line.ts";
import { sentHeaders } from "../../relay/exchange.ts";
import type { CliContext } from "../context.ts";
import { writeOut } from "../files/replace-file.ts";
import { makeStateFolder, STATE_FOLDER } from "../files/state-folder.ts";
import { printable } from "../output.ts";

/**
 * Prints a curl command for each sending and sends nothing. Body files are named after their
 * content, so that a command printed earlier stays valid. Throws `input_invalid` if a body cannot
 * be written.
 */
export function dryRun(
  sendings: readonly Disturbed<Sendable>[],
  { target, folder = join(STATE_FOLDER, "bodies") }: { target: URL; folder?: string | undefined },
  { io, output }: CliContext,
): void {
  const directory = resolve(io.cwd, folder);
  const state = relative(resolve(io.cwd, STATE_FOLDER), directory);
  if (!state.startsWith("..") && !isAbsolute(state)) makeStateFolder(io.cwd);
  for (const { item, at, chaos } of sendings) {
    const { label, query = "", body } = item;
    if (chaos === "drop") {
      output.data(`# dropped: ${printable(label)}`);
      output.record("dropped", { label, at });
      continue;
    }
    const path = writeBody(directory, label, body);
    const short = relative(io.cwd, path);
    const file = short.startsWith("..") ? path : short;
    const { line, leftOut } = curlLine({ target, headers: sentHeaders(item.headers), file });
    for (const name of leftOut)
      output.talk(
        `header omitted: ${printable(name)}, since a command line cannot carry its value`,
      );
    if (query !== "" && target.search === "")
      output.talk(
        `query omitted: ${printable(shownUrl(query), 300)}, since its values may be credentials: add it to --url to send it`,
      );
    output.data(line);
    const bytes = body.byteLength;
    output.record("sending", { label, url: shownUrl(target), at, chaos, file, bytes, curl: line });
  }
}

function writeBody(directory: string, label: string, body: Uint8Array): string {
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 12);
  const name = label
    .replace(/\.json$/, "")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "_")
    .slice(0, 80);
  const path = join(directory, `${name}-${digest}.json`);
  writeOut(path, body, path);
  return path;
}
