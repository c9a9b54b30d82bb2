import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** A file of the page, as served. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Served if the page was not built, as in a checkout of the sources. */
const NOT_BUILT = Buffer.from("The page is not built: run npm run build, then start listen again.\n");

/** The files of the built page by request target. They are listed once, so no target can name another file. */
export function readPage(folder: string): ReadonlyMap<string, PageFile> {
  if (!existsSync(join(folder, "index.html"))) {
    return new Map([["/", { type: "text/plain; charset=utf-8", bytes: NOT_BUILT }]]);
  }
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.flatMap((name): [string, PageFile][] => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const target = name === "index.html" ? "/" : `/${name.replaceAll("\\", "/")}`;
    return [[target, { type, bytes: readFileSync(join(folder, name)) }]];
  });
  return new Map(files);
}
