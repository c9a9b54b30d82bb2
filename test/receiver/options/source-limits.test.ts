import { describe, expect, it, vi } from "vitest";
import { Backlog } from "../../../src/receiver/backlog.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { openReceiver } from "../open.ts";
import {
  bytes,
  deliveryOf,
  freshEnvelope,
  gate,
  inboxFile,
  keptLog,
  partsOf,
  SECRET,
  signedHeaders,
  until,
} from "../sample.ts";

const accept = (
  opened: Pick<Awaited<ReturnType<typeof openReceiver>>, "receiver">,
  content = freshEnvelope(),
) => opened.receiver.accept(deliveryOf(content));

describe("the limits of a source", () => {
  it("hold for a receiver of that source only", () => {
    const sources = { crm: { concurrency: 2, maxPending: 5 }, billing: {} };
    const read = (source?: string) =>
      partsOf({
        secret: SECRET,
        inbox: "memory:",
        log: keptLog().log,
        concurrency: 7,
        source,
        sources,
      });
    const crm = { settings: { concurrency: 2 }, state: { backlog: expect.any(Backlog) } };
    expect(read("crm")).toMatchObject(crm);
    for (const source of ["billing", "toString", undefined])
      expect(read(source)).toMatchObject({
        settings: { concurrency: 7 },
        state: { backlog: undefined },
      });
  });

  it("are refused by their names", () => {
    const { log } = keptLog();
    const read = (limits: object) => () =>
      partsOf({ secret: SECRET, inbox: "memory:", log, sources: { service: limits } });
    expect(read({ maxPending: 0 })).toThrow('sources["service"].maxPending');
    expect(read({ concurrency: 5 })().settings.concurrency).toBe(5);
  });

  it("let so many entries run at a time, beside those of other sources", async () => {
    const inbox = inboxFile();
    const sources = { crm: { concurrency: 2 } };
    const crm = await openReceiver({ inbox, source: "crm", sources });
    const billing = await openReceiver({ inbox, source: "billing", sources });
    const { opened, open } = gate();
    const running = new Set<string>();
    const most = { running: 0 };
    crm.receiver.on("*", async ({ id }) => {
      most.running = Math.max(most.running, running.add(id).size);
      await opened;
      running.delete(id);
    });
    billing.receiver.on("*", () => {});
    for (let n = 0; n < 20; n++) await accept(crm);
    await accept(billing);
    const states = async (source: string) =>
      (await inboxOf(crm.receiver).list({ sources: [source] })).map(({ state }) => state);
    await until(async () => expect(await states("billing")).toEqual(["handled"]));
    expect(running.size).toBe(2);
    open();
    await until(async () => expect(new Set(await states("crm"))).toEqual(new Set(["handled"])));
    expect(most.running).toBe(2);
  });

  it("keep no new events while too many wait, but count known ones and those of other sources", async () => {
    const inbox = inboxFile();
    const sources = { crm: { maxPending: 3 } };
    const crm = await openReceiver({ inbox, source: "crm", sources, concurrency: 1 });
    const billing = await openReceiver({ inbox, source: "billing", sources });
    const { opened, open } = gate();
    crm.receiver.on("*", () => opened);
    billing.receiver.on("*", () => {});
    const first = freshEnvelope();
    expect(await accept(crm, first)).toMatchObject({ type: "accepted", duplicate: false });
    for (let n = 0; n < 2; n++) expect(await accept(crm)).toMatchObject({ type: "accepted" });
    await until(async () => {
      expect(await accept(crm)).toMatchObject({
        type: "unavailable",
        error: { code: "inbox_busy" },
      });
    });
    const kept = async () => (await inboxOf(crm.receiver).list({ sources: ["crm"] })).length;
    const many = await kept();
    expect(many).toBeLessThanOrEqual(4); // an estimate
    expect(await accept(crm)).toMatchObject({ type: "unavailable" });
    expect(await accept(crm, first)).toMatchObject({ type: "accepted", duplicate: true, seq: 1 });
    const forged = freshEnvelope();
    const headers = signedHeaders(bytes(forged), "another-secret-0123456789");
    expect(await crm.receiver.accept(deliveryOf(forged, headers))).toMatchObject({
      type: "unauthorized",
    });
    expect(await accept(billing)).toMatchObject({ type: "accepted", duplicate: false });
    expect(await kept()).toBe(many);
    expect(crm.lines).toMatchObject([{ level: "warn", fields: { source: "crm", maxPending: 3 } }]);
    open();
    await until(async () =>
      expect(await accept(crm)).toMatchObject({ type: "accepted", duplicate: false }),
    );
  });
});

describe("Backlog", () => {
  it("counts once for all deliveries of a second, and again before it refuses", async () => {
    const backlog = vi.fn(async () => 1);
    const counted = new Backlog({
      inbox: { backlog },
      source: "crm",
      maxPending: 3,
      log: keptLog().log,
    });
    await Promise.all(Array.from({ length: 20 }, () => counted.refusal()));
    expect(backlog).toHaveBeenCalledExactlyOnceWith({ sources: ["crm"], limit: 3 });
    counted.added();
    expect(await counted.refusal()).toBeUndefined();
    counted.added();
    expect(await counted.refusal()).toMatchObject({ code: "inbox_busy" });
    expect(backlog).toHaveBeenCalledTimes(1);
    await new Promise((resolve) => setTimeout(resolve, 260));
    expect(await counted.refusal()).toBeUndefined(); // those that were added have ended meanwhile
    expect(backlog).toHaveBeenCalledTimes(2);
  });

  it("keeps what was added during a count", async () => {
    const { opened, open } = gate();
    const backlog = vi.fn(async () => {
      await opened;
      return 1;
    });
    const counted = new Backlog({
      inbox: { backlog },
      source: "crm",
      maxPending: 2,
      log: keptLog().log,
    });
    const first = counted.refusal();
    counted.added();
    open();
    expect(await first).toMatchObject({ code: "inbox_busy" });
  });
});
