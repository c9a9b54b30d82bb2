import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { trimEndOf } from "../../base/text/trim-end.ts";

/** Files that a developer of a template leaves in it; never copied. */
const LEFT_BEHIND = new Set(["node_modules", "dist", ".next", "data", "package-lock.json", ".env"]);
/** The folder of a layer with the texts that its files and those of other layers include. */
const PARTS = "_parts";
/** A line that is replaced by a part, as a comment of the file's language: `# part: NAME`. */
const MARKER = /^([ \t]*)(?:#|\/\/|<!--) part: (\S+)(?: -->)?\n/gm;

/**
 * Puts folders on top of each other: a file replaces one with the same path in an earlier folder.
 * Then fills in the parts that files include. Returns the files by their paths, with forward
 * slashes, and each `package.json` apart.
 */
export async function readLayers(folders: readonly string[]) {
  const files = new Map<string, string>();
  const parts = new Map<string, string>();
  const manifests: string[] = [];
  for (const folder of folders) {
    for (const path of await listFiles(folder)) {
      const text = await readFile(join(folder, path), "utf8");
      if (path === "package.json") manifests.push(text);
      else if (path.startsWith(`${PARTS}/`)) parts.set(path.slice(PARTS.length + 1), text);
      else if (path !== "template.json") files.set(path, text);
    }
  }
  for (const [path, text] of files) files.set(path, fillIn(text, parts));
  return { files, manifests };
}

/**
 * Replaces each marker by its part, indented as the marker is. An empty part leaves no second blank
 * line behind.
 */
function fillIn(template: string, parts: ReadonlyMap<string, string>): string {
  const filled = template.replace(MARKER, (_marker, indent: string, name: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`expected a part ${name} in the template, found none`);
    return fillIn(part, parts).replaceAll(/^(?=.)/gm, indent);
  });
  const tidy = filled.replaceAll(/\n{3,}/g, "\n\n");
  const text = trimEndOf(tidy, "\n");
  return text === tidy ? text : `${text}\n`;
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) =>
    relative(folder, join(parentPath, name)).split(sep),
  );
  return paths
    .flatMap((parts) => (parts.some((part) => LEFT_BEHIND.has(part)) ? [] : [parts.join("/")]))
    .sort();
}
