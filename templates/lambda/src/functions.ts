import { createReceiver } from "hookporter";
import { lambdaDrain, lambdaReceiver } from "hookporter/lambda";
import handlers from "./handlers/index.ts";
import { log } from "./log.ts";

const receiver = createReceiver({
  secret: process.env.HOOKPORTER_SECRET,
  // part: inbox-option
  role: "receive", // Lambda freezes the process after each answer, so handlers run in `drain` only
  handlerTimeout: 10_000, // `drain` starts a handler only if all of this fits into the time that is left
  handlers,
  log,
});
await receiver.start();

/** Behind the function's URL: verifies and keeps a delivery, and answers. */
export const webhooks = lambdaReceiver(receiver);

/** On a schedule: runs the handlers of what was kept, and retries. Returns how many entries were handled, and how many not. */
export const drain = lambdaDrain(receiver);
