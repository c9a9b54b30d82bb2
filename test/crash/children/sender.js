// Sends distinct signed deliveries over several keep-alive connections until its standard input
// ends. Most deliveries without an answer are retried later with the same bytes, and so are a few
// answered ones.
import { createHash, createHmac } from "node:crypto";
import { appendFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const { ports, connections, sentFile, answersFile, prefix } = JSON.parse(process.env.CRASH_SENDER);
const secret = process.env.HOOKPORTER_SECRET;

/** Shares of unanswered and of answered deliveries that are sent again. */
const COMES_AGAIN = 0.7;
const REPEATED = 0.02;
/** Milliseconds in which a sender tries to finish its deliveries after it was asked to stop. */
const PATIENCE = 60_000;

const again = [];
let count = 0;
let stopping = false;

process.stdin.resume().on("end", () => {
  stopping = true;
  setTimeout(() => process.exit(1), PATIENCE).unref();
});
await Promise.all(Array.from({ length: connections }, connection));
process.exit();

async function connection() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const delivery = next();
    if (delivery !== undefined) await deliver(delivery, agent);
    else if (stopping) return;
    await sleep(Math.random() * 25);
  }
}

/** The next due retry, or else a new delivery. */
function next() {
  const due = again.findIndex(({ at }) => stopping || at <= Date.now());
  if (due >= 0) return again.splice(due, 1)[0];
  return stopping ? undefined : newDelivery();
}

function newDelivery() {
  const id = `${prefix}-${++count}`;
  const event = {
    id,
    event: "payment.received",
    timestamp: new Date().toISOString(),
    data: { id: `payment_${count}`, amount: "1450.00", note: "é".repeat(count % 200) },
    webhook: { id: "wh_crash", url: "https://receiver.sample.invalid/webhooks" },
  };
  const body = Buffer.from(JSON.stringify(event), "utf8");
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  return { id, body, signature, hash: createHash("sha256").update(body).digest("hex") };
}

/** Sends a delivery until a receiver accepts the connection, and records the result. */
async function deliver(delivery, agent) {
  for (;;) {
    const port = ports[Math.floor(Math.random() * ports.length)];
    try {
      const { status, text } = await post(delivery, port, agent);
      const { received = false, duplicate = null } = JSON.parse(text);
      note(answersFile, { id: delivery.id, status, received, duplicate });
      if (status === 200 ? Math.random() < REPEATED : Math.random() < COMES_AGAIN) later(delivery);
      return;
    } catch (error) {
      if (error.code === "ECONNREFUSED") {
        await sleep(2);
        continue;
      }
      if (Math.random() < COMES_AGAIN) later(delivery);
      return;
    }
  }
}

function later(delivery) {
  again.push({ ...delivery, at: Date.now() + 20 + Math.random() * 1500 });
}

/** Resolves with the complete answer; a truncated one counts as none. */
function post({ id, body, signature, hash }, port, agent) {
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
    // From here on the bytes may have arrived; a refused connection is not recorded.
    const sent = () => note(sentFile, { id, hash });
    sending.on("socket", (socket) => (socket.connecting ? socket.once("connect", sent) : sent()));
    sending.on("error", reject);
    sending.on("response", (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        if (!response.complete) return reject(new Error("cut off"));
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    sending.end(body);
  });
}

function note(file, line) {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}
