// Sends distinct signed deliveries over several keep-alive connections, retries each until it is
// answered 200, and appends a line per answer to the answers. When told to stop, it starts no new
// ones, and ends when all were answered 200.
import { createHmac } from "node:crypto";
import { appendFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const { ports, connections, pause, answers, prefix } = JSON.parse(process.env.STRANGERS_SENDER);
const secret = process.env.HOOKPORTER_SECRET;

/** Milliseconds between two attempts to send the same delivery. */
const AGAIN = 25;
/** Milliseconds in which it tries to finish its deliveries after it was told to stop. */
const PATIENCE = 15_000;

let count = 0;
let stopping = false;

process.on("disconnect", () => process.exit(1));
process.once("message", () => {
  stopping = true;
  setTimeout(() => process.exit(1), PATIENCE).unref();
});
await Promise.all(Array.from({ length: connections }, connection));
process.exit();

async function connection() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (!stopping) {
    await deliver(newDelivery(), agent);
    if (pause > 0) await sleep(Math.random() * 2 * pause);
  }
}

/**
 * Records each answer, with status 0 for a failed connection. Always to one port, since each
 * receiver has its own source.
 */
async function deliver(delivery, agent) {
  const port = ports[count % ports.length];
  for (;;) {
    const began = Date.now();
    const status = await post(delivery, port, agent).catch(() => 0);
    const line = { id: delivery.id, status, port, began, at: Date.now() };
    appendFileSync(answers, `${JSON.stringify(line)}\n`);
    if (status === 200) return;
    await sleep(AGAIN);
  }
}

/** One in forty is larger than a page of the inbox. */
function newDelivery() {
  const id = `${prefix}-${++count}`;
  const note = "é".repeat(count % 40 === 0 ? 9000 : count % 200);
  const event = {
    id,
    event: "payment.received",
    timestamp: new Date().toISOString(),
    data: { id: `payment_${count}`, amount: "1450.00", note },
    webhook: { id: "wh_strangers", url: "https://receiver.sample.invalid/webhooks" },
  };
  const body = Buffer.from(JSON.stringify(event), "utf8");
  return {
    id,
    body,
    signature: `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
}

/** Resolves with the status of a complete answer. */
function post({ body, signature }, port, agent) {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": body.byteLength,
      "x-service-signature": signature,
    };
    const sending = request({
      host: "127.0.0.1",
      port,
      path: "/webhooks",
      method: "POST",
      agent,
      headers,
    });
    sending.on("error", reject);
    sending.on("response", (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () =>
        response.complete ? resolve(response.statusCode) : reject(new Error("cut off")),
      );
    });
    sending.end(body);
  });
}
