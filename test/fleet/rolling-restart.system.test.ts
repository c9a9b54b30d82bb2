import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { sign } from "../../src/entries/index.ts";
import { seededRandom } from "../../src/relay/random.ts";
import { root } from "../docs/markdown.ts";
import { openServer } from "../inbox/postgres/schemas.ts";
import { NO_SERVER } from "../inbox/postgres/server.ts";
import { Balancer } from "./balancer.ts";
import { Fleet } from "./fleet.ts";

const SECRET = "a-secret-made-up-for-the-fleet";
const MEMBERS = ["receiver-1", "receiver-2", "worker-1", "worker-2"];
const SENDERS = 8;

/** A signed event. */
function eventOf(number: number, start: number) {
  const webhook = { id: "wh_1", url: "https://app.example/webhooks" };
  const timestamp = new Date(start + number).toISOString();
  const body = JSON.stringify({ event: "payment.received", timestamp, data: { number }, webhook });
  return { body, headers: { "x-service-signature": sign(Buffer.from(body), SECRET) } };
}

describe("the fleet of the example", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();

  it("is restarted process by process, and nothing is refused, lost, kept twice or left unhandled", {
    timeout: 120_000,
    retry: 0,
  }, async () => {
    const schema = newSchema();
    const own = newSchema();
    await admin.query(`CREATE SCHEMA ${own}; SET search_path TO ${own};
      ${readFileSync(join(root, "examples", "fleet", "schema.sql"), "utf8")} RESET search_path`);
    const url = `${server.url}?schema=${schema}&options=-c%20search_path%3D${own}`;
    const balancer = new Balancer();
    const port = await balancer.listen();
    onTestFinished(() => balancer.close());
    const fleet = new Fleet({ DATABASE_URL: url, HOOKPORTER_SECRET: SECRET }, balancer);
    onTestFinished(() => fleet.killAll());
    await Promise.all(MEMBERS.map((name) => fleet.start(name)));

    const random = seededRandom(11);
    const start = Date.now() - 3_600_000;
    const statuses: number[] = [];
    const fresh: number[] = [];
    let sent = 0;
    let sending = true;
    const post = async (number: number) => {
      const response = await fetch(`http://127.0.0.1:${port}/webhooks`, {
        method: "POST",
        ...eventOf(number, start),
      });
      statuses.push(response.status);
      const { duplicate } = (await response.json().catch(() => ({}))) as { duplicate?: boolean };
      if (duplicate === false) fresh.push(number);
    };
    const senders = Array.from({ length: SENDERS }, async () => {
      while (sending) {
        const number = sent++;
        await (random() < 0.3 ? Promise.all([post(number), post(number)]) : post(number));
        await delay(random() * 30);
      }
    });
    const codes: (number | null)[] = [];
    for (const name of MEMBERS) {
      await delay(300);
      codes.push(await fleet.stop(name));
      await delay(300);
      await fleet.start(name);
    }
    await delay(300);
    sending = false;
    await Promise.all(senders);

    const inbox = await open(schema);
    const ended = { waiting: 0, running: 0, handled: sent, dead: 0, received: 0, failing: 0 };
    await expect.poll(() => inbox.counts(), { timeout: 30_000 }).toEqual(ended);
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(statuses.length).toBeGreaterThan(sent); // some came twice
    expect(fresh.sort((a, b) => a - b)).toEqual(
      Array.from({ length: sent }, (_, number) => number),
    );
    const { rows } = await admin.query(`SELECT count(*)::int AS booked FROM ${own}.booked`);
    expect(rows[0].booked).toBe(sent);
    for (const name of MEMBERS) expect(await fleet.stop(name)).toBe(0);
    process.stdout.write(
      `fleet: ${sent} events, ${statuses.length} deliveries, ${MEMBERS.length} restarts\n`,
    );
  });
});
