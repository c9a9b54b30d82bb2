import { relative, resolve } from "node:path";
import { HookporterError } from "../../errors.ts";
import { nameProblem, projectNameOf } from "../../scaffold/project-name.ts";
import { scaffold } from "../../scaffold/scaffold.ts";
import type { CliContext } from "../context.ts";
import type { Io } from "../io.ts";
import { DEFAULT_DIRECTORY, type InitOptions } from "./options.ts";

/** The answers to the questions. */
interface Project {
  readonly directory: string | undefined;
  readonly name: string | undefined;
}

/** `init [dir]`: creates a receiver project that is ready to run, with a new secret. */
export async function runInit(
  given: string | undefined,
  options: InitOptions,
  context: CliContext,
): Promise<void> {
  const { io, output } = context;
  if (given === "")
    throw new HookporterError("usage", "expected a folder, got an empty string: name one, or omit it");
  const wrongName = options.name === undefined ? undefined : nameProblem(options.name);
  if (wrongName !== undefined) throw new HookporterError("usage", `--name: ${wrongName}`);

  const known = { directory: given, name: options.name };
  const answers = mayAsk(options, context) ? await ask(known, context.io) : known;
  if (answers === undefined) {
    output.talk("cancelled; nothing was written");
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
    `Created ${made.name} in ${made.directory}: ${made.files.length} files, with a new secret in .env.`,
  );
  for (const line of nextSteps(io.cwd, made.directory)) output.talk(line);
}

/** Asks only a person at a terminal; flags can answer every question. */
function mayAsk({ yes }: InitOptions, { io, output }: CliContext): boolean {
  return yes !== true && !output.json && !isCi(io) && io.isTTY.stdin && io.isTTY.stderr;
}

/** Asks for the folder and the name if they are not known; returns `undefined` if the user cancels. */
async function ask(known: Project, io: Io): Promise<Project | undefined> {
  const { isCancel, text } = await import("@clack/prompts"); // only if there is something to ask
  const streams = { input: io.stdin, output: io.stderr };
  const directory =
    known.directory ??
    (await text({
      message: "Folder of the new project",
      initialValue: DEFAULT_DIRECTORY,
      validate: (value) => (value?.trim() ? undefined : "Enter a folder."),
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
