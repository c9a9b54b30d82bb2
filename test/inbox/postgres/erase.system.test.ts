import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runCli } from "../../cli/fake-io.ts";
import {
  AT,
  claimOne,
  keep,
  numberedEntry,
  RUN,
  sampleDelivery,
  settlementOf,
} from "../entries.ts";
import { eraseAfterKill, eraseTwiceAtOnce, refuseSecond } from "../erase-at-once.ts";
import { openServer } from "./schemas.ts";
import { NO_POOLER, NO_SERVER, startPooler } from "./server.ts";

describe("what was erased", async () => {
  if (NO_SERVER !== undefined) {
    it.skip(NO_SERVER, () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();

  it("is in none of the schema's tables, nor in their files after VACUUM FULL", async () => {
    const schema = newSchema();
    const inbox = await open(schema);
    for (const number of [0, 1, 2, 3]) {
      const tenant = `tenant-${number % 2}-secret`;
      const pad = "x".repeat(number < 2 ? 10 : 50_000); // in the row, and outside of it
      const body = Buffer.from(JSON.stringify({ data: { tenant, pad } }));
      await keep(
        inbox,
        numberedEntry(number, 0, { orderKey: tenant, delivery: sampleDelivery({ body }) }),
      );
      const failed = { outcome: "error", error: `no ${tenant}`, note: tenant } as const;
      const records = [{ ...RUN, handler: "a", ...failed }];
      const dead = { state: "dead", reason: "attempts_exhausted", records } as const;
      await inbox.settle(settlementOf(await claimOne(inbox, AT, 1e12), dead), AT);
    }
    const grep = async (text: string) => {
      await admin.query("CHECKPOINT");
      const { rows } = await admin.query(
        `SELECT c.oid::regclass::text AS name FROM pg_class c
         WHERE (relnamespace = $1::regnamespace OR oid IN (SELECT reltoastrelid FROM pg_class WHERE relnamespace = $1::regnamespace))
           AND relkind IN ('r', 't', 'i') AND pg_relation_size(oid) > 0
           AND position(convert_to($2, 'UTF8') IN pg_read_binary_file(pg_relation_filepath(oid))) > 0`,
        [schema, text],
      );
      return rows.map(({ name }) => name as string);
    };
    expect(await grep("tenant-1-secret")).not.toEqual([]);
    const url = `${server.url}${server.url.includes("?") ? "&" : "?"}schema=${schema}`;
    const argv = ["events", "erase", "--where", "data.tenant=tenant-1-secret", "--yes"];
    const { code, stdout, stderr } = await runCli(argv, { env: { HOOKPORTER_INBOX: url } });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 entries erased now, at "),
    });
    expect(stderr).toContain("VACUUM FULL");
    expect(await inbox.counts()).toMatchObject({ handled: 2, dead: 2 });
    await admin.query(
      `VACUUM ${schema}.entry, ${schema}.delivery, ${schema}.attempt, ${schema}.dead_or_received`,
    );
    for (const table of ["entry", "delivery", "attempt", "dead_or_received", "turn", "handled"])
      await admin.query(`VACUUM FULL ${schema}.${table}`);
    expect(await grep("tenant-1-secret")).toEqual([]);
    expect(await grep("tenant-0-secret")).not.toEqual([]);
    expect(await inbox.append(numberedEntry(1))).toMatchObject({
      duplicate: true,
      state: "handled",
    });
    await inbox.close();
  });

  const urlOf = (schema: string, url = server.url) =>
    `${url}${url.includes("?") ? "&" : "?"}schema=${schema}`;

  it("is in the receipt of the command that erased it, if two run at once", async () => {
    const schema = newSchema();
    await eraseTwiceAtOnce(await open(schema), urlOf(schema));
  });

  it("is in the receipt of the same command, run again after a kill", async () => {
    const schema = newSchema();
    await eraseAfterKill(await open(schema), urlOf(schema));
  });

  it("is erased by one command at a time, and the second is told which one", async () => {
    const schema = newSchema();
    await refuseSecond(await open(schema), urlOf(schema));
  });

  it.skipIf(NO_POOLER !== undefined)("the same behind a pooler in transaction mode", async () => {
    const pooler = await startPooler(server);
    try {
      const text = newSchema();
      const other = newSchema();
      const killed = newSchema();
      await refuseSecond(await open(text, {}, pooler.url), urlOf(text, pooler.url));
      await eraseTwiceAtOnce(await open(other), urlOf(other, pooler.url));
      await eraseAfterKill(await open(killed), urlOf(killed, pooler.url));
    } finally {
      await pooler.stop();
    }
  });

  it("is counted, whatever limits the role sets for idle transactions", async () => {
    const schema = newSchema();
    const inbox = await open(schema);
    await keep(inbox, numberedEntry(1));
    await admin.query(`CREATE ROLE ${schema} LOGIN SUPERUSER`);
    await admin.query(`ALTER ROLE ${schema} SET idle_in_transaction_session_timeout = 50`);
    const limited = await open(schema, {}, server.url.replace("postgres@", `${schema}@`));
    const erased = await limited.erase(async ({ erase, end }) => {
      await erase([1], AT);
      await delay(200);
      return end();
    });
    expect(erased).toMatchObject({ entries: 1 });
    await limited.close();
    await admin.query(`DROP ROLE ${schema}`);
  });
});
