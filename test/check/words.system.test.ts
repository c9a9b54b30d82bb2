import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { observeByUrl } from "../../src/check/observer.ts";
import { root } from "../docs/markdown.ts";
import { isRight, type Made, made } from "./receivers/made.ts";
import { type ReceiverUnderTest, rightSignature } from "./receivers/under-test.ts";
import { optionsFor } from "./sample.ts";

const WORDS = join(root, "src", "check", "words");

/** Puts other words in the place of all that a module of words says. */
function shuffled(module: object): object {
  const entries = Object.entries(module).map(([name, value]) => {
    if (typeof value === "string") return [name, otherText(value)];
    if (typeof value !== "function") return [name, shuffledTable(value)];
    return [
      name,
      (...given: readonly unknown[]) => {
        const said: unknown = value(...given);
        return typeof said === "string" ? otherText(said) : said;
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** The same keys, each with the words of the next one. */
function shuffledTable(table: object): object {
  const values = Object.values(table);
  const entries = Object.keys(table).map((key, at) => [key, values[(at + 1) % values.length]]);
  return Object.fromEntries(entries);
}

function otherText(text: string): string {
  return `other words: ${text.split(" ").reverse().join(" ")}`;
}

const modules = readdirSync(WORDS).map((file) => join(WORDS, file));

/** Undoes that for the tests that follow: the modules are loaded again. */
function restoreWords(): void {
  for (const path of modules) vi.doUnmock(path);
  vi.resetModules();
}

// Other files of tests may share these modules.
afterEach(restoreWords);

/** The checker, with its own words or with others. */
async function checker(words: "own" | "other") {
  restoreWords();
  if (words === "other")
    for (const path of modules) vi.doMock(path, async () => shuffled(await vi.importActual(path)));
  const { runCheck } = await import("../../src/check/run-check.ts");
  const { verdictOnReport } = await import("../../src/check/verdict.ts");
  const { isFatal } = await import("../../src/check/check-result.ts");
  const { causeText } = await import("../../src/check/words/common-causes.ts");
  return { runCheck, verdictOnReport, isFatal, causeText };
}

/** All that a check decides of a receiver. */
async function decided(
  { runCheck, verdictOnReport, isFatal, causeText }: Awaited<ReturnType<typeof checker>>,
  { url, observe }: ReceiverUnderTest,
  only: readonly string[],
) {
  const waits: string[] = [];
  const report = await runCheck({
    ...optionsFor(url, ...only),
    timeout: 2000,
    settle: 5,
    concurrency: 4,
    slow: Number.POSITIVE_INFINITY,
    wait: async () => {},
    onWait: (_, why) => void waits.push(why),
    ...(observe !== undefined && { observer: observeByUrl(observe, 2000) }),
  });
  const verdict = verdictOnReport(report, false);
  const data = {
    results: report.results.map(({ checkCase: { id }, outcome, severity, fault }) => {
      const found = fault?.code === "found" ? fault.found.code : undefined;
      return { id, outcome, severity, code: fault?.code, found };
    }),
    causes: report.diagnosis.map(({ code, cases }) => ({ code, cases })),
    stopped: report.stopped?.code,
    verdict: verdict.type,
    isFatal: report.results.some((result) => isFatal(result, false)),
    waits: waits.length > 0,
  };
  return { data, said: report.diagnosis.map(causeText) };
}

const byPart =
  (part: (hex: string) => unknown): NonNullable<Made["accepts"]> =>
  ({ digits, right, request }) =>
    /^sha256=[0-9a-f]{64}$/.test(String(request.headers["x-service-signature"])) &&
    part(digits) === part(right);

/** A receiver whose server ends with the first unsigned delivery. */
async function ending(): Promise<ReceiverUnderTest> {
  const server = createServer((request, response) => {
    if (request.headers["x-service-signature"] !== undefined) return response.writeHead(200).end();
    server.close();
    return server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`) };
}

/** A receiver that fails on each third event, and knows it as a duplicate from then on. */
function losing(): Promise<ReceiverUnderTest> {
  const known = new Set<string>();
  return made({
    after: ({ body }) => {
      if (known.has(String(body))) return 200;
      return known.add(String(body)).size % 3 === 2 ? 500 : undefined;
    },
  });
}

/** A receiver that runs each event before it verifies it. */
async function careless(): Promise<ReceiverUnderTest> {
  const runs = new Map<string, number>();
  const { url } = await made({
    before: ({ request, event: { data } }) => {
      const { searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
      const marker = searchParams.get("marker");
      if (marker !== null) return [200, {}, String(runs.get(marker) ?? 0)];
      runs.set(`${data?.id}`, (runs.get(`${data?.id}`) ?? 0) + 1);
      return undefined;
    },
  });
  return { url, observe: `${url.href}?marker={marker}` };
}

/** A receiver that refuses each tenth delivery. */
function limiting(): Promise<ReceiverUnderTest> {
  let requests = 0;
  return made({
    before: () => (++requests % 10 === 0 ? [429, { "retry-after": "1" }] : undefined),
  });
}

const SIGNATURES = ["SIG", "GATE-01", "GATE-61", "DUP-10"];

/** Receivers with different faults, the cases that they get, and what must be decided. */
const RECEIVERS: Readonly<
  Record<
    string,
    readonly [
      start: () => Promise<ReceiverUnderTest>,
      only: readonly string[],
      verdict: string,
      cause: string | undefined,
    ]
  >
> = {
  "is right": [() => made({}), ["SIG", "BODY-09", "DUP-01"], "passed", undefined],
  "verifies nothing": [
    () => made({ accepts: () => true }),
    SIGNATURES,
    "forged",
    "nothing_verified",
  ],
  "compares the first half": [
    () => made({ accepts: byPart((hex) => hex.slice(0, 32)) }),
    SIGNATURES,
    "forged",
    "part_of_digest_compared",
  ],
  "trusts X-Test": [
    () =>
      made({
        accepts: (seen) => seen.request.headers["x-test"] !== undefined || isRight(seen),
      }),
    SIGNATURES,
    "forged",
    "proxy_headers_trusted",
  ],
  "is inverted": [
    () => made({ accepts: (seen) => !isRight(seen) }),
    ["SIG-01", "SIG-17"],
    "forged",
    "inverted",
  ],
  "runs what it refuses": [careless, ["DUP-10", "GATE-01"], "forged", "forged_runs_refused"],
  "loses what failed": [losing, ["KIND", "BODY-09"], "refuses_valid", "failed_event_lost"],
  "refuses other spellings": [
    () =>
      made({
        accepts: ({ digits, body }) =>
          `sha256=${digits}` === rightSignature(String(body).replace(/\s+/g, " ")),
      }),
    ["BODY"],
    "refuses_valid",
    "other_spelling_verified",
  ],
  "has another secret": [
    () => made({ accepts: () => false }),
    ["SIG-01"],
    "refuses_valid",
    "control_refused",
  ],
  "is at another path": [
    () => made({ before: () => 404 }),
    ["SIG-01"],
    "refuses_valid",
    "control_not_found",
  ],
  "fails on unusual input": [
    () => made({ after: ({ event }) => (event.data?.id === undefined ? 500 : undefined) }),
    ["BODY"],
    "passed",
    "unusual_input_fails",
  ],
  "limits the rate": [limiting, ["KIND", "SIG-01"], "passed", "rate_limited"],
  "ends with an unsigned delivery": [ending, ["SIG-01"], "stopped_receiver", undefined],
};

describe("no word decides anything", () => {
  it.each(Object.entries(RECEIVERS))(
    "of a receiver that %s",
    { timeout: 60_000 },
    async (_, [start, only, verdict, cause]) => {
      const own = await decided(await checker("own"), await start(), only);
      const other = await decided(await checker("other"), await start(), only);
      expect(other.data).toEqual(own.data);
      expect(own.data.verdict).toBe(verdict);
      expect(own.data.causes[0]?.code).toBe(cause);
      if (own.said.length > 0) expect(other.said).not.toEqual(own.said);
    },
  );
});

/** The sources of `check`, and of its command, that decide something. */
const LOGIC = ["src/check", "src/cli/check"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts") && !file.startsWith("src/check/words/")),
);
const codeOf = (file: string) => readFileSync(join(root, file), "utf8");

it("ids of cases stand in no logic but that of the cases", () => {
  const named = LOGIC.filter(
    (file) =>
      !file.startsWith("src/check/cases/") &&
      /"(?:KIND|SIG|GATE|BODY|HTTP|TIME|DUP)-\d\d/.test(codeOf(file)),
  );
  expect(LOGIC.length).toBeGreaterThan(30);
  expect(named).toEqual([]);
});

it("sentences are made by views alone, and for the error of a run that cannot begin", () => {
  const views = LOGIC.filter((file) => /from "[./]*(?:check\/)?words\//.test(codeOf(file)));
  expect(views.sort()).toEqual([
    "src/check/report-github.ts",
    "src/check/report-json.ts",
    "src/check/report-junit.ts",
    "src/check/report-markdown.ts",
    "src/check/run-check.ts",
    "src/cli/check/check.ts",
    "src/cli/check/view.ts",
    "src/cli/check/write-report.ts",
  ]);
});
