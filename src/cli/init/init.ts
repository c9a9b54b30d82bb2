import { relative, resolve } from "node:path";
import { HookporterError } from "../../errors.ts";
import { nameProblem, projectNameOf } from "../../scaffold/project-name.ts";
import { scaffold } from "../../scaffold/scaffold.ts";
import type { CliContext } from "../context.ts";
import type { Io } from "../io.ts";
import { DEFAULT_DIRECTORY, type InitOptions } from "./options.ts";

/** What may be asked for. */
interface Project {
  readonly directory: string | undefined;
  readonly name: string | undefined;
}

/** `init [dir]`: makes a new receiver project, ready to run, with a secret of its own. */
export async function runInit(
  given: string | undefined,
  options: InitOptions,
  context: CliContext,
): Promise<void> {
  const { io, output } = context;
  if (given === "")
    throw new HookporterError("usage", "expected a folder, got an empty text: name one, or leave it out");
  const wrongName = options.name === undefined ? undefined : nameProblem(options.name);
  if (wrongName !== undefined) throw new HookporterError("usage", `--name: ${wrongName}`);

  const known = { directory: given, name: options.name };
  const answers = mayAsk(options, context) ? await ask(known, context.io) : known;
  if (answers === undefined) {
    output.talk("cancelled: nothing was written");
    context.exitCode = 130;
    return;
  }
  const { template } = options;
  const made = await scaffold({
    directory: resolve(io.cwd, answers.directory ?? DEFAULT_DIRECTORY),
    ...(answers.name !== undefined && { name: answers.name }),
    ...(template !== undefined && { template }),
  });
  output.record("project", made);
  output.talk(
    `Made ${made.name} in ${made.directory}: ${made.files.length} files, with a new secret in .env.`,
  );
  for (const line of nextSteps(io.cwd, made.directory)) output.talk(line);
}

/** Questions are for people at a terminal, and never the only way. */
function mayAsk({ yes }: InitOptions, { io, output }: CliContext): boolean {
  return yes !== true && !output.json && !isCi(io) && io.isTTY.stdin && io.isTTY.stderr;
}

/** Asks for the folder and the name, where they are not known; `undefined` when it was cancelled. */
async function ask(known: Project, io: Io): Promise<Project | undefined> {
  const { isCancel, text } = await import("@clack/prompts"); // only where somebody is asked
  const streams = { input: io.stdin, output: io.stderr };
  const directory =
    known.directory ??
    (await text({
      message: "Folder of the new project",
      initialValue: DEFAULT_DIRECTORY,
      validate: (value) => (value?.trim() ? undefined : "Name a folder."),
      ...streams,
    }));
  if (isCancel(directory)) return undefined;
  const name =
    known.name ??
    (await text({
      message: "Name of the project",
      initialValue: projectNameOf(resolve(io.cwd, directory)),
      validate: (value) => nameProblem(value ?? ""),
      ...streams,
    }));
  return isCancel(name) ? undefined : { directory, name };
}

function isCi({ env: { CI = "" } }: Io): boolean {
  return !["", "0", "false"].includes(CI.toLowerCase());
}

function nextSteps(cwd: string, directory: string): readonly string[] {
  const path = relative(cwd, directory);
  const go = path === "" ? [] : [`  cd ${/^[\w./\\:~-]+$/.test(path) ? path : JSON.stringify(path)}`];
  return [
    "",
    "Next:",
    ...go,
    "  npm install",
    "  npm test",
    "  npm run dev",
    "",
    "Then, in a second terminal in the same folder:",
    "  npx hookporter trigger payment.received --url http://127.0.0.1:3000/webhooks",
  ];
}
