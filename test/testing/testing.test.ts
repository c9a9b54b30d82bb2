import { afterEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import { z } from "zod";
import { eventKinds } from "../../src/entries/index.ts";
import {
  createTestReceiver,
  sampleEvent,
  signedRequest,
  TEST_SECRET,
  type TestReceiver,
  type TestReceiverOptions,
} from "../../src/entries/testing.ts";
import { readSecrets } from "../../src/signature/secrets.ts";
import { verify } from "../../src/signature/verify.ts";
import { strictlyIncreasing } from "../../src/testing/sample-event.ts";

let receiver: TestReceiver | undefined;

afterEach(async () => {
  await receiver?.close();
  receiver = undefined;
});

async function started(options: Omit<TestReceiverOptions, "schemas"> = {}): Promise<TestReceiver> {
  receiver = await createTestReceiver(options);
  return receiver;
}

describe("sampleEvent", () => {
  test("is dated now, and never twice the same", () => {
    const before = Date.now();
    const stamps = Array.from({ length: 50 }, () => sampleEvent("lead.created").timestamp);
    expect(new Set(stamps).size).toBe(50);
    expect(Date.parse(stamps[0] ?? "")).toBeGreaterThanOrEqual(before);
    expect(Date.parse(stamps[49] ?? "")).toBeLessThan(before + 60_000);
  });

  test("is never twice the same in a minute of samples made in less time, unless the clock was set back", () => {
    let now = 0;
    const next = strictlyIncreasing(() => now);
    expect(new Set(Array.from({ length: 60_100 }, next)).size).toBe(60_100);
    now = -60_000;
    expect(next()).toBe(-60_000);
  });

  test("accepts a timestamp and data", () => {
    const sample = sampleEvent("lead.created", { timestamp: 0, data: { id: "lead_1" } });
    expect(sample).toMatchObject({ timestamp: "1970-01-01T00:00:00.000Z", data: { id: "lead_1" } });
  });
});

test("sampleEvent refuses a kind that is none, and names the one that is meant", () => {
  const refused = expect.objectContaining({ name: "ConfigurationError", code: "option_invalid" });
  for (const kind of ["payment.recieved", "toString", undefined, 5]) {
    expect(() => Reflect.apply(sampleEvent, undefined, [kind])).toThrow(refused);
  }
  expect(() => sampleEvent("payment.recieved" as "lead.created")).toThrow(
    "did you mean payment.received?",
  );
});

describe("signedRequest", () => {
  const secrets = readSecrets(TEST_SECRET);

  test("signs exactly the bytes it returns", () => {
    const { method, headers, body } = signedRequest(sampleEvent("lead.created"), {
      secret: TEST_SECRET,
    });
    expect(method).toBe("POST");
    expect(headers["content-type"]).toBe("application/json");
    expect(verify(body, headers["x-service-signature"], secrets).ok).toBe(true);
    expect(JSON.parse(body.toString())).toMatchObject({ event: "lead.created" });
  });

  test("keeps bytes unchanged, under another header name", () => {
    const bytes = Buffer.from([0xff, 0x00, 0x7b]);
    const { headers, body } = signedRequest(bytes, {
      secret: TEST_SECRET,
      signatureHeader: "X-Other",
    });
    expect(body).toEqual(bytes);
    expect(verify(body, headers["x-other"], secrets).ok).toBe(true);
  });

  test("refuses to sign with an empty secret", () => {
    const sign = () => signedRequest(sampleEvent("lead.created"), { secret: "" });
    expect(sign).toThrow(expect.objectContaining({ code: "secret_empty" }));
  });
});

describe("createTestReceiver", () => {
  test("takes undefined for its own default, not the receiver's", async () => {
    const testing = await started({
      retry: { attempts: undefined },
      drainTimeout: undefined,
      poll: 7000,
    });
    testing.on("*", () => {
      throw new Error("always");
    });
    const { state, attempts } = await testing.deliver("lead.created");
    expect([state, attempts.length]).toEqual(["dead", 3]);
    const timers = vi.spyOn(globalThis, "setTimeout");
    await testing.close();
    const waits = timers.mock.calls.map(([, ms = 0]) => ms);
    timers.mockRestore();
    // The loop may still begin to wait, and the last note of what the sender did has a limit of its
    // own. Of the second, parts are left.
    expect(Math.max(...waits.filter((ms) => ms !== 7000 && ms !== 2000))).toBe(1000);
  });

  test("refuses a secret and an inbox, which it sets itself", async () => {
    for (const options of [{ secret: "x" }, { inbox: "x.db" }]) {
      await expect(Reflect.apply(createTestReceiver, undefined, [options])).rejects.toMatchObject({
        code: "option_invalid",
      });
    }
  });

  test("has a secret that is long enough to cause no warning", () => {
    const warnings: string[] = [];
    readSecrets(TEST_SECRET, (message) => warnings.push(message));
    expect(warnings).toEqual([]);
  });

  test.each(eventKinds)("delivers a sample of %s and waits for its handler", async (kind) => {
    const testing = await started();
    const seen: string[] = [];
    testing.on("*", async (event) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push(event.kind);
    });
    const { outcome, state, attempts } = await testing.deliver(kind);
    expect(outcome).toMatchObject({ type: "accepted", duplicate: false, kind });
    expect(state).toBe("handled");
    expect(attempts).toMatchObject([{ attempt: 1, handler: "*", outcome: "ok" }]);
    expect(seen).toEqual([kind]);
  });

  test("treats two samples of one kind as two events, and the same envelope twice as a duplicate", async () => {
    const testing = await started();
    let runs = 0;
    testing.on("lead.created", () => {
      runs += 1;
    });
    await testing.deliver("lead.created");
    const envelope = sampleEvent("lead.created");
    expect((await testing.deliver(envelope)).outcome).toMatchObject({ duplicate: false });
    const again = await testing.deliver(envelope);
    expect(again).toMatchObject({ outcome: { duplicate: true }, state: "handled" });
    expect(again.attempts).toHaveLength(1);
    expect(runs).toBe(2);
  });

  test("distinguishes its own samples from those of sampleEvent", async () => {
    const testing = await started();
    for (let round = 0; round < 20; round += 1) {
      expect((await testing.deliver(sampleEvent("lead.created"))).outcome).toMatchObject({
        duplicate: false,
      });
      expect((await testing.deliver("lead.created")).outcome).toMatchObject({ duplicate: false });
    }
  });

  test("waits for retries, until success or a dead letter", async () => {
    const testing = await started();
    testing.on("lead.created", (_, { attempt }) => {
      if (attempt < 3) throw new Error("not yet");
    });
    testing.on("deal.status_changed", () => {
      throw new Error("never");
    });
    const late = await testing.deliver("lead.created");
    expect(late.state).toBe("handled");
    expect(late.attempts.map(({ outcome }) => outcome)).toEqual(["error", "error", "ok"]);
    const dead = await testing.deliver("deal.status_changed");
    expect(dead).toMatchObject({ state: "dead", reason: "attempts_exhausted" });
    expect(dead.attempts).toHaveLength(3);
  });

  test("waits for a duplicate of an event that is still running", async () => {
    const testing = await started();
    const envelope = sampleEvent("lead.created");
    testing.on("lead.created", () => new Promise((resolve) => setTimeout(resolve, 30)));
    const both = await Promise.all([testing.deliver(envelope), testing.deliver(envelope)]);
    expect(both.map(({ state }) => state)).toEqual(["handled", "handled"]);
  });

  test("returns the state of an event without a handler", async () => {
    const testing = await started();
    expect(await testing.deliver("lead.created")).toMatchObject({
      state: "received",
      attempts: [],
    });
  });

  test("keeps a signed body that is not an envelope as a dead letter", async () => {
    const testing = await started();
    const { outcome, state } = await testing.deliver(Buffer.from("{"));
    expect(outcome.type).toBe("rejected");
    expect(state).toBe("dead");
  });

  test("keeps nothing that another secret signed", async () => {
    const testing = await started();
    const { outcome, state, attempts } = await testing.deliver("lead.created", {
      secret: "x".repeat(32),
    });
    expect(outcome).toEqual({ type: "unauthorized", reason: "signature_mismatch" });
    expect([state, attempts]).toEqual([undefined, []]);
    expect(await testing.inbox.list({})).toEqual([]);
  });

  test("gives up on a handler that never returns", async () => {
    const testing = await started({ drainTimeout: 0 });
    testing.on("lead.created", () => new Promise(() => {}));
    const delivering = testing.deliver("lead.created", { timeout: 20 });
    await expect(delivering).rejects.toMatchObject({ code: "timed_out" });
  });

  test("works with a frozen clock and another signature header", async () => {
    const now = Date.UTC(2031, 0, 1);
    const testing = await started({ clock: () => now, signatureHeader: "X-Other" });
    testing.on("lead.created", (_, { attempt }) => {
      if (attempt < 2) throw new Error("not yet");
    });
    expect((await testing.deliver("lead.created")).state).toBe("handled");
    expect((await testing.deliver("lead.created")).outcome).toMatchObject({ duplicate: false });
  });

  test("checks and types data with the caller's schemas", async () => {
    const schemas = { "payment.received": z.object({ amount: z.coerce.number() }) };
    const testing = await createTestReceiver({ schemas });
    const amounts: number[] = [];
    testing.on("payment.received", (event) => {
      expectTypeOf(event.data).toEqualTypeOf<{ amount: number }>();
      amounts.push(event.data.amount);
    });
    expect(await testing.deliver("payment.received", { data: { amount: "12.50" } })).toMatchObject({
      state: "handled",
    });
    const dead = await testing.deliver("payment.received", { data: { amount: "much" } });
    expect(dead).toMatchObject({ state: "dead", reason: "invalid_data" });
    expect(amounts).toEqual([12.5]);
    await testing.close();
  });
});

describe("createTestReceiver({ twice: true })", () => {
  test("runs every handler of an entry twice, and only then has handled it", async () => {
    const ran: string[] = [];
    const receiver = await createTestReceiver({
      twice: true,
      handlers: {
        "payment.received": ({ id }) => ran.push(`own ${id}`),
        "*": ({ id }) => ran.push(`all ${id}`),
      },
    });
    const { state, attempts, outcome } = await receiver.deliver("payment.received");
    const id = outcome.type === "accepted" ? outcome.eventId : "";
    expect([state, attempts.length]).toEqual(["handled", 2]);
    expect(ran.sort()).toEqual([`all ${id}`, `all ${id}`, `own ${id}`, `own ${id}`]);
    await receiver.close();
  });

  test("shows a handler that is not safe to run twice, and passes one that is", async () => {
    const sent: string[] = [];
    const known = new Set<string>();
    const receiver = await createTestReceiver({
      twice: true,
      handlers: {
        "payment.received": ({ id }) => sent.push(id),
        "lead.created": ({ id }) => {
          if (!known.has(id)) sent.push(id);
          known.add(id);
        },
      },
    });
    await receiver.deliver("payment.received");
    expect(sent.length).toBe(2);
    await receiver.deliver("lead.created");
    expect(sent.length).toBe(3);
    await receiver.close();
  });

  test("counts no attempt for it: a handler that fails twice still has its third", async () => {
    let runs = 0;
    const receiver = await createTestReceiver({
      twice: true,
      handlers: {
        "*": () => {
          if (++runs < 3) throw new Error("not yet");
        },
      },
    });
    expect((await receiver.deliver("lead.created")).state).toBe("handled");
    expect(runs).toBe(4);
    await receiver.close();
  });
});
