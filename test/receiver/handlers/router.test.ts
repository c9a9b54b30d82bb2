import { describe, expect, it } from "vitest";
import { createReceiver, eventKinds, type Receiver } from "../../../src/entries/index.ts";
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

  it("keeps the order of registration, and numbers the handlers of each pattern", () => {
    const receiver = receiverOf();
    const patterns = ["*", "payment.received", "payment.*", "payment.received", "*", "*"] as const;
    for (const pattern of patterns) receiver.on(pattern, nothing);
    const inOrder = ["*", "payment.received", "payment.*", "payment.received#2", "*#2", "*#3"];
    expect(names(receiver, "payment.received")).toEqual(inOrder);
    expect(names(receiver, "payment.overdue")).toEqual(["*", "payment.*", "*#2", "*#3"]);
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

  it("refuses patterns that match no kind, and names the one that was meant", () => {
    const receiver = receiverOf();
    const lists = [[], ["payment.received", "payment.recieved"], 5, null];
    const texts = ["payment.", "payment", "pay*", "*.received", "**", "", " *", "lease.*.x"];
    for (const pattern of [...lists, ...texts, "Payment.Received"])
      expect(() => receiver.on(pattern as "*", nothing)).toThrow(refused);
    const misspelt = () => receiver.on("payment.recieved" as "*", nothing);
    expect(misspelt).toThrow("did you mean payment.received?");
    expect(() => receiver.on("*", nothing, { except: ["payment.*", "payment.recieved"] })).toThrow(
      refused,
    );
    expect(names(receiver, "payment.received")).toEqual([]);
  });

  it("refuses what is no function as a handler or a listener", () => {
    const receiver = receiverOf();
    for (const given of [undefined, null, "handler", {}] as never[]) {
      expect(() => receiver.on("*", given)).toThrow(refused);
      expect(() => receiver.onUnknown(given)).toThrow(refused);
      expect(() => receiver.onDead(given)).toThrow(refused);
    }
  });

  describe("names", () => {
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

  it("refuses options of a handler that cannot work, and takes undefined as left out", () => {
    const receiver = receiverOf();
    const attempts = [0, -1, 1.5, Number.NaN, "3"].map((given) => ({ attempts: given }));
    const others = [{ atempts: 3 }, { name: "" }, { name: 5 }, { except: "payment.*" }];
    for (const options of [...attempts, ...others, { except: null }, null, 5])
      expect(() => receiver.on("*", nothing, options as object)).toThrow(refused);
    expect(names(receiver, "payment.received")).toEqual([]);
    const left = { name: undefined, except: undefined, attempts: undefined };
    receiver.on("*", nothing, left as object);
    receiver.on("*", nothing, { attempts: 1 });
    expect(names(receiver, "lead.created")).toEqual(["*", "*#2"]);
  });

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
    const offSecond = receiver.on("*", nothing);
    off();
    receiver.on("*", nothing);
    expect(names(receiver, "lead.created")).toEqual(["*#2", "*"]);
    receiver.on("*", nothing);
    expect(names(receiver, "lead.created")).toEqual(["*#2", "*", "*#3"]);
    offSecond();
    receiver.on("*", nothing);
    expect(names(receiver, "lead.created")).toEqual(["*", "*#3", "*#2"]);
  });
});
