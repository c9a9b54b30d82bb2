import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../cli/fake-io.ts";

const DIST = join(import.meta.dirname, "..", "..", "dist");
const load = createRequire(import.meta.url);

/** The package twice in one process, as it is with Jest, or with two versions of it. */
const esm: typeof import("../../src/entries/index.ts") = await import(join(DIST, "index.js"));
const commonJs: typeof import("../../src/entries/index.ts") = load(join(DIST, "index.cjs"));
const { fetchReceiver }: typeof import("../../src/adapters/fetch.ts") = await import(
  join(DIST, "fetch.js")
);
const client: typeof import("../../src/entries/client.ts") = await import(join(DIST, "client.js"));
const testing: typeof import("../../src/entries/testing.ts") = load(join(DIST, "testing.cjs"));

const secret = "a-secret-that-two-copies-share";
const copies = [esm, commonJs];

function delivery() {
  const request = testing.signedRequest(testing.sampleEvent("payment.received"), { secret });
  return new Request("http://localhost/webhooks", request as RequestInit);
}

it("two copies are two", () => {
  expect(esm.createReceiver).not.toBe(commonJs.createReceiver);
});

it("an error of one copy is an `instanceof` the class of the other", () => {
  const error = new esm.HookporterError("closed", "a message");
  expect(error instanceof commonJs.HookporterError).toBe(true);
  expect(error instanceof commonJs.ConfigurationError).toBe(false);
  const mistake = new commonJs.ConfigurationError("option_invalid", "a message");
  expect(mistake instanceof esm.HookporterError).toBe(true);
  expect(mistake instanceof esm.ConfigurationError).toBe(true);
  expect(mistake instanceof client.ServiceError).toBe(false);
  const failure = new client.ServiceError(
    { code: "service_failed", message: "", mayHaveHappened: false },
    1,
  );
  expect(failure instanceof commonJs.HookporterError).toBe(true);
});

it("an error of a user's own class is an `instanceof` that class only if it was made by it", () => {
  class Own extends esm.HookporterError {}
  const own = new Own("closed", "a message");
  expect(own instanceof Own).toBe(true);
  expect(own instanceof commonJs.HookporterError).toBe(true);
  expect(new esm.HookporterError("closed", "a message") instanceof Own).toBe(false);
});

it.each([
  undefined,
  null,
  "closed",
  1,
  { code: "closed" },
  new Error("closed"),
  Object.create(null),
])("%o is not an error of the package", (thrown) => {
  expect(thrown instanceof (esm.HookporterError as never)).toBe(false);
});

it("a handlers module of one copy works in a receiver of the other", async () => {
  const handled: string[] = [];
  const module = esm.defineHandlers({
    handlers: { "payment.received": ({ id }) => void handled.push(id) },
  });
  const receiver = commonJs.createReceiver({ secret, inbox: "memory:", handlers: module });
  await receiver.start();
  const answer = await fetchReceiver(receiver)(delivery());
  expect(answer.status).toBe(200);
  await expect.poll(() => handled).toHaveLength(1);
  await receiver.close();
});

it("an adapter of one copy answers 503 once a receiver of the other is closed", async () => {
  const receiver = commonJs.createReceiver({ secret, inbox: "memory:" });
  await receiver.start();
  await receiver.close();
  const answer = await fetchReceiver(receiver)(delivery());
  expect(answer.status).toBe(503);
});

it("receivers of two copies share an inbox file: each event runs once, and one receiver outlives the other", async () => {
  const path = join(tempFolder(), "inbox.db");
  const handled: string[] = [];
  const logged: string[] = [];
  const note = (_: object, message: string) => void logged.push(message);
  const log = { debug: () => {}, info: () => {}, warn: note, error: note };
  const receivers = copies.map(({ createReceiver }) => {
    const receiver = createReceiver({ secret, inbox: path, log });
    receiver.on("payment.received", ({ id }) => void handled.push(id));
    return receiver;
  });
  for (const receiver of receivers) await receiver.start();
  const holders = readdirSync(dirname(path)).filter((name) => name.includes("-holder-"));
  expect(holders).toHaveLength(1); // they share what is open, too
  const handlers = receivers.map((receiver) => fetchReceiver(receiver));
  const sendEach = async () => {
    const answers = await Promise.all(
      handlers.flatMap((handle) => Array.from({ length: 50 }, () => handle(delivery()))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  };
  await sendEach();
  await sendEach();
  await expect.poll(() => handled.length, { timeout: 10_000 }).toBe(200);
  await receivers[0]?.close();
  handlers.shift();
  await sendEach();
  await expect.poll(() => handled.length, { timeout: 10_000 }).toBe(250);
  await receivers[1]?.close();
  expect(new Set(handled).size).toBe(250);
  // one line, though the two have no code in common
  expect(logged).toEqual([expect.stringContaining("two receivers of this source")]);
});
