// Drains an inbox with the built package, and ends by itself: `drains.js INBOX`. Prints the report,
// and what would keep the process alive after it.
import process from "node:process";
import { createReceiver } from "../../../dist/index.js";

const [inbox] = process.argv.slice(2);
const receiver = createReceiver({
  secret: "a-secret-of-a-test-child",
  inbox,
  handlerTimeout: 2000,
});
receiver.on("*", () => new Promise((resolve) => setTimeout(resolve, 10)));
const { nextRunAt, ...report } = await receiver.drain({ budget: 20_000 });
const left = () =>
  process.getActiveResourcesInfo().filter((name) => !/^(?:Pipe|TTY|File)/.test(name));
const timers = left().filter((name) => name !== "TCPSocketWrap");
// connections that were ended have closed by then
await new Promise((resolve) => setTimeout(resolve, 300));
process.stdout.write(
  JSON.stringify({ report, isNextKnown: nextRunAt !== undefined, timers, resources: left() }),
);
