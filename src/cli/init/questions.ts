import { resolve } from "node:path";
import type { Io } from "../io.ts";
import { nameProblem, projectNameOf } from "../scaffold/project-name.ts";
import type { ProjectInbox, Template } from "../scaffold/templates.ts";
import { DEFAULT_DIRECTORY } from "../settings/default-values.ts";

/** What is known of the project to create; the rest is asked, or has a default. */
export interface Project {
  readonly directory: string | undefined;
  readonly name: string | undefined;
  readonly template: Template | undefined;
  readonly inbox: ProjectInbox | undefined;
}

const INBOXES: Readonly<Record<ProjectInbox, { readonly label: string; readonly hint: string }>> = {
  file: { label: "a file", hint: "one process on one machine; nothing to install" },
  postgres: { label: "PostgreSQL", hint: "several processes or machines share it" },
};

/** Asks for all that is not known; returns `undefined` if the user cancels. */
export async function askAbout(
  known: Project,
  templates: readonly Template[],
  io: Io,
): Promise<Project | undefined> {
  // only if there is something to ask
  const { isCancel, select, text } = await import("@clack/prompts");
  const streams = { input: io.stdin, output: io.stderr };
  const ask = (
    message: string,
    byDefault: string,
    problem: (value: string) => string | undefined,
  ) =>
    text({
      message,
      placeholder: byDefault,
      defaultValue: byDefault,
      validate: (value) => problem(value || byDefault),
      ...streams,
    });
  const noFolder = (value: string) => (value.trim() === "" ? "Enter a folder." : undefined);
  const directory =
    known.directory ?? (await ask("Folder of the new project", DEFAULT_DIRECTORY, noFolder));
  if (isCancel(directory)) return undefined;
  const ownName = projectNameOf(resolve(io.cwd, directory));
  const name = known.name ?? (await ask("Name of the project", ownName, nameProblem));
  if (isCancel(name)) return undefined;
  const template =
    known.template ??
    (await select({
      message: "Template",
      options: templates.map((template) => ({
        value: template,
        label: template.name,
        hint: template.title,
      })),
      ...streams,
    }));
  if (isCancel(template)) return undefined;
  const [first, second] = template.inboxes;
  const inbox =
    known.inbox ??
    (second === undefined
      ? first
      : await select({
          message: "Where to keep the events",
          options: template.inboxes.map((inbox) => ({ value: inbox, ...INBOXES[inbox] })),
          ...streams,
        }));
  return isCancel(inbox) ? undefined : { directory, name, template, inbox };
}
