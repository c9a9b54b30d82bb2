import { expect, it } from "vitest";
import { openReceiver } from "./open.ts";

it("handlersFor names the handlers of a kind as they are now", async () => {
  const { receiver } = await openReceiver();
  expect(receiver.handlersFor("payment.received")).toEqual([]);
  receiver.on("payment.*", () => {});
  receiver.on("lead.created", () => {});
  receiver.on("payment.received", () => {}, { name: "ledger" });
  expect(receiver.handlersFor("payment.received")).toEqual(["payment.*", "ledger"]);
  receiver.replaceHandlers((handlers) => handlers.on("lead.created", () => {}));
  expect(receiver.handlersFor("payment.received")).toEqual([]);
});
