import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { listenersOn } from "../../base/system/listeners.ts";
import { tryOr } from "../../base/try-or.ts";

/**
 * Who listens on a port, such as `node (process 1234)`; `undefined` if the system does not say, as
 * for other users' programs.
 */
export function portUser(port: number): string | undefined {
  return tryOr(() => {
    const sockets = new Set(listenersOn(port).map(({ inode }) => `socket:[${inode}]`));
    const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && hasSocket(name, sockets));
    if (pid === undefined) return undefined;
    return `${readFileSync(`/proc/${pid}/comm`, "utf8").trim()} (process ${pid})`;
  }, undefined); // only Linux has these files
}

function hasSocket(pid: string, sockets: ReadonlySet<string>): boolean {
  return tryOr(() => {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) =>
      sockets.has(tryOr(() => readlinkSync(`${folder}/${name}`), "")),
    );
  }, false); // it ended, or is another user's
}
