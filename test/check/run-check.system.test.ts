import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import type { CheckResult } from "../../src/check/check-result.ts";
import type { Observer } from "../../src/check/observer.ts";
import { observeByUrl } from "../../src/check/observer.ts";
import { SLOW } from "../../src/check/response-times.ts";
import type { ReportedCase } from "../../src/check/words/report.ts";
import { makeCertificate } from "../relay/tunnel/edge/certificate.ts";
import { closedPort } from "../relay/tunnel/machine.ts";
import { made } from "./receivers/made.ts";
import { right } from "./receivers/right.ts";
import { rightSignature, serve } from "./receivers/under-test.ts";
import { optionsFor, runCheck } from "./sample.ts";

const outcomes = (results: readonly ReportedCase[]) =>
  results.map(({ id, outcome }) => `${id} ${outcome}`);

it("no case runs if nothing listens", async () => {
  const seen: CheckResult[] = [];
  const url = new URL(`http://127.0.0.1:${await closedPort()}/webhooks`);
  const run = runCheck({ ...optionsFor(url, "SIG"), onResult: seen.push.bind(seen) });
  await expect(run).rejects.toMatchObject({ code: "target_unreachable" });
  expect(seen).toEqual([]);
});

it("no other case is run if the control is refused, since a refusal proves nothing then", async () => {
  const url = await serve((_, response) => response.writeHead(401).end());
  const { results, diagnosis } = await runCheck(optionsFor(url, "SIG-01", "SIG-28"));
  expect(outcomes(results)).toEqual([
    "KIND-01 failed",
    "SIG-01 not_applicable",
    "SIG-28 not_applicable",
  ]);
  expect(diagnosis).toEqual([expect.stringMatching(/secrets differ/)]);
});

it("the run continues if the control is confirmed with another 2xx", async () => {
  const url = await serve((_, response) => response.writeHead(202).end());
  const { results, diagnosis } = await runCheck(optionsFor(url, "SIG-01"));
  expect(outcomes(results)).toEqual(["KIND-01 failed", "SIG-01 failed"]);
  expect(diagnosis).toEqual([
    expect.stringMatching(/^Unsigned deliveries are confirmed/),
    expect.stringMatching(/only 200 confirms/),
  ]);
});

/** A receiver that is gone after the first request that it does not answer. */
async function untilGone(answers: (response: ServerResponse, request: IncomingMessage) => boolean) {
  const server = createServer((request, response) => {
    if (answers(response, request)) return;
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

it("the run ends with the case after which a receiver is gone", async () => {
  const url = await untilGone((response, request) => {
    if (request.headers["x-service-signature"] === undefined) return false;
    response.writeHead(200).end();
    return true;
  });
  const report = await runCheck(optionsFor(url, "SIG-01", "SIG-02"));
  const ends = ["KIND-01 passed", "SIG-01 failed", "SIG-02 not_applicable"];
  expect(outcomes(report.results)).toEqual(ends);
  expect(report).toMatchObject({ endedBy: "SIG-01", isReceiversFault: true });
  expect(report.stopped).toMatch(
    /^after SIG-01, .*nothing listens any more.*one unsigned sender can stop/,
  );
});

it("the case after which a receiver is gone fails and ends the run, even if its answer was right", async () => {
  let requests = 0;
  const url = await untilGone((response) => {
    if (++requests > 1) return false;
    response.writeHead(200).end();
    return true;
  });
  const { results, stopped } = await runCheck(optionsFor(url, "HTTP-10", "HTTP-13"));
  expect(outcomes(results)).toEqual(["KIND-01 passed", "HTTP-10 failed", "HTTP-13 not_applicable"]);
  expect(results[1]).toMatchObject({ severity: "required", answer: "closed" });
  expect(stopped).toMatch(/^after HTTP-10, half a body, then silence: nothing listens any more/);
});

it("the run continues if a receiver only closed one connection", async () => {
  const url = await serve((request, response) => {
    if (request.headers["x-service-signature"] === undefined) return response.destroy();
    return response.writeHead(200).end();
  });
  const { results, stopped } = await runCheck(optionsFor(url, "SIG-01", "SIG-03"));
  expect(stopped).toBeNull();
  expect(results.map(({ answer }) => answer)).toEqual(["200", "closed", "200"]);
});

it("the run ends if a receiver is silent three times in a row", async () => {
  let requests = 0;
  const url = await serve((_, response) => {
    if (++requests === 1) response.writeHead(200).end();
  });
  const { results, stopped } = await runCheck({ ...optionsFor(url, "KIND"), timeout: 100 });
  expect(stopped).toMatch(/KIND-04/);
  expect(results.filter(({ answer }) => answer === "no answer")).toHaveLength(3);
});

it("results are reported in the order of the cases, even if several run at once", async () => {
  const { url } = await right();
  const seen: string[] = [];
  const options = { ...optionsFor(url, "KIND", "SIG"), concurrency: 8 };
  await runCheck({ ...options, onResult: ({ checkCase }) => seen.push(checkCase.id) });
  expect(seen).toEqual(options.cases.map(({ id }) => id));
});

it("a case that cannot be observed never passes", async () => {
  const { url } = await right();
  const { results } = await runCheck(optionsFor(url, "DUP-05", "DUP-10"));
  expect(outcomes(results)).toEqual([
    "KIND-01 passed",
    "DUP-05 not_applicable",
    "DUP-10 not_applicable",
  ]);
});

it("a forged event that runs although it is refused is seen by an observer, by the bytes that were sent", async () => {
  const ran: string[] = [];
  const { url } = await made({ before: ({ body }) => void ran.push(String(body)) });
  const count: Observer["count"] = async ({ bodies }) =>
    ran.filter((text) => bodies.some((body) => text === String(body))).length;
  const options = optionsFor(url, "GATE-01");
  const [, unobserved] = (await runCheck(options)).results;
  const answer = "401, 401";
  expect(unobserved).toMatchObject({ outcome: "passed", answer, runs: null });
  const [, observed] = (await runCheck({ ...options, observer: { count } })).results;
  const failed = { outcome: "failed", severity: "required" };
  expect(observed).toMatchObject({ ...failed, answer, runs: 2 });
  expect(observed?.fix).toMatch(/refuses a forged event, but runs it/);
});

it("the run does not start with an observer that counts events never sent", async () => {
  const { url } = await right();
  const run = runCheck({ ...optionsFor(url, "DUP"), observer: { count: async () => 7 } });
  await expect(run).rejects.toMatchObject({ code: "usage" });
});

it("a receiver that runs nothing is told so once, for all cases", async () => {
  const { url } = await right();
  const { results, diagnosis } = await runCheck({
    ...optionsFor(url, "DUP"),
    observer: { count: async () => 0 },
  });
  expect(diagnosis).toEqual([
    expect.stringMatching(/^No confirmed event was seen to run.*DUP-04, DUP-05/),
  ]);
  expect(results.find(({ id }) => id === "DUP-08")?.fix).toMatch(/never ran/);
});

it("the run finds a receiver that runs every copy, one that runs forged events, and one that loses the second of two", async () => {
  const runs = new Map<string, number>();
  const { url } = await made({
    before: ({ event: { data } }) =>
      void runs.set(`${data?.id}`, (runs.get(`${data?.id}`) ?? 0) + 1),
  });
  const failed = async (most: number, ...only: string[]) => {
    const count: Observer["count"] = async ({ marker }) => Math.min(most, runs.get(marker) ?? 0);
    const { results } = await runCheck({ ...optionsFor(url, ...only), observer: { count } });
    const wrong = results.filter(({ outcome }) => outcome === "failed");
    return wrong.map(({ id, runs: ran }) => `${id} ${ran}`);
  };
  const careless = ["DUP-05 3", "DUP-06 5", "DUP-07 2", "DUP-09 2", "DUP-10 1"];
  expect(await failed(Number.POSITIVE_INFINITY, "DUP")).toEqual(careless);
  expect(await failed(1, "DUP-08")).toEqual(["DUP-08 1"]);
});

it("a right receiver passes however slowly the deliveries of one case are made", async () => {
  const { url, observe = "" } = await right();
  let looks = 0;
  const clock = () => Date.now() - 60_000 + 7 * ++looks;
  const options = {
    ...optionsFor(url, "DUP"),
    clock,
    timeout: 10_000,
    observer: observeByUrl(observe, 30_000),
  };
  const { results } = await runCheck(options);
  expect(results.filter(({ outcome }) => outcome === "failed").map(({ id }) => id)).toEqual([]);
});

it("a site that answers 200 at every path and to every method has not confirmed a forgery sent to one of them", async () => {
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const isSigned =
      request.headers["x-service-signature"] === rightSignature(Buffer.concat(chunks));
    const isPage = request.url !== "/webhooks" || request.method !== "POST";
    response.writeHead(isPage || isSigned ? 200 : 401).end();
  });
  const paths = ["GATE-19", "GATE-25", "GATE-28"];
  const { results } = await runCheck(optionsFor(url, ...paths));
  expect(outcomes(results)).toEqual(["KIND-01", ...paths].map((id) => `${id} passed`));
});

it("a slow answer is a recommendation, named with its time, and the report has the response times", async () => {
  const url = await serve(async (request, response) => {
    for await (const _ of request); // to its end, from which the time counts
    const isSlow = request.headers["x-service-signature"] === undefined;
    setTimeout(() => response.writeHead(isSlow ? 401 : 200).end(), isSlow ? 900 : 0);
  });
  const options = { ...optionsFor(url, "SIG-01", "SIG-28"), timeout: 10_000, slow: 290 };
  const { results, responseTimes, diagnosis } = await runCheck(options);
  const [, slow] = results;
  expect(slow).toMatchObject({
    id: "SIG-01",
    outcome: "failed",
    severity: "recommended",
    answer: "401",
  });
  expect(slow?.responseTime).toBeGreaterThanOrEqual(290);
  expect(slow?.fix).toMatch(/^answered after .*stored/);
  expect(responseTimes).toMatchObject({ slowestCase: "SIG-01", slowest: slow?.responseTime });
  expect(diagnosis).toEqual([expect.stringMatching(/^It answers slowly.*SIG-01/)]);
});

it("an answer is slow after more than 5 seconds, unless it is told otherwise", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.spyOn(process, "uptime").mockReturnValue(0); // a busy machine is no part of the answer's time
  onTestFinished(() => void vi.useRealTimers());
  onTestFinished(() => void vi.restoreAllMocks());
  let tookMs = 0;
  const url = await serve(async (request, response) => {
    for await (const _ of request);
    const isSigned = request.headers["x-service-signature"] !== undefined;
    vi.advanceTimersByTime(isSigned ? 0 : tookMs);
    response.writeHead(isSigned ? 200 : 401).end();
  });
  const outcomeAfter = async (ms: number) => {
    tookMs = ms;
    const { results } = await runCheck({ ...optionsFor(url, "SIG-01"), timeout: 600_000 });
    return results[1]?.outcome;
  };
  expect([await outcomeAfter(SLOW), await outcomeAfter(SLOW + 1)]).toEqual(["passed", "failed"]);
});

it("a control that is slow is confirmed all the same", async () => {
  const url = await serve(async (request, response) => {
    for await (const _ of request);
    setTimeout(() => response.writeHead(200).end(), 60);
  });
  const { results, diagnosis } = await runCheck({
    ...optionsFor(url, "SIG-28"),
    timeout: 10_000,
    slow: 10,
  });
  expect(results.map(({ severity, answer }) => [severity, answer])).toEqual([
    ["recommended", "200"],
    ["recommended", "200"],
  ]);
  expect(diagnosis).toEqual([expect.stringMatching(/^It answers slowly/)]);
});

it("a server that does not support trailers passes the case of a signature in one", async () => {
  const url = await serve((request, response) => {
    response.writeHead(request.headers.trailer === undefined ? 200 : 501).end();
    request.resume();
  });
  const { results } = await runCheck(optionsFor(url, "SIG-26"));
  expect(outcomes(results)).toEqual(["KIND-01 passed", "SIG-26 passed"]);
});

it("a certificate of its own is accepted only if any will do", async () => {
  const server = createSecureServer(makeCertificate(), async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const isRight =
      request.headers["x-service-signature"] === rightSignature(Buffer.concat(chunks));
    response.writeHead(isRight ? 200 : 401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const options = optionsFor(
    new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    "SIG-01",
  );
  await expect(runCheck(options)).rejects.toMatchObject({ code: "target_unreachable" });
  const { results } = await runCheck({ ...options, timeout: 10_000, insecure: true });
  expect(results.map(({ answer }) => answer)).toEqual(["200", "401"]);
});
