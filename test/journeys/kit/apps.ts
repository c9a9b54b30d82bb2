import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { codeOf } from "../../docs/markdown.ts";
import type { World } from "./world.ts";

/** Makes an app that the user had before, with its files by their paths. */
export function app(world: World, name: string, files: Readonly<Record<string, string | object>>) {
  const project = join(world.folder, name);
  mkdirSync(project);
  for (const [path, contents] of Object.entries(files)) {
    const text = typeof contents === "string" ? contents : JSON.stringify(contents, null, 2);
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), `${text}\n`);
  }
  return project;
}

/** The first block of a page of the installed package that is in a language and has a text. */
export function exampleOf(project: string, page: string, language = "ts", text = ""): string {
  const whole = readFileSync(join(project, "node_modules", "hookporter", page), "utf8");
  const code = codeOf(whole, language).find((block) => block.includes(text));
  if (code === undefined) throw new Error(`expected ${page} to have "${text}" in ${language}`);
  return code;
}

/** The example of a receiver whose events stay, so that commands can list them. */
export function withInbox(code: string): string {
  const made = "createReceiver({ secret: process.env.HOOKPORTER_SECRET });";
  expect(code).toContain(made);
  return code.replace(made, made.replace(" });", ', inbox: "data/inbox.db" });'));
}

/** What an app that got its receiver by hand has beside it. */
export const byHand = {
  "hookporter.config.json": { project: { inbox: "data/inbox.db" } },
  "data/.gitkeep": "",
};

/** Makes a secret as pages say. */
export async function makeSecret(world: World, project: string): Promise<void> {
  await succeed(world, project, 'echo "HOOKPORTER_SECRET=$(openssl rand -hex 32)" >> .env');
}

/** Sends JSON to a route of the app itself, which must answer with it. */
export async function expectOwnRoute(url: string, path: string): Promise<void> {
  const answer = await fetch(new URL(path, url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"item":1}',
  });
  expect(await answer.json()).toEqual({ item: 1 });
}

/** Runs a line that must succeed; returns what it printed. */
export async function succeed(world: World, cwd: string, line: string): Promise<string> {
  const ran = await world.shell(cwd, line);
  expect(ran, `${line}\n${ran.text}`).toMatchObject({ code: 0 });
  return ran.text;
}

/** The events that the commands list in a project, oldest first. */
export async function entriesOf(world: World, project: string) {
  const text = await succeed(world, project, "npx hookporter events list --json --quiet");
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line)).filter((record) => "seq" in record);
}

/** Sends a signed delivery, which the app handles and keeps, and an unsigned one, which is 401. */
export async function expectReceiver(
  world: World,
  project: string,
  url: string,
  line = `npx hookporter trigger payment.received --url ${url} --wait`,
): Promise<void> {
  const before = await entriesOf(world, project);
  await succeed(world, project, line);
  const after = await entriesOf(world, project);
  expect(after.length).toBe(before.length + 1);
  expect(after.at(-1)).toMatchObject({ state: "handled" });
  const unsigned = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"event":"payment.received"}',
  });
  expect(unsigned.status).toBe(401);
  expect((await entriesOf(world, project)).length).toBe(after.length);
}

/** Waits until a server answers at all. */
export async function untilOpen(url: string): Promise<void> {
  await expect
    .poll(
      () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      { timeout: 60_000 },
    )
    .toBe(true);
}
