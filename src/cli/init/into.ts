import { realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { findPackageRoot } from "../../base/package/package-root.ts";
import { counted } from "../../base/text/counted.ts";
import { diffLines } from "../../base/text/diff-lines.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { checkReplaceable, replaceFile } from "../files/replace-file.ts";
import { usageError } from "../input-errors.ts";
import { confirmed } from "../may-ask.ts";
import { type IntoPlan, type PlannedText, planInto } from "../scaffold/into/plan.ts";
import { writeNew } from "../scaffold/scaffold.ts";
import { serverIn } from "../settings/config.ts";
import { trustWritten, untrustedIn } from "../trust/trust-written.ts";

/** `init --into DIR`: adds a receiver to an app, once the user has seen what changes. */
export async function addInto(
  into: string,
  { yes, asks }: { readonly yes: boolean; readonly asks: boolean },
  command: CliCommand,
  context: CliContext,
): Promise<void> {
  const { io, output } = context;
  const directory = resolve(io.cwd, into);
  const plan = await planInto(directory, await findPackageRoot());
  const { framework, home, texts, toDo } = plan;
  const written = texts.map(({ path }) => path).sort();
  if (texts.length === 0) {
    output.talk(`Nothing changed: this ${framework} app has a receiver in ${home}.`);
    output.record("receiver", { directory, framework, home, files: written, toDo });
    return;
  }
  for (const text of texts) for (const line of changeLines(text, context)) output.data(line);
  if (!yes && !asks) {
    const fix = "pass --yes to write these changes";
    throw usageError(
      `expected --yes or a terminal to ask on, got neither; nothing was written: ${fix}`,
    );
  }
  if (!yes && !(await confirmed("Write these changes?", context))) {
    output.talk("cancelled; nothing was written");
    context.exitCode = 130;
    return;
  }
  const server = await serverIn(directory, command, io);
  const before = await untrustedIn(directory, command, io);
  await write(directory, texts);
  await trustWritten(directory, before, command, io);
  output.record("receiver", { directory, framework, home, files: written, toDo });
  output.talk(`Added a receiver to this ${framework} app, in ${home}, with a secret in .env.`);
  for (const line of nextSteps(plan, server)) output.talk(line);
}

/**
 * A new file as its name; one with inserted lines as these, each group with the line before it.
 * Secrets are hidden.
 */
function changeLines({ path, before, after }: PlannedText, { output: { color } }: CliContext) {
  const isNew = before === undefined;
  const all = diffLines((before ?? "").split("\n"), after.split("\n"));
  const added = all.filter(({ change }) => change === "added").length;
  const first = all.findIndex(({ change }) => change === "added");
  const shown = all.flatMap(({ change, text }, index) => {
    const line = text.trimEnd().replace(/^(HOOKPORTER_SECRET=).+/, "$1(a new secret)");
    if (change === "added") return [color.green(`  + ${line}`)];
    if (all[index + 1]?.change !== "added" || path === ".env") return []; // where other secrets are
    const isAfterGap = index > first && all[index - 1]?.change === "same";
    return [...(isAfterGap ? ["    …"] : []), `    ${line}`].map((text) => color.dim(text));
  });
  return isNew
    ? [color.green(`+ ${path} (new, ${counted(added, "line", "lines")})`)]
    : [path, ...shown];
}

async function write(directory: string, texts: readonly PlannedText[]): Promise<void> {
  const existing = (path: string) => realpathSync(join(directory, path));
  for (const { path, before } of texts) if (before !== undefined) checkReplaceable(existing(path));
  for (const { path, before, after: content } of texts) {
    if (before === undefined)
      await writeNew(directory, { path, content, ...(path === ".env" && { mode: 0o600 }) });
    else replaceFile(existing(path), content, statSync(existing(path)).mode);
  }
}

function nextSteps({ test, home, toDo }: IntoPlan, server: URL): readonly string[] {
  return [
    ...(toDo.length === 0 ? [] : ["", "Left to do by hand:"]),
    ...toDo.map(({ where, line }) => `  ${where}:\n    ${line}`),
    "",
    "Next (with pnpm, Yarn or Bun instead, if this app uses one of them):",
    "  npm install",
    test === undefined
      ? "  (no test was written, since the app has Jest: see node_modules/hookporter/docs/guides/test-your-handlers.md)"
      : `  npx vitest run ${home}`,
    "",
    "Then start the app, and in a second terminal in the same folder:",
    `  npx hookporter trigger payment.received --url ${server.port || 80} --wait`,
  ];
}
