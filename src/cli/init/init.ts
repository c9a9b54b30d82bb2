import { relative, resolve } from "node:path";
import { findPackageRoot } from "../../base/package/package-root.ts";
import { pathWord } from "../../base/text/shell-word.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CliContext } from "../context.ts";
import { usageError } from "../input-errors.ts";
import { mayAsk } from "../may-ask.ts";
import { nameProblem } from "../scaffold/project-name.ts";
import { type Scaffolded, type ScaffoldOptions, scaffold } from "../scaffold/scaffold.ts";
import { findTemplate, listTemplates } from "../scaffold/templates.ts";
import { serverIn } from "../settings/config.ts";
import { DEFAULT_DIRECTORY } from "../settings/default-values.ts";
import { type OptionConflicts, resolveOptionConflicts } from "../settings/fitting.ts";
import { trustWritten } from "../trust/trust-written.ts";
import { addInto } from "./into.ts";
import { askAbout, type Project } from "./questions.ts";

interface InitOptions extends Pick<ScaffoldOptions, "template" | "inbox" | "name"> {
  readonly yes?: boolean;
  readonly into?: string;
}

/** `init [dir]`: creates a receiver project that is ready to run, with a new secret. */
export async function runInit(
  given: string | undefined,
  typed: InitOptions,
  command: CliCommand,
  context: CliContext,
): Promise<void> {
  const { io, output } = context;
  const options = resolveOptionConflicts(typed, command, INIT_CONFLICTS);
  const { into } = options;
  if (into !== undefined) {
    if (given !== undefined) throw usageError("expected a folder or --into, got both: remove one");
    return addInto(
      into,
      { yes: options.yes === true, asks: mayAsk(context, options.yes) },
      command,
      context,
    );
  }
  if (given === "")
    throw usageError("expected a folder, got an empty string: name one, or omit it");
  const wrongName = options.name === undefined ? undefined : nameProblem(options.name);
  if (wrongName !== undefined) throw usageError(`--name: ${wrongName}`);

  const from = await findPackageRoot();
  const named =
    options.template === undefined ? undefined : await findTemplate(from.path, options.template);
  const known = { directory: given, name: options.name, template: named, inbox: options.inbox };
  checkInbox(known);
  const asks = mayAsk(context, options.yes);
  const answers = asks ? await askAbout(known, await listTemplates(from.path), io) : known;
  if (answers === undefined) {
    output.talk("cancelled; nothing was written");
    context.exitCode = 130;
    return;
  }
  checkInbox(answers);
  const { directory, name, template, inbox } = answers;
  const made = await scaffold({
    directory: resolve(io.cwd, directory ?? DEFAULT_DIRECTORY),
    from,
    ...(name !== undefined && { name }),
    ...(template !== undefined && { template: template.name }),
    ...(inbox !== undefined && { inbox }),
  });
  output.record("project", made);
  output.talk(
    `Created ${made.name} in ${made.directory}: ${made.files.length} files, with a new secret in .env.`,
  );
  await trustWritten(made.directory, [], command, io);
  const server = await serverIn(made.directory, command, io);
  for (const line of nextSteps(io.cwd, made, server)) output.talk(line);
}

const INIT_CONFLICTS: OptionConflicts<InitOptions> = {
  into: { excludes: ["template", "inbox", "name"], why: "only a new project takes it" },
};

function checkInbox({ template, inbox }: Project): void {
  if (template === undefined || inbox === undefined || template.inboxes.includes(inbox)) return;
  const names = template.inboxes.join(" or ");
  throw usageError(
    `--inbox: expected ${names} for the template ${template.name}, got ${inbox}: choose ${names}, or another template`,
  );
}

function nextSteps(cwd: string, { directory, inbox }: Scaffolded, server: URL): readonly string[] {
  const path = relative(cwd, directory);
  const go = path === "" ? [] : [`  cd ${pathWord(path)}`];
  const database = [
    "  docker compose up -d --wait",
    "  (starts PostgreSQL; or set DATABASE_URL in .env)",
  ];
  return [
    "",
    "Next:",
    ...go,
    "  npm install",
    "  npm test",
    ...(inbox === "postgres" ? database : []),
    "  npm run dev",
    "",
    "Then, in a second terminal in the same folder:",
    `  npx hookporter trigger payment.received --url ${server.href}`,
  ];
}
