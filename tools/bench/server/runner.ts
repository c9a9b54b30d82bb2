// A process that runs entries: `node runner.js <inbox>`. It starts when its parent says so, and
// ends with it.
import { createReceiver } from "../../../src/entries/index.ts";
import { quiet } from "../contestants/quiet.ts";
import { SECRET } from "../events.ts";

const receiver = createReceiver({
  secret: SECRET,
  inbox: process.argv[2] ?? "",
  concurrency: 50,
  log: quiet,
});
receiver.on("*", () => {});
process.on("message", () => void receiver.start());
process.on("disconnect", () => process.exit());
process.send?.("ready");
