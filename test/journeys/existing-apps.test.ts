import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { codeOf } from "../docs/markdown.ts";
import { app, entriesOf, expectReceiver, succeed, untilOpen } from "./kit/apps.ts";
import { journey } from "./kit/journey.ts";
import { commandsIn } from "./kit/pages.ts";
import { pinned } from "./kit/pinned.ts";
import type { World } from "./kit/world.ts";

const { step } = journey("existing-apps");
const INTO = "npx --yes hookporter init --into . --yes";

/** The first example of a page of the installed package, in TypeScript or JavaScript. */
function exampleOf(project: string, page: string): string {
  const text = readFileSync(join(project, "node_modules", "hookporter", page), "utf8");
  const [code = ""] = codeOf(text, "ts");
  expect(code).toContain("hookporter");
  return code;
}

/** An example whose events stay, so that commands can list them, and are handled. */
function withInbox(code: string): string {
  const made = "createReceiver({ secret: process.env.HOOKPORTER_SECRET });";
  expect(code).toContain(made);
  return code.replace(
    made,
    `createReceiver({ secret: process.env.HOOKPORTER_SECRET, inbox: "data/inbox.db" });
receiver.on("payment.*", (event) => console.log(event.kind, event.id));`,
  );
}

const byHand = {
  "hookporter.config.json": { project: { inbox: "data/inbox.db" } },
  "data/.gitkeep": "",
};

async function makeSecret(world: World, project: string): Promise<void> {
  await succeed(world, project, 'echo "HOOKPORTER_SECRET=$(openssl rand -hex 32)" >> .env');
}

step("an Express 4 app in CommonJS receives after init --into", async (world) => {
  const project = app(world, "shop", {
    "package.json": {
      name: "shop",
      private: true,
      scripts: { start: "node server.js" },
      dependencies: { express: pinned("express-4") },
    },
    "server.js": `const express = require("express");

const app = express();
app.use(express.json());
app.post("/orders", (request, response) => {
  response.json(request.body);
});
app.listen(process.env.PORT || 3000, "127.0.0.1", () => {
  console.log("the shop is open");
});`,
  });
  await succeed(world, project, "npm install");
  const told = await succeed(world, project, INTO);
  await succeed(world, project, "npm install");
  await succeed(world, project, "npx vitest run webhooks");
  const url = await world.portFor(project);
  const { port } = new URL(url);
  const server = await world.start(project, "npm start", /the shop is open/, { PORT: port });
  const [command = ""] = commandsIn(told).filter((line) => line.includes(" trigger "));
  expect(command).toContain(":3000/webhooks --wait");
  await expectReceiver(world, project, url, command.replace(":3000", `:${port}`));
  const order = await fetch(`http://127.0.0.1:${port}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"item":1}',
  });
  expect(await order.json()).toEqual({ item: 1 });
  await server.stop();
  const again = world.read(project, "server.js");
  await succeed(world, project, INTO);
  expect(world.read(project, "server.js")).toBe(again);
});

step(
  "an Express 5 app that parses bodies first is told so, and receives once the receiver is before the parser",
  async (world) => {
    const project = app(world, "parsed-first", {
      ...byHand,
      "package.json": {
        name: "parsed-first",
        private: true,
        type: "module",
        dependencies: { express: pinned("express") },
      },
    });
    await succeed(world, project, "npm install hookporter");
    await makeSecret(world, project);
    const mount = 'app.use("/webhooks", expressReceiver(receiver));\n';
    const parser = "app.use(express.json());\n";
    const example = withInbox(exampleOf(project, "docs/frameworks/express.md"));
    expect(example).toContain(mount + parser);
    const right = example.replace("listen(3000", "listen(Number(process.env.PORT)");
    writeFileSync(join(project, "server.js"), right.replace(mount + parser, parser + mount));
    const url = await world.portFor(project);
    const line = "node --env-file=.env server.js";

    const wrong = await world.start(project, line, /^/);
    await untilOpen(url);
    const refused = await world.shell(
      project,
      `npx hookporter trigger payment.received --url ${url} --wait`,
    );
    expect(refused.code, refused.text).not.toBe(0);
    expect(refused.text).toContain("500");
    const logged = await wrong.until(/body_already_parsed/);
    expect(logged).toContain("express.json()");
    expect(await entriesOf(world, project)).toEqual([]);
    await wrong.stop();

    // What the page about parsed bodies says for an app that must keep its order.
    const page = world.read(project, "node_modules", "hookporter", "docs/frameworks/index.md");
    const [, kept = ""] = /^\| Express \| `(app\.use\(.+?\)\))`/m.exec(page) ?? [];
    expect(kept).toContain("rawBody");
    writeFileSync(join(project, "server.js"), right.replace(mount + parser, `${kept};\n${mount}`));
    const raw = await world.start(project, line, /^/);
    await untilOpen(url);
    await expectReceiver(world, project, url);
    await raw.stop();

    writeFileSync(join(project, "server.js"), right);
    const mended = await world.start(project, line, /^/);
    await untilOpen(url);
    await expectReceiver(world, project, url);
    await mended.stop();
  },
);

/** What the app does instead of listening: the last delivery comes 2 s after the compressed one. */
const INJECTIONS = `import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { brotliCompressSync } from "node:zlib";

const { name, signature, body } = JSON.parse(readFileSync("delivery.json", "utf8"));
const payload = readFileSync(body);
const json = { "content-type": "application/json" };
const signed = { "content-type": "application/json", [name]: signature };
const inject = async (headers, sent = payload) => {
  const answer = await app.inject({ method: "POST", url: "/webhooks", headers, payload: sent });
  return answer.statusCode;
};
const first = await inject(signed);
const unsigned = await inject(json);
const compressed = await inject(
  { "content-type": "application/json", "content-encoding": "br", [name]: signature },
  brotliCompressSync(payload),
);
await pause(2000);
const later = await inject(signed);
await app.close();
console.log(JSON.stringify({ signed: first, unsigned, compressed, later }));`;

step(
  "a Fastify app answers injected deliveries, and lives on after a compressed one",
  async (world) => {
    const project = app(world, "injected", {
      ...byHand,
      "package.json": {
        name: "injected",
        private: true,
        type: "module",
        dependencies: { fastify: pinned("fastify") },
      },
    });
    await succeed(world, project, "npm install hookporter");
    await makeSecret(world, project);
    const example = withInbox(exampleOf(project, "docs/frameworks/fastify.md"));
    const listens = 'await app.listen({ port: 3000, host: "127.0.0.1" });';
    expect(example).toContain(listens);
    writeFileSync(
      join(project, "server.js"),
      example.replace(listens, listens.replace("3000", "Number(process.env.PORT)")),
    );
    const url = await world.portFor(project);
    const server = await world.start(project, "node --env-file=.env server.js", /^/);
    await untilOpen(url);
    await expectReceiver(world, project, url);
    await server.stop();

    const dry = await succeed(world, project, "npx hookporter trigger lead.created --dry-run");
    const header = /-H '([\w-]+): (sha256=\w+)'/.exec(dry);
    const body = /--data-binary '@([^']+)'/.exec(dry)?.[1] ?? "";
    const delivery = { name: header?.[1], signature: header?.[2], body };
    writeFileSync(join(project, "delivery.json"), JSON.stringify(delivery));
    writeFileSync(join(project, "inject.js"), example.replace(listens, INJECTIONS));
    const text = await succeed(world, project, "node --env-file=.env inject.js");
    const answers = JSON.parse(text.trim().split("\n").at(-1) ?? "");
    expect(answers).toEqual({ signed: 200, unsigned: 401, compressed: 415, later: 200 });
    const entries = await entriesOf(world, project);
    expect(entries.map(({ kind }) => kind)).toEqual(["payment.received", "lead.created"]);
  },
);
