import { expect, it } from "vitest";
import { judgePeers, peersText } from "../../../../tools/bench/report/peers.ts";

const round = {
  received: 9000,
  handled: 8000,
  p50: 5,
  p99: 9,
  cpu: 100,
  databaseCpu: 0,
  statements: Number.NaN,
  log: 4000,
};
const killed = { acknowledged: 1000, handled: 1000, seconds: 20 };
const ours = { ...round, what: "hookporter express, SQLite", killed };
const theirs = {
  ...round,
  what: "express with node:sqlite, SQLite",
  ours: { handled: 3.5, p99: 0.4 },
  killed: { ...killed, handled: 990 },
};

it("each peer is shown beside hookporter, with what it had not handled after it was killed", () => {
  const text = peersText([ours, theirs]);
  expect(text).toMatch(/hookporter express, SQLite +\| +9 000 \| +8 000 \| +– \|/);
  expect(text).toMatch(/express with node:sqlite, SQLite +\|.* 3\.50 \|/);
  expect(text).toContain("10 of 1 000");
});

it("hookporter is to handle four times as many, to answer no later, and to lose nothing", () => {
  const judged = judgePeers([{ ...ours, killed: { ...killed, handled: 999 } }, theirs]);
  expect(judged.map(({ wanted, got, reached }) => [wanted, got, reached])).toEqual([
    ["0", 1, false],
    ["≥ 4", 3.5, false],
    ["≤ 1", 0.4, true],
  ]);
});

it("the reason is given if they could not be measured", () => {
  expect(peersText({ leftOut: "no redis-server here" })).toContain("no redis-server here");
  expect(judgePeers({ leftOut: "no redis-server here" })).toEqual([]);
});
