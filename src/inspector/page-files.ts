import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** `br` if the bytes are compressed with Brotli. Default: they are not. */
  readonly encoding?: "br" | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Served if the page was not built, as in a checkout of the sources. */
const NOT_BUILT = Buffer.from(
  "The page is not built: run npm run build, then start listen again.\n",
);

/**
 * The files of the built page by request target. They are listed once, so no target can name
 * another file.
 */
export function readPage(folder: string): ReadonlyMap<string, PageFile> {
  if (!existsSync(join(folder, "index.html"))) {
    return new Map([["/", { type: "text/plain; charset=utf-8", bytes: NOT_BUILT }]]);
  }
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.flatMap((name): [string, PageFile][] => {
    const plain = name.replace(/\.br$/, "");
    const type = TYPES[extname(plain)];
    if (type === undefined) return [];
    const target = plain === "index.html" ? "/" : `/${plain.replaceAll("\\", "/")}`;
    const encoding = plain === name ? undefined : "br";
    return [[target, { type, bytes: readFileSync(join(folder, name)), encoding }]];
  });
  return new Map(files);
}

/**
 * A file as a client takes it: over plain HTTP from another machine, browsers do not accept Brotli.
 */
export function fileFor(file: PageFile, acceptEncoding = ""): PageFile {
  const isAccepted = /^\s*br\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/i;
  if (
    file.encoding === undefined ||
    acceptEncoding.split(",").some((part) => isAccepted.test(part))
  )
    return file;
  return { type: file.type, bytes: brotliDecompressSync(file.bytes) };
}
