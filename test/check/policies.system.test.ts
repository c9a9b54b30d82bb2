import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isFatal } from "../../src/check/check-result.ts";
import { selectCases } from "../../src/check/select-cases.ts";
import { sampleEvent } from "../../src/event/sample.ts";
import { runCli, tempFolder } from "../cli/fake-io.ts";
import { isRight, type Made, made } from "./receivers/made.ts";
import { SECRET } from "./receivers/under-test.ts";
import { optionsFor, runCheck, verdictText } from "./sample.ts";

/** A clock that only waiting moves. */
function clock() {
  let now = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    wait: async (milliseconds: number) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
}

const SKIPPED = ["HTTP-09", "HTTP-10", "HTTP-11", "HTTP-12"];

async function check(
  receiver: Made,
  wait: (milliseconds: number) => Promise<void>,
  { concurrency = 1, only }: { concurrency?: number; only?: readonly string[] } = {},
) {
  const { url } = await made(receiver);
  const cases = selectCases({ skip: SKIPPED, ...(only && { only }) });
  return runCheck({
    ...optionsFor(url),
    cases,
    timeout: 10_000,
    concurrency,
    wait,
    slow: Infinity,
  });
}

it.each([1, 6])(
  "a right receiver that limits the rate is waited for, %d at a time",
  async (concurrency) => {
    const { now, wait, waits } = clock();
    const requests: number[] = [];
    const report = await check(
      {
        before: () => {
          requests.push(now());
          const recent = requests.filter((at) => at > now() - 60_000);
          return recent.length > 100 ? [429, { "retry-after": "60" }] : undefined;
        },
      },
      wait,
      { concurrency },
    );
    expect(report.results.filter((result) => isFatal(result, false))).toEqual([]);
    expect(report).toMatchObject({ stopped: null, counts: { notApplicable: expect.any(Number) } });
    expect(verdictText(report, false)).toMatch(/^passed/);
    expect(report.diagnosis.join()).toMatch(
      /limits the rate: after \d+ requests .*429, Retry-After: 60 s.*--rate/,
    );
    expect(waits.length).toBeLessThanOrEqual(6);
  },
);

/** What a receiver answers that bans senders of 20 wrong signatures for a while. */
function banning(now: () => number): NonNullable<Made["before"]> {
  let wrong = 0;
  let until = 0;
  return (seen) => {
    if (now() < until) return 403;
    if (!isRight(seen) && ++wrong % 20 === 0) until = now() + 20_000;
    return undefined;
  };
}

it("a right receiver that bans senders of 20 wrong signatures is waited for, and told so", async () => {
  const { now, wait } = clock();
  const report = await check({ before: banning(now) }, wait);
  expect(report.results.filter((result) => isFatal(result, false))).toEqual([]);
  expect(report.stopped).toBeNull();
  expect(report.diagnosis.join()).toMatch(/bans senders of wrong signatures: after \d+ requests/);
});

it("a forgery that only a ban kept out is found", async () => {
  const { now, wait } = clock();
  const accepts: Made["accepts"] = (seen) =>
    isRight(seen) || seen.request.headers["content-type"] === "text/json";
  const only = ["KIND", "SIG", "GATE"];
  const report = await check({ accepts, before: banning(now) }, wait, { only });
  expect(verdictText(report, false)).toMatch(/^FORGED DELIVERIES GET IN.*content types.*GATE-58/);
});

it("a limit that lasts longer than the wait ends the run, and says after how many requests", async () => {
  const { wait } = clock();
  let requests = 0;
  const report = await check(
    { before: () => (++requests > 30 ? [429, { "retry-after": "900" }] : undefined) },
    wait,
  );
  expect(report.stopped).toMatch(
    /limits the rate: after 3\d requests .*429, Retry-After: 900 s.*pass --rate/,
  );
});

/** An event of the receiver's own, and what it demands of every event. */
const OWN = {
  ...sampleEvent("payment.received"),
  data: { ...sampleEvent("payment.received").data, id: "pay_8841", property: "prop_own" },
  webhook: {
    ...sampleEvent("payment.received").webhook,
    id: "wh_own",
    url: "https://own.example/webhooks",
  },
};
const POLICIES: Readonly<Record<string, NonNullable<Made["after"]>>> = {
  "a webhook id of its own": ({ event }) => (event.webhook?.id === "wh_own" ? undefined : 403),
  "its own URL": ({ event }) =>
    (event.webhook as { url?: string } | undefined)?.url === OWN.webhook.url ? undefined : 401,
  "a property that it knows": ({ event }) =>
    (event.data as { property?: string } | undefined)?.property === "prop_own"
      ? undefined
      : [422, { "content-type": "application/json" }, '{"error":"unknown property"}'],
};

/** Passing all cases with all demands at once shows that no case breaks one of them. */
const ALL: Made["after"] = (seen) =>
  Object.values(POLICIES)
    .map((demands) => demands(seen))
    .find(Boolean);

it.each([
  ...Object.entries(POLICIES).map(([name, after]) => [name, after, ["--only", "KIND"]] as const),
  ["all of that", ALL, ["--skip", SKIPPED.join()]] as const,
])("a right receiver that demands %s passes with --event", async (_, after, cases) => {
  const { url, observe = "" } = await made({ after });
  const cwd = tempFolder();
  writeFileSync(join(cwd, "own.json"), JSON.stringify(OWN, null, 2));
  const env = { HOOKPORTER_SECRET: SECRET };
  const alone = await runCli(["check", url.href, "--only", "KIND"], { env, cwd });
  expect(alone.code).toBe(1);
  expect(alone.stdout).toMatch(/--event/);
  const own = await runCli(["check", url.href, ...cases, "--event", "own.json"], { env, cwd });
  expect(own.stdout).toMatch(/^passed/);
  expect(own.code).toBe(0);
  expect(own.stderr).toMatch(
    /own.json runs as a real payment.received .*; only its timestamp changes$/m,
  );
  const by = ["--observe", observe, "HOOKPORTER_SETTLE=10ms"];
  const observed = ["--event", "own.json", "--vary", "data.id", ...by];
  const varied = await runCli(["check", url.href, "--only", "DUP", ...observed], { env, cwd });
  expect(varied.code).toBe(0);
});

it("a right receiver that answers 200 to empty bodies passes", async () => {
  const { wait } = clock();
  const report = await check(
    { before: ({ body }) => (body.byteLength === 0 ? 200 : undefined) },
    wait,
  );
  expect(report.results.filter((result) => isFatal(result, false))).toEqual([]);
});

it("what a receiver says when it refuses the first delivery is shown", async () => {
  const { url } = await made({ before: () => [422, {}, '{"error":"unknown property"}'] });
  const run = await runCli(["check", url.href, "--only", "KIND-01"], {
    env: { HOOKPORTER_SECRET: SECRET },
  });
  expect(run.stdout).toMatch(
    /^failed, valid deliveries are refused: KIND-01.* 422: .*--event.*unknown property/,
  );
});

it.each([
  ["--vary alone", ["--vary", "data.id"]],
  ["a field that is no text", ["--event", "own.json", "--vary", "data"]],
  ["an event that is none", ["--event", "none.json"]],
  ["an observer that cannot tell its events apart", ["--event", "own.json", "--observe", "true"]],
])("check refuses %s", async (_, flags) => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "own.json"), JSON.stringify(OWN));
  writeFileSync(join(cwd, "none.json"), "{}");
  const run = await runCli(["check", "1", ...flags], { env: { HOOKPORTER_SECRET: SECRET }, cwd });
  expect(run).toMatchObject({ code: 2, stdout: "" });
});

it("headers are added to each request, and never printed", async () => {
  const { url } = await made({
    before: ({ request }) =>
      request.headers.authorization === "Bearer staging-token" ? undefined : 407,
  });
  const env = { HOOKPORTER_SECRET: SECRET, STAGING: "Bearer staging-token" };
  const flags = ["--only", "KIND", "--header-env", "authorization=STAGING", "--json"];
  const run = await runCli(["check", url.href, ...flags], { env });
  expect(run.code).toBe(0);
  expect(run.stdout + run.stderr).not.toContain("staging-token");
});

it("--rate spreads the requests, and a right receiver gets no more of them than announced", async () => {
  const { url } = await made({});
  const env = { HOOKPORTER_SECRET: SECRET };
  const started = performance.now();
  const run = await runCli(["check", url.href, "--only", "TIME", "--rate", "50", "--json"], {
    env,
  });
  expect(run.stderr).toMatch(
    /16 cases, at most 320 requests, at 50 per second, which takes up to 6\.4 s/,
  );
  expect(performance.now() - started).toBeGreaterThanOrEqual(15 * 20);
  const whole = await runCli(["check", url.href, "--skip", SKIPPED.join(), "--json"], { env });
  expect(whole.records.at(-1)?.requests).toBeLessThanOrEqual(600);
});
