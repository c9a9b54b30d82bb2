import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { CORES, onCores } from "../cores.ts";
import type { Dialect } from "../load/request-file.ts";
import { program } from "../places.ts";
import type { Order, Question, Used } from "./messages.ts";

/** A contestant that runs in a process of its own. */
export interface Server {
  readonly port: number;
  readonly dialect: Dialect;
  /** What it used since this was asked before. */
  measure(): Promise<Used>;
  counts(): Promise<{ readonly kept: number; readonly done: number }>;
  close(): Promise<void>;
}

/** Starts a contestant; `profiles` is a folder for its CPU profile. */
export async function startServer(order: Order, profiles?: string): Promise<Server> {
  const profile = profiles === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profiles}`];
  const argv = [process.execPath, ...profile, program("serve"), JSON.stringify(order)];
  const [command, ...rest] = onCores(CORES.server, argv);
  const child = spawn(command, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = once(child, "exit");
  const { port, dialect } = (await answer(child)) as { port: number; dialect: Dialect };
  const ask = (question: Question) => {
    const told = answer(child);
    child.send(question);
    return told as Promise<never>;
  };
  return {
    ...{ port, dialect },
    measure: () => ask("measure") as Promise<Used>,
    counts: () => ask("counts"),
    close: async () => {
      child.send("close");
      await ended;
    },
  };
}

/** The next message of a child; rejects where it ends without one. */
function answer(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null) => reject(new Error(`a server process ended with ${code}`));
    child.once("exit", failed);
    child.once("message", (message) => {
      child.off("exit", failed);
      resolve(message);
    });
  });
}
