import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/check/catalogue.ts";
import type { CheckReport, CheckResult } from "../../src/check/check-result.ts";
import { observeByUrl } from "../../src/check/observe-by-url.ts";
import { runCheck } from "../../src/check/run-check.ts";
import { checkByRoute } from "./receivers/check-by-route.ts";
import { endsWith } from "./receivers/ends-with.ts";
import { readExpected } from "./receivers/expected.ts";
import { expressJson } from "./receivers/express-json.ts";
import { verifyBesideForms, verifyBesideText } from "./receivers/express-verify.ts";
import { failsOnBadJson } from "./receivers/fails-on-bad-json.ts";
import { octokit } from "./receivers/octokit.ts";
import { ownExpress, ownNode } from "./receivers/own.ts";
import { hasPython, python } from "./receivers/python.ts";
import { right } from "./receivers/right.ts";
import { type ReceiverUnderTest, SECRET, type StartReceiver } from "./receivers/under-test.ts";

/** Receivers as people write them; `expected.txt` says what each gets wrong. */
const RECEIVERS: Readonly<Record<string, StartReceiver>> = {
  "express-json": expressJson,
  "verify+forms": verifyBesideForms,
  "verify+text": verifyBesideText,
  "by-route": checkByRoute,
  octokit,
  "ends-with": endsWith,
  "500-on-bad-json": failsOnBadJson,
  python,
  right,
  "own-express": ownExpress,
  "own-node": ownNode,
};

const EXPECTED = readExpected();
/** Whether this receiver fails here depends on how deeply this Node's `JSON.stringify` nests; the table is for Node 20. */
const DEEP = { receiver: "express-json", id: "BODY-33" };

it("the table has a block for every receiver", () => {
  expect([...EXPECTED.keys()]).toEqual(Object.keys(RECEIVERS));
});

it("only receivers that are called faulty fail a required case", () => {
  const found = [...EXPECTED].map(([name, { failed }]) => [name, ![...failed.values()].includes("required")]);
  expect(found).toEqual([...EXPECTED].map(([name, { isRight }]) => [name, isRight]));
});

describe.concurrent.each(Object.entries(RECEIVERS))("%s", (name, start) => {
  it.skipIf(name === "python" && !hasPython)(
    "passes and fails as in the table",
    { timeout: 60_000 },
    async ({ expect, onTestFinished: atEnd }) => {
      const { failed = new Map(), causes = [] } = EXPECTED.get(name) ?? {};
      const receiver = await start(atEnd);
      const { results, stopped, diagnosis } = await check(receiver, failed.has("HTTP-10") ? 4000 : 30_000);
      expect(stopped).toBeNull();
      const got = Object.fromEntries(results.map((one) => [one.id, markOf(one)]));
      const wanted = Object.fromEntries(
        CATALOGUE.map(({ id, runs }) => {
          const hidden = runs !== undefined && receiver.observe === undefined;
          return [id, failed.get(id) ?? (hidden ? "not_applicable" : "passed")];
        }),
      );
      if (name === DEEP.receiver && got[DEEP.id] === "passed") wanted[DEEP.id] = "passed";
      expect(got).toEqual(wanted);
      expect(diagnosis.map((cause, at) => cause.slice(0, causes[at]?.length))).toEqual(causes);
    },
  );
});

/**
 * Runs all cases. `timeout`: a receiver that ends every request by itself is never waited for to the end; a time near its
 * own would make a busy machine's delay a failure. The others are waited for in vain.
 */
function check({ url, observe }: ReceiverUnderTest, timeout: number): Promise<CheckReport> {
  return runCheck({
    ...{ url, cases: CATALOGUE, secret: createSecretKey(SECRET, "utf8"), clock: Date.now },
    ...{ signatureHeader: "x-service-signature", timeout, settle: 100, concurrency: 8 },
    ...(observe !== undefined && { observer: observeByUrl(observe, 3000) }),
  });
}

/** The outcome, or the weight of the failure. */
function markOf({ outcome, severity }: CheckResult): string {
  return outcome === "failed" ? severity : outcome;
}
