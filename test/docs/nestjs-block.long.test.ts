import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { codeOf, readPage, root } from "./markdown.ts";

const execute = promisify(execFile);

/** What a program does with the module of the page: it delivers an event, and ends the app. */
const PROGRAM = `import "reflect-metadata";
import { NestFactory } from "@nestjs/core";
import { sampleEvent, signedRequest } from "hookporter/testing";
import { Payments, WEBHOOKS, WebhooksModule } from "./webhooks.js";

const app = await NestFactory.createApplicationContext(WebhooksModule, { logger: false });
const { receiver } = app.get(WEBHOOKS);
const ended = new Promise<void>((resolve) => receiver.observe(({ type }: { type: string }) => type === "attempt" && resolve()));
const { method, headers, body } = signedRequest(sampleEvent("payment.received"), { secret: String(process.env.HOOKPORTER_SECRET) });
const outcome = await receiver.accept({ method, target: "/webhooks", headers, body, receivedAt: Date.now() });
await ended;
await app.close();
console.log(outcome.type, app.get(Payments).booked.size, receiver.ready);
`;

it.skipIf(process.env.HOOKPORTER_LONG === undefined)(
  "the module for NestJS compiles with NestJS, gets its services, and closes its receiver with the app",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "hookporter-nestjs-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const run = (program: string, ...argv: readonly string[]) =>
      execute(program, argv, {
        cwd: folder,
        env: { ...process.env, HOOKPORTER_SECRET: "a secret of the page" },
      });
    const block = codeOf(readPage("docs/guides/handlers-with-dependencies.md"), "ts").at(-1) ?? "";
    expect(block).toContain("@nestjs/common");
    writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
    writeFileSync(join(folder, "webhooks.ts"), block);
    writeFileSync(join(folder, "main.ts"), PROGRAM);
    const packages = ["@nestjs/common@12", "@nestjs/core@12", "reflect-metadata", "rxjs"];
    const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
    await run("npm", "install", ...packages, ...flags);
    symlinkSync(root, join(folder, "node_modules", "hookporter"), "junction");
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const options = ["--module", "nodenext", "--target", "es2023", "--strict", "--skipLibCheck"];
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
    await run(process.execPath, tsc, "main.ts", ...options, ...types);
    const { stdout } = await run(process.execPath, "main.js");
    expect(stdout.trim()).toBe("accepted 1 false");
  },
  300_000,
);
