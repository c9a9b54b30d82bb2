import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { grouped } from "../../../base/grouped.ts";
import { dropSchema } from "../../../inbox/postgres/care.ts";
import { isPostgresUrl } from "../../../inbox/postgres/postgres-url.ts";
import type { CliContext } from "../../context.ts";
import { nearestFolder } from "../../files/nearest-folder.ts";
import { DEFAULT_INBOX } from "../../files/state-folder.ts";
import type { NamedInbox } from "../../inbox/named-inbox.ts";

/**
 * The handler of a drill. It notes that it ran, and in which process, before the inbox can note it.
 */
const HANDLER = `import { appendFileSync } from "node:fs";
export default {
  "*": async ({ id }) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    appendFileSync(new URL("ran", import.meta.url), process.pid + " " + id + "\\n");
  },
};
`;

/**
 * Where a drill takes place: a folder on the inbox's own disk, and a schema in its database if it
 * is in one.
 */
export interface Scratch {
  readonly folder: string;
  /** An inbox that nothing else uses. A URL may hold a password. */
  readonly inbox: string;
  readonly handlers: string;
  /** The processes in which the handler above ran, by event id. */
  readonly ran: () => ReadonlyMap<string, readonly string[]>;
  readonly remove: () => Promise<void>;
}

/** Makes a place for a drill, in the inbox's folder or the nearest one above that exists. */
export function makeScratch({ io }: CliContext, { option, file }: NamedInbox): Scratch {
  const base = nearestFolder(dirname(file ?? resolve(io.cwd, DEFAULT_INBOX)));
  const folder = mkdtempSync(join(base, "hookporter-drill-"));
  const handlers = join(folder, "handlers.mjs");
  const ran = join(folder, "ran");
  writeFileSync(handlers, HANDLER);
  writeFileSync(ran, "");
  const isDatabase = isPostgresUrl(option);
  const inbox = isDatabase ? inOwnSchema(option) : join(folder, "inbox.db");
  return {
    folder,
    inbox,
    handlers,
    ran: () => byEvent(readFileSync(ran, "utf8")),
    remove: async () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      if (isDatabase) await dropSchema(inbox);
    },
  };
}

function inOwnSchema(option: string): string {
  const url = new URL(option);
  url.searchParams.set("schema", `hookporter_drill_${randomBytes(4).toString("hex")}`);
  return url.href;
}

function byEvent(lines: string): ReadonlyMap<string, readonly string[]> {
  const runs = lines
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" "));
  const byId = [...grouped(runs, ([, id = ""]) => id)];
  return new Map(byId.map(([id, all]) => [id, all.map(([pid = ""]) => pid)]));
}
