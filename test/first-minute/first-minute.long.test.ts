import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listTemplates } from "../../src/cli/scaffold/templates.ts";
import { root } from "../docs/markdown.ts";
import { NO_SERVER, type PostgresServer, startPostgres } from "../inbox/postgres/server.ts";
import { npmVersion, type } from "./machine.ts";
import { examples, walkExample } from "./others.ts";
import { walkListen, walkProject } from "./projects.ts";
import { conditions, table, withMeasured } from "./report.ts";
import type { Walk } from "./walk.ts";

/**
 * Everything is downloaded into an empty cache, so only the long run does it, or this variable,
 * with which the page is written.
 */
const isWriting = process.env.HOOKPORTER_FIRST_MINUTE !== undefined;
const isRunning = isWriting || process.env.HOOKPORTER_LONG !== undefined;
const PAGE = join(import.meta.dirname, "README.md");
const templates = await listTemplates(root);

describe.skipIf(!isRunning)("the first minute of a new user", { timeout: 300_000 }, () => {
  const walks: Walk[] = [];
  let place = "";
  let tarball = "";
  let postgres: PostgresServer | undefined;

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), "hookporter-packed-"));
    await type(
      { folder: place, env: process.env },
      root,
      `npm pack --ignore-scripts --pack-destination "${place}"`,
    );
    tarball = join(place, readdirSync(place).find((name) => name.endsWith(".tgz")) ?? "");
    if (NO_SERVER === undefined) postgres = await startPostgres();
  });
  afterAll(async () => {
    await postgres?.stop();
    rmSync(place, { recursive: true, force: true });
  });
  afterAll(async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const measured = `${conditions({ hookporter: version, npm: await npmVersion() })}\n\n${table(walks)}`;
    process.stdout.write(`\n${measured}\n\n`);
    if (isWriting && walks.length > 1)
      writeFileSync(PAGE, withMeasured(readFileSync(PAGE, "utf8"), measured));
  });

  it.each(templates)(
    "ends with a handled delivery in a project of $name",
    async ({ name, inboxes }) => {
      const settings: Record<string, string> =
        postgres === undefined
          ? { HOOKPORTER_INBOX: "./data/inbox.db" }
          : { DATABASE_URL: postgres.url };
      const walk = await walkProject(name, tarball, inboxes.includes("file") ? {} : settings);
      expect(walk.commands.length).toBeLessThanOrEqual(6);
      walks.push(walk);
    },
  );

  it("ends with a shown delivery in listen", async () => {
    walks.push(await walkListen(tarball));
  });

  it.each(Object.entries(examples))(
    "ends with a handled delivery in the example of %s",
    async (_, example) => {
      walks.push(await walkExample(example));
    },
  );
});
