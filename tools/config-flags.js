// Writes generated/config-flags.ts, the types of the settings, from the flags of the commands.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createJiti } from "jiti";

const jiti = createJiti(import.meta.url);
const source = (name) => jiti.import(`../src/cli/${name}.ts`);
const { createContext } = await source("context");
const { createProgram } = await source("program");
const { commandName, hasOwnMeaning, isTypedOnly, leaves } = await source("settings/command-tree");
const { takenBy } = await source("settings/values");

const folder = join(import.meta.dirname, "..", "generated");
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, "config-flags.ts"),
  configFlags(createProgram(createContext({ env: {}, isTTY: {} }))),
);

function configFlags(program) {
  const commands = leaves(program);
  const names = new Set(commands.map(commandName));
  const shared = new Map();
  const sections = commands.map((command) => {
    const name = commandName(command);
    const picked = [];
    const own = [];
    for (const option of settingsOf(command)) {
      const key = option.attributeName();
      if (names.has(key) || hasOwnMeaning(key, name)) {
        own.push(field(option, typeOf(option)));
        continue;
      }
      picked.push(JSON.stringify(key));
      const { types = new Set(), first = option } = shared.get(key) ?? {};
      shared.set(key, { types: types.add(typeOf(option)), first });
    }
    const type = own.length === 0 ? "" : ` & {\n${own.join("")}}`;
    return `${comment(command.description())}readonly ${keyOf(name)}?: (Pick<SharedFlags, ${picked.join(" | ")}>${type}) | undefined;\n`;
  });
  const fields = [...shared.values()].map(({ first, types }) =>
    field(first, [...types].join(" | ")),
  );
  return [
    "// Written by tools/config-flags.js from the flags of the commands.\n",
    "/** One value, or a list of them. */\nexport type OneOrMore<Value> = Value | readonly Value[];\n",
    `/** Flags that mean the same in every command that has them. */\nexport interface SharedFlags {\n${fields.join("")}}\n`,
    `/** The flags of each command. */\nexport interface CommandFlags {\n${sections.join("")}}\n`,
  ].join("\n");
}

/** A command's flags that a file may set; `--color` and `--no-color` set one key. */
function settingsOf({ options }) {
  const seen = new Set();
  return options
    .filter((option) => !isTypedOnly(option.attributeName()))
    .filter((option) => {
      const key = option.attributeName();
      return !seen.has(key) && seen.add(key);
    });
}

function typeOf(option) {
  if (option.isBoolean() || option.negate) return "boolean";
  const { words, numbers, list } = takenBy(option.parseArg);
  const text = words?.map((word) => JSON.stringify(word)).join(" | ") ?? "string";
  const type = { too: `${text} | number`, only: "number" }[numbers] ?? text;
  return list ? `OneOrMore<${type}>` : type;
}

function field(option, type) {
  return `${comment(option.description)}readonly ${option.attributeName()}?: ${type} | undefined;\n`;
}

function comment(text) {
  const sentence =
    text[0].toUpperCase() + text.slice(1).replace("; may be repeated", "; may be a list");
  return `/** ${sentence.replaceAll("*/", "*\\/")}. */\n`;
}

function keyOf(name) {
  return /^\w+$/.test(name) ? name : JSON.stringify(name);
}
