import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { sampleEvent, signedRequest } from "../../../../src/entries/testing.ts";
import { closedPort } from "../../../relay/tunnel/machine.ts";
import { runCli } from "../../fake-io.ts";
import { appFolder } from "./app-folder.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const modules = join(root, "node_modules");
const execute = promisify(execFile);

/** Apps of the fixtures, what builds them, and the file that starts them. */
const APPS = [
  ["express", [], "bin/www"],
  ["express-ts", ["node_modules/typescript/bin/tsc"], "dist/index.js"],
] as const;

test.each(APPS)(
  "the app %s receives, still reads its own bodies, passes the test that it got, and ends in order",
  async (name, build, main) => {
    const cwd = appFolder(name);
    expect((await runCli(["init", "--into", ".", "--yes"], { cwd })).code).toBe(0);
    provide(cwd, "hookporter", "express", "zod", "vitest", "typescript");
    provide(cwd, "@types/node", "@types/express");
    if (build.length > 0) await execute(process.execPath, build, { cwd });
    const vitest = join("node_modules", "vitest", "vitest.mjs");
    const tested = [vitest, "run", "webhooks", "--exclude", "dist"];
    expect((await execute(process.execPath, tested, { cwd })).stdout).toMatch(/1 passed/);

    const port = await closedPort();
    const { HOOKPORTER_SECRET: _, ...env } = process.env;
    const app = spawn(process.execPath, [main], {
      cwd,
      env: { ...env, PORT: String(port) },
      stdio: "pipe",
    });
    const log = collect(app);
    const ended = once(app, "exit");
    onTestFinished(() => {
      app.kill("SIGKILL");
    });
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(() => fetch(url), 10_000);

    const request = signedRequest(sampleEvent("payment.received"), { secret: secretOf(cwd) });
    await vi.waitFor(
      async () => expect((await fetch(`${url}/webhooks`, request)).status).toBe(200),
      10_000,
    );
    expect((await fetch(`${url}/webhooks`, { ...request, headers: {} })).status).toBe(401);
    await vi.waitFor(() => expect(log()).toContain('"message":"payment received"'), 10_000);
    const echoed = await fetch(`${url}/echo`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"own":[1]}',
    });
    expect(await echoed.json()).toEqual({ own: [1] });
    app.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  },
);

/** Links packages of this repository, and this repository itself, into an app. */
function provide(folder: string, ...names: readonly string[]): void {
  for (const name of names) {
    const target = join(folder, "node_modules", name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(name === "hookporter" ? root : join(modules, name), target, "junction");
    expect(existsSync(target), name).toBe(true);
  }
  // the links, not what they lead to
  onTestFinished(() => rmSync(join(folder, "node_modules"), { recursive: true, force: true }));
}

/** The secret in an app's `.env`. */
function secretOf(folder: string): string {
  return /^HOOKPORTER_SECRET=(.+)$/m.exec(readFileSync(join(folder, ".env"), "utf8"))?.[1] ?? "";
}

function collect(app: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [app.stdout, app.stderr])
    stream?.on("data", (chunk) => chunks.push(String(chunk)));
  return () => chunks.join("");
}
