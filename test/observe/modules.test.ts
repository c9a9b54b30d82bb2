import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import entries from "../../tools/entries.json" with { type: "json" };

const root = join(import.meta.dirname, "..", "..");
const dist = join(root, "dist");

/** Receives one delivery and handles it, and prints each span's name, and that of its parent. */
const PROGRAM = `async ({ createReceiver }, { createTracing }, { TEST_SECRET, sampleEvent, signedRequest }, sdk, api) => {
  const exporter = new sdk.InMemorySpanExporter();
  const provider = new sdk.NodeTracerProvider({ spanProcessors: [new sdk.SimpleSpanProcessor(exporter)] });
  provider.register();
  const receiver = createReceiver({ secret: TEST_SECRET, inbox: "memory:", tracing: createTracing() });
  const handled = new Promise((resolve) => {
    receiver.on("payment.received", async () => {
      await null;
      api.trace.getTracer("own").startSpan("own work").end();
      resolve();
    });
  });
  await receiver.start();
  const { headers, body } = signedRequest(sampleEvent("payment.received"), { secret: TEST_SECRET });
  await receiver.accept({ method: "POST", target: "/webhooks", headers, body: Buffer.from(body), receivedAt: Date.now() });
  await handled;
  await receiver.close();
  const spans = exporter.getFinishedSpans();
  const nameOf = (id) => spans.find((span) => span.spanContext().spanId === id)?.name ?? null;
  const shown = spans.map((span) => [span.name, nameOf(span.parentSpanContext?.spanId)]);
  console.log(JSON.stringify(shown.sort()));
}`;

const NAMES = ["index", "tracing", "testing"];
const SDK = ["@opentelemetry/sdk-trace-node", "@opentelemetry/api"];

/** Each kind of module, as a program that loads the same five. */
const PROGRAMS: readonly (readonly [name: string, flags: readonly string[], code: string])[] = [
  [
    "ES modules",
    ["--input-type=module"],
    `const load = (name) => import(name);
    await (${PROGRAM})(...(await Promise.all(${JSON.stringify([...NAMES.map((name) => join(dist, `${name}.js`)), ...SDK])}.map(load))));`,
  ],
  [
    "CommonJS",
    ["--input-type=commonjs", "--no-experimental-require-module"],
    `(${PROGRAM})(...${JSON.stringify([...NAMES.map((name) => join(dist, `${name}.cjs`)), ...SDK])}.map((name) => require(name)));`,
  ],
];

describe("the built package", () => {
  it.each(PROGRAMS)(
    "traces a handler's own work as %s",
    { timeout: 30_000 },
    async (_, flags, code) => {
      const argv = ["--no-warnings", ...flags, "-e", code];
      const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: root });
      expect(JSON.parse(stdout)).toEqual([
        ["own work", "process payment.received"],
        ["process payment.received", "receive payment.received"],
        ["receive payment.received", null],
      ]);
    },
  );

  it("loads nothing of OpenTelemetry but for `hookporter/tracing`", () => {
    const others = Object.keys(entries).flatMap((name) => {
      if (name === "./tracing") return [];
      const file = name === "." ? "index" : name.slice(2);
      return [`${file}.js`, `${file}.cjs`];
    });
    expect(loading([...others, "bin.js"])).toEqual([]);
    expect(loading(["tracing.js"])).not.toEqual([]);
    expect(loading(["tracing.cjs"])).not.toEqual([]);
  });
});

/**
 * The files of dist/ that import OpenTelemetry, among those that these files load, now or later.
 */
function loading(files: readonly string[]): readonly string[] {
  const present = new Set(readdirSync(dist));
  const found = new Set(files);
  const wrong: string[] = [];
  for (const file of found) {
    const code = readFileSync(join(dist, file), "utf8");
    if (/["'`]@opentelemetry\//.test(code)) wrong.push(file);
    for (const [, name = ""] of code.matchAll(/["'`]\.\/([\w.-]+\.c?js)["'`]/g)) {
      if (present.has(name)) found.add(name);
    }
  }
  return wrong;
}
