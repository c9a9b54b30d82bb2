import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { installPackages } from "../install-packages.ts";
import { run } from "../strangers/programs.ts";
import { RUN, SMOKE } from "./smoke.ts";

const here = import.meta.dirname;
const missing = installPackages(here);
const modules = join(here, "node_modules");
const folder = mkdtempSync(join(tmpdir(), "hookporter-runners-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Without what the runner of this file says to its own children. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_ENV|TEST$)/.test(name)),
);
const surroundings = { cwd: folder, env };

const TIMERS = `
const { createTestReceiver } = require("hookporter/testing");
test.each(["before", "after"])("fake timers %s creation", async (when) => {
  const fake = () => jest.useFakeTimers({ now: Date.UTC(2025, 0, 1) });
  if (when === "before") fake();
  const receiver = await createTestReceiver({ handlers: { "payment.received": () => {} } });
  if (when === "after") fake();
  expect((await receiver.deliver("payment.received")).state).toBe("handled");
  await receiver.close();
  jest.useRealTimers();
});
`;

const AZURE = `
const { HttpRequest } = require("@azure/functions");
const { createReceiver } = require("hookporter");
const { fetchReceiver } = require("hookporter/fetch");
const { sampleEvent, signedRequest } = require("hookporter/testing");
async function main() {
  const secret = "a-secret-for-every-runner";
  const receiver = createReceiver({ secret, inbox: "memory:" });
  receiver.on("*", () => {});
  await receiver.start();
  const { headers, body } = signedRequest(sampleEvent("payment.received"), { secret });
  const url = "http://localhost/webhooks";
  const request = new HttpRequest({ method: "POST", url, headers, body: { bytes: body } });
  const { status } = await fetchReceiver(receiver)(request);
  await receiver.close();
  console.log(status === 200 ? "well" : status);
}
main();
`;

/** Requests that reach no socket: as tests and serverless platforms make them. */
const STAND_INS = `
const { createRequire } = require("node:module");
const { pathToFileURL } = require("node:url");
const { createReceiver } = require("hookporter");
const { expressReceiver } = require("hookporter/express");
const { nodeReceiver } = require("hookporter/node");
const { sampleEvent, signedRequest } = require("hookporter/testing");
const ours = createRequire(${JSON.stringify(join(here, "..", "..", "package.json"))});
const inject = createRequire(ours.resolve("fastify"))("light-my-request");
async function main() {
  const { default: serverless } = await import(pathToFileURL(ours.resolve("serverless-http")));
  const secret = "a-secret-for-every-runner";
  const receiver = createReceiver({ secret, inbox: "memory:" });
  receiver.on("*", () => {});
  await receiver.start();
  const { headers, body } = signedRequest(sampleEvent("payment.received"), { secret });
  const request = { method: "POST", url: "/webhooks", headers, payload: Buffer.from(body) };
  const app = ours("express")().use("/webhooks", expressReceiver(receiver));
  const answers = [
    await inject(nodeReceiver(receiver), request),
    await serverless(app)({
      httpMethod: "POST",
      path: "/webhooks",
      headers,
      body: Buffer.from(body).toString("base64"),
      isBase64Encoded: true,
      requestContext: {},
    }),
    await inject(app, request), // last: it changes what all Express apps inherit from
  ];
  await receiver.close();
  const statuses = answers.map(({ statusCode }) => statusCode).join();
  console.log(statuses === "200,200,200" ? "well" : statuses);
}
main();
`;

/** A test for Jest or Vitest, in an environment of it. */
const jestIn = (environment: string) =>
  `/** @jest-environment ${environment} */\ntest("smoke", () => require("./smoke.cjs")());\n`;
const vitestIn = (environment: string) => `// @vitest-environment ${environment}
import { test } from "vitest";
import smoke from "./smoke.cjs";
test("smoke", () => smoke());
`;

const FILES: Readonly<Record<string, string>> = {
  "smoke.cjs": SMOKE,
  "run.cjs": RUN,
  "zone.cjs": `require("zone.js/node");\n${RUN}`,
  "late-zone.cjs": `require("hookporter");\nrequire("zone.js/node");\n${RUN}`,
  "promise.cjs": `const native = Promise;\nglobalThis.Promise = class extends native {};\n${RUN}`,
  "azure.cjs": AZURE,
  "stand-ins.cjs": STAND_INS,
  "node.jest.js": jestIn("node"),
  "jsdom.jest.js": jestIn("jsdom"),
  "timers.jest.js": TIMERS,
  "vitest-node.spec.mjs": vitestIn("node"),
  "vitest-jsdom.spec.mjs": vitestIn("jsdom"),
  "vitest-happy-dom.spec.mjs": vitestIn("happy-dom"),
  "package.json": '{ "private": true }',
};

beforeAll(() => {
  if (missing !== undefined) return;
  const own = join(folder, "node_modules");
  mkdirSync(own);
  for (const name of readdirSync(modules)) symlinkSync(join(modules, name), join(own, name));
  symlinkSync(join(here, "..", ".."), join(own, "hookporter"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});

const cli = (path: string) => join(modules, path);

it.skipIf(missing !== undefined).each([
  ["Node", ["run.cjs"]],
  ["zone.js", ["zone.cjs"]],
  ["zone.js, loaded later", ["late-zone.cjs"]],
  ["another global Promise", ["promise.cjs"]],
  ["frozen intrinsics", ["--frozen-intrinsics", "run.cjs"]],
  ["the requests of Azure Functions", ["azure.cjs"]],
  ["light-my-request and serverless-http", ["stand-ins.cjs"]],
])("the package works with %s", async (_, argv) => {
  const { stdout, stderr } = await run("node", argv, 60_000, surroundings);
  expect(stdout, stderr).toBe("well\n");
});

it.skipIf(missing !== undefined).each([
  ["Jest", cli("jest/bin/jest.js"), ["--testRegex", String.raw`\.jest\.js$`, "--rootDir", folder]],
  ["Vitest", cli("vitest/vitest.mjs"), ["run", "--dir", folder]],
])("the package works under %s, in each environment", async (_, program, argv) => {
  const { code, stdout, stderr } = await run("node", [program, ...argv], 120_000, surroundings);
  expect(code, stdout + stderr).toBe(0);
});
