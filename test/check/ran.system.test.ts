import { expect, it } from "vitest";
import { observeByUrl } from "../../src/check/observer.ts";
import { selectCases } from "../../src/check/select-cases.ts";
import { made, type Seen } from "./receivers/made.ts";
import { right } from "./receivers/right.ts";
import { optionsFor, runCheck, verdictText } from "./sample.ts";

const cases = selectCases({
  only: ["KIND", "SIG-29", "SIG-34", "BODY", "HTTP", "TIME"],
  skip: ["HTTP-09", "HTTP-10", "HTTP-11", "HTTP-12"],
});

async function check(url: URL, observe: string | undefined) {
  const observer = observeByUrl(observe ?? "", 3000);
  const options = { ...optionsFor(url), cases, concurrency: 8, timeout: 2000 };
  return runCheck({ ...options, observer });
}

/** Receivers that confirm every event, and lose some after that. */
const LOSSES: readonly (readonly [string, (seen: Seen) => boolean, RegExp])[] = [
  ["text beyond ASCII", ({ body }) => body.some((byte) => byte > 0x7f), /BODY-/],
  ["emoji", ({ body }) => /\p{Extended_Pictographic}/u.test(String(body)), /BODY-/],
  ["escapes", ({ body }) => /\\u/.test(String(body)), /BODY-/],
  ["large bodies", ({ body }) => body.byteLength > 8192, /BODY-/],
  ["chunked bodies", ({ request }) => "transfer-encoding" in request.headers, /HTTP-/],
];

it.each(LOSSES)(
  "with --observe, %s that are confirmed and never run fail",
  async (_, loses, ids) => {
    const { url, observe } = await made({ runs: (seen) => !loses(seen) });
    const report = await check(url, observe);
    const lost = report.results.filter(({ cause }) => cause === "confirmed_lost");
    expect(lost.length).toBeGreaterThan(0);
    expect(new Set(lost.map(({ severity }) => severity))).toEqual(new Set(["required"]));
    expect(report.diagnosis.join("\n")).toMatch(/confirms events that it never runs, and so loses/);
    expect(lost.map(({ id }) => id).join()).toMatch(ids);
  },
);

it("a right receiver loses nothing", async () => {
  const { url, observe } = await right();
  const report = await check(url, observe);
  expect(report.results.filter(({ cause }) => cause === "confirmed_lost")).toEqual([]);
});

it("without --observe, a run that passes says what was not seen", async () => {
  const { url } = await right();
  const report = await runCheck(optionsFor(url, "KIND-01", "DUP-04"));
  expect(verdictText(report, false)).toBe("passed; duplicates and handling not seen");
});
