import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type {
  Delivery,
  HandlerRegistry,
  Receiver,
  ReceiverOptions,
  Tracing,
  WebhookEvent,
} from "../../src/entries/index.ts";
import type { Difference } from "../../src/event/difference.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { handleOf } from "../../src/inbox/shared/handle.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { openReceiver } from "./open.ts";
import {
  at,
  bytes,
  DAY,
  deliveryOf,
  freshEnvelope,
  keepWarnings,
  SECRET,
  signedHeaders,
  uncaught,
  until,
} from "./sample.ts";

/** A user's function that works at first, unless it is broken from the start. */
type Breakable = <Sound extends (...given: never[]) => unknown>(sound: Sound) => Sound;

interface Row {
  /** As the log, or a process warning, names it. */
  readonly named: RegExp;
  readonly options?: (breakable: Breakable) => Partial<ReceiverOptions>;
  readonly attach?: (receiver: Receiver, breakable: Breakable) => unknown;
  /** The statuses of `requests()`. Default: those of a receiver without it. */
  readonly statuses?: readonly number[];
  /** The states of what is kept. Default: the same. */
  readonly states?: Partial<Record<"throws" | "rejects", readonly string[]>>;
  /** Whether each 500 is logged, rather than the failure once. */
  readonly isTheAnswer?: true;
  /** That it fails a start, with this code. */
  readonly start?: string;
}

const STATUSES = [200, 200, 400, 400, 401, 401, 200];
const STATES = ["dead", "dead", "handled", "handled"];

/** One of each answer that a receiver gives, and what it needs to give it. */
function requests() {
  const good = bytes(freshEnvelope());
  const future = bytes(freshEnvelope({ timestamp: at(DAY) }));
  const signed = (body: Buffer, secret = SECRET) => ({
    body,
    headers: signedHeaders(body, secret),
  });
  const text = Buffer.from("no JSON");
  return [
    signed(good),
    signed(bytes(freshEnvelope())),
    signed(text),
    signed(future),
    signed(good, "another-secret-0123456789"),
    { body: good, headers: {} },
    signed(good),
  ];
}

const KIND = "payment.received";
const TRACE = { run: <Result>(call: () => Result) => call(), end: () => {} };
const tracing = (own: Partial<Tracing>): Pick<ReceiverOptions, "tracing"> => ({
  tracing: { delivery: (delivery) => ({ delivery, ...TRACE }), attempt: () => TRACE, ...own },
});
const schema = (validate: (value: unknown) => unknown) => ({
  "~standard": { version: 1, vendor: "test", validate },
});
const difference = () => [{ path: "data.id", what: "new field" } as unknown as Difference];

/** The user's functions that a receiver calls, by their place in the package's types. */
const ROWS: Readonly<Record<string, Row>> = {
  "ReceiverOptions.secret": {
    named: /secret/,
    options: (breakable) => ({ secret: breakable(() => SECRET) }),
    statuses: [500, 500, 500, 500, 500, 401, 500],
    states: { throws: [], rejects: [] },
    isTheAnswer: true,
  },
  "ReceiverOptions.identity": {
    named: /identity/,
    options: (breakable) => ({ identity: breakable(({ id }: WebhookEvent) => id) }),
    statuses: [500, 500, 400, 500, 401, 401, 500],
    states: { throws: ["dead"], rejects: ["dead"] },
    isTheAnswer: true,
  },
  "ReceiverOptions.orderBy": {
    named: /orderBy/,
    options: (breakable) => ({ orderBy: breakable(() => "one" as const) }),
    statuses: [500, 500, 400, 500, 401, 401, 500],
    states: { throws: ["dead"], rejects: ["dead"] },
    isTheAnswer: true,
  },
  "ReceiverOptions.schemas": {
    named: /^$/, // the dead letter says it
    options: (breakable) => ({
      schemas: { [KIND]: schema(breakable((value: unknown) => ({ value }))) } as never,
    }),
    states: { throws: ["dead", "dead", "dead", "dead"], rejects: ["dead", "dead", "dead", "dead"] },
  },
  "ReceiverOptions.clock": {
    named: /clock/,
    options: (breakable) => ({ clock: breakable(() => Date.UTC(2026, 0, 15, 10)) }),
    statuses: [500, 500, 500, 500, 500, 500, 500],
    states: { throws: [], rejects: [] },
    isTheAnswer: true,
    start: "option_invalid",
  },
  "ReceiverOptions.random": {
    named: /random failed/,
    options: (breakable) => ({ random: breakable(() => 0.5) }),
  },
  "ReceiverOptions.tracing": {
    named: /tracing failed/,
    options: (breakable) =>
      tracing({ delivery: breakable((delivery: Delivery) => ({ delivery, ...TRACE })) }),
  },
  "tracing.attempt": {
    named: /tracing failed/,
    options: (breakable) => tracing({ attempt: breakable(() => TRACE) }),
  },
  "the run of a delivery": {
    named: /tracing failed/,
    options: (breakable) =>
      tracing({
        delivery: (delivery) => ({ delivery, ...TRACE, run: breakable(TRACE.run) }),
      }),
  },
  "the end of a delivery": {
    named: /tracing failed/,
    options: (breakable) =>
      tracing({ delivery: (delivery) => ({ delivery, ...TRACE, end: breakable(() => {}) }) }),
  },
  "the run of an attempt": {
    named: /tracing failed/,
    options: (breakable) => tracing({ attempt: () => ({ ...TRACE, run: breakable(TRACE.run) }) }),
  },
  "the end of an attempt": {
    named: /tracing failed/,
    options: (breakable) => tracing({ attempt: () => ({ ...TRACE, end: breakable(() => {}) }) }),
  },
  "ReceiverOptions.drift": {
    named: /drift failed/,
    options: (breakable) => ({ drift: { differences: breakable(() => []) } }),
  },
  "ReceiverOptions.log": {
    named: /log\.(?:debug|info|warn|error) failed/,
    options: (breakable) => {
      const line = breakable(() => {});
      return { log: { debug: line, info: line, warn: line, error: line } };
    },
  },
  "the isLevelEnabled of a logger": {
    named: /^$/,
    options: (breakable) => {
      const line = () => {};
      const log = { debug: line, info: line, warn: line, error: line };
      return { log: { ...log, isLevelEnabled: breakable(() => true) } };
    },
  },
  "TargetOptions.takes": {
    named: /^$/, // the attempt says it
    attach: (receiver, breakable) => {
      const target = { name: "books", takes: breakable(() => true) };
      receiver.on(KIND, () => {}, { name: "taken", target });
    },
    states: { throws: ["dead", "dead", "dead", "dead"], rejects: ["dead", "dead", "dead", "dead"] },
  },
  "HandlerRegistry.onDead": {
    named: /onDead failed/,
    attach: (receiver, breakable) => receiver.onDead(breakable(() => {})),
  },
  "Receiver.observe": {
    named: /observe failed/,
    attach: (receiver, breakable) => receiver.observe(breakable(() => {})),
  },
  "Receiver.onDrift": {
    named: /onDrift failed/,
    options: () => ({ drift: { differences: difference } }),
    attach: (receiver, breakable) => receiver.onDrift(breakable(() => {})),
  },
};

const OTHERS = "test/entries/failing-callbacks.test.ts";

/** Those that another test calls, or whose errors are their caller's: `test/` or why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "ReceiverOptions.handlers": "below",
  "AlertOptions.onAlert": OTHERS,
  "AlertOptions.clock": OTHERS,
  "MetricsOptions.clock": OTHERS,
  "ClientOptions.accessToken": "its errors are thrown unchanged, as documented",
  "ClientOptions.fetch": "its errors are those of a request",
  "ClientOptions.sleep": "it throws the signal's reason, as documented",
  "ClientOptions.onRetry": OTHERS,
  "ClientOptions.clock": OTHERS,
  "ClientOptions.random": OTHERS,
  "SandboxOptions.log": OTHERS,
  "SandboxOptions.clock": OTHERS,
  "Sandbox.observe": OTHERS,
  "PostgresOptions.clock": "test/base/user-calls.test.ts, by `numberFrom`",
  "PostgresOptions.transaction": "an error of the handler, test/receiver/transactions-contract.ts",
  "TestReceiverOptions.transaction": OTHERS,
  "TracingOptions.tracerProvider": "test/observe/tracing.system.test.ts: an SDK that fails",
  "VerifyOptions.secret": OTHERS,
};

/** Options that are functions, or have some, and listeners, as the package's types have them. */
function callbacksOfTypes(): readonly string[] {
  const types = readFileSync(join(import.meta.dirname, "../api-report.txt"), "utf8");
  const isCalled =
    /=>|\b(?:Logger|Tracing|DriftWatch|SecretOption|SchemasOption|HandlersOption|OwnTransactions|TestTransactions|TracerProvider|fetch)\b/;
  const found: string[] = [];
  for (const [, name = "", body = ""] of types.matchAll(
    /^(?:interface|type) (\w+)[^\n{]*\{\n([\s\S]*?)^\}/gm,
  )) {
    if (/^(?:Postgres|Pooled)(?!Options)/.test(name)) continue; // the user's own objects
    for (const [, member, type = ""] of body.matchAll(
      /^ {4}(?:readonly )?(\w+)\??(?=[:(])([\s\S]*?);$/gm,
    )) {
      if (/Options$/.test(name) ? isCalled.test(type) : /listener: \(/.test(type))
        found.push(`${name}.${member}`);
    }
  }
  return found;
}

it("the tests of functions that users pass have those of all types", () => {
  const tested = Object.keys({ ...ROWS, ...ELSEWHERE }).filter((name) => /^\w+\.\w+$/.test(name));
  expect(callbacksOfTypes().toSorted()).toEqual(
    tested.filter((name) => !name.startsWith("tracing.")).toSorted(),
  );
});

const warnings = keepWarnings();

function fail(): never {
  throw new Error("mine");
}
const reject = () => Promise.reject(new Error("mine"));
const FAILURES = { throws: fail, rejects: reject };
const TIMES = ["from the start", "later"] as const;
const CASES = (["throws", "rejects"] as const).flatMap((how) =>
  TIMES.map((when) => ({ how, when })),
);

describe.each(Object.entries(ROWS))("%s", (_, row) => {
  const { named, options, attach, statuses = STATUSES, states = {}, isTheAnswer, start } = row;

  it.each(CASES)(
    "that $how $when ends nothing, and changes no other answer",
    async ({ how, when }) => {
      const caught = uncaught();
      let isBroken = when === "from the start" && start === undefined;
      const breakable: Breakable = (sound) => {
        const call = (...given: never[]) => (isBroken ? FAILURES[how]() : sound(...given));
        return call as typeof sound;
      };
      const retry = { attempts: 3, delay: 0 };
      const inbox = handleOf(memoryInbox());
      const { receiver, lines, entries } = await openReceiver({
        inbox,
        retry,
        ...options?.(breakable),
      });
      receiver.on(KIND, (_event, { attempt, log }) => {
        log.warn({}, "a handler's own line");
        if (attempt === 1) throw new Error("at first");
      });
      attach?.(receiver, breakable);
      isBroken = true;

      const got: number[] = [];
      for (const { body, headers } of requests()) {
        const request = { method: "POST", target: "/webhooks", path: "/webhooks", headers };
        got.push((await receiver.receive({ ...request, read: async () => body })).status);
      }
      expect(got).toEqual(statuses);
      const expected = states[how] ?? STATES;
      const kept = async () => (await entries()).map(({ state }) => state).toSorted();
      if (start === undefined) await until(async () => expect(await kept()).toEqual(expected));
      await sleep(5);
      expect(caught).toEqual([]);
      expect({ ready: receiver.ready, refusing: receiver.refusing }).toEqual({ ready: true });

      const told = [
        ...lines.map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`),
        ...warnings,
      ];
      const ours = told.filter((line) => named.test(line));
      if (isTheAnswer) expect(ours.length).toBeGreaterThan(0);
      else if (named.source !== "^$") expect(ours).toHaveLength(1);
    },
  );
});

describe("a target whose takes fails", () => {
  it.each(["throws", "rejects"] as const)(
    "fails alone: it %s, and the other handlers run",
    async (how) => {
      const { receiver, entry, untilState } = await openReceiver({
        retry: { attempts: 2, delay: 0 },
      });
      const ran = vi.fn();
      const takes = FAILURES[how] as () => never;
      receiver.on(KIND, ran, { name: "taken", target: { name: "books", takes } });
      receiver.on(KIND, () => void ran("other"), { name: "other" });
      await receiver.accept(deliveryOf(freshEnvelope()));
      await untilState("dead");
      expect(ran.mock.calls).toEqual([["other"]]);
      const attempts = await inboxOf(receiver).attempts((await entry()).seq);
      expect(attempts.map(({ handler, outcome }) => `${handler} ${outcome}`)).toEqual([
        "taken error",
        "other ok",
        "taken error",
      ]);
      const got = how === "throws" ? "an error: " : "a promise";
      expect(attempts[0]?.error).toContain(
        `expected takes of the target "books" to return true or false, got ${got}`,
      );
    },
  );
});

describe("a function that registers handlers", () => {
  it("may reject later: that is logged, and ends nothing", async () => {
    const caught = uncaught();
    const { receiver, lines, untilState } = await openReceiver({
      handlers: async (registry: HandlerRegistry) => {
        registry.on(KIND, () => {});
        await sleep(1);
        throw new Error("mine");
      },
    } as never);
    await receiver.accept(deliveryOf(freshEnvelope()));
    await untilState("handled");
    await until(() =>
      expect(lines).toMatchObject([{ fields: { error: "mine" }, message: "handlers failed" }]),
    );
    expect(caught).toEqual([]);
  });
});
