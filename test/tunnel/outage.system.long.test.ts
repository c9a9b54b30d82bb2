import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { long } from "../long.ts";
import { openTunnel } from "./open-tunnel.ts";

/**
 * The milliseconds between two deliveries, before a retry, and until a delivery without an answer
 * is retried.
 */
const PAUSE = 20;
const AGAIN = 50;
const ANSWER = 2000;

/** Sends numbered deliveries one after another, each until it is answered 200, like the service. */
function startSender(url: () => string) {
  let sent = 0;
  let open = true;
  const run = async () => {
    while (open) {
      while (!(await isTaken(url(), String(sent)))) await sleep(AGAIN);
      sent++;
      await sleep(PAUSE);
    }
    return sent;
  };
  const running = run();
  return {
    end: () => {
      open = false;
      return running;
    },
  };
}

async function isTaken(url: string, body: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER);
    const answer = await fetch(url, {
      method: "POST",
      body,
      signal,
      headers: { connection: "close" },
    });
    return (await answer.text()) === `took ${body}`;
  } catch {
    return false;
  }
}

/** A tunnel whose edge goes away for a time while deliveries are sent. */
async function outage(away: number) {
  const got = new Set<string>();
  const { edge, until, children, events } = await openTunnel({
    knobs: { newUrls: true },
    app: async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      got.add(body);
      response.end(`took ${body}`);
    },
  });
  const first = await until("online");
  const sender = startSender(() => events.findLast(({ state }) => state === "online")?.url ?? "");
  await sleep(200);
  const binds = edge.binds.length;
  await edge.stop();
  await sleep(away);
  await edge.start();
  const lost = await until("reconnecting", first);
  while (edge.binds.length === binds) await sleep(5); // the client is back
  const backAt = performance.now();
  const again = await until("online", lost);
  await sleep(200);
  const sent = await sender.end();
  return { first, again, children, sent, got, delay: again.at - backAt };
}

it.each(long([0.5], [0.5, 1.5, 2.2]))(
  "a session that comes back by itself after %s seconds is kept, with its address, and nothing is lost",
  { timeout: 30_000 },
  async (seconds) => {
    const { first, again, children, sent, got, delay } = await outage(seconds * 1000);
    expect(children).toHaveLength(1);
    expect(again).toMatchObject({ url: first.url, previousUrl: undefined });
    // only on a machine without other work
    expect(delay).toBeLessThan(long(Number.POSITIVE_INFINITY, 1000));
    expect(got.size).toBe(sent);
  },
);

it.runIf(long(false, true))(
  "an edge that was away for 10 seconds is found again by a restart, and nothing is lost",
  { timeout: 60_000 },
  async () => {
    const { first, again, children, sent, got } = await outage(10_000);
    expect(children.length).toBeGreaterThan(1);
    expect(again.previousUrl).toBe(first.url);
    expect(got.size).toBe(sent);
  },
);

it("a restart that waits begins as soon as the edge can be reached again", {
  timeout: 30_000,
}, async () => {
  let stopped: number | undefined; // a clock that stands still ends no pause
  const looks: boolean[] = [];
  const { edge, until, children } = await openTunnel({
    timing: { grace: 0 },
    clock: () => stopped ?? performance.now(),
    onLook: (reached) => {
      stopped ??= performance.now();
      looks.push(reached);
    },
  });
  const first = await until("online");
  await edge.stop();
  await vi.waitFor(() => expect(looks.length).toBeGreaterThan(2), { timeout: 10_000 });
  expect([new Set(looks), children.length]).toEqual([new Set([false]), 1]);
  await edge.start();
  await vi.waitFor(() => expect(children).toHaveLength(2), { timeout: 10_000 });
  stopped = undefined;
  expect(looks.at(-1)).toBe(true);
  await until("online", first);
});
