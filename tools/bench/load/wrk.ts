import { join } from "node:path";
import { CORES, onCores } from "../cores.ts";
import { ROOT } from "../places.ts";
import type { Load, LoadResult } from "./load.ts";
import { runCommand } from "./run-command.ts";

/** Milliseconds that connections wait before they send, so that the server can accept them. */
const SETTLING_MS = 50;

/**
 * Sends a load with wrk on one thread. Its flag accepts only whole seconds, so it is interrupted;
 * it reports how long it ran, up to 100 ms more.
 */
export async function wrk({ port, file, first, connections, seconds }: Load): Promise<LoadResult> {
  const script = join(ROOT, "tools", "bench", "load", "wrk.lua");
  const wrkFlags = [
    "-t1",
    `-c${connections}`,
    `-d${Math.ceil(seconds) + 10}s`,
    "--timeout",
    "10s",
    "-s",
    script,
  ];
  const requests = [file.path, file.length, first, file.count, connections, SETTLING_MS].map(
    String,
  );
  const command = ["wrk", ...wrkFlags, `http://127.0.0.1:${port}/webhooks`, "--", ...requests];
  const text = await runCommand(onCores(CORES.load, command), {
    timeout: (seconds + 30) * 1000,
    interruptMs: SETTLING_MS + seconds * 1000,
  });
  const [, json] = /^RESULT (.*)$/m.exec(text) ?? [];
  if (json === undefined) throw new Error(`wrk printed no result: ${text.slice(-500)}`);
  const { answered, sent, failed, micros, p50, p99, max } = JSON.parse(json);
  const latency = { p50: p50 / 1000, p99: p99 / 1000, max: max / 1000 };
  return { answered, sent, failed, seconds: micros / 1e6 - SETTLING_MS / 1000, latency };
}
