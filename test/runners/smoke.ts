/**
 * What the package does everywhere: create, receive, verify, run, and a receiver for tests. As
 * text, since each runner loads it in its own way.
 */
export const SMOKE = `
const { readFileSync } = require("node:fs");
const { createReceiver, verify } = require("hookporter");
const { fetchReceiver } = require("hookporter/fetch");
const { createTestReceiver, sampleEvent, signedRequest } = require("hookporter/testing");

function expectSame(got, expected) {
  if (JSON.stringify(got) === JSON.stringify(expected)) return;
  throw new Error("expected " + JSON.stringify(expected) + ", got " + JSON.stringify(got));
}

const secret = Buffer.from("a-secret-for-every-runner");

async function post(receiver, kind) {
  const { headers, body } = signedRequest(sampleEvent(kind), { secret });
  expectSame((await verify(new Uint8Array(body), headers, { secret })).ok, true);
  const head = { method: "POST", target: "/webhooks", path: "/webhooks", headers };
  expectSame((await receiver.receive({ ...head, read: async () => body })).status, 200);
  if (typeof Request !== "function") return;
  const request = new Request("http://localhost/webhooks", { method: "POST", headers, body });
  expectSame((await (await fetchReceiver(receiver)(request)).json()).duplicate, true);
}

async function receives() {
  const validate = async (value) => ({ value });
  const receiver = createReceiver({
    secret,
    inbox: "memory:",
    retry: { attempts: 1 },
    schemas: { "payment.received": { "~standard": { version: 1, vendor: "smoke", validate } } },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const ran = [];
  receiver.on("payment.received", async (event) => void ran.push(event.kind), { name: "first" });
  receiver.on("payment.received", (event) => void ran.push(event.kind), { name: "second" });
  receiver.on("lead.created", () => readFileSync("/nowhere/at/all"));
  const ended = new Promise((resolve) => receiver.onDead(resolve));
  await receiver.start();
  await post(receiver, "payment.received");
  await post(receiver, "lead.created");
  const { seq } = await ended;
  const { runs } = await receiver.inbox.show(seq);
  expectSame(runs.map(({ failure, error }) => [failure.name, error.slice(0, 6)]), [["Error", "ENOENT"]]);
  await receiver.close();
  expectSame(ran, ["payment.received", "payment.received"]);
}

async function isTested() {
  const ran = [];
  const handlers = { "payment.received": (event) => void ran.push(event.kind) };
  const receiver = await createTestReceiver({ handlers });
  const { body } = signedRequest(sampleEvent("payment.received"), { secret });
  expectSame((await receiver.deliver(new Uint8Array(body))).state, "handled");
  expectSame((await receiver.deliver("payment.received")).state, "handled");
  await receiver.close();
  expectSame(ran.length, 2);
}

module.exports = async () => {
  await receives();
  await isTested();
};
`;

/** Runs it, and prints whether all went well. */
export const RUN = `
require("./smoke.cjs")().then(
  () => console.log("well"),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
`;
