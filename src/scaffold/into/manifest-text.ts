import { isRecord } from "../../base/is-record.ts";
import { orElse } from "../../base/or-else.ts";

const ENTRY = /(\s*)"([^"]+)"\s*:\s*"[^"]*"/g;

/**
 * Adds a dependency to the text of a package.json and changes nothing else, unless the section has the package already.
 * Returns `undefined` if the text has an unusual form.
 */
export function addDependency(text: string, section: string, name: string, range: string) {
  const table = tableOf(text, section);
  if (table !== undefined && Object.hasOwn(table, name)) return text;
  const [, end = "\n", unit = "  "] = /(\r?\n)([ \t]+)"/.exec(text) ?? [];
  const entry = `${JSON.stringify(name)}: ${JSON.stringify(range)}`;
  const lines = `${end}${unit}${unit}${entry}${end}${unit}`;
  const [whole = "", before = "", content = ""] =
    new RegExp(`(\\n${unit}"${section}"\\s*:\\s*\\{)([^{}]*)\\}`).exec(text) ?? [];
  if (table !== undefined && whole === "") return undefined;
  const entries = [...content.matchAll(ENTRY)];
  const last = entries.findLast(([, , other = ""]) => other < name);
  const [first] = entries;
  const filled =
    last !== undefined
      ? content.replace(last[0], (found) => `${found},${last[1]}${entry}`)
      : first !== undefined
        ? `${first[1]}${entry},${content}`
        : lines;
  const added =
    whole === ""
      ? text.replace(/\s*\}\s*$/, (rest) => `,${end}${unit}"${section}": {${lines}}${rest}`)
      : text.replace(whole, () => `${before}${filled}}`);
  return tableOf(added, section)?.[name] === range ? added : undefined;
}

function tableOf(text: string, section: string): Readonly<Record<string, unknown>> | undefined {
  return orElse(() => {
    const table = JSON.parse(text.replace(/^\uFEFF/, ""))[section];
    return isRecord(table) ? table : undefined;
  }, undefined);
}
