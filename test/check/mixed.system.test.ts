import { expect, it } from "vitest";
import { selectCases } from "../../src/check/select-cases.ts";
import { rightSignature, serve } from "./receivers/under-test.ts";
import { optionsFor, runCheck, verdictText } from "./sample.ts";

interface Asked {
  readonly digits: string;
  readonly request: number;
  readonly connection: number;
}

/** A receiver that verifies, and refuses some valid deliveries besides. */
async function refusing(refuses: (asked: Asked) => boolean): Promise<URL> {
  const connections = new Map<unknown, number>();
  let requests = 0;
  return serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const right = rightSignature(Buffer.concat(chunks));
    const connection = connections.get(request.socket) ?? connections.size;
    connections.set(request.socket, connection);
    const digits = right.slice("sha256=".length);
    const isRight = request.headers["x-service-signature"] === right;
    const isRefused = refuses({ digits, request: requests++, connection });
    response.writeHead(isRight && !isRefused ? 200 : 401).end();
  });
}

/** Numbers that look like chance, the same in each run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const check = async (url: URL) => {
  const cases = selectCases({ only: ["KIND", "SIG", "BODY"] });
  return runCheck({ ...optionsFor(url), cases, timeout: 10_000, wait: async () => {} });
};

it.each([1, 2, 3, 4, 5, 6])(
  "a receiver of which one instance of three has another secret gets no other cause: %i",
  async (seed) => {
    const next = chance(seed);
    const report = await check(await refusing(() => next() < 1 / 3));
    expect(report.stopped).toBeNull();
    expect(report.diagnosis).toEqual([
      expect.stringMatching(/accepted \d+ of \d+ valid.*by chance/),
    ]);
    expect(verdictText(report, false)).toMatch(
      /^failed, valid deliveries are refused: .*It accepted/,
    );
    const refused = report.results.filter(({ answer }) => answer?.startsWith("401") === true);
    const causes = refused.flatMap(({ cause }) => cause ?? []);
    expect(new Set(causes)).toEqual(new Set(["refuses_at_random"]));
  },
);

it("instances that take turns are told by their turn", async () => {
  const report = await check(await refusing(({ request }) => request % 2 === 1));
  expect(report.diagnosis).toEqual([
    expect.stringContaining("the same answer comes every 2 requests"),
  ]);
});

it("a balancer that keeps a connection with its instance is told by that", async () => {
  const next = chance(9);
  const ofConnection = new Map<number, boolean>();
  const url = await refusing(({ connection }) => {
    const known = ofConnection.get(connection) ?? next() < 1 / 2;
    ofConnection.set(connection, known);
    return known;
  });
  const report = await check(url);
  expect(report.diagnosis).toEqual([
    expect.stringMatching(/each connection's are answered alike|by chance/),
  ]);
});

it("digests with one first digit that are refused are told by it", async () => {
  const report = await check(await refusing(({ digits }) => /^[13]/.test(digits)));
  expect(report.diagnosis).toEqual([expect.stringMatching(/digests that begin with 1 or 3/)]);
});

it("a run ends with a report when its time is up", async () => {
  const url = await refusing(() => false);
  const cases = selectCases({ only: ["KIND", "SIG"] });
  const report = await runCheck({ ...optionsFor(url), cases, timeout: 10_000, maxTime: 1 });
  expect(report.stopped).toMatch(/^before \S+: the time of the run was up .*--only.*--max-time/);
  expect(report.results).toHaveLength(cases.length);
});
