import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readRecordedInbox } from "../../../src/cli/inbox/recorded-inbox.ts";
import { createReceiver } from "../../../src/entries/index.ts";
import { nodeReceiver } from "../../../src/entries/node.ts";
import { postgresPlace } from "../../../src/inbox/postgres/postgres-url.ts";
import { SECRET } from "../../receiver/sample.ts";
import { listenNode } from "../../receiver/wire.ts";
import { consentTo } from "../consent.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { cliIn } from "../inbox-folder.ts";
import { listening } from "../open-listen.ts";

const PAYMENT = "payment.received";
const LISTENS = ".hookporter/inbox.db";
const SERVERS = "data/inbox.db";

/** A folder with a project, whose server keeps events in another file than `listen`. */
function project() {
  const cwd = folderWith({
    "hookporter.config.json": { project: { inbox: SERVERS } },
    ".env": `HOOKPORTER_SECRET=${SECRET}\n`,
    "data/.keep": "",
  });
  return { cwd, run: cliIn(cwd) };
}

/** The server of a project, on its port. */
async function startServer(cwd: string): Promise<URL> {
  const receiver = createReceiver({ secret: SECRET, inbox: join(cwd, SERVERS) });
  await receiver.start();
  onTestFinished(() => receiver.close());
  const url = new URL("/webhooks", await listenNode(nodeReceiver(receiver)));
  folderWith({ ".env": `HOOKPORTER_SECRET=${SECRET}\nPORT=${url.port}\n` }, cwd);
  return url;
}

it("commands act on the inbox of the listen that runs in the folder of a project, and need no flag for it", async () => {
  const { cwd, run } = project();
  await listening(["--no-inspect"], cwd);
  const sent = await run(`trigger ${PAYMENT} --wait --json`);
  expect([sent.code, sent.stderr]).toEqual([7, ""]); // received, since nobody handles it
  for (const line of [
    "events list",
    "events show 1",
    "events export --to fixtures/",
    "events wait --after 0",
    "replay 1",
    "replay fixtures/",
    "types --with-samples",
    "events retry 1",
  ]) {
    const { code, stderr } = await run(line);
    expect(code, line).toBe(line === "events wait --after 0" ? 7 : 0);
    expect(stderr).not.toMatch(/^inbox:/m);
  }
  const explained = await runCli(["doctor", "--explain", "events list"], { cwd });
  expect(explained.stdout).toMatch(/from listen in this folder \(process \d+\)/);
});

it("with two inboxes, reading says which was taken, and what cannot be undone asks for one, with both lines", async () => {
  const { cwd, run } = project();
  const url = await startServer(cwd);
  await run(`trigger lead.created --url ${url.href}`);
  await listening(["--no-inspect"], cwd);
  await run(`trigger ${PAYMENT}`);

  const listed = await run("events list");
  expect(listed.stdout).toContain(PAYMENT);
  expect(listed.stderr).toContain(
    `inbox: ${LISTENS}; that of the project is ${SERVERS}: add --inbox ${SERVERS} to use it\n`,
  );
  expect((await run(`events list --inbox ${SERVERS}`)).stdout).toContain("lead.created");
  const set = await run("events list", { env: { HOOKPORTER_INBOX: SERVERS } });
  expect(set.stdout).toContain("lead.created");

  for (const line of [
    "events drop 1",
    "events erase 1 --yes",
    "events prune --older-than 1h",
    "events pause --all",
    "events resume --all",
  ]) {
    const refused = await run(line);
    expect([line, refused.code]).toEqual([line, 2]);
    expect(refused.stderr).toContain(`hookporter ${line} --inbox ${LISTENS}\``);
    expect(refused.stderr).toContain(`hookporter ${line} --inbox ${SERVERS}\``);
  }
  expect((await run("events pause")).code).toBe(0); // it shows what is paused
  const [, typed = ""] =
    /hookporter (events drop 1 --inbox data\S+)`/.exec((await run("events drop 1")).stderr) ?? [];
  expect((await run(typed)).code).toBe(0);
  expect((await run(`events show 1 --inbox ${SERVERS}`)).stdout).toMatch(/dropped/);
  expect((await run(`events show 1 --inbox ${LISTENS}`)).stdout).not.toMatch(/dropped/);
});

it("--wait looks into the inbox of the endpoint, and asks before it sends to another one", async () => {
  const { cwd, run } = project();
  const url = await startServer(cwd);
  const elsewhere = await listening(["--no-inspect"]);
  await listening(["--no-inspect"], cwd);
  const there = `localhost:${url.port}/webhooks`;
  const before = await run(`trigger lead.created --wait --json --url ${there}`);
  expect([before.code, before.records.at(-1)]).toMatchObject([7, { kind: "lead.created" }]);
  expect((await run(`replay 1 --wait --inbox ${SERVERS} --url ${url.href}`)).code).toBe(7);

  const asked = await run(`trigger ${PAYMENT} --wait --url ${elsewhere.url}`);
  expect([asked.code, asked.stderr]).toEqual([
    2,
    expect.stringContaining("expected --inbox beside --wait"),
  ]);
  expect(elsewhere.records("delivery")).toEqual([]);
  const inbox = join(elsewhere.cwd, LISTENS);
  const named = await run(
    `trigger ${PAYMENT} --wait --url ${elsewhere.url} --inbox ${inbox} --secret-env NAMED`,
  );
  expect(named.code).toBe(3); // only the secret is missing
});

it("without a listen, --wait says where to send; it sends nothing to the default endpoint", async () => {
  const { code, stderr } = await project().run(`trigger ${PAYMENT} --wait`);
  expect(code).toBe(2);
  expect(stderr).toMatch(/expected a listen .*--url http:\/\/127\.0\.0\.1:3000\/webhooks/);
});

it("what a listen has left behind is named if it is newer, or the only one; what it prints is right after its end", async () => {
  const { cwd, run } = project();
  const listen = await listening(["--no-inspect"], cwd);
  await run("trigger property.created --data {}");
  await listen.stop();
  const [, printed = ""] = /hookporter (events retry 1[^"`]*)/.exec(listen.now().stdout) ?? [];
  expect((await run(printed)).code).toBe(0);
  const missing = await run("events list");
  expect(missing.code).toBe(3);
  expect(missing.stderr).toContain(`add --inbox ${LISTENS}`);

  const { port } = await startServer(cwd);
  const listed = await run("events list");
  expect(listed.stderr).toContain(
    `inbox: ${SERVERS}; a listen that has ended has newer events in ${LISTENS}: add --inbox ${LISTENS}`,
  );
  expect((await run("events drop --all")).code).toBe(2);
  await run(`trigger ${PAYMENT} --url ${port}/webhooks`);
  expect((await run("events list")).stderr).not.toMatch(/^inbox:/m); // the server's is newer now
});

it("an inbox in memory can only be seen on the page", async () => {
  const { cwd } = await listening(["--no-inspect", "--inbox", "memory:"]);
  const run = cliIn(cwd);
  for (const line of ["events list", `trigger ${PAYMENT} --wait`, "events drop 1"]) {
    const { code, stderr } = await run(line);
    expect([line, code]).toEqual([line, 3]);
    expect(stderr).toMatch(/keeps its events in memory: only its page/);
  }
  expect((await run(`trigger ${PAYMENT}`)).code).toBe(0);
});

it("a record leads to no file outside its folder, unless the reader's own settings do", async () => {
  const outside = join(tempFolder(), "elsewhere.db");
  const listen = await listening(["--no-inspect", "--inbox", outside]);
  const { cwd } = listen;
  const record = join(cwd, ".hookporter", "listening");
  const [file = ""] = readdirSync(record).filter((name) => /^\d+$/.test(name));
  expect(JSON.parse(readFileSync(join(record, file), "utf8"))).toMatchObject({ inbox: outside });
  const run = cliIn(cwd);
  const sent = await run(`trigger ${PAYMENT} --wait`);
  expect(sent.code).toBe(2);
  expect(sent.stderr).toContain(`add --inbox ${outside}`);
  expect(listen.records("delivery")).toEqual([]);
  expect((await run("events list")).code).toBe(3);
  folderWith({ "hookporter.config.json": { listen: { inbox: outside } } }, cwd);
  const env = await consentTo(cwd);
  expect((await run(`trigger ${PAYMENT} --wait`, { env })).code).toBe(7);
  expect((await run("events list", { env })).stdout).toContain(PAYMENT);
});

it("reads a record's place: links, other folders, and databases by host, name and schema", () => {
  const cwd = tempFolder();
  const far = folderWith({ "far.db": "" });
  symlinkSync(join(far, "far.db"), join(cwd, "link.db"));
  symlinkSync(far, join(cwd, "linked"));
  const optionOf = (text: string, own: readonly string[] = []) =>
    readRecordedInbox(text, cwd, own).option;
  expect(optionOf("in.db")).toBe(join(cwd, "in.db"));
  const others = ["link.db", "linked/new.db", "../x.db", join(far, "far.db"), dirname(cwd), "."];
  for (const text of others) expect(optionOf(text), text).toBeUndefined();
  expect(optionOf(join(far, "far.db"), [join(far, "far.db")])).toBe(join(far, "far.db"));
  const own = "postgres://me:secret@db.example/app";
  expect(optionOf("postgres://db.example:5432/app?schema=hookporter", [own])).toBe(own);
  expect(optionOf("postgres://db.example:5432/other?schema=hookporter", [own])).toBeUndefined();
  expect(postgresPlace(own)).toBe("postgres://db.example:5432/app?schema=hookporter");
  expect(postgresPlace(`${own}?schema=mine&password=secret`)).toBe(
    "postgres://db.example:5432/app?schema=mine",
  );
});
