import { describe, expect, it } from "vitest";
import {
  createReceiver,
  eventKinds,
  type Handler,
  type Receiver,
} from "../../../src/entries/index.ts";
import { keptLog, SECRET } from "../sample.ts";

const nothing = () => {};
const receiverOf = (): Receiver =>
  createReceiver({ secret: SECRET, inbox: "memory:", log: keptLog().log });
const names = (receiver: Receiver, kind: string) => receiver.handlersFor(kind);
const refused = expect.objectContaining({ name: "ConfigurationError", code: "option_invalid" });

describe("a receiver's handlers", () => {
  it.each(eventKinds)(
    "finds the handlers of %s by its kind, its family and the wildcard",
    (kind) => {
      const receiver = receiverOf();
      for (const other of eventKinds) receiver.on(other, nothing);
      const family = `${kind.split(".")[0]}.*` as "payment.*";
      receiver.on(family, nothing);
      receiver.on("*", nothing);
      receiver.onUnknown(nothing);
      expect(names(receiver, kind)).toEqual([kind, family, "*"]);
    },
  );

  it("keeps the order of registration, whatever the patterns", () => {
    const receiver = receiverOf();
    receiver.on("*", nothing);
    receiver.on("payment.received", nothing);
    receiver.on("payment.*", nothing);
    receiver.on("payment.received", nothing);
    const inOrder = ["*", "payment.received", "payment.*", "payment.received#2"];
    expect(names(receiver, "payment.received")).toEqual(inOrder);
    expect(names(receiver, "payment.overdue")).toEqual(["*", "payment.*"]);
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
    const receiver = receiverOf();
    for (const known of eventKinds) receiver.on(known, nothing);
    receiver.onUnknown(nothing);
    receiver.on("*", nothing);
    expect(names(receiver, kind)).toEqual(["unknown", "*"]);
  });

  it("matches a family with a kind that this version does not know, in addition to onUnknown", () => {
    const receiver = receiverOf();
    receiver.on("payment.*", nothing);
    receiver.onUnknown(nothing);
    expect(names(receiver, "payment.refunded")).toEqual(["payment.*", "unknown"]);
    expect(names(receiver, "payments.refunded")).toEqual(["unknown"]);
  });

  it("finds nothing if nothing is registered", () => {
    expect(names(receiverOf(), "payment.received")).toEqual([]);
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
    const receiver = receiverOf();
    expect(() => receiver.on(pattern as "*", nothing)).toThrow(refused);
    expect(names(receiver, "payment.received")).toEqual([]);
  });

  it("names the kind that a misspelt one is closest to", () => {
    const misspelt = () => receiverOf().on("payment.recieved" as "*", nothing);
    expect(misspelt).toThrow("did you mean payment.received?");
  });

  it.each([undefined, null, "handler", {}])("refuses %j as a handler", (handler) => {
    const receiver = receiverOf();
    expect(() => receiver.on("*", handler as unknown as Handler)).toThrow(refused);
    expect(() => receiver.onUnknown(handler as unknown as Handler)).toThrow(refused);
  });

  describe("names", () => {
    it("number the handlers of each pattern separately", () => {
      const receiver = receiverOf();
      receiver.on("*", nothing);
      receiver.on("payment.*", nothing);
      receiver.on("*", nothing);
      receiver.on("*", nothing);
      expect(names(receiver, "payment.received")).toEqual(["*", "payment.*", "*#2", "*#3"]);
    });

    it("can be set by the user", () => {
      const receiver = receiverOf();
      receiver.on("*", nothing, { name: "audit" });
      receiver.onUnknown(nothing, { name: "new kinds" });
      expect(names(receiver, "x")).toEqual(["audit", "new kinds"]);
    });

    it("must be unique, whether set or generated", () => {
      const receiver = receiverOf();
      receiver.on("*", nothing, { name: "payment.*" });
      expect(() => receiver.on("payment.received", nothing, { name: "payment.*" })).toThrow(
        refused,
      );
      expect(() => receiver.on("payment.*", nothing)).toThrow(refused);
      expect(names(receiver, "payment.received")).toEqual(["payment.*"]);
    });
  });

  it("leaves kinds in `except` to other handlers", () => {
    const receiver = receiverOf();
    receiver.on("*", nothing, { name: "rest", except: ["payment.*", "lead.created"] });
    receiver.on("payment.*", nothing, { except: ["payment.overdue"] });
    receiver.onUnknown(nothing, { except: ["payment.*"] });
    expect(names(receiver, "tenant.created")).toEqual(["rest"]);
    expect(names(receiver, "payment.received")).toEqual(["payment.*"]);
    expect(names(receiver, "payment.refunded")).toEqual(["payment.*"]);
    for (const kind of ["payment.overdue", "lead.created"])
      expect(names(receiver, kind)).toEqual([]);
    expect(names(receiver, "lease.signed")).toEqual(["rest", "unknown"]);
  });

  it("refuses an `except` that matches no kind", () => {
    const receiver = receiverOf();
    expect(() => receiver.on("*", nothing, { except: ["payment.*", "payment.recieved"] })).toThrow(
      refused,
    );
    expect(names(receiver, "payment.received")).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN, "3"])("refuses %j attempts", (attempts) => {
    expect(() => receiverOf().on("*", nothing, { attempts: attempts as number })).toThrow(refused);
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
    const receiver = receiverOf();
    expect(() => receiver.on("*", nothing, options as object)).toThrow(refused);
    expect(names(receiver, "payment.received")).toEqual([]);
  });

  it("takes undefined for an option that is left out", () => {
    const receiver = receiverOf();
    receiver.on("*", nothing, {
      name: undefined,
      except: undefined,
      attempts: undefined,
    } as object);
    expect(names(receiver, "lead.created")).toEqual(["*"]);
  });

  it.each([undefined, null, "listener", {}])(
    "refuses %j as a listener of dead letters",
    (listener) => {
      const receiver = receiverOf();
      expect(() => receiver.onDead(listener as unknown as () => void)).toThrow(refused);
    },
  );

  it("removes a handler when its unsubscribe function is called, also twice", () => {
    const receiver = receiverOf();
    const off = receiver.on(["payment.received", "lead.*"], nothing);
    const offUnknown = receiver.onUnknown(nothing);
    receiver.on("payment.received", nothing);
    for (const remove of [off, off, offUnknown]) remove();
    expect(names(receiver, "payment.received")).toEqual(["payment.received"]);
    expect(names(receiver, "lead.created")).toEqual([]);
    expect(names(receiver, "lease.signed")).toEqual([]);
  });

  it("uses the name of a removed handler again, so that what it finished stays finished", () => {
    const receiver = receiverOf();
    const off = receiver.on("*", nothing);
    receiver.on("*", nothing);
    off();
    receiver.on("*", nothing);
    expect(names(receiver, "lead.created")).toEqual(["*#2", "*"]);
    receiver.on("*", nothing);
    expect(names(receiver, "lead.created")).toEqual(["*#2", "*", "*#3"]);
  });

  it("uses the numbered name of a removed handler again", () => {
    const receiver = receiverOf();
    receiver.on("*", nothing);
    const off = receiver.on("*", nothing);
    receiver.on("*", nothing);
    off();
    receiver.on("*", nothing);
    expect(names(receiver, "lead.created")).toEqual(["*", "*#3", "*#2"]);
  });
});

it("a handler may have a single attempt", () => {
  const receiver = receiverOf();
  expect(() => receiver.on("*", nothing, { attempts: 1 })).not.toThrow();
  expect(() => receiver.on("*", nothing, { name: "b", attempts: 0 })).toThrow(refused);
});
