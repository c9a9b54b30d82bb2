import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, type NewMachine, newMachine, printed, serve, type } from "./machine.ts";
import type { Walk } from "./walk.ts";

/**
 * `npx hookporter init`, then each line that it prints, except `npm test`. The package is not
 * published yet, so npx and the project take it from the tarball, which no user has to type.
 */
export async function walkProject(
  template: string,
  tarball: string,
  settings: Readonly<Record<string, string>>,
): Promise<Walk> {
  const machine = await newMachine();
  const init = `npx hookporter init my-receiver --template ${template} --yes`;
  const created = await type(machine, machine.folder, withTarball(init, tarball));
  const printedLines = nextLines(created.output);
  const project = join(machine.folder, "my-receiver");
  usePackage(project, tarball);

  const installed = await type(machine, project, "npm install");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/webhooks`;
  const environment = { ...settings, PORT: String(port), METRICS_PORT: "0" };
  const server = await serve(
    machine,
    project,
    lineWith(printedLines, "npm run dev"),
    url,
    environment,
  );
  const trigger = lineWith(printedLines, "npx hookporter trigger").replace(
    "127.0.0.1:3000",
    `127.0.0.1:${port}`,
  );
  const began = performance.now();
  await type(machine, project, trigger);
  const deliver = await printed(server, '"message":"payment received"', began);
  return {
    name: `\`init --template ${template}\``,
    commands: [init, ...printedLines],
    files: [],
    seconds: {
      create: created.seconds,
      install: installed.seconds,
      start: server.seconds,
      deliver,
    },
  };
}

/** `npx hookporter listen` and `trigger`, with no project: deliveries in the terminal. */
export async function walkListen(tarball: string): Promise<Walk> {
  const machine: NewMachine = await newMachine();
  const commands = ["npx hookporter listen", "npx hookporter trigger payment.received"] as const;
  const port = await freePort();
  const [listen, trigger] = commands;
  const url = `http://127.0.0.1:${port}/webhooks`;
  // npx installs the package first; the server's own start is a part of this
  const line = `${withTarball(listen, tarball)} --port ${port} --inspect-port 0`;
  const server = await serve(machine, machine.folder, line, url);
  const began = performance.now();
  await type(machine, machine.folder, `${withTarball(trigger, tarball)} --url ${url}`);
  const deliver = await printed(server, "payment.received", began);
  return {
    name: "`listen`, without a project",
    commands,
    files: [],
    seconds: { create: 0, install: 0, start: server.seconds, deliver },
  };
}

function withTarball(line: string, tarball: string): string {
  return line.replace("npx hookporter", `npx --package="${tarball}" hookporter`);
}

/** The lines that `init` tells the user to type, without its remarks. */
function nextLines(output: string): readonly string[] {
  const lines = output.split("\n").filter((line) => line.startsWith("  "));
  return lines
    .map((line) => line.trim().replace(/ {2,}\(.*\)$/, ""))
    .filter((line) => line !== "npm test");
}

function lineWith(lines: readonly string[], start: string): string {
  const line = lines.find((candidate) => candidate.startsWith(start));
  if (line === undefined)
    throw new Error(`expected init to print ${start}, got ${lines.join(", ")}`);
  return line;
}

/** Makes a project depend on the packed package. */
function usePackage(project: string, tarball: string): void {
  const path = join(project, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  manifest.dependencies.hookporter = `file:${tarball}`;
  writeFileSync(path, JSON.stringify(manifest, null, 2));
}
