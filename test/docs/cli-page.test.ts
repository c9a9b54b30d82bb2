import type { Command, Option } from "commander";
import { expect, it } from "vitest";
import { createContext } from "../../src/cli/context.ts";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { DEAD_LETTER_VARIABLES } from "../../src/cli/handlers/dead-letter-command.ts";
import { EXEC_VARIABLES } from "../../src/cli/handlers/exec-command.ts";
import { RECORD_SCHEMA_VERSION } from "../../src/cli/output.ts";
import { createProgram } from "../../src/cli/program.ts";
import {
  PREVIOUS_SECRET_VARIABLE,
  SECRET_VARIABLE,
} from "../../src/cli/project/secret-variables.ts";
import {
  commandName,
  isSettingOnly,
  isTypedOnly,
  leaves,
  variableName,
} from "../../src/cli/settings/command-tree.ts";
import { TRUST_VARIABLE } from "../../src/cli/trust/consent.ts";
import { NOT_KEPT } from "../../src/receiver/admit.ts";
import { MISLEADING, NOT_PASSED_ON } from "../../src/relay/hop-by-hop.ts";
import { fakeIo, runCli } from "../cli/fake-io.ts";
import { codeOf, pagesIn, quoted, readPage, rowsOf, sectionOf, sectionsOf } from "./markdown.ts";

const FOLDER = "docs/reference/cli";
/** What all commands share has pages beside those of the commands. */
const SHARED = ["configuration", "handlers-modules", "saved-deliveries", "secrets"].map(
  (name) => `docs/reference/${name}.md`,
);
const cliPages = [...pagesIn(FOLDER), ...SHARED];
const page = cliPages.map(readPage).join("\n");
const index = readPage(`${FOLDER}/index.md`);
const commands = leaves(createProgram(createContext(fakeIo({ cwd: "." }).io)));
const COMMON = "Flags of every command";
const allPages = [
  "README.md",
  "CONTRIBUTING.md",
  "templates/_shared/_parts/readme-intro.md",
  "templates/_shared/_parts/readme-handlers.md",
  "templates/_inbox-file/_parts/readme-events.md",
  "templates/_inbox-postgres/_parts/readme-events.md",
  ...pagesIn("docs"),
];

it("every command has a page of its name, and no other has one", () => {
  const titles = pagesIn(FOLDER).flatMap(
    (path) => /^# `(.+)`$/m.exec(readPage(path))?.slice(1) ?? [],
  );
  expect([...titles].sort()).toEqual(commands.map(commandName).sort());
  for (const command of commands)
    expect(pageOf(command)).toMatch(`# \`${commandName(command)}\`\n`);
});

it("the index lists every command in the order of the help", () => {
  const listed = rowsOf(index).flatMap(([name = ""]) => /^\[`(.+)`\]/.exec(name)?.slice(1) ?? []);
  expect(listed).toEqual(commands.map(commandName));
});

it.each(commands.map((command) => [commandName(command), command] as const))(
  "the page of %s begins with one sentence that shows its call, one example, and its options",
  (name, command) => {
    const [title, sentence = "", example = "", heading] = pageOf(command).split("\n\n");
    expect(title).toBe(`# \`${name}\``);
    expect(sentence).toContain(`\`${usageOf(command)}\``);
    expect(
      sentence
        .replaceAll(/`[^`]*`|\([^)]*\)/g, "")
        .match(/[.:](?=\s|$)/g)
        ?.at(-1),
    ).toBe(".");
    expect(sentence.replaceAll(/`[^`]*`|\([^)]*\)/g, "")).not.toMatch(/\.\s/);
    expect(example).toMatch(/^(?:<!-- given: .* -->\n)?```sh\n.*\bnpx hookporter /);
    expect(heading).toBe("## Options");
  },
);

it.each(commands.map((command) => [commandName(command), command] as const))(
  "the page lists every flag and setting of %s with its variable and the default of its help, and no other",
  (_, command) => {
    const common = flagRows(sectionOf(index, COMMON));
    const onPage = [...flagRowsOf(command), ...common].map(({ flag, variable }) => [
      flag,
      variable,
    ]);
    const inCode = command.options.map((option) => [
      flagOf(option),
      isTypedOnly(option.attributeName()) ? "" : variableName(option, command),
    ]);
    expect(onPage.sort()).toEqual(inCode.sort());
    const defaults = flagRowsOf(command).map(({ flag, fallback }) => [flag, fallback]);
    const own = command.options.map((option) => [flagOf(option), defaultOf(option)]);
    const listed = own.filter(([flag]) => defaults.some(([name]) => name === flag));
    expect(defaults.sort()).toEqual(listed.sort());
  },
);

it("the page lists the headers that a forward drops, and no other", () => {
  const onPage = rowsOf(sectionOf(page, "Headers that are not forwarded")).flatMap(([names = ""]) =>
    quoted(names),
  );
  const inCode = new Set([...NOT_KEPT, ...NOT_PASSED_ON, ...MISLEADING]);
  inCode.delete("__proto__"); // no header of a real sender
  expect(onPage.sort()).toEqual([...inCode].sort());
});

it.each([
  ["Run a program for each event", EXEC_VARIABLES],
  ["Run a program for dead letters", DEAD_LETTER_VARIABLES],
] as const)(
  "the page lists the variables under %s that a command gets, and no other",
  (heading, variables) => {
    const onPage = rowsOf(sectionOf(page, heading).replaceAll(/^ +(?=\|)/gm, "")).map(
      ([name = ""]) => quoted(name)[0],
    );
    expect(onPage.sort()).toEqual([...variables].sort());
  },
);

it("the page of the environment names every flag whose variable contains the command's name, and no other", () => {
  const [everywhere = "", once = ""] = sectionOf(
    readPage("docs/reference/environment.md"),
    "Variables of flags",
  )
    .split(/^- in /m)
    .slice(1);
  const onPage = commands.flatMap((command) => {
    const named = new Set([...quoted(everywhere), ...quoted(once)]);
    const name = commandName(command);
    const found = command.options.filter(
      (option) =>
        named.has(option.long ?? "") ||
        named.has(`${name} ${isSettingOnly(option) ? option.attributeName() : option.long}`),
    );
    return found.map(({ long }) => `${name} ${long}`);
  });
  const inCode = commands.flatMap((command) => {
    const differing = command.options.filter((option) => {
      const flag = (option.long ?? "").replace(option.negate ? /^--no-/ : /^--/, "");
      return (
        variableName(option, command) !== `HOOKPORTER_${flag.toUpperCase().replaceAll("-", "_")}`
      );
    });
    return differing.map(({ long }) => `${commandName(command)} ${long}`);
  });
  expect(inCode.length).toBeGreaterThan(20);
  expect(onPage.sort()).toEqual(inCode.sort());
});

it("the page names no unknown flag", () => {
  const flags = new Set(commands.flatMap((command) => typedFlags(command)));
  for (const general of ["--help", "--version", "--no-color"]) flags.add(general);
  // `curl` has its own flags.
  const named = page.replaceAll(/--data-binary|`curl [^`]*`/g, "").match(/--[a-z][a-z-]*/g) ?? [];
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((flag) => !flags.has(flag))).toEqual([]);
});

it("the page names no unknown variable", () => {
  const variables = new Set(
    commands.flatMap((command) => command.options.map((option) => variableName(option, command))),
  );
  const keys = [SECRET_VARIABLE, PREVIOUS_SECRET_VARIABLE, "HOOKPORTER_API_KEY", TRUST_VARIABLE];
  for (const held of [...keys, ...EXEC_VARIABLES, ...DEAD_LETTER_VARIABLES]) variables.add(held);
  const named = page.match(/HOOKPORTER_[A-Z_]+/g) ?? [];
  expect(named.filter((variable) => !variables.has(variable))).toEqual([]);
});

it("the pages have only existing commands and flags", () => {
  const calls = allPages.flatMap(
    (path) => readPage(path).match(/(?<=npx hookporter )[a-z].*/g) ?? [],
  );
  expect(calls.length).toBeGreaterThan(5);
  const wrong = calls.filter((call) => {
    const command = commands.find((command) =>
      new RegExp(`^${commandName(command)}\\b`).test(call),
    );
    const known = command === undefined ? [] : typedFlags(command);
    const [own = ""] = call.split(/ [|&;]|\)"|`/); // other programs have their own flags
    return (
      command === undefined || (own.match(/--[a-z-]+/g) ?? []).some((flag) => !known.includes(flag))
    );
  });
  expect(wrong).toEqual([]);
});

it("every call of `events retry` on the pages says what to retry", async () => {
  const shell = allPages.flatMap((path) => codeOf(readPage(path), "sh")).join("\n");
  const calls = shell.match(/(?<=npx hookporter )events retry.*/g) ?? [];
  expect(calls.length).toBeGreaterThan(1);
  for (const call of calls) {
    const run = await runCli(call.replaceAll("'", "").split(" "));
    expect(run.code, call).toBe(3); // there is no inbox, but the command line is valid
  }
});

it("the page lists every exit code with its meaning, and no other", () => {
  const onPage = rowsOf(sectionOf(page, "Exit codes"));
  expect(onPage).toEqual(Object.entries(EXIT_CODES));
});

/** The fields of the records that the golden file leaves out, which their own tests hold. */
const NOT_GOLDEN = {
  drill: ["acknowledged", "dead", "kills", "lost", "runTwice", "runTwiceAtOnce", "stuck"],
  outage: ["duration"],
};

it("the page lists the fields of every record as the commands print them", () => {
  const printed = new Map<string, Set<string>>();
  const golden: Record<string, { records: Record<string, unknown>[] }> = JSON.parse(
    readPage("test/cli/records/golden.txt"),
  );
  const records = Object.values(golden).flatMap(({ records }) => records);
  for (const { schemaVersion, type, time, ...fields } of records) {
    expect([schemaVersion, typeof time]).toEqual([RECORD_SCHEMA_VERSION, "string"]);
    const known = printed.get(String(type)) ?? new Set();
    for (const name of Object.keys(fields)) known.add(name);
    printed.set(String(type), known);
  }
  const inCode = [...printed].map(([type, fields]) => [type, [...fields].sort()]);
  const onPage = rowsOf(sectionOf(page, "Records of --json")).map(([type = "", , fields = ""]) => [
    quoted(type)[0],
    [...new Set(quoted(fields))].filter((field) => !field.includes(" ")).sort(),
  ]);
  expect(Object.fromEntries(onPage)).toEqual({ ...NOT_GOLDEN, ...Object.fromEntries(inCode) });
});

interface FlagRow {
  readonly flag: string;
  readonly variable: string;
  readonly fallback: string;
}

/**
 * The flags and settings on a command's page: those of its tables, and those that are "those of"
 * another command.
 */
function flagRowsOf(command: Command): readonly FlagRow[] {
  const text = pageOf(command);
  const paragraphs = text.split("\n\n");
  const borrowed = paragraphs.flatMap((paragraph) => {
    const [, names = "", other = ""] =
      /^(`.*`) (?:are|is)\s\[(?:those|that)\sof\s`([\w ]+)`\]/s.exec(paragraph) ?? [];
    if (other === "") return [];
    const theirs = flagRows(readPage(`${FOLDER}/${other.replaceAll(" ", "-")}.md`));
    const named = new Set(quoted(names));
    return theirs.flatMap((row) => {
      const [name = ""] = row.flag.split(" ");
      if (named.has(name)) return [row];
      const key = camelCase(name); // a flag there that is a setting here
      return named.has(key) ? [{ ...row, flag: key }] : [];
    });
  });
  return [...flagRows(text), ...borrowed];
}

function camelCase(flag: string): string {
  return flag
    .replace(/^--/, "")
    .replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The rows of all tables of flags in a text, and of its table of settings. */
function flagRows(text: string): readonly FlagRow[] {
  const settings = sectionsOf(text).get("Settings") ?? "";
  const rows = [
    ...rowsOf(text).filter(([flag = ""]) => flag.startsWith("`--")),
    ...rowsOf(settings).filter(([name = ""]) => /^`[a-z]/i.test(name)),
  ];
  return rows.map(([flag = "", variable = "", fallback = ""]) => ({
    flag: quoted(flag)[0] ?? flag,
    variable: quoted(variable)[0] ?? variable,
    fallback: fallback.replaceAll("`", ""),
  }));
}

/** The flags that the command line takes. */
function typedFlags({ options }: Command): readonly (string | undefined)[] {
  return options.filter((option) => !isSettingOnly(option)).map(({ long }) => long);
}

/** The page of a command, such as `events-list.md`. */
function pageOf(command: Command): string {
  return readPage(`${FOLDER}/${commandName(command).replaceAll(" ", "-")}.md`);
}

/** A flag with its argument, such as `--port <n>`; a setting by its key, such as `sshIdentity`. */
function flagOf(option: Option): string {
  return isSettingOnly(option) ? option.attributeName() : option.flags;
}

function defaultOf({ description }: Option): string {
  return /\(default: (.+)\)$/.exec(description)?.[1] ?? "";
}

function usageOf(command: Command): string {
  const values = command.registeredArguments.map((argument) => {
    const text = argument.name() + (argument.variadic ? "..." : "");
    return argument.required ? `<${text}>` : `[${text}]`;
  });
  return [commandName(command), ...values].join(" ");
}
