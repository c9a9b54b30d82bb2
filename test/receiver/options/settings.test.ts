import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { guardedLogger } from "../../../src/base/guarded-logger.ts";
import { DEFAULT_RETRY } from "../../../src/dispatch/retry.ts";
import type { RetryPolicy } from "../../../src/entries/client.ts";
import {
  createReceiver,
  eventKinds,
  postgresInbox,
  type ReceiverOptions,
} from "../../../src/entries/index.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { handleOf } from "../../../src/inbox/shared/handle.ts";
import { readOptions } from "../../../src/receiver/options/settings.ts";
import { StoreHealth } from "../../../src/receiver/store-health.ts";
import { DAY, keptLog, MINUTE, SECRET } from "../sample.ts";

const read = (options: Partial<ReceiverOptions>) =>
  readOptions({ secret: SECRET, inbox: "memory:", log: keptLog().log, ...options });
/** The types keep it whole. */
const UNDEFINED: { readonly [Name in keyof Required<ReceiverOptions>]: undefined } = {
  secret: undefined,
  inbox: undefined,
  signatureHeader: undefined,
  source: undefined,
  role: undefined,
  otherKinds: undefined,
  schemas: undefined,
  handlers: undefined,
  identity: undefined,
  orderBy: undefined,
  deadLetterOrder: undefined,
  inexactNumbers: undefined,
  maxAge: undefined,
  maxSkew: undefined,
  retention: undefined,
  retentionDead: undefined,
  deliveryRetention: undefined,
  bodyLimit: undefined,
  unverifiedLimit: undefined,
  bodyTimeout: undefined,
  sources: undefined,
  concurrency: undefined,
  handlerTimeout: undefined,
  retry: undefined,
  lease: undefined,
  poll: undefined,
  drainTimeout: undefined,
  unhandledAfter: undefined,
  walLimit: undefined,
  tracing: undefined,
  drift: undefined,
  log: undefined,
  clock: undefined,
  random: undefined,
};
const code = (expected: string) =>
  expect.objectContaining({ name: "ConfigurationError", code: expected });

describe("readOptions", () => {
  it.each<[string, unknown]>([
    ...(["identity", "orderBy", "clock", "random"] as const).flatMap((name) =>
      ["data.id", 0.5, null, {}, async () => 1].map((value): [string, unknown] => [name, value]),
    ),
    ["schemas", "zod"],
    ["schemas", []],
    ["schemas", { "payment.received": { parse: () => ({}) } }],
    ["schemas", { "payment.received": { "~standard": { version: 1 } } }],
    ["schemas", { "payment.received": "string" }],
    ["schemas", { "payment.received": null }],
    ["inbox", {}],
    ["inbox", null],
    ["inbox", 5],
    ["inbox", memoryInbox()],
    ["inbox", [handleOf(memoryInbox())]],
    ["log", {}],
    ["log", null],
    ["log", "warn"],
    ["log", { ...keptLog().log, debug: undefined }],
    ["source", ""],
    ["role", "worker"],
    ["sources", ["crm"]],
    ["sources", 5],
    ["sources", { crm: { concurrency: 0 } }],
    ["sources", { crm: { maxpending: 5 } }],
    ["unhandledAfter", -1],
    ["source", 7],
    ["source", null],
    ["secret", async () => SECRET],
  ])("refuses a value that cannot work: %s: %o", (name, value) => {
    expect(() => read({ [name]: value })).toThrow(code("option_invalid"));
  });

  it.each([
    ["maxage", "did you mean maxAge?"],
    ["scemas", "did you mean schemas?"],
    ["frobnicate", "the known ones are secret, inbox,"],
    ["toString", "the known ones are secret, inbox,"],
  ])("refuses the unknown option %s with the names that may be meant", (name, hint) => {
    expect(() => read({ [name]: 1 })).toThrow(code("option_invalid"));
    expect(() => read({ [name]: 1 })).toThrow(hint);
  });

  it("names the option of a retry policy that may be meant", () => {
    expect(() => read({ retry: { atempts: 3 } } as object)).toThrow("did you mean attempts?");
    expect(() => read({ retry: { attempts: 0 } })).toThrow(
      /retry\.attempts.*from 1, or Infinity, got 0/,
    );
  });

  it.each([undefined, null, "secret", 5, []])("refuses %j in place of options", (options) => {
    expect(() => Reflect.apply(createReceiver, undefined, [options])).toThrow(
      code("option_invalid"),
    );
  });

  it("shows no value that may be a secret", () => {
    const pasted = "whsec_MfKQ9r8GKYqr/TwjUPD8ILPZIo2LaLaSw";
    const wrong = Object.keys(UNDEFINED).filter((name) => name !== "secret" && name !== "inbox");
    const options = [...wrong.map((name) => ({ [name]: pasted })), { retry: { delay: pasted } }];
    const refused = options.filter((option) => {
      try {
        read(option as object);
        return false;
      } catch (error) {
        expect(String(error)).not.toContain("MfKQ9r8");
        return true;
      }
    });
    expect(refused).toHaveLength(options.length - 1); // a text can be a source
    expect(() => Reflect.apply(createReceiver, undefined, [pasted])).not.toThrow("MfKQ9r8");
  });

  it("takes undefined for the default of every option but the secret", () => {
    const { log, random, clock, secrets, restamps, inbox, ...defaults } = read({});
    const { retry, schemas, ...settings } = readOptions({ ...UNDEFINED, secret: SECRET });
    expect({ ...settings, retry, schemas }).toMatchObject(defaults);
    const given = { delay: undefined, factor: undefined, attempts: undefined, jitter: 0 };
    expect(read({ retry: given }).retry).toEqual({ ...DEFAULT_RETRY, jitter: 0 });
    expect(
      Object.keys(read({ schemas: { "payment.received": undefined } } as object).schemas),
    ).toEqual([]);
    expect(() => readOptions(UNDEFINED)).toThrow(code("secret_missing"));
  });

  it("refuses a schema of a kind that is not known, and says which kind was meant", () => {
    expect(() => read({ schemas: { "payment.recieved": z.object({}) } } as object)).toThrow(
      "did you mean payment.received?",
    );
    const declared = { otherKinds: ["invoice.sent"], schemas: { "invoice.sent": z.object({}) } };
    expect(Object.keys(read(declared as object).schemas)).toEqual(["invoice.sent"]);
  });

  it("takes a schema that is a function", () => {
    const schema = Object.assign(() => ({}), { "~standard": z.object({})["~standard"] });
    expect(read({ schemas: { "payment.received": schema } }).schemas).toEqual({
      "payment.received": schema,
    });
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
      knownKinds: eventKinds,
      schemas: {},
      identity: undefined,
      orderBy: undefined,
      deadLetterOrder: "skip",
      inexactNumbers: "keep",
      restamps: expect.anything(),
      maxAge: 7 * DAY,
      maxSkew: 5 * MINUTE,
      retention: 30 * DAY,
      retentionDead: Number.POSITIVE_INFINITY,
      deliveryRetention: 7 * DAY,
      bodyLimit: 1_048_576,
      unverifiedLimit: 67_108_864,
      budget: expect.anything(),
      bodyTimeout: 10_000,
      backlog: undefined,
      store: expect.any(StoreHealth),
      concurrency: 10,
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

  const numbers = [
    "maxAge",
    "maxSkew",
    "retention",
    "retentionDead",
    "deliveryRetention",
    "bodyLimit",
    "unverifiedLimit",
    "bodyTimeout",
    "concurrency",
    "handlerTimeout",
    "lease",
    "poll",
    "drainTimeout",
  ] as const;
  describe.each(numbers)("%s", (name) => {
    it.each(["60", "60s", null, 60n, {}, true])("refuses what is not a number: %s", (value) => {
      expect(() => read({ [name]: value })).toThrow(code("option_invalid"));
    });

    it.each([0.5, 10.5, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
      "refuses %d",
      (value) => {
        expect(() => read({ [name]: value })).toThrow(code("option_invalid"));
      },
    );

    it("refuses more than a timer or an exact number can hold", () => {
      const timer = ["bodyTimeout", "handlerTimeout", "lease", "poll", "drainTimeout"].includes(
        name,
      );
      expect(() => read({ [name]: timer ? 2 ** 31 : 2 ** 53 })).toThrow(code("option_invalid"));
    });

    it("refuses 0, but where nothing is a choice", () => {
      const make = () => read({ [name]: 0 });
      if (["maxSkew", "drainTimeout", "deliveryRetention"].includes(name))
        expect(make()[name]).toBe(0);
      else expect(make).toThrow(code("option_invalid"));
    });

    it("takes what can work", () => {
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
  });

  it("says how long keys must be kept at least", () => {
    const least = "expected retention to be at least maxAge + maxSkew (30 ms), got 1 ms";
    expect(() => read({ retention: 1, maxAge: 20, maxSkew: 10 })).toThrow(least);
  });

  it.each<Partial<ReceiverOptions>>([
    { retention: 7 * DAY + 5 * MINUTE },
    { maxAge: 30 * DAY, maxSkew: 0 },
    { retention: 1, maxAge: 1, maxSkew: 0 },
  ])("[case 58] takes a retention that just reaches: %j", (options) => {
    expect(read(options)).toMatchObject(options);
  });

  it("refuses an unverifiedLimit that a body of the size that is allowed would not fit", () => {
    expect(() => read({ bodyLimit: 1000, unverifiedLimit: 999 })).toThrow(code("option_invalid"));
    expect(() => read({ unverifiedLimit: 1_048_575 })).toThrow(
      /at least bodyLimit \(1048576 bytes\), got 1048575/,
    );
    expect(read({ bodyLimit: 1000, unverifiedLimit: 1000 })).toMatchObject({
      unverifiedLimit: 1000,
    });
  });

  it("has as unverifiedLimit at least what bodyLimit asks for, unless it is given", () => {
    expect(read({ bodyLimit: 100_000_000 })).toMatchObject({ unverifiedLimit: 100_000_000 });
    expect(read({ bodyLimit: 1000 })).toMatchObject({ unverifiedLimit: 67_108_864 });
  });

  it.each(["", " ", "x signature", "x:signature", "x-signature\r\n", "é", "x/y", 5, null, ["x"]])(
    "refuses %j as a header's name",
    (signatureHeader) => {
      expect(() => read({ signatureHeader } as object)).toThrow(code("option_invalid"));
    },
  );

  it.each<Partial<RetryPolicy>>([
    { attempts: 0 },
    { attempts: -1 },
    { attempts: 1.5 },
    { attempts: Number.NaN },
    { delay: -1 },
    { delay: Number.NaN },
    { factor: 0.5 },
    { factor: Number.NaN },
    { maxDelay: -1 },
    { maxDelay: Number.NaN },
    { maxDelay: Number.POSITIVE_INFINITY },
    { jitter: -0.1 },
    { jitter: 1.1 },
    { jitter: Number.NaN },
  ])("refuses the retry policy %o", (retry) => {
    expect(() => read({ retry })).toThrow(code("option_invalid"));
  });

  it.each([5, "3", null, [], { atempts: 3 }, { delay: "60" }, { jitter: null }])(
    "refuses %j as a retry policy",
    (retry) => {
      expect(() => read({ retry } as object)).toThrow(code("option_invalid"));
    },
  );

  it("fills a retry policy up, and takes one that never gives up", () => {
    const retry = { attempts: Number.POSITIVE_INFINITY, delay: 0, factor: 1, jitter: 1 };
    expect(read({ retry }).retry).toEqual({ ...DEFAULT_RETRY, ...retry });
  });

  it.each<[string, ReceiverOptions["secret"], string]>([
    ["none", undefined, "secret_missing"],
    ["an empty list", [], "secret_missing"],
    ["[case 18] an empty text", "", "secret_empty"],
    ["[case 18] spaces", "  \n", "secret_empty"],
    ["[case 20] an empty one in a list", [SECRET, ""], "secret_empty"],
    ["[case 22] no bytes", new Uint8Array(0), "secret_empty"],
  ])("refuses as the secret %s", (_, secret, expected) => {
    expect(() => read({ secret })).toThrow(code(expected));
  });

  it.each<[string, string | Uint8Array]>([
    ["a placeholder", "changeme"],
    ["a short one", "0123456789abcde"],
    ["one that ends in a newline", `${SECRET}\n`],
  ])("[case 18] warns of a secret that is %s, without showing it", (_, secret) => {
    const { log, lines } = keptLog();
    read({ secret, log });
    expect(lines).toMatchObject([{ level: "warn" }]);
    expect(JSON.stringify(lines)).not.toContain(String(secret).trim());
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

  it("does not take a receiver's inbox, which is a view", () => {
    const { inbox } = createReceiver({ secret: SECRET, inbox: "memory:", log: keptLog().log });
    expect(() => read({ inbox: inbox as never })).toThrow(code("option_invalid"));
  });

  it("shows nothing of an inbox that is printed", () => {
    const handle = postgresInbox("postgres://app:canary-pw@localhost/app");
    expect(inspect(handle, { depth: 9, showHidden: false })).toBe("{}");
    expect(JSON.stringify(handle)).toBe("{}");
  });

  it.each(["mysql://x", "file:///x", ""])("refuses %j as the inbox", (inbox) => {
    expect(() => read({ inbox })).toThrow(code("inbox_unsupported"));
  });

  it("is a frozen copy, which later changes of what was given do not reach", () => {
    const schemas: Record<string, z.ZodType> = { "payment.received": z.object({}) };
    const retry = { attempts: 3 };
    const secret = [SECRET];
    const options = { secret, inbox: "memory:", log: keptLog().log, schemas, retry, maxAge: DAY };
    const settings = readOptions(options);
    expect(Object.isFrozen(settings)).toBe(true);
    const [before] = settings.secrets();
    options.maxAge = 1;
    retry.attempts = 9;
    secret[0] = "another-secret-0123456789";
    delete schemas["payment.received"];
    expect(settings).toMatchObject({ maxAge: DAY, retry: { attempts: 3 } });
    expect(settings.secrets()).toEqual([before]);
    expect(Object.keys(settings.schemas)).toEqual(["payment.received"]);
  });

  it("is what createReceiver goes by", () => {
    expect(() => createReceiver({ secret: undefined })).toThrow(code("secret_missing"));
    expect(() => createReceiver({ secret: SECRET, retention: 1 })).toThrow(
      code("retention_too_short"),
    );
  });
});

it.each(["skip", "block"] as const)("takes %s for dead letters in an order", (deadLetterOrder) => {
  expect(read({ deadLetterOrder })).toMatchObject({ deadLetterOrder });
});

it.each(["", "Block", null, true])("refuses %j for dead letters in an order", (deadLetterOrder) => {
  expect(() => read({ deadLetterOrder } as object)).toThrow(code("option_invalid"));
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
