import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
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
