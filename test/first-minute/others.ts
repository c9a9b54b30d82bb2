import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, newMachine, printed, serve, type } from "./machine.ts";
import type { Walk } from "./walk.ts";

/** A library's own example, and the shortest program that signs one delivery with it. */
interface Example {
  /** What `npm install` is given; the first is the library. */
  readonly packages: readonly [string, ...string[]];
  readonly secret: string;
  readonly path: string;
  readonly server: string;
  readonly send: string;
}

/** The example of the README of `@octokit/webhooks`, with the secret from the environment. */
const octokit: Example = {
  packages: ["@octokit/webhooks"],
  secret: "a-sample-secret",
  path: "/api/github/webhooks",
  server: `import { Webhooks, createNodeMiddleware } from "@octokit/webhooks";
import { createServer } from "node:http";
const webhooks = new Webhooks({
  secret: process.env.SECRET,
});

webhooks.onAny(({ id, name, payload }) => {
  console.log(name, "event received");
});

createServer(createNodeMiddleware(webhooks)).listen(3000);
`,
  send: `import { Webhooks } from "@octokit/webhooks";
const body = JSON.stringify({ action: "opened" });
const signature = await new Webhooks({ secret: process.env.SECRET }).sign(body);
const response = await fetch("http://127.0.0.1:3000/api/github/webhooks", {
  method: "POST",
  headers: {
    "content-type": "application/json",
    "x-github-event": "issues",
    "x-github-delivery": "1",
    "x-hub-signature-256": signature,
  },
  body,
});
console.log(response.status);
`,
};

/** The example of Svix for Express, as a whole program. */
const svix: Example = {
  packages: ["svix", "express"],
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  path: "/webhook",
  server: `import express from "express";
import { Webhook } from "svix";

const app = express();
app.post("/webhook", express.raw({ type: "application/json" }), (req, res) => {
  const webhook = new Webhook(process.env.SECRET);
  let event;
  try {
    event = webhook.verify(req.body, req.headers);
  } catch (error) {
    return res.status(400).json({});
  }
  console.log(event.type, "event received");
  res.json({});
});

app.listen(3000);
`,
  send: `import { Webhook } from "svix";
const body = JSON.stringify({ type: "invoice.paid" });
const at = new Date();
const response = await fetch("http://127.0.0.1:3000/webhook", {
  method: "POST",
  headers: {
    "content-type": "application/json",
    "svix-id": "msg_1",
    "svix-timestamp": String(Math.floor(at.getTime() / 1000)),
    "svix-signature": new Webhook(process.env.SECRET).sign("msg_1", at, body),
  },
  body,
});
console.log(response.status);
`,
};

/** The example of `stripe` for Express, with its own signer for tests. */
const stripe: Example = {
  packages: ["stripe", "express"],
  secret: "whsec_a_sample_secret",
  path: "/webhook",
  server: `import Stripe from "stripe";
import express from "express";

const stripe = new Stripe("sk_test_123");
const app = express();
app.post("/webhook", express.raw({ type: "application/json" }), (req, res) => {
  const signature = req.headers["stripe-signature"];
  let event;
  try {
    event = stripe.webhooks.constructEvent(req.body, signature, process.env.SECRET);
  } catch (error) {
    return res.status(400).send(\`Webhook Error: \${error.message}\`);
  }
  console.log(event.type, "event received");
  res.json({ received: true });
});

app.listen(3000);
`,
  send: `import Stripe from "stripe";
const payload = JSON.stringify({ id: "evt_1", object: "event", type: "invoice.paid" });
const signature = new Stripe("sk_test_123").webhooks.generateTestHeaderString({
  payload,
  secret: process.env.SECRET,
});
const response = await fetch("http://127.0.0.1:3000/webhook", {
  method: "POST",
  headers: { "content-type": "application/json", "stripe-signature": signature },
  body: payload,
});
console.log(response.status);
`,
};

export const examples = { octokit, svix, stripe } as const;

/** Installs a library, writes its example and a sender, starts the one and runs the other. */
export async function walkExample({
  packages,
  secret,
  path,
  server,
  send,
}: Example): Promise<Walk> {
  const machine = await newMachine();
  const folder = join(machine.folder, "my-receiver");
  const install = `npm install ${packages.join(" ")}`;
  const starts = `SECRET=${secret} node server.mjs`;
  const sends = `SECRET=${secret} node send.mjs`;
  mkdirSync(folder);
  const created = await type(machine, folder, "npm init -y");
  const installed = await type(machine, folder, install);
  const port = await freePort();
  writeFileSync(join(folder, "server.mjs"), server.replaceAll("3000", String(port)));
  writeFileSync(join(folder, "send.mjs"), send.replaceAll("3000", String(port)));
  const running = await serve(machine, folder, starts, `http://127.0.0.1:${port}${path}`);
  const began = performance.now();
  await type(machine, folder, sends);
  const deliver = await printed(running, "event received", began);
  return {
    name: `${packages[0]} ${versionIn(folder, packages[0])}`,
    commands: ["mkdir my-receiver && cd my-receiver", "npm init -y", install, starts, sends],
    files: [server, send],
    seconds: {
      create: created.seconds,
      install: installed.seconds,
      start: running.seconds,
      deliver,
    },
  };
}

function versionIn(folder: string, name: string): string {
  return JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"))
    .version;
}
