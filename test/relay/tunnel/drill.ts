import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { seededRandom } from "../../../src/relay/random.ts";
import { listenThrough, openEdge } from "../../cli/listen-through-edge.ts";
import { bytes, signedHeaders } from "../../receiver/sample.ts";
import { send } from "../../receiver/wire.ts";
import { MortalApp } from "./mortal-app.ts";
import { childrenOf, isAlive } from "./processes.ts";

/** The options of a drill. */
export interface DrillOptions {
  readonly deliveries: number;
  /** How often each of app, edge and tunnel's process is killed. */
  readonly kills: number;
  readonly seed: number;
}

/** The result. */
export interface DrillResult {
  /** Acknowledged deliveries that reached the app. */
  readonly arrived: number;
  /** Bodies that the app got but the sender never sent. */
  readonly altered: number;
  /** Addresses the tunnel had. */
  readonly addresses: number;
  /** The number of changed addresses that were reported together with the previous one. */
  readonly told: number;
  readonly exitCode: number | string | null;
  readonly processesLeft: number;
  readonly sessionsLeft: number;
}

/** The number of deliveries in progress at a time. */
const SENDERS = 20;
/**
 * Milliseconds: the longest pause of a sender between two deliveries and before a retry, and its
 * time-out.
 */
const PAUSE = 250;
const AGAIN = 50;
const ANSWER = 5000;
/** Milliseconds: the longest time between kills, and the longest downtime. */
const APART = 900;
const AWAY = 700;
/** Milliseconds for the app to get waiting deliveries at the end. */
const DRAIN = 60_000;

/**
 * Sends signed deliveries to the public address of `listen --tunnel ngrok --forward-to` while the
 * app, the edge and the tunnel's process are each killed at random moments and restarted. Like the
 * service, the sender retries until it is answered 200; like its user, it uses the address reported
 * last.
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

/** A distinct envelope, with bytes that a JSON printer would not reproduce. */
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

/** The address that an attentive user sends to: the one reported last. */
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
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
