import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { apiReport } from "./api-report.ts";
import { type Declarations, openDeclarations } from "./declarations.ts";

const REPORT = join(import.meta.dirname, "api-report.txt");

let declarations: Declarations;

beforeAll(() => {
  declarations = openDeclarations();
}, 60_000);

afterAll(() => declarations.close());

it("the committed report has all exports and signatures; `npx vitest run test/api-report.test.ts -u` writes it", async () => {
  await expect(apiReport(declarations)).toMatchFileSnapshot(REPORT);
});

it("no name of a time says its unit: all are milliseconds", async () => {
  const report = await apiReport(declarations);
  expect(report).toContain("readonly olderThan: number;");
  const names = report.match(/\b[a-z]\w*(?:Ms|Millis|Seconds)\b/gu) ?? [];
  // AWS Lambda's name
  expect(names.filter((name) => name !== "getRemainingTimeInMillis")).toEqual([]);
});
