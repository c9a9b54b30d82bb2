import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AtEnd, type ReceiverUnderTest, SECRET } from "./under-test.ts";

/** Whether this machine has Python. */
export const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** `http_server.py`: Python's http.server and hmac. */
export async function python(atEnd: AtEnd = onTestFinished): Promise<ReceiverUnderTest> {
  const env = { ...process.env, RECEIVER_SECRET: SECRET };
  const child = spawn("python3", [join(import.meta.dirname, "http_server.py")], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  atEnd(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  const [port] = await once(child.stdout, "data");
  return { url: new URL(`http://127.0.0.1:${Number(String(port))}/webhooks`) };
}
