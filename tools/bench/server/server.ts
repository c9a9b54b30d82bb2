import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CORES, onCores } from "../cores.ts";
import type { Dialect } from "../load/request-file.ts";
import { type Build, program } from "../places.ts";
import type { ThreadProfile } from "./cpu-profile.ts";
import type { Order, Question, Used } from "./messages.ts";

/** A contestant running in a child process. */
export interface Server {
  readonly port: number;
  readonly dialect: Dialect;
  /** Whether it runs a handler for all that it stores. */
  readonly handles: boolean;
  /** Its resource use since the previous call. */
  measure(): Promise<Used>;
  counts(): Promise<{ readonly kept: number; readonly done: number }>;
  /** Starts CPU profiles of all threads that run JavaScript. */
  startProfile(): Promise<void>;
  /** Ends the profiles. */
  stopProfile(): Promise<readonly ThreadProfile[]>;
  close(): Promise<void>;
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
}

/** Options of a server process. */
export interface Launch {
  /** The Node executable. */
  readonly node: string;
  readonly flags?: readonly string[];
  /** A command that runs the server's command, such as for slow flushes. */
  readonly within?: readonly string[] | undefined;
  readonly build?: Build | undefined;
}

/** Starts a contestant. */
export async function startServer(
  order: Order,
  { node, flags = [], within = [], build }: Launch,
): Promise<Server> {
  const argv = [...within, node, ...flags, program("serve", build), JSON.stringify(order)];
  const [command, ...rest] = onCores(CORES.server, argv);
  const child = spawn(command, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = once(child, "exit");
  const started = (await answer(child)) as Pick<Server, "port" | "dialect" | "handles">;
  const ask = (question: Question) => {
    const told = answer(child);
    child.send(question);
    return told as Promise<never>;
  };
  return {
    ...started,
    measure: () => ask("measure") as Promise<Used>,
    counts: () => ask("counts"),
    startProfile: () => ask("startProfile"),
    stopProfile: async () => {
      // too large for a message
      const path = join(tmpdir(), `hookporter-profiles-${child.pid}.json`);
      await ask({ writeProfiles: path });
      const profiles = JSON.parse(readFileSync(path, "utf8"));
      rmSync(path);
      return profiles;
    },
    close: async () => {
      if (!child.connected) return;
      child.send("close");
      await ended;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The next message of a child; rejects if it ends without one. */
function answer(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null) =>
      reject(new Error(`a server process ended with ${code}`));
    child.once("exit", failed);
    child.once("message", (message) => {
      child.off("exit", failed);
      resolve(message);
    });
  });
}
