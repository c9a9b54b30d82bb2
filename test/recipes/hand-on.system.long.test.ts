import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { SIGNATURE_HEADER } from "../../src/entries/index.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import { seededRandom } from "../../src/relay/random.ts";
import { readSecrets } from "../../src/signature/secrets.ts";
import { verify } from "../../src/signature/verify.ts";
import { codeOf, readPage, root } from "../docs/markdown.ts";
import { bodyOf, Life, SECRET } from "../hand-on/life.ts";
import { long } from "../long.ts";
import { skip } from "../strangers/programs.ts";
import { BROKERS, isInstalled } from "./brokers.ts";
import { MODULES, NO_PACKAGES } from "./install.ts";

const KILLS = long(2, 10);
const EVENTS = long(160, 2000);

/** A recipe of the page in a folder where the package and its clients are installed. */
function recipe(folder: string, heading: string): string {
  const [, ...sections] = readPage("docs/reference/hand-on.md").split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const [code = ""] = codeOf(section, "ts");
  const packages = join(folder, "node_modules");
  mkdirSync(join(packages, "@nats-io"), { recursive: true });
  symlinkSync(root, join(packages, "hookporter"), "junction");
  for (const name of ["ioredis", "@nats-io/jetstream", "@nats-io/transport-node"]) {
    symlinkSync(join(MODULES, name), join(packages, name), "junction");
  }
  const path = join(folder, "recipe.mjs");
  writeFileSync(path, code);
  return path;
}

const recipes = BROKERS.map((broker) => [broker.heading, broker] as const);

it.for(recipes)(
  "the recipe for %s loses and repeats nothing over kills, and keeps the order of each key",
  {
    timeout: long(60_000, 300_000),
  },
  async ([heading, { program, start }], context) => {
    if (!isInstalled(program)) skip(context, program);
    if (NO_PACKAGES !== undefined) skip(context, NO_PACKAGES);
    const folder = mkdtempSync(join(tmpdir(), "hookporter-hand-on-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const broker = await start(folder);
    onTestFinished(broker.stop);
    const inbox = join(folder, "inbox.db");
    const random = seededRandom(3);
    const handlers = recipe(folder, heading);

    for (let life = 1; life <= KILLS; life++) {
      const process = await Life.start(inbox, handlers, broker.env);
      onTestFinished(() => process.kill());
      // Not all of those before were acknowledged, so all are sent again.
      for (let number = 0; number < (EVENTS * life) / KILLS; number++) process.deliver(number);
      while (process.accepted < 10) await delay(1);
      await delay(random() * 40);
      await process.kill();
    }
    const last = await Life.start(inbox, handlers, broker.env);
    onTestFinished(() => last.kill());
    for (let number = 0; number < EVENTS; number++) last.deliver(number);
    const store = sqliteInbox(inbox);
    await store.open();
    onTestFinished(() => store.close());
    while ((await store.counts()).handled < EVENTS) await delay(10);

    const messages = await broker.read();
    expect(
      messages.map(({ body }) => JSON.parse(`${body}`).data.number).sort((a, b) => a - b),
    ).toEqual(Array.from({ length: EVENTS }, (_, number) => number));
    const secrets = readSecrets(SECRET);
    for (const { headers, body } of messages) {
      const { data } = JSON.parse(`${body}`);
      expect(body).toEqual(bodyOf(data.number));
      expect(verify(body, headers[SIGNATURE_HEADER], secrets).ok).toBe(true);
    }
    const entries = [...(await store.list({}))].sort((a, b) => a.seq - b.seq);
    for (const key of ["key_0", "key_1"]) {
      const arrived = entries
        .filter(({ orderKey }) => orderKey === key)
        .map(({ key: { eventId } }) => eventId);
      expect(arrived.length).toBeGreaterThan(20);
      expect(messages.map(({ id }) => id).filter((id) => arrived.includes(id))).toEqual(arrived);
    }
  },
);
