import { readFileSync } from "node:fs";
import { tryOr } from "../try-or.ts";

/** A TCP socket that listens on a port of this machine. */
export interface Listener {
  /** Its local address as Linux's tables spell it. */
  readonly address: string;
  /** The number of the user who opened it. */
  readonly user: number;
  readonly inode: string;
}

/** State of a TCP socket that listens, in Linux's tables. */
const LISTENS = "0A";

/** What listens on a port. Only Linux says so: nothing elsewhere. */
export function listenersOn(port: number): readonly Listener[] {
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) =>
    tryOr(() => readTable(table, port), []),
  );
}

function readTable(table: string, port: number): readonly Listener[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const [, ...lines] = readFileSync(table, "utf8").split("\n");
  return lines.flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [, local = "", , state, , , , user, , inode] = fields;
    if (!local.endsWith(suffix) || state !== LISTENS || inode === undefined) return [];
    return [{ address: local.slice(0, -suffix.length), user: Number(user), inode }];
  });
}

/**
 * The spellings of the sockets that take a connection to a loopback address, the first that there
 * is. The tables have four bytes at a time, in the order of the machine.
 */
const TAKEN_BY: Readonly<Record<string, readonly string[]>> = {
  "127.0.0.1": [
    "0100007F",
    "0000000000000000FFFF00000100007F",
    "00000000",
    "0000000000000000FFFF000000000000",
    "00000000000000000000000000000000",
  ],
  "::1": ["00000000000000000000000001000000", "00000000000000000000000000000000"],
};

/** The number of the user whose program takes connections to a loopback address, if known. */
export function userAt(address: string, port: number): number | undefined {
  const listeners = listenersOn(port);
  return TAKEN_BY[address]
    ?.map((spelling) => listeners.find((one) => one.address === spelling)?.user)
    .find((user) => user !== undefined);
}

/** The name of a user, or the number as text. */
export function userName(user: number): string {
  const found = tryOr(() => readFileSync("/etc/passwd", "utf8"), "")
    .split("\n")
    .map((line) => line.split(":"))
    .find(([, , id]) => id === String(user));
  return found?.[0] ?? String(user);
}
