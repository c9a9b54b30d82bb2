import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/relay/random.ts";
import { sign } from "../../../src/signature/sign.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

const PROGRAM = join(import.meta.dirname, "children", "receiver.js");
const SECRET = "a-secret-made-up-for-the-drill";
const PROCESSES = 4;
const LONG = process.env.HOOKPORTER_LONG !== undefined;
const KILLS = LONG ? 1000 : 10;
/** Milliseconds without progress after which what is left counts as stuck. */
const STALLED = 30_000;

/** The delivery of an event; every third event has an order key. */
function deliveryOf(number: number, start: number) {
  const timestamp = new Date(start + number).toISOString();
  const data = { number, ...(number % 3 === 0 && { key: `key_${number % 5}` }) };
  const body = Buffer.from(
    JSON.stringify({
      event: "payment.received",
      timestamp,
      data,
      webhook: { id: "wh_1", url: "https://app.example/webhooks" },
    }),
  );
  const headers = { "x-service-signature": sign(body, SECRET) };
  return { method: "POST", target: "/webhooks", headers, body: body.toString("base64") };
}

/** Processes that receive and run on one inbox; a killed one is replaced. */
class Crowd {
  readonly answered = new Map<number, { accepted: number; fresh: number }>();
  readonly #args: readonly string[];
  readonly #children: (ChildProcess | undefined)[] = [];

  constructor(url: string, schema: string) {
    this.#args = [url, schema];
  }

  async start(index: number): Promise<void> {
    const child = fork(PROGRAM, this.#args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    await new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", () => reject(new Error("a process of the drill did not start")));
    });
    child.on(
      "message",
      ({ number, type, duplicate }: { number: number; type: string; duplicate: boolean }) => {
        if (type !== "accepted") return;
        const { accepted, fresh } = this.answered.get(number) ?? { accepted: 0, fresh: 0 };
        this.answered.set(number, { accepted: accepted + 1, fresh: fresh + (duplicate ? 0 : 1) });
      },
    );
    child.on("error", () => {}); // a message to a process that was just killed
    this.#children[index] = child;
  }

  send(index: number, number: number, start: number): void {
    const child = this.#children[index];
    if (child?.connected === true) child.send({ number, delivery: deliveryOf(number, start) }, () => {});
  }

  async kill(index: number): Promise<void> {
    const child = this.#children[index];
    this.#children[index] = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }
}

describe("receivers on one inbox on PostgreSQL", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();

  it(`lose nothing, keep nothing twice and get stuck nowhere over ${KILLS} kills`, {
    timeout: LONG ? 3_600_000 : 180_000,
  }, async () => {
    const schema = newSchema();
    const effects = `${schema}_effects`;
    await admin.query(
      `CREATE SCHEMA ${effects}; CREATE TABLE ${effects}.effect (at bigserial, id text, number int, key text, attempt int)`,
    );
    const inbox = await open(schema);
    const random = seededRandom(7);
    const crowd = new Crowd(server.url, schema);
    const start = Date.now() - 3_600_000;
    await Promise.all(Array.from({ length: PROCESSES }, (_, index) => crowd.start(index)));

    let sent = 0;
    let killing = true;
    const send = async () => {
      while (killing) {
        for (let many = 0; many < 3; many++) {
          const number = sent++;
          const times = random() < 0.3 ? 2 : 1;
          for (let time = 0; time < times; time++)
            crowd.send(Math.floor(random() * PROCESSES), number, start);
        }
        await delay(10);
      }
    };
    const sending = send();
    for (let kills = 0; kills < KILLS; kills++) {
      await delay(50 + random() * 250);
      const index = Math.floor(random() * PROCESSES);
      await crowd.kill(index);
      await crowd.start(index);
    }
    killing = false;
    await sending;

    // The sender retries what was not acknowledged, until all of it is.
    for (let rounds = 0; crowd.answered.size < sent && rounds < 100; rounds++) {
      const left = Array.from({ length: sent }, (_, number) => number).filter(
        (number) => !crowd.answered.has(number),
      );
      for (const number of left) crowd.send(number % PROCESSES, number, start);
      await delay(300);
    }
    expect(crowd.answered.size).toBe(sent);

    // Then the last processes drain the inbox.
    let waiting = Number.POSITIVE_INFINITY;
    for (let since = Date.now(); waiting > 0 && Date.now() - since < STALLED; await delay(200)) {
      const { pending, running } = await inbox.counts();
      if (pending + running < waiting) since = Date.now();
      waiting = pending + running;
    }
    for (let index = 0; index < PROCESSES; index++) await crowd.kill(index);

    const entries = await inbox.list({});
    const { rows } = await admin.query(`SELECT number, key, attempt FROM ${effects}.effect ORDER BY at`);
    const runs = new Map<number, number>();
    for (const { number } of rows) runs.set(number, (runs.get(number) ?? 0) + 1);
    const again = entries.filter(({ attempts }) => attempts > 1).length;
    const twice = [...runs.values()].filter((many) => many > 1).length;
    process.stdout.write(
      `drill: ${sent} events, ${KILLS} kills, ${again} entries ran again, ${twice} effects twice\n`,
    );
    expect(await inbox.counts()).toEqual({ pending: 0, running: 0, done: sent, dead: 0, unhandled: 0 });
    expect(entries).toHaveLength(sent); // none lost, none kept twice
    expect([...crowd.answered.values()].filter(({ fresh }) => fresh > 1)).toEqual([]);
    expect(runs.size).toBe(sent);
    expect(twice).toBeLessThanOrEqual(again);
    await admin.query(`DROP SCHEMA ${effects} CASCADE`);
  });
});
