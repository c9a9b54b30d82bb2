import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tryOr } from "../../base/try-or.ts";

/** State of a TCP socket that listens, in Linux's tables. */
const LISTENS = "0A";

/**
 * Who listens on a port, such as `node (process 1234)`; `undefined` if the system does not say, as
 * for other users' programs.
 */
export function portUser(port: number): string | undefined {
  return tryOr(() => {
    const sockets = new Set([
      ...socketsOn(port, "/proc/net/tcp"),
      ...socketsOn(port, "/proc/net/tcp6"),
    ]);
    const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && hasSocket(name, sockets));
    if (pid === undefined) return undefined;
    return `${readFileSync(`/proc/${pid}/comm`, "utf8").trim()} (process ${pid})`;
  }, undefined); // only Linux has these files
}

/** The inodes of the sockets that listen on a port. */
function socketsOn(port: number, table: string): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const [, ...lines] = readFileSync(table, "utf8").split("\n");
  return lines.flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [, local = "", , state, , , , , , inode] = fields;
    return local.endsWith(suffix) && state === LISTENS && inode !== undefined
      ? [`socket:[${inode}]`]
      : [];
  });
}

function hasSocket(pid: string, sockets: ReadonlySet<string>): boolean {
  return tryOr(() => {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) =>
      sockets.has(tryOr(() => readlinkSync(`${folder}/${name}`), "")),
    );
  }, false); // it ended, or is another user's
}
