import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CATALOGUE, type CheckCase, CONTROL } from "../../src/check/catalogue.ts";
import { verdictOf } from "../../src/check/check-result.ts";
import { observeByUrl } from "../../src/check/observer.ts";
import { eventKinds } from "../../src/entries/index.ts";
import { RECEIVERS } from "./receivers/all.ts";
import { checkByKind } from "./receivers/check-by-kind.ts";
import { readExpected } from "./receivers/expected.ts";
import { type ReceiverUnderTest, SECRET } from "./receivers/under-test.ts";
import { optionsFor, runCheck, type ShownReport } from "./sample.ts";

const EXPECTED = readExpected();
/** The case that sends half a body. */
const ENDLESS = "HTTP-10";
/**
 * Whether this receiver fails here depends on how deeply this Node's `JSON.stringify` nests; the
 * table is for Node 20.
 */
const DEEP = { receiver: "express-json", id: "BODY-33" };

it("the table has a block for every receiver", () => {
  expect([...EXPECTED.keys()]).toEqual(Object.keys(RECEIVERS));
});

it("only receivers that are called faulty fail a required case", () => {
  const found = [...EXPECTED].map(([name, { failed }]) => [
    name,
    [...failed.values()].includes("required"),
  ]);
  expect(found).toEqual([...EXPECTED].map(([name, { isFaulty }]) => [name, isFaulty]));
});

describe.concurrent.each(Object.entries(RECEIVERS))("%s", (name, receiverOf) => {
  const { start, missing } = typeof receiverOf === "function" ? { start: receiverOf } : receiverOf;
  it("passes and fails as in the table", { timeout: 120_000 }, async ({
    expect,
    onTestFinished: atEnd,
    skip,
  }) => {
    if (missing !== undefined) skip(`this machine has no ${missing}`);
    const { failed = new Map(), causes = [] } = EXPECTED.get(name) ?? {};
    const receiver = await start(atEnd);
    const { results, stopped, diagnosis } = await check(receiver, failed.has(ENDLESS));
    expect(stopped).toBeNull();
    const got = Object.fromEntries(results.map((result) => [result.id, verdictOf(result)]));
    const wanted = Object.fromEntries(
      CATALOGUE.map(({ id, needsObserver = false }) => {
        const notRun = failed.has(CONTROL) && id !== CONTROL;
        const hidden = notRun || (needsObserver && receiver.observe === undefined);
        return [id, failed.get(id) ?? (hidden ? "not_applicable" : "passed")];
      }),
    );
    if (name === DEEP.receiver && got[DEEP.id] === "passed") wanted[DEEP.id] = "passed";
    expect(got).toEqual(wanted);
    expect(diagnosis.map((cause, at) => cause.slice(0, causes[at]?.length))).toEqual(causes);
  });
});

it("the report says which kinds of forged deliveries are confirmed", async () => {
  const { url } = await checkByKind();
  const { results } = await runCheck(optionsFor(url, "SIG-37", "SIG-38"));
  const others = eventKinds.filter(
    (kind) => kind !== "property.created" && kind !== "payment.received",
  );
  const confirmed = [...others, "property.inspected", "ping", "test", "webhook.test"].join(", ");
  expect(results.map(({ fix }) => fix)).toEqual([
    null,
    ...Array.from({ length: 2 }, () => expect.stringMatching(`; confirmed: ${confirmed}$`)),
  ]);
});

/**
 * Runs all cases, with a time-out that a busy machine does not reach. Only the case of the endless
 * body has a short one, and a run of its own, if the receiver waits for the rest in vain.
 */
async function check(receiver: ReceiverUnderTest, isEndless: boolean): Promise<ShownReport> {
  const [whole, endless] = await Promise.all([
    run(
      receiver,
      CATALOGUE.filter(({ id }) => id !== ENDLESS),
      30_000,
    ),
    run(
      receiver,
      CATALOGUE.filter(({ id }) => id === CONTROL || id === ENDLESS),
      isEndless ? 3000 : 30_000,
    ),
  ]);
  return { ...whole, results: [...whole.results, ...endless.results.slice(1)] };
}

function run(
  { url, observe }: ReceiverUnderTest,
  cases: readonly CheckCase[],
  timeout: number,
): Promise<ShownReport> {
  return runCheck({
    url,
    cases,
    secret: createSecretKey(SECRET, "utf8"),
    clock: Date.now,
    signatureHeader: "x-service-signature",
    timeout,
    settle: 100,
    concurrency: 8,
    slow: Infinity,
    ...(observe !== undefined && { observer: observeByUrl(observe, 30_000) }),
  });
}
