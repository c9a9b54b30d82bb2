import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { root } from "../docs/markdown.ts";
import { posting } from "../receiver/open.ts";
import { SECRET } from "../receiver/sample.ts";
import { Edge, type EdgeKnobs } from "../tunnel/edge/edge.ts";
import { tempFolder } from "./fake-io.ts";

/** The token that `listen` finds. */
export const TOKEN = "cli-token-that-nobody-may-see";

/** Milliseconds anything may take on a machine that is busy. */
const PATIENCE = 15_000;

/** An edge of this machine, for the time of the test. */
export async function openEdge(knobs: Partial<EdgeKnobs> = {}): Promise<Edge> {
  const edge = await new Edge(knobs).start();
  onTestFinished(() => edge.close());
  return edge;
}

/** The built program's `listen --tunnel ngrok` in a process of its own, through an edge; killed with the test. */
export function listenThrough(edge: Edge, argv: readonly string[] = [], cwd = tempFolder()) {
  writeFileSync(join(cwd, "edge.pem"), edge.ca);
  const command = ["listen", "--port", "0", "--json", "--tunnel", "ngrok", ...argv];
  const child = spawn(process.execPath, [join(root, "dist", "bin.js"), ...command], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOOKPORTER_SECRET: SECRET,
      NGROK_AUTHTOKEN: TOKEN,
      HOOKPORTER_NGROK_SERVER_ADDR: edge.serverAddr,
      HOOKPORTER_NGROK_CA_FILE: "edge.pem",
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  let line = "";
  const printed: Record<string, unknown>[] = [];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    const lines = (line + chunk).split("\n");
    line = lines.pop() ?? "";
    printed.push(...lines.map((text) => JSON.parse(text)));
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  const records = (type: string) => printed.filter((record) => record.type === type);
  /** Its records of the tunnel once there are so many of a state. */
  const until = (state: string, count = 1) =>
    vi.waitFor(
      () => {
        const found = records("tunnel").filter((record) => record.state === state);
        expect(found.length, stdout + stderr).toBeGreaterThanOrEqual(count);
        return found;
      },
      { timeout: PATIENCE, interval: 10 },
    );
  /** Waits until it is ready; gives where it is reached. */
  const ready = () =>
    vi.waitFor(
      () => {
        const [record] = records("ready");
        expect(record, stdout + stderr).toBeDefined();
        const publicUrl = new URL(String(record?.publicUrl));
        return { publicUrl, localUrl: new URL(String(record?.url)), ...posting(publicUrl) };
      },
      { timeout: PATIENCE, interval: 10 },
    );
  return { child, cwd, ended, records, until, ready, output: () => stdout + stderr };
}
