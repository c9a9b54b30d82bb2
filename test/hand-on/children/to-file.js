// Hands on to a file, a line per message. While a second file exists, batches never arrive.
import { appendFileSync, existsSync } from "node:fs";
import process from "node:process";
import { defineHandlers, handOn } from "../../../dist/index.js";

const send = handOn(
  async (messages) => {
    const hangs = existsSync(process.env.HAND_ON_HANGS);
    const lines = messages.map(({ id, attempt }) => `${JSON.stringify({ id, attempt, hangs })}\n`);
    appendFileSync(process.env.HAND_ON_FILE, lines.join(""));
    if (hangs) await new Promise(() => {});
  },
  { batchSize: 10, inFlight: 2 },
);

// biome-ignore lint/style/noDefaultExport: a handlers module exports by default
export default defineHandlers({ handlers: { "*": send } });
