import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  app,
  byHand,
  entriesOf,
  exampleOf,
  expectOwnRoute,
  expectReceiver,
  makeSecret,
  succeed,
  untilOpen,
  withInbox,
} from "./kit/apps.ts";
import { journey } from "./kit/journey.ts";
import { commandsIn } from "./kit/pages.ts";
import { pinned } from "./kit/pinned.ts";

const { step } = journey("existing-apps");
const INTO = "npx --yes hookporter init --into . --yes";

/** An example whose events stay and are handled. */
function withHandler(code: string): string {
  return withInbox(code).replace(
    /^(?:export )?const receiver = .+$/m,
    '$&\nreceiver.on("payment.*", (event) => console.log(event.kind, event.id));',
  );
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
  expect(command).toContain(" --url 3000 --wait");
  await expectReceiver(world, project, url, command.replace("3000", port));
  await expectOwnRoute(url, "/orders");
  await server.stop();
  const again = world.read(project, "server.js");
  await succeed(world, project, INTO);
  expect(world.read(project, "server.js")).toBe(again);
});

step("init --into asks on a terminal, and what it prints then runs as printed", async (world) => {
  const server = `import express from "express";

const app = express();
app.use(express.json());
app.post("/orders", (request, response) => {
  response.json(request.body);
});
app.listen(process.env.PORT ?? 3000, "127.0.0.1", () => {
  console.log("the shop is open");
});`;
  const project = app(world, "asked", {
    "package.json": {
      name: "asked",
      private: true,
      type: "module",
      scripts: { start: "node server.js" },
      dependencies: { express: pinned("express") },
    },
    "server.js": server,
  });
  const first = await world.terminal("the app", project);
  const init = INTO.replace(/ --yes$/, "");
  const asked = async () => {
    first.type(init);
    // Below the question, as the one of an earlier run may still be shown.
    await first.until(/Write these changes\?\n.*Yes.*No\n\S*\s*$/);
    expect(first.screen()).toContain('+ app.use("/webhooks", webhooks);');
  };

  await asked();
  first.press("Enter"); // what it offers is no
  expect(await first.ended(init)).toMatchObject({ code: 130 });
  expect(readdirSync(project).sort()).toEqual(["package.json", "server.js"]);
  expect(world.read(project, "server.js")).toBe(`${server}\n`);

  await asked();
  first.press("Left", "Enter");
  const { code, text } = await first.ended(init);
  expect(code, text).toBe(0);
  const [next = "", then = ""] = text.slice(text.indexOf("\nNext")).split("Then start the app");
  const lines = [...next.matchAll(/^ {2}(\S.*)$/gm)].map(([, line = ""]) => line);
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(await first.run(line), line).toMatchObject({ code: 0 });
  const url = await world.portFor(project);
  const { port } = new URL(url);
  first.type(`PORT=${port} npm start`);
  await first.until(/^the shop is open/m);
  const second = await world.terminal("in the same folder", project);
  const [trigger = ""] = commandsIn(then);
  const sent = await second.run(trigger.replace("3000", port));
  expect(sent, sent.text).toMatchObject({ code: 0 });
  expect(sent.text).toMatch(/^handled +#1 payment\.received/m);
  await expectOwnRoute(url, "/orders");
  first.press("C-c");
  await first.ended(`PORT=${port} npm start`);
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
    const example = withHandler(exampleOf(project, "docs/frameworks/express.md"));
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
    const example = withHandler(exampleOf(project, "docs/frameworks/fastify.md"));
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
