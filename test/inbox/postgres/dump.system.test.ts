import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { deliveryNow, keptLog, SECRET, until } from "../../receiver/sample.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER, serverPrograms } from "./server.ts";

const run = promisify(execFile);

describe("a dump of the inbox's schema", async () => {
  const programs = serverPrograms();
  if (NO_SERVER !== undefined || programs === undefined) {
    it.skip(NO_SERVER ?? "skipped: no pg_dump here", () => {});
    return;
  }
  const { server, admin, newSchema, open } = await openServer();

  it("is restored into another database, where a receiver goes on", {
    timeout: 60_000,
  }, async () => {
    const schema = newSchema();
    const envelopeOf = (id: string, event = "payment.received") => deliveryNow({ id, event });
    const start = async (url: string, canRun: boolean) => {
      const ran: string[] = [];
      const receiver = createReceiver({
        secret: SECRET,
        inbox: handleOf(postgresStore(url, { schema })),
        log: keptLog().log,
        retry: { attempts: 1 },
      });
      receiver.on("payment.received", ({ id }) => {
        ran.push(id);
        if (id === "dead" && !canRun) throw new Error("no");
      });
      if (canRun) receiver.on("lead.created", ({ id }) => void ran.push(id));
      await receiver.start();
      onTestFinished(() => receiver.close());
      return { receiver, ran };
    };
    const first = await start(server.url, false);
    const delivery = envelopeOf("handled");
    for (const one of [delivery, envelopeOf("dead"), envelopeOf("received", "lead.created")])
      await first.receiver.accept(one);
    await until(async () =>
      expect(await inboxOf(first.receiver).counts()).toMatchObject({
        handled: 1,
        dead: 1,
        received: 1,
      }),
    );
    await first.receiver.close();
    const front = await open(schema);
    const receiving = createReceiver({
      secret: SECRET,
      inbox: handleOf(postgresStore(server.url, { schema })),
      log: keptLog().log,
      role: "receive",
    });
    await receiving.start();
    await receiving.accept(envelopeOf("waiting"));
    await receiving.close();
    const before = await front.list({});

    const folder = mkdtempSync(join(tmpdir(), "hookporter-dump-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "inbox.dump");
    const name = `restored_${process.pid}`;
    await run(join(programs, "pg_dump"), [
      "--schema",
      schema,
      "--format",
      "custom",
      "--file",
      file,
      server.url,
    ]);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`);
    // A server of the test's own ends with it; dropping a database there may wait for a checkpoint.
    if (server.restart === undefined)
      onTestFinished(async () => void (await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)));
    const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
    await run(join(programs, "pg_restore"), ["--exit-on-error", "--dbname", url, file]);

    const restored = await open(schema, { migrate: "check" }, url);
    expect(await restored.list({})).toEqual(before);
    const second = await start(url, true);
    await until(() => expect(second.ran).toEqual(["waiting"]));
    expect(await second.receiver.accept(delivery)).toMatchObject({
      type: "accepted",
      duplicate: true,
    });
    expect(await second.receiver.accept(envelopeOf("new"))).toMatchObject({
      type: "accepted",
      duplicate: false,
    });
    expect(await inboxOf(second.receiver).retry({}, Date.now())).toMatchObject({ ended: 2 });
    await until(async () =>
      expect(await restored.counts()).toMatchObject({
        waiting: 0,
        running: 0,
        handled: 5,
        dead: 0,
      }),
    );
    expect(second.ran.toSorted()).toEqual(["dead", "new", "received", "waiting"]);
  });
});
