// Writes src/config-flags.ts, the types of the settings, from the flags of the commands; with --check it only says whether
// they match.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createJiti } from "jiti";

const root = join(import.meta.dirname, "..");
const FILE = join(root, "src", "config-flags.ts");

const HEAD = "// Written by `npm run config-flags` from the flags of the commands; a test compares them.\n";

/** Values to try a flag's reader with, beside words of its description, to find out what it takes. */
const NUMBERS = ["1", "22", "3000"];
const TEXTS = [
  "a",
  "5s",
  "A=B",
  "A_B",
  "x-a: b",
  "payment.*",
  "https://a.test",
  "wss://a.test",
  "a.test",
  "10%",
];

/** The source of src/config-flags.ts. */
function configFlags(program, { leaves, commandName, hasOwnMeaning, wordsOfReader }) {
  const commands = leaves(program);
  const names = new Set(commands.map(commandName));
  const isShared = (option, command) => {
    const key = option.attributeName();
    return !names.has(key) && !hasOwnMeaning(key, commandName(command));
  };
  const shared = new Map();
  const sections = commands.map((command) => {
    const options = oneOfEach(command.options);
    for (const option of options.filter((one) => isShared(one, command))) {
      const key = option.attributeName();
      const before = shared.get(key);
      shared.set(key, {
        option: before?.option ?? option,
        types: new Set(before?.types).add(typeOf(option)),
      });
    }
    const own = options.filter((option) => !isShared(option, command));
    const picked = options.filter((option) => isShared(option, command)).map((one) => one.attributeName());
    const keys = picked.map((key) => JSON.stringify(key)).join(" | ");
    const fields = own.map((option) => field(option, typeOf(option))).join("");
    const type = own.length === 0 ? "" : ` & {\n${fields}}`;
    return `${comment(command.description())}readonly ${keyOf(commandName(command))}?: (Pick<SharedFlags, ${keys}>${type}) | undefined;\n`;
  });
  const fields = [...shared.values()].map(({ option, types }) => field(option, [...types].join(" | ")));
  return [
    HEAD,
    "/** One value, or a list of them. */\nexport type OneOrMore<Value> = Value | readonly Value[];\n",
    `/** Flags that mean the same in every command that has them. */\nexport interface SharedFlags {\n${fields.join("")}}\n`,
    `/** The flags of each command. */\nexport interface CommandFlags {\n${sections.join("")}}\n`,
  ].join("\n");

  function typeOf(option) {
    if (option.isBoolean() || option.negate) return "boolean";
    if (option.parseArg === undefined) return "string";
    const listed = wordsOfReader(option.parseArg);
    const known = listed?.concat(["*"].filter((all) => read(option, all) !== undefined)); // every kind
    const described = [...option.description.matchAll(/'([^']+)'|[^\s,;:()]+/g)].map(
      ([word, quoted]) => quoted ?? word,
    );
    const texts = [...(known ?? []), ...TEXTS, ...described].filter(
      (text) => read(option, text) !== undefined,
    );
    const numbers = NUMBERS.filter((text) => isNumeric(read(option, text), text));
    const words = known === undefined ? "string" : known.map((word) => JSON.stringify(word)).join(" | ");
    const others = texts.filter((text) => known !== undefined || !/^[\d.]+$/.test(text));
    const type = [...(others.length > 0 ? [words] : []), ...(numbers.length > 0 ? ["number"] : [])].join(
      " | ",
    );
    return [...texts, ...numbers].some((text) => adds(option, text))
      ? `OneOrMore<${type}>`
      : type || "string";
  }
}

/** `--color` and `--no-color` set one key. */
function oneOfEach(options) {
  const seen = new Set();
  return options.filter((option) => !seen.has(option.attributeName()) && seen.add(option.attributeName()));
}

function field(option, type) {
  return `${comment(option.description)}readonly ${option.attributeName()}?: ${type} | undefined;\n`;
}

function comment(text) {
  const sentence = text[0].toUpperCase() + text.slice(1).replace("; may be repeated", "; may be a list");
  return `/** ${sentence.replaceAll("*/", "*\\/")}. */\n`;
}

function keyOf(name) {
  return /^\w+$/.test(name) ? name : JSON.stringify(name);
}

function read(option, text, before) {
  try {
    return option.parseArg(text, before);
  } catch {
    return undefined;
  }
}

/** Whether a reader made something else of digits than the same text. */
function isNumeric(value, text) {
  return value !== undefined && [value].flat().at(-1) !== text;
}

function adds(option, text) {
  const once = read(option, text);
  const twice = read(option, text, once);
  return Array.isArray(once) && Array.isArray(twice) && twice.length > once.length;
}

/** As `biome format` writes it. */
function formatted(text) {
  const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
  const args = [biome, "format", "--stdin-file-path=src/config-flags.ts"];
  return execFileSync(process.execPath, args, { cwd: root, input: text, encoding: "utf8" });
}

const jiti = createJiti(import.meta.url);
const source = (name) => jiti.import(`../src/cli/${name}.ts`);
const { createContext } = await source("context");
const { createProgram } = await source("program");
const program = createProgram(createContext({ env: {}, isTTY: {} }));
const parts = { ...(await source("settings/command-tree")), ...(await source("settings/values")) };
const text = formatted(configFlags(program, parts));
if (!process.argv.includes("--check")) writeFileSync(FILE, text);
else if (readFileSync(FILE, "utf8") !== text) {
  process.exitCode = 1;
  console.error("expected src/config-flags.ts to have the flags of the commands: run npm run config-flags");
}
