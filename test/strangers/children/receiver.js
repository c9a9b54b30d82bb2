// A receiver as a service embeds one: the built package of STRANGERS_RECEIVER.dist behind a Node
// server. Each run of its handler appends the event's id to the effects. Ends with its parent
// process.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { dist, inbox, effects, port, options } = JSON.parse(process.env.STRANGERS_RECEIVER);
const load = (name) => import(pathToFileURL(join(dist, name)).href);
const { createReceiver } = await load("index.js");
const { nodeReceiver } = await load("node.js");
const secret = process.env.HOOKPORTER_SECRET;

process.on("disconnect", () => process.exit());
process.on("worker", (worker) => worker.once("message", () => process.send({ thread: true })));

const receiver = createReceiver({ secret, inbox, ...options });
receiver.on("*", ({ id }) => appendFileSync(effects, `${id}\n`));
await receiver.start();

const server = createServer(nodeReceiver(receiver));
server.listen(port, "127.0.0.1", () => process.send({ port: server.address().port }));

/** What its parent process may ask for. */
const DOES = {
  /** Opens the inbox at this path a second time in this process, and closes it. */
  openAndClose: async (path) => {
    const second = createReceiver({ secret, inbox: path, source: "second" });
    await second.start();
    await second.close();
  },
  ready: () => receiver.ready,
};

process.on("message", async ({ name, given }) => {
  try {
    process.send({ answer: { result: await DOES[name](given) } });
  } catch (error) {
    process.send({ answer: { error: String(error) } });
  }
});

process.on("SIGTERM", async () => {
  server.close();
  server.closeAllConnections();
  await receiver.close();
  process.exit();
});
