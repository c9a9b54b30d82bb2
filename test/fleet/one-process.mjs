// A receiver of any version: node one-process.mjs INDEX NODE_ADAPTER INBOX. Prints its port, and each event that it handles;
// with FAILS=1 it fails those with negative numbers.
import { createServer } from "node:http";
import { createJiti } from "jiti";

const [, , index, adapter, inbox] = process.argv;
const load = (path) => (path.endsWith(".ts") ? createJiti(import.meta.url).import(path) : import(path));
const { createReceiver } = await load(index);
const { nodeReceiver } = await load(adapter);

const say = (line) => process.stdout.write(`${line}\n`);
const log = Object.fromEntries(
  ["debug", "info", "warn", "error"].map((level) => [
    level,
    (_fields, message) => say(`${level} ${message}`),
  ]),
);
const receiver = createReceiver({ secret: process.env.HOOKPORTER_SECRET, inbox, log, poll: 200 });
receiver.on("*", ({ data }) => {
  if (process.env.FAILS === "1" && data.number < 0) throw new Error("not yet");
  say(`handled ${data.number}`);
});
try {
  await receiver.start();
} catch (error) {
  say(`refused ${error.code}: ${error.message}`);
  process.exit(3);
}
const server = createServer(nodeReceiver(receiver));
server.listen(0, "127.0.0.1", () => say(`listening ${server.address().port}`));
process.on("SIGTERM", async () => {
  server.close();
  await receiver.close();
  process.exit(0);
});
