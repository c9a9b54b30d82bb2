import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { root } from "../docs/markdown.ts";
import { nowEnvelope } from "../hostile/cli.ts";
import { posting } from "../receiver/open.ts";
import { CACHE, missing, OnWindows, runOnWindows } from "./wine.ts";

describe.skipIf(missing !== undefined)("on Windows, a project", { timeout: 180_000 }, () => {
  it("is made by init, and its server receives, stops by Ctrl-C, and knows what it received", async () => {
    // there, to find this repository's packages
    const above = mkdtempSync(join(CACHE, "my projects (é) "));
    onTestFinished(() => rmSync(above, { recursive: true }));
    const made = await runOnWindows(["init", "shop", "--yes"], { cwd: above });
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const cwd = join(above, "shop");
    const secret = /^HOOKPORTER_SECRET=(\S+)$/m.exec(readFileSync(join(cwd, ".env"), "utf8"))?.[1];
    mkdirSync(join(cwd, "node_modules"));
    symlinkSync(root, join(cwd, "node_modules", "hookporter"));
    // The compiler is a program of this system; what it makes is what runs there.
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const built = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
      cwd,
      encoding: "utf8",
    });
    expect(built).toMatchObject({ status: 0, stdout: "" });
    writeFileSync(join(cwd, ".env"), `HOOKPORTER_SECRET=${secret}\r\nPORT=0\r\nMETRICS_PORT=0\r\n`);

    const envelope = nowEnvelope();
    for (const duplicate of [false, true]) {
      const server = new OnWindows(["dist\\server.js"], {
        cwd,
        env: { HOOKPORTER_SECRET: undefined },
      });
      const url = await vi.waitFor(
        () => {
          const [, found] = /"url":"([^"]+)"/.exec(server.stdout + server.stderr) ?? [];
          expect(found, server.stdout + server.stderr).toBeDefined();
          return new URL(String(found));
        },
        { timeout: 60_000, interval: 50 },
      );
      const reply = await posting(url).post(envelope, secret);
      expect(JSON.parse(reply.text)).toMatchObject({ received: true, duplicate });
      expect(await server.interrupt(), server.stderr).toBe(0);
    }
  });
});
