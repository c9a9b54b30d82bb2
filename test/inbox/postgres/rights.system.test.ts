import { describe, expect, it, onTestFinished } from "vitest";
import { pruneInbox } from "../../../src/inbox/prune.ts";
import { codeOf, readPage } from "../../docs/markdown.ts";
import {
  keep,
  sampleDelivery,
  sampleEntry,
  sampleKey,
  sampleRunner,
  settlementOf,
} from "../entries.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

const DAY = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY) * DAY;

describe("a user with the rights that the page grants, and no others,", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();

  it("keeps, runs, retries, counts and prunes", async () => {
    const schema = newSchema();
    const role = `app_${process.pid}`;
    await (await open(schema)).close();
    const grants = codeOf(readPage("docs/reference/postgres.md"), "sql").join("\n");
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'app'`);
    await admin.query(grants.replaceAll("hookporter", schema).replaceAll("TO app;", `TO ${role};`));
    onTestFinished(
      async () => void (await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)),
    );
    const url = Object.assign(new URL(server.url), { username: role, password: "app" }).href;
    const inbox = await open(schema, { migrate: "check" }, url);
    await inbox.register(sampleRunner(), Date.now());

    for (const [number, at] of [TODAY + 1, TODAY + 2, TODAY + DAY].entries()) {
      const key = sampleKey({ eventId: `evt_${number}`, timestamp: at });
      const delivery = sampleDelivery({ receivedAt: at });
      await keep(inbox, sampleEntry({ key, eventTimestamp: at, delivery, orderKey: "k" }));
      await inbox.touch(key, at);
      const [entry] = await inbox.claim({ now: at, limit: 1, leaseTime: 1000 });
      if (entry === undefined) throw new Error("expected an entry");
      await inbox.renew([entry], at + 2000);
      const state = number === 1 ? "dead" : "handled";
      expect(await inbox.settle(settlementOf(entry, { state, reason: null }), at)).toBe(true);
    }
    expect(await inbox.counts()).toMatchObject({ handled: 2, dead: 1 });
    const until = TODAY + DAY - 1;
    const slim = { settledUntil: until };
    const prune = { states: ["handled"], receivedUntil: until, datedUntil: until } as const;
    expect(await pruneInbox(inbox, { slim, prune })).toEqual({ slimmed: 0, pruned: 1 });
    expect(await inbox.retry({}, TODAY)).toMatchObject({ ended: 1 });
    expect(await inbox.drop({}, TODAY)).toBe(1);
    expect((await inbox.list({})).map(({ key }) => key.eventId)).toEqual(["evt_1", "evt_2"]);
  });

  it("makes tables however short the statements of its role must be", async () => {
    await admin.query(`
      CREATE OR REPLACE FUNCTION slow_ddl() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.8); END $$;
      CREATE EVENT TRIGGER slow_ddl ON ddl_command_end WHEN TAG IN ('CREATE SEQUENCE') EXECUTE FUNCTION slow_ddl()`);
    onTestFinished(
      async () => void (await admin.query("DROP EVENT TRIGGER slow_ddl; DROP FUNCTION slow_ddl")),
    );
    await open(newSchema(), {}, `${server.url}?options=-cstatement_timeout%3D500ms`);
  });
});
