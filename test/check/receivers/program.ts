import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AtEnd, type ReceiverUnderTest, SECRET, type StartReceiver } from "./under-test.ts";

/** A receiver in another language, started as a program in this folder. */
export interface ForeignReceiver {
  readonly start: StartReceiver;
  /** What this machine lacks, if the receiver cannot run here. */
  readonly missing?: string;
}

/** What a machine must have, and a command that fails if it does not. */
const NEEDS = {
  python: ["python3", "--version"],
  flask: ["python3", "-c", "import flask"],
  php: ["php", "--version"],
  webrick: ["ruby", "-e", "require 'webrick'"],
  java: ["java", "--version"],
} as const;

/**
 * A receiver that prints a line with its port. It gets the secret as RECEIVER_SECRET, its variant
 * as RECEIVER_VARIANT and a folder of its own as RECEIVER_FOLDER.
 */
export function program(
  needs: keyof typeof NEEDS,
  command: readonly string[],
  { variant = "right", path = "/webhooks" }: { variant?: string; path?: string } = {},
): ForeignReceiver {
  return {
    start: (atEnd) => start(command, variant, path, atEnd),
    ...(!isHere(needs) && { missing: needs }),
  };
}

const FOUND = new Map<string, boolean>();

function isHere(needs: keyof typeof NEEDS): boolean {
  const [tool, ...probe] = NEEDS[needs];
  const found = FOUND.get(needs) ?? spawnSync(tool, probe, { stdio: "ignore" }).status === 0;
  FOUND.set(needs, found);
  return found;
}

async function start(
  [command = "", ...given]: readonly string[],
  variant: string,
  path: string,
  atEnd: AtEnd = onTestFinished,
): Promise<ReceiverUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-receiver-"));
  const child = spawn(command, given, {
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      RECEIVER_SECRET: SECRET,
      RECEIVER_VARIANT: variant,
      RECEIVER_FOLDER: folder,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  atEnd(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  const port = await new Promise<string>((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const found = /(?:^|127\.0\.0\.1:)(\d+)(?:\)| *\n)/m.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read); // where PHP prints it
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${command} exited with ${code}: ${text}`)));
  });
  const url = new URL(`http://127.0.0.1:${port}${path}`);
  return { url, observe: `${url.origin}/runs${path.replace(/^\/webhooks/, "")}?marker={marker}` };
}
