import { execFile, spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { onTestFinished, vi } from "vitest";
import type { EventKind } from "../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../src/entries/testing.ts";
import { tempFolder } from "../cli/fake-io.ts";
import { root } from "../docs/markdown.ts";

const execute = promisify(execFile);

/** The built program. */
export const BIN = join(root, "dist", "bin.js");

const SAMPLES = join(root, "test", "fixtures", "my-receiver");

/** When every session begins: 10:02 in Paris, on a Monday. */
export const BEGINNING = Date.parse("2026-03-02T09:02:00Z");

/** Milliseconds within which `listen` looks for entries that are due. */
const POLL = 1100;

const SECRET = "the secret of a sample session";

export const TIME_ZONE = "Europe/Paris";

/** A folder for a session with `listen`, in which the programs see a time that the session sets. */
export interface Session {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Sets the clock to this many seconds after the beginning; returns the time. */
  at(seconds: number): number;
  /**
   * Sends with `trigger` to this endpoint. Its exit code does not matter: some deliveries are
   * refused.
   */
  trigger(endpoint: string, ...argv: string[]): Promise<void>;
}

/** Makes the folder `my-receiver` with the sample handlers, if wanted. */
export function openSession({ handlers }: { readonly handlers: boolean }): Session {
  const folder = tempFolder();
  const cwd = join(folder, "my-receiver");
  const clock = join(folder, "clock");
  const programs = join(cwd, "node_modules", ".bin");
  mkdirSync(programs, { recursive: true });
  // the project has the package, so that suggested commands begin with npx
  symlinkSync(BIN, join(programs, "hookporter"));
  if (handlers) copySamples(cwd);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    TZ: TIME_ZONE,
    PICTURE_CLOCK: clock,
    NODE_OPTIONS: `--import ${join(import.meta.dirname, "clock.js")}`,
    HOOKPORTER_SECRET: SECRET,
  };
  const at = (seconds: number) => {
    const time = BEGINNING + seconds * 1000;
    writeFileSync(`${clock}.new`, `${time} ${Date.now()}`);
    renameSync(`${clock}.new`, clock); // at once: the programs read it at any time
    return time;
  };
  at(0);
  const trigger = async (endpoint: string, ...argv: string[]) => {
    const command = [BIN, "trigger", ...argv, "--url", endpoint];
    await execute(process.execPath, command, { cwd, env }).catch(() => {});
    // so that it is handled, and what waits is tried again, before the clock is set again
    await setTimeout(POLL);
  };
  return { cwd, env, at, trigger };
}

/**
 * Copies the sample handlers, last changed the day before, since `listen` reloads those that
 * changed after its start.
 */
function copySamples(cwd: string): void {
  cpSync(SAMPLES, cwd, { recursive: true });
  const dayBefore = new Date(BEGINNING - 86_400_000);
  for (const name of readdirSync(SAMPLES, { recursive: true, encoding: "utf8" })) {
    utimesSync(join(cwd, name), dayBefore, dayBefore);
  }
}

/** Sends a sample whose sender signs one text of the JSON and sends another, with other spacing. */
export async function sendReserialised(
  endpoint: string,
  kind: EventKind,
  timestamp: number,
): Promise<void> {
  const envelope = sampleEvent(kind, { timestamp });
  const { headers } = signedRequest(envelope, { secret: SECRET });
  await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(envelope, null, 2) });
}

/** Starts `listen` on free ports in a session, killed with the test. */
export async function startListen(
  { cwd, env }: Session,
  ...argv: string[]
): Promise<{ readonly endpoint: string; readonly page: URL }> {
  const command = [BIN, "listen", "--port", "0", "--inspect-port", "0", "--json", ...argv];
  const child = spawn(process.execPath, command, { cwd, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  const note = (chunk: Buffer) => {
    printed += chunk;
  };
  child.stdout.on("data", note);
  child.stderr.on("data", note);
  return vi.waitFor(() => {
    const [, ready] = /^(\{.*"type":"ready".*\})$/m.exec(printed) ?? [];
    if (ready === undefined)
      throw new Error(`expected listen to be ready, but it printed: ${printed}`);
    const { url, inspector } = JSON.parse(ready);
    return { endpoint: url, page: new URL(inspector) };
  }, 30_000);
}
