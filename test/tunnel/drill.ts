import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { seededRandom } from "../../src/relay/random.ts";
import { listenThrough, openEdge } from "../cli/listen-through-edge.ts";
import { bytes, signedHeaders } from "../receiver/sample.ts";
import { send } from "../receiver/wire.ts";
import { MortalApp } from "./mortal-app.ts";
import { childrenOf, isAlive } from "./processes.ts";

/** What a drill does. */
export interface DrillOptions {
  readonly deliveries: number;
  /** How often each of app, edge and tunnel's process is killed. */
  readonly kills: number;
  readonly seed: number;
}

/** What came of it. */
export interface DrillResult {
  /** Deliveries that reached the app, of those the sender got 200 for. */
  readonly arrived: number;
  /** Bodies the app got that nobody sent. */
  readonly altered: number;
  /** Addresses the tunnel had. */
  readonly addresses: number;
  /** Of those after the first, how many were told together with the one before. */
  readonly told: number;
  readonly exitCode: number | string | null;
  readonly processesLeft: number;
  readonly sessionsLeft: number;
}

/** How many deliveries are under way at a time. */
const SENDERS = 20;
/** How long a sender waits between two at most, and before it sends one again; how long it waits for an answer. Milliseconds. */
const PAUSE = 250;
const AGAIN = 50;
const ANSWER = 5000;
/** How far apart kills are, and how long what was killed stays away, at most. Milliseconds. */
const APART = 900;
const AWAY = 700;
/** Milliseconds the app has, in the end, to get what waits for it. */
const DRAIN = 60_000;

/**
 * Sends signed deliveries to the public address of `listen --tunnel ngrok --forward-to` while the app, the edge and the
 * tunnel's process are each killed at random moments and come back. Like the service, the sender tries again until it is
 * answered 200; like its user, it goes to the address that was told last.
 */
export async function drill({ deliveries, kills, seed }: DrillOptions): Promise<DrillResult> {
  const random = seededRandom(seed);
  const edge = await openEdge({ newUrls: true });
  const app = await MortalApp.start();
  const listen = listenThrough(edge, ["--forward-to", `${app.port}/hooks`]);
  await listen.ready();

  const bodies = Array.from({ length: deliveries }, (_, number) => makeBody(number, random));
  const waiting = [...bodies];
  const sender = async () => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
      await sleep(random() * PAUSE);
      while (!(await isTaken(newestUrl(listen.records("tunnel")), body))) await sleep(AGAIN);
    }
  };
  const sent = Promise.all(Array.from({ length: SENDERS }, sender));

  const killChild = () => {
    for (const pid of childrenOf(listen.child.pid)) process.kill(pid, "SIGKILL");
  };
  for (let round = 0; round < kills; round++) {
    for (const kill of shuffled(["app", "edge", "child"], random)) {
      await sleep(random() * APART);
      if (kill === "app") app.kill();
      if (kill === "edge") await edge.stop();
      if (kill === "child") killChild();
      await sleep(random() * AWAY);
      if (kill === "app") await app.revive();
      if (kill === "edge") await edge.start();
    }
  }
  await sent;
  await vi.waitFor(() => expect(app.bodies.size).toBeGreaterThanOrEqual(deliveries), {
    timeout: DRAIN,
    interval: 50,
  });

  const tunnels = childrenOf(listen.child.pid);
  listen.child.kill("SIGINT");
  const exitCode = await listen.ended;
  await vi.waitFor(() => expect(edge.sessions).toBe(0), 10_000);
  const known = new Set(bodies.map((body) => body.toString("latin1")));
  return {
    arrived: [...known].filter((body) => app.bodies.has(body)).length,
    altered: [...app.bodies].filter((body) => !known.has(body)).length,
    ...countAddresses(listen.records("tunnel")),
    exitCode,
    processesLeft: tunnels.filter(isAlive).length,
    sessionsLeft: edge.sessions,
  };
}

/** An envelope of its own, with bytes that a printer of JSON would not give back. */
function makeBody(number: number, random: () => number): Buffer {
  const envelope = {
    id: `drill_${number}`,
    event: "payment.received",
    timestamp: new Date().toISOString(),
    data: { note: "é\u2028".repeat(Math.floor(random() * 200)) },
    webhook: { id: "wh_drill", url: "https://receiver.test/webhooks" },
  };
  return bytes(JSON.stringify(envelope, null, number % 4).replace('"data":', '"data" :\t'));
}

/** Whether a delivery was answered 200. */
async function isTaken(url: string, body: Buffer): Promise<boolean> {
  const sending = send(new URL(url), { body, headers: signedHeaders(body) });
  const answer = await Promise.race([sending.catch(() => undefined), sleep(ANSWER)]);
  return answer?.status === 200;
}

/** Where a user who watches sends: to the address that was told last. */
function newestUrl(changes: readonly Record<string, unknown>[]): string {
  return String(changes.findLast(({ state }) => state === "online")?.url);
}

function countAddresses(
  changes: readonly Record<string, unknown>[],
): Pick<DrillResult, "addresses" | "told"> {
  const online = changes.filter(({ state }) => state === "online");
  const pairs = online.slice(1).map((now, index) => ({ now, before: online[index]?.url }));
  const changed = pairs.filter(({ now, before }) => now.url !== before);
  const told = changed.filter(({ now, before }) => now.previousUrl === before);
  return { addresses: changed.length + 1, told: told.length };
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
