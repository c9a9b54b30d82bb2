import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { seededRandom } from "../../../src/relay/random.ts";
import { long } from "../../long.ts";
import { Crowd, type Terms } from "./crowd.ts";
import { openServer } from "./schemas.ts";
import { NO_POOLER, NO_SERVER, startPooler } from "./server.ts";

/** For each of two drills. `HOOKPORTER_DRILL_KILLS` overrides it. */
const KILLS = Number(process.env.HOOKPORTER_DRILL_KILLS ?? long(15, 500));
/**
 * Disturbances of each kind: as many restarts of the server, of the pooler, and ends of all
 * connections.
 */
const OTHERS = Math.max(1, Math.round(KILLS / 25));
/**
 * Events that are sent while a kill is due, at most: so that they are under way when it comes, and
 * all end soon after.
 */
const EVENTS = 60;
/** Milliseconds without progress after which what is left counts as stuck. */
const STALLED = 30_000;

describe("processes on one inbox on PostgreSQL", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();
  const pooler = NO_POOLER === undefined ? await startPooler(server) : undefined;
  afterAll(() => pooler?.stop());

  /**
   * Two that receive and four that run, half of them through the pooler, half of those without a
   * direct connection.
   */
  const terms = (["receive", "receive", "run", "run", "run", "run"] as const).map(
    (role, index): Terms => {
      if (pooler === undefined || index % 2 === 0) return { role, url: server.url };
      return { role, url: pooler.url, ...(index > 2 && { listenUrl: server.url }) };
    },
  );

  const drill = async (tx: boolean) => {
    const schema = newSchema();
    const effects = `${schema}_effects`;
    await admin.query(
      `CREATE SCHEMA ${effects}; CREATE TABLE ${effects}.effect (at bigserial, id text, number int, key text, attempt int)`,
    );
    const inbox = await open(schema);
    const random = seededRandom(7);
    const crowd = new Crowd(terms, { schema, tx });
    onTestFinished(() => crowd.killAll());
    await crowd.startAll();
    const { receivers } = crowd;

    let sent = 0;
    let kills = 0;
    let allowed = 0;
    const send = async () => {
      while (kills < KILLS) {
        for (let many = 0; many < 3 && sent < allowed; many++) {
          const number = sent++;
          const times = random() < 0.3 ? 2 : 1;
          for (let time = 0; time < times; time++)
            crowd.send(receivers[Math.floor(random() * receivers.length)] ?? 0, number);
        }
        await delay(10);
      }
    };
    const sending = send();
    const disturb: readonly (() => Promise<unknown> | undefined)[] = [
      () => server.restart?.(),
      () => pooler?.restart(),
      () =>
        admin.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        ),
    ];
    for (; kills < KILLS; kills++) {
      allowed = sent + EVENTS;
      await delay(50 + random() * 150);
      await crowd.replace(Math.floor(random() * terms.length));
      const turn = Math.floor((kills * OTHERS * disturb.length) / KILLS);
      const next = Math.floor(((kills + 1) * OTHERS * disturb.length) / KILLS);
      if (next > turn) await disturb[turn % disturb.length]?.();
    }
    await sending;

    // The sender retries what was not acknowledged, until all of it is.
    for (let rounds = 0; crowd.answered.size < sent && rounds < 100; rounds++) {
      for (let number = 0; number < sent; number++) {
        if (!crowd.answered.has(number))
          crowd.send(receivers[number % receivers.length] ?? 0, number);
      }
      await delay(300);
    }
    expect(crowd.answered.size).toBe(sent);

    // Then the last processes drain the inbox.
    let waiting = Number.POSITIVE_INFINITY;
    for (let since = Date.now(); waiting > 0 && Date.now() - since < STALLED; await delay(200)) {
      const counts = await inbox.counts();
      const open = counts.waiting + counts.failing + counts.running;
      if (open < waiting) since = Date.now();
      waiting = open;
    }
    // None lost, none stuck.
    expect(await inbox.counts()).toEqual({
      waiting: 0,
      failing: 0,
      running: 0,
      handled: sent,
      dead: 0,
      received: 0,
    });
    await crowd.killAll();

    const entries = await inbox.list({});
    const { rows } = await admin.query(`SELECT number FROM ${effects}.effect ORDER BY at`);
    const runs = new Map<number, number>();
    for (const { number } of rows) runs.set(number, (runs.get(number) ?? 0) + 1);
    const again = entries.filter(({ attempts }) => attempts > 1).length;
    const twice = [...runs.values()].filter((many) => many > 1).length;
    process.stdout.write(
      `drill ${tx ? "with" : "without"} tx: ${sent} events, ${KILLS} kills, ${OTHERS} of each other disturbance, ${again} entries ran again, ${twice} effects twice\n`,
    );
    expect(entries).toHaveLength(sent); // none kept twice
    expect([...crowd.answered.values()].filter(({ fresh }) => fresh > 1)).toEqual([]);
    expect(runs.size).toBe(sent);
    await admin.query(`DROP SCHEMA ${effects} CASCADE`);
    return { again, twice };
  };

  const timeout = long(300_000, 3_600_000);

  it(`lose nothing, keep nothing twice and get stuck nowhere over ${KILLS} kills`, {
    timeout,
  }, async () => {
    const { again, twice } = await drill(false);
    expect(twice).toBeLessThanOrEqual(again);
  });

  it(`have every effect exactly once with tx over ${KILLS} kills`, { timeout }, async () => {
    expect(await drill(true)).toMatchObject({ twice: 0 });
  });
});
