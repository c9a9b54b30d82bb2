import { describe, expect, it } from "vitest";
import { eventKinds, type Handler } from "../../../src/entries/index.ts";
import { Router } from "../../../src/receiver/handlers/router.ts";

const nothing = () => {};
const names = (router: Router, kind: string) => router.match(kind).map(({ name }) => name);
const refused = expect.objectContaining({ name: "ConfigurationError", code: "option_invalid" });

describe("Router", () => {
  it.each(eventKinds)(
    "finds the handlers of %s by its kind, its family and the wildcard",
    (kind) => {
      const router = new Router();
      for (const other of eventKinds) router.on(other, nothing);
      const family = `${kind.split(".")[0]}.*` as const;
      router.on(family, nothing);
      router.on("*", nothing);
      router.onUnknown(nothing);
      expect(names(router, kind)).toEqual([kind, family, "*"]);
    },
  );

  it("keeps the order of registration, whatever the patterns", () => {
    const router = new Router();
    const order: Handler[] = [nothing, () => 1, () => 2, () => 3];
    const [first = nothing, second = nothing, third = nothing, fourth = nothing] = order;
    router.on("*", first);
    router.on("payment.received", second);
    router.on("payment.*", third);
    router.on("payment.received", fourth);
    expect(router.match("payment.received").map(({ handler }) => handler)).toEqual(order);
    expect(names(router, "payment.overdue")).toEqual(["*", "payment.*"]);
  });

  it.each([
    "lease.signed",
    "",
    "__proto__",
    "toString",
    "constructor",
    "*",
    "payment",
    "Payment.Received",
  ])("[case 38] treats %j as unknown: only onUnknown and the wildcard match", (kind) => {
    const router = new Router();
    for (const known of eventKinds) router.on(known, nothing);
    router.onUnknown(nothing);
    router.on("*", nothing);
    expect(names(router, kind)).toEqual(["unknown", "*"]);
  });

  it("matches a family with a kind that this version does not know, in addition to onUnknown", () => {
    const router = new Router();
    router.on("payment.*", nothing);
    router.onUnknown(nothing);
    expect(names(router, "payment.refunded")).toEqual(["payment.*", "unknown"]);
    expect(names(router, "payments.refunded")).toEqual(["unknown"]);
  });

  it("finds nothing if nothing is registered", () => {
    expect(new Router().match("payment.received")).toEqual([]);
  });

  it.each([
    "payment.recieved",
    "Payment.Received",
    "payment.",
    "payment",
    "pay*",
    "*.received",
    "**",
    "",
    " *",
    "lease.*.x",
    5,
    null,
    [],
    ["payment.received", "payment.recieved"],
  ])("refuses the pattern %j, which matches no kind", (pattern) => {
    const router = new Router();
    expect(() => router.on(pattern as "*", nothing)).toThrow(refused);
    expect(router.isEmpty).toBe(true);
  });

  it("names the kind that a misspelt one is closest to", () => {
    const misspelt = () => new Router().on("payment.recieved" as "*", nothing);
    expect(misspelt).toThrow("did you mean payment.received?");
  });

  it.each([undefined, null, "handler", {}])("refuses %j as a handler", (handler) => {
    const router = new Router();
    expect(() => router.on("*", handler as unknown as Handler)).toThrow(refused);
    expect(() => router.onUnknown(handler as unknown as Handler)).toThrow(refused);
  });

  describe("names", () => {
    it("number the handlers of each pattern separately", () => {
      const router = new Router();
      router.on("*", nothing);
      router.on("payment.*", nothing);
      router.on("*", nothing);
      router.on("*", nothing);
      expect(names(router, "payment.received")).toEqual(["*", "payment.*", "*#2", "*#3"]);
    });

    it("can be set by the user", () => {
      const router = new Router();
      router.on("*", nothing, { name: "audit" });
      router.onUnknown(nothing, { name: "new kinds" });
      expect(names(router, "x")).toEqual(["audit", "new kinds"]);
    });

    it("must be unique, whether set or generated", () => {
      const router = new Router();
      router.on("*", nothing, { name: "payment.*" });
      expect(() => router.on("payment.received", nothing, { name: "payment.*" })).toThrow(refused);
      expect(() => router.on("payment.*", nothing)).toThrow(refused);
      expect(names(router, "payment.received")).toEqual(["payment.*"]);
    });
  });

  it("leaves kinds in `except` to other handlers", () => {
    const router = new Router();
    router.on("*", nothing, { name: "rest", except: ["payment.*", "lead.created"] });
    router.on("payment.*", nothing, { except: ["payment.overdue"] });
    router.onUnknown(nothing, { except: ["payment.*"] });
    expect(names(router, "tenant.created")).toEqual(["rest"]);
    expect(names(router, "payment.received")).toEqual(["payment.*"]);
    expect(names(router, "payment.refunded")).toEqual(["payment.*"]);
    for (const kind of ["payment.overdue", "lead.created"]) expect(names(router, kind)).toEqual([]);
    expect(names(router, "lease.signed")).toEqual(["rest", "unknown"]);
  });

  it("refuses an `except` that matches no kind", () => {
    const router = new Router();
    expect(() => router.on("*", nothing, { except: ["payment.*", "payment.recieved"] })).toThrow(
      refused,
    );
    expect(router.isEmpty).toBe(true);
  });

  it("keeps a handler's own `attempts`", () => {
    const router = new Router();
    router.on("*", nothing, { attempts: 3 });
    router.onUnknown(nothing, { attempts: Number.POSITIVE_INFINITY });
    router.on("*", nothing);
    const kept = router.match("x").map(({ attempts }) => attempts);
    expect(kept).toEqual([3, Number.POSITIVE_INFINITY, undefined]);
  });

  it.each([0, -1, 1.5, Number.NaN, "3"])("refuses %j attempts", (attempts) => {
    expect(() => new Router().on("*", nothing, { attempts: attempts as number })).toThrow(refused);
  });

  it.each([
    { atempts: 3 },
    { name: "" },
    { name: 5 },
    { except: "payment.*" },
    { except: null },
    null,
    5,
  ])("refuses %j as a handler's options", (options) => {
    const router = new Router();
    expect(() => router.on("*", nothing, options as object)).toThrow(refused);
    expect(router.isEmpty).toBe(true);
  });

  it("takes undefined for an option that is left out", () => {
    const router = new Router();
    router.on("*", nothing, { name: undefined, except: undefined, attempts: undefined } as object);
    expect(names(router, "lead.created")).toEqual(["*"]);
  });

  it.each([undefined, null, "listener", {}])(
    "refuses %j as a listener of dead letters",
    (listener) => {
      const router = new Router();
      expect(() => router.onDead(listener as unknown as () => void)).toThrow(refused);
      expect([...router.deadListeners]).toEqual([]);
    },
  );

  it("is empty until a handler is registered; a dead letter listener is not one", () => {
    const router = new Router();
    router.onDead(nothing);
    expect(router.isEmpty).toBe(true);
    router.onUnknown(nothing);
    expect(router.isEmpty).toBe(false);
  });

  it("keeps dead letter listeners in order", () => {
    const router = new Router();
    const second = () => {};
    router.onDead(nothing);
    router.onDead(second);
    expect([...router.deadListeners]).toEqual([nothing, second]);
  });

  it("removes a handler or a listener when its unsubscribe function is called, also twice", () => {
    const router = new Router();
    const off = router.on(["payment.received", "lead.*"], nothing);
    const offUnknown = router.onUnknown(nothing);
    const offDead = router.onDead(nothing);
    router.on("payment.received", nothing);
    for (const remove of [off, off, offUnknown, offDead]) remove();
    expect(names(router, "payment.received")).toEqual(["payment.received"]);
    expect(names(router, "lead.created")).toEqual([]);
    expect(names(router, "lease.signed")).toEqual([]);
    expect(router.patterns).toEqual(["payment.received"]);
    expect([...router.deadListeners]).toEqual([]);
  });

  it("uses the name of a removed handler again, so that what it finished stays finished", () => {
    const router = new Router();
    const off = router.on("*", nothing);
    router.on("*", nothing);
    off();
    router.on("*", nothing);
    expect(names(router, "lead.created")).toEqual(["*#2", "*"]);
    router.on("*", nothing);
    expect(names(router, "lead.created")).toEqual(["*#2", "*", "*#3"]);
  });

  it("uses the numbered name of a removed handler again", () => {
    const router = new Router();
    router.on("*", nothing);
    const off = router.on("*", nothing);
    router.on("*", nothing);
    off();
    router.on("*", nothing);
    expect(names(router, "lead.created")).toEqual(["*", "*#3", "*#2"]);
  });
});

it("a handler may have a single attempt", () => {
  const router = new Router();
  expect(() => router.on("*", nothing, { attempts: 1 })).not.toThrow();
  expect(() => router.on("*", nothing, { name: "b", attempts: 0 })).toThrow(refused);
});
