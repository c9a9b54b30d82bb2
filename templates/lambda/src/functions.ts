import { createReceiver } from "hookporter";
import { readProject } from "hookporter/config";
import { lambdaDrain, lambdaReceiver } from "hookporter/lambda";
import handlers from "./handlers/index.ts";
import { log } from "./log.ts";
import { loadSecrets } from "./secrets.ts";

await loadSecrets();
// from the environment and hookporter.config.json; on this machine also .env
const { secret, inbox } = readProject();
const receiver = createReceiver({
  secret,
  inbox,
  role: "receive", // Lambda freezes the process after each answer, so handlers run in `drain` only
  // `drain` starts a handler only if all of this fits into the time that is left
  handlerTimeout: 10_000,
  handlers,
  log,
});
await receiver.start();

const receive = lambdaReceiver(receiver);

/**
 * Behind the function's URL: verifies and keeps a delivery, and answers; `/readyz` is for health
 * checks.
 */
export const webhooks: typeof receive = async (event, context) => {
  if (event.rawPath !== "/readyz") return receive(event, context);
  const refusing = await receiver.checkReady(); // reads the inbox, too
  const statusCode = refusing === undefined ? 200 : 503;
  const body = JSON.stringify({ status: refusing ?? "ok" });
  return {
    statusCode,
    headers: { "content-type": "application/json" },
    body,
    isBase64Encoded: false,
  };
};

/**
 * On a schedule: runs the handlers of what was kept, and retries. Returns how many entries were
 * handled, and how many not.
 */
export const drain = lambdaDrain(receiver);
