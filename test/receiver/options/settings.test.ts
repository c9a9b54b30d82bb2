import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { guardedLogger } from "../../../src/base/guarded-logger.ts";
import { DEFAULT_RETRY } from "../../../src/base/options/retry.ts";
import { createReceiver, postgresInbox, type ReceiverOptions } from "../../../src/entries/index.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { readOptions } from "../../../src/receiver/options/settings.ts";
import { DAY, keptLog, MINUTE, partsOf, SECRET } from "../sample.ts";

const read = (options: Partial<ReceiverOptions>) => {
  const given = { secret: SECRET, inbox: "memory:", log: keptLog().log, ...options };
  const { settings, state } = partsOf(given as ReceiverOptions);
  return { ...settings, inbox: state.inbox, schemas: state.router.handlers.schemas };
};

/** The names of all options, as the refusal of an unknown one lists them. */
function namesOfOptions(): readonly (keyof ReceiverOptions)[] {
  let names = "";
  try {
    read({ frobnicate: 1 } as object);
  } catch (error) {
    names = /the known ones are (secret, inbox, .*)$/.exec(String(error))?.[1] ?? "";
  }
  return names.split(", ") as (keyof ReceiverOptions)[];
}
const code = (expected: string) =>
  expect.objectContaining({ name: "ConfigurationError", code: expected });

describe("readOptions", () => {
  const functions = ["identity", "orderBy", "clock", "random"] as const;
  const notFunctions = ["data.id", 0.5, null, {}, async () => 1];
  const nan = Number.NaN;
  const invalid: readonly (readonly [string, readonly unknown[]])[] = [
    ...functions.map((name) => [name, notFunctions] as const),
    ["schemas", ["zod", [], { "payment.received": { parse: () => ({}) } }]],
    [
      "schemas",
      [{ "~standard": { version: 1 } }, "a", null].map((one) => ({ "lead.created": one })),
    ],
    ["inbox", [{}, null, 5, memoryInbox(), [handleOf(memoryInbox())]]],
    ["log", [{}, null, "warn", { ...keptLog().log, debug: undefined }]],
    ["source", ["", 7, null]],
    ["role", ["worker"]],
    ["sources", [["crm"], 5, { crm: { concurrency: 0 } }, { crm: { maxpending: 5 } }]],
    ["unhandledAfter", [-1]],
    ["secret", [async () => SECRET]],
    ["deadLetterOrder", ["", "Block", null, true]],
    ["signatureHeader", ["", " ", "x signature", "x:signature", "x-signature\r\n", "é", "x/y"]],
    ["signatureHeader", [5, null, ["x"]]],
    ["retry", [5, "3", null, [], { atempts: 3 }, { delay: "60" }, { jitter: null }]],
    ["retry", [0, -1, 1.5, nan].map((attempts) => ({ attempts }))],
    ["retry", [-1, nan].flatMap((time) => [{ delay: time }, { maxDelay: time }])],
    ["retry", [{ maxDelay: Number.POSITIVE_INFINITY }, { factor: 0.5 }, { factor: nan }]],
    ["retry", [-0.1, 1.1, nan].map((jitter) => ({ jitter }))],
  ];
  it.each(invalid.flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    "refuses a value that cannot work: %s: %o",
    (name, value) => {
      expect(() => read({ [name]: value })).toThrow(code("option_invalid"));
    },
  );

  it("refuses what is no object of options, a receiver's inbox, which is a view, and inboxes of other kinds", () => {
    for (const options of [undefined, null, "secret", 5, []]) {
      expect(() => Reflect.apply(createReceiver, undefined, [options])).toThrow(
        code("option_invalid"),
      );
    }
    const { inbox } = createReceiver({ secret: SECRET, inbox: "memory:", log: keptLog().log });
    expect(() => read({ inbox: inbox as never })).toThrow(code("option_invalid"));
    for (const inbox of ["mysql://x", "file:///x", ""])
      expect(() => read({ inbox })).toThrow(code("inbox_unsupported"));
  });

  it.each([
    [{ maxage: 1 }, "did you mean maxAge?"],
    [{ scemas: 1 }, "did you mean schemas?"],
    [{ toString: 1 }, "the known ones are secret, inbox,"],
    [{ retry: { atempts: 3 } }, "did you mean attempts?"],
    [{ retry: { attempts: 0 } }, /retry\.attempts.*from 1, or Infinity, got 0/],
    [{ unverifiedLimit: 1_048_575 }, /at least bodyLimit \(1048576 bytes\), got 1048575/],
  ])("refuses %j with the names or the values that may be meant", (options, hint) => {
    expect(() => read(options as object)).toThrow(code("option_invalid"));
    expect(() => read(options as object)).toThrow(hint);
  });

  it("shows no value that may be a secret", () => {
    const pasted = "whsec_MfKQ9r8GKYqr/TwjUPD8ILPZIo2LaLaSw";
    const wrong = namesOfOptions().filter((name) => name !== "secret" && name !== "inbox");
    expect(wrong.length).toBeGreaterThan(30);
    for (const option of [
      ...wrong.map((name) => ({ [name]: pasted })),
      { retry: { delay: pasted } },
    ]) {
      if ("source" in option) continue; // a text can be one
      expect(() => read(option as object)).toThrow(/^(?!.*MfKQ9r8)/);
    }
    expect(() => Reflect.apply(createReceiver, undefined, [pasted])).not.toThrow("MfKQ9r8");
  });

  it("takes undefined for the default of every option but the secret", () => {
    const left = Object.fromEntries(namesOfOptions().map((name) => [name, undefined]));
    const { log, random, clock, secrets, inbox, schemas, ...defaults } = read({});
    expect(readOptions({ ...left, secret: SECRET })).toMatchObject(defaults);
    const given = { delay: undefined, factor: undefined, attempts: undefined, jitter: 0 };
    expect(read({ retry: given }).retry).toEqual({ ...DEFAULT_RETRY, jitter: 0 });
    const forever = { attempts: Number.POSITIVE_INFINITY, delay: 0, factor: 1, jitter: 1 };
    expect(read({ retry: forever }).retry).toEqual({ ...DEFAULT_RETRY, ...forever });
    expect(read({ schemas: { "payment.received": undefined } } as object).schemas).toEqual({});
    expect(() => createReceiver(left as never)).toThrow(code("secret_missing"));
    expect(read({ deadLetterOrder: "block" })).toMatchObject({ deadLetterOrder: "block" });
  });

  it("refuses a schema of a kind that is not known, and says which kind was meant", () => {
    expect(() => read({ schemas: { "payment.recieved": z.object({}) } } as object)).toThrow(
      "did you mean payment.received?",
    );
    const callable = Object.assign(() => ({}), { "~standard": z.object({})["~standard"] });
    const declared = { otherKinds: ["invoice.sent"], schemas: { "invoice.sent": callable } };
    expect(read(declared as object).schemas).toEqual({ "invoice.sent": callable });
  });

  it("has defaults for all but the secret", () => {
    const inbox = memoryInbox();
    const { log } = keptLog();
    expect(read({ inbox: handleOf(inbox), log })).toEqual({
      secrets: expect.any(Function),
      inbox,
      log: guardedLogger(log),
      signatureHeader: "x-service-signature",
      role: "both",
      source: "service",
      schemas: {},
      identity: undefined,
      orderBy: undefined,
      deadLetterOrder: "skip",
      inexactNumbers: "keep",
      maxAge: 7 * DAY,
      maxSkew: 5 * MINUTE,
      retention: 30 * DAY,
      retentionDead: Number.POSITIVE_INFINITY,
      deliveryRetention: 7 * DAY,
      bodyLimit: 1_048_576,
      unverifiedLimit: 67_108_864,
      bodyTimeout: 10_000,
      concurrency: 10,
      maxPending: undefined,
      handlerTimeout: 30_000,
      retry: DEFAULT_RETRY,
      lease: 15_000,
      poll: 1000,
      unhandledAfter: 600_000,
      drainTimeout: 10_000,
      walLimit: 268_435_456,
      clock: expect.any(Function),
      random: Math.random,
    });
  });

  const ages = ["maxAge", "maxSkew", "retention", "retentionDead", "deliveryRetention"] as const;
  const sizes = ["bodyLimit", "unverifiedLimit", "concurrency"] as const;
  const timers = ["bodyTimeout", "handlerTimeout", "lease", "poll", "drainTimeout"] as const;
  const numbers = [...ages, ...sizes, ...timers];

  describe.each(numbers)("%s", (name) => {
    const isTimer = timers.some((timer) => timer === name);
    const infinite = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const outside = [0.5, 10.5, -1, Number.NaN, ...infinite, isTimer ? 2 ** 31 : 2 ** 53];

    it("refuses what is no number, or more than a timer or an exact number can hold", () => {
      for (const value of ["60", "60s", null, 60n, {}, true, ...outside])
        expect(() => read({ [name]: value })).toThrow(code("option_invalid"));
    });

    it("refuses 0, but where nothing is a choice, and takes what can work", () => {
      const make = () => read({ [name]: 0 });
      if (["maxSkew", "drainTimeout", "deliveryRetention"].includes(name))
        expect(make()[name]).toBe(0);
      else expect(make).toThrow(code("option_invalid"));
      const value = name.startsWith("retention") ? 300 * DAY : DAY;
      expect(read({ [name]: value })[name]).toBe(value);
    });
  });

  it.each<Partial<ReceiverOptions>>([
    { retention: 7 * DAY + 5 * MINUTE - 1 },
    { maxAge: 30 * DAY, maxSkew: 1 },
    { maxSkew: 23 * DAY + 1 },
    { retention: 1, maxAge: 1, maxSkew: 1 },
  ])("[case 58] refuses to keep keys for less time than a replay is taken: %j", (options) => {
    expect(() => read(options)).toThrow(code("retention_too_short"));
    expect(() => read(options)).toThrow("expected retention to be at least maxAge + maxSkew");
  });

  it.each<Partial<ReceiverOptions>>([
    { retention: 7 * DAY + 5 * MINUTE },
    { maxAge: 30 * DAY, maxSkew: 0 },
    { retention: 1, maxAge: 1, maxSkew: 0 },
  ])("[case 58] takes a retention that just reaches: %j", (options) => {
    expect(read(options)).toMatchObject(options);
  });

  it("has an unverifiedLimit of at least bodyLimit, and refuses one that such a body would not fit", () => {
    expect(() => read({ bodyLimit: 1000, unverifiedLimit: 999 })).toThrow(code("option_invalid"));
    const least = { bodyLimit: 1000, unverifiedLimit: 1000 };
    expect(read(least)).toMatchObject(least);
    expect(read({ bodyLimit: 100_000_000 })).toMatchObject({ unverifiedLimit: 100_000_000 });
    expect(read({ bodyLimit: 1000 })).toMatchObject({ unverifiedLimit: 67_108_864 });
  });

  it("[case 18, 20, 22] refuses an empty secret, and none", () => {
    for (const secret of [undefined, []])
      expect(() => read({ secret } as object)).toThrow(code("secret_missing"));
    for (const secret of ["", "  \n", [SECRET, ""], new Uint8Array(0)])
      expect(() => read({ secret })).toThrow(code("secret_empty"));
  });

  it("[case 18] warns of a secret that is a placeholder, short or ends in a newline, without showing it", () => {
    for (const secret of ["changeme", "0123456789abcde", `${SECRET}\n`]) {
      const { log, lines } = keptLog();
      read({ secret, log });
      expect(lines).toMatchObject([{ level: "warn" }]);
      expect(JSON.stringify(lines)).not.toContain(secret.trim());
    }
  });

  it("asks a function for the secret only when one is needed", () => {
    const settings = read({
      secret: () => {
        throw new Error("not now");
      },
    });
    expect(settings.secrets).toThrow("not now");
  });

  it("takes an inbox that another copy of the package made, if it is of the same version", () => {
    const handle = handleOf(memoryInbox());
    const [brand] = Object.getOwnPropertySymbols(handle);
    if (brand === undefined) throw new Error("expected a handle to have a symbol");
    expect(Symbol.keyFor(brand)).toBe("hookporter.inbox-handle");
    const held = Reflect.get(handle, brand);
    const copied = { [brand]: held } as never;
    expect(read({ inbox: copied }).inbox).toBe(held.store);
    const older = { [brand]: { ...held, version: "0.0.1" } } as never;
    expect(() => read({ inbox: older })).toThrow(code("option_invalid"));
    expect(() => read({ inbox: older })).toThrow("got an inbox of version 0.0.1");
  });

  it("shows nothing of an inbox that is printed", () => {
    const handle = postgresInbox("postgres://app:canary-pw@localhost/app");
    expect(inspect(handle, { depth: 9, showHidden: false })).toBe("{}");
    expect(JSON.stringify(handle)).toBe("{}");
  });

  it("is a frozen copy, which later changes of what was given do not reach", () => {
    const schemas: Record<string, z.ZodType> = { "payment.received": z.object({}) };
    const retry = { attempts: 3 };
    const secret = [SECRET];
    const options = { secret, inbox: "memory:", log: keptLog().log, schemas, retry, maxAge: DAY };
    const { settings, state } = partsOf(options);
    expect(Object.isFrozen(settings)).toBe(true);
    const [before] = settings.secrets();
    options.maxAge = 1;
    retry.attempts = 9;
    secret[0] = "another-secret-0123456789";
    delete schemas["payment.received"];
    expect(settings).toMatchObject({ maxAge: DAY, retry: { attempts: 3 } });
    expect(settings.secrets()).toEqual([before]);
    expect(Object.keys(state.router.handlers.schemas)).toEqual(["payment.received"]);
  });
});

it("takes whole milliseconds from a clock that is finer", () => {
  expect(read({ clock: () => 1234.9 }).clock()).toBe(1234);
  const before = Date.now();
  const now = read({}).clock();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, null, "2026-01-15", 5n, 2 ** 60])(
  "refuses %s as the time a clock shows",
  (now) => {
    expect(read({ clock: () => now } as object).clock).toThrow(code("option_invalid"));
  },
);
