import { createSecretKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../src/check/catalogue.ts";
import type { CheckReport, CheckResult } from "../../src/check/check-result.ts";
import { observeByUrl } from "../../src/check/observe-by-url.ts";
import { runCheck } from "../../src/check/run-check.ts";
import { checkByRoute } from "./receivers/check-by-route.ts";
import { endsWith } from "./receivers/ends-with.ts";
import { expressJson } from "./receivers/express-json.ts";
import { verifyBesideForms, verifyBesideText } from "./receivers/express-verify.ts";
import { failsOnBadJson } from "./receivers/fails-on-bad-json.ts";
import { octokit } from "./receivers/octokit.ts";
import { ownExpress, ownNode } from "./receivers/own.ts";
import { hasPython, python } from "./receivers/python.ts";
import { right } from "./receivers/right.ts";
import { type ReceiverUnderTest, SECRET } from "./receivers/under-test.ts";

/** Receivers as people write them; `expected.txt` has a column with the expected results of each. */
const RECEIVERS: Readonly<Record<string, () => Promise<ReceiverUnderTest>>> = {
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

const TABLE = join(import.meta.dirname, "receivers", "expected.txt");
/** Whether this receiver fails here depends on how deeply this Node's `JSON.stringify` nests; the table is for Node 20. */
const DEEP = { receiver: "express-json", id: "BODY-33" };
const [head = "", ...rows] = readFileSync(TABLE, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split(/\s+/));

it("the table has a row for every case, and a column for every receiver", () => {
  expect(rows.map(([id]) => id)).toEqual(CATALOGUE.map(({ id }) => id));
  expect(head).toEqual(["case", ...Object.keys(RECEIVERS)]);
});

describe.each(Object.entries(RECEIVERS))("%s", (name, start) => {
  it.skipIf(name === "python" && !hasPython)(
    "passes and fails as in the table",
    { timeout: 60_000 },
    async () => {
      const column = head.indexOf(name);
      const expected = Object.fromEntries(rows.map((row) => [row[0], row[column]]));
      const { results, stopped } = await check(await start(), answerTimeout(expected));
      expect(stopped).toBeNull();
      const got = Object.fromEntries(results.map((one) => [one.id, markOf(one)]));
      if (name === DEEP.receiver && got[DEEP.id] === "pass") expected[DEEP.id] = "pass";
      expect(got).toEqual(expected);
    },
  );
});

/**
 * Milliseconds that a receiver has for each answer. One that ends every request by itself is never waited for to the end;
 * a time near its own would make a busy machine's delay a failure. The others are waited for in vain.
 */
function answerTimeout(expected: Readonly<Record<string, string | undefined>>): number {
  return expected["HTTP-10"] === "pass" ? 30_000 : 4000;
}

function check({ url, observe }: ReceiverUnderTest, timeout: number): Promise<CheckReport> {
  return runCheck({
    ...{ url, cases: CATALOGUE, secret: createSecretKey(SECRET, "utf8"), clock: Date.now },
    ...{ signatureHeader: "x-service-signature", timeout, settle: 100, concurrency: 8 },
    ...(observe !== undefined && { observer: observeByUrl(observe, 3000) }),
  });
}

/** `pass`, `n.a.`, or the weight of the failure. */
function markOf({ outcome, severity }: CheckResult): string {
  if (outcome === "failed") return severity === "informational" ? "info" : severity.slice(0, 3).toUpperCase();
  return outcome === "passed" ? "pass" : "n.a.";
}
