import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { DEFAULT_INBOX } from "../../../src/cli/files/state-folder.ts";
import { DEAD_LETTER_VARIABLES } from "../../../src/cli/handlers/dead-letter-command.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { startListening } from "../listening.ts";
import { listening, startTarget } from "../open-listen.ts";

const PATIENCE = { timeout: 15_000, interval: 20 };
const TELL = `
const { readFileSync, writeFileSync } = require("node:fs");
console.log("told of " + process.env.HOOKPORTER_ENTRY);
writeFileSync("told", JSON.stringify({ env: process.env, input: JSON.parse(readFileSync(0, "utf8")) }));`;

/**
 * A folder whose path has a blank, the flags for a command in it, and a target that refuses every
 * event.
 */
async function deadly() {
  const cwd = join(tempFolder(), "my app");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "tell me.cjs"), TELL);
  const target = await startTarget(() => 400);
  const flags = [
    "--on-dead",
    `"${process.execPath}" "${join(cwd, "tell me.cjs")}"`,
    "--forward-to",
    target,
    "HOOKPORTER_GIVE_UP=on=4xx",
  ];
  const told = () =>
    vi.waitFor(() => JSON.parse(readFileSync(join(cwd, "told"), "utf8")), PATIENCE);
  return { cwd, flags, told };
}

it("listen runs a command for the first dead letter, and tells at its end of those it was not run for", async () => {
  const { cwd, flags, told } = await deadly();
  const { trigger, until, now, stop } = await listening(flags, cwd);
  await trigger("payment.received", "--set", "data.iban=DE07");
  const { env, input } = await told();
  const inbox = join(cwd, DEFAULT_INBOX);
  const summary = { seq: 1, kind: "payment.received", reason: "refused_for_good", count: 1, inbox };
  expect(input).toEqual({
    ...summary,
    id: expect.stringMatching(/^evt_1_/),
    timestamp: expect.stringMatching(/Z$/),
    problems: [],
    error: expect.stringContaining("answered 400"),
  });
  const variables = Object.entries(env).filter(([name]) => name.startsWith("HOOKPORTER_"));
  expect(variables.map(([name]) => name).sort()).toEqual([...DEAD_LETTER_VARIABLES].sort());
  expect(env).toMatchObject({
    HOOKPORTER_ENTRY: "1",
    HOOKPORTER_EVENT_ID: input.id,
    HOOKPORTER_EVENT_KIND: input.kind,
    HOOKPORTER_EVENT_TIMESTAMP: input.timestamp,
    HOOKPORTER_DEAD_REASON: input.reason,
    HOOKPORTER_DEAD_COUNT: "1",
    HOOKPORTER_INBOX: inbox,
  });
  expect(JSON.stringify(variables) + JSON.stringify(input)).not.toContain("DE07");
  await trigger("lead.created", "--count", "3");
  await until("attempt", Array(4).fill({ state: "dead" }));
  await stop();
  expect(now().stderr).toContain("on-dead: told of 1");
  expect(now().stderr).toContain("on-dead: not run for the last 3 dead letters");
});

it("the command still runs after the handlers were reloaded", async () => {
  const { cwd, flags, told } = await deadly();
  const file = join(cwd, "handlers.mjs");
  writeFileSync(file, 'export default (receiver) => { receiver.on("tenant.*", () => {}); };');
  const { trigger, said } = await listening([...flags, "--handlers", file], cwd);
  writeFileSync(file, 'export default (receiver) => { receiver.on("property.*", () => {}); };');
  await said("handlers reloaded");
  await trigger("payment.received");
  expect((await told()).input).toMatchObject({ seq: 1 });
});

it("the command gets neither our secrets nor those that flags name, and ends with a listen that ends at once", async () => {
  const { cwd, flags, told } = await deadly();
  const env = { HOOKPORTER_SECRET: "own-secret-own-secret", APP_TOKEN: "app-secret", OWN: "kept" };
  const argv = [...flags, "--header-env", "x-a=APP_TOKEN", "--count", "1"];
  const listen = startListening(argv, { cwd, env });
  const url = (await listen.ready()).localUrl.href;
  await runCli(["trigger", "lead.created", "--url", url], { cwd, env });
  await listen.ended;
  // the goal was reached with the dead letter, and the command still ran to its end
  const got = await told();
  expect(got.env).toMatchObject({ OWN: "kept", HOOKPORTER_ENTRY: "1" });
  expect(JSON.stringify(got)).not.toMatch(/own-secret|app-secret/);
});
