import { expect, it } from "vitest";
import { createReceiver } from "../../src/entries/index.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { selectInbox } from "../../src/inbox/open.ts";
import { deliveryOf, envelope, inboxFile, keptLog, NOW, SECRET, until } from "../receiver/sample.ts";
import { describeInbox } from "./contract.ts";
import { LoggedInbox } from "./logged-inbox.ts";

describeInbox(
  "an inbox that is written with the package's exports alone",
  () => new LoggedInbox(memoryInbox()),
  { wakes: false },
);

it("a receiver works with an inbox that is written with the package's exports alone", async () => {
  const inbox = new LoggedInbox(selectInbox(inboxFile()));
  const receiver = createReceiver({ secret: SECRET, inbox, log: keptLog().log, clock: () => NOW });
  const handled: string[] = [];
  receiver.on("payment.received", ({ kind }) => void handled.push(kind));
  await receiver.start();
  expect(await receiver.accept(deliveryOf(envelope()))).toMatchObject({ type: "accepted" });
  await until(async () => expect(await inbox.counts()).toMatchObject({ done: 1 }));
  await receiver.close();
  expect(handled).toEqual(["payment.received"]);
  expect(inbox.calls).toEqual(expect.arrayContaining(["open", "append", "settle", "close"]));
});
