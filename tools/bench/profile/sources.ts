import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProfileNode } from "./v8-profile.ts";

/** Finds the source files of functions in bundles, with the source maps next to them. */
export class Sources {
  readonly #root: string;
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** @param root - the folder that file names are relative to */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * The file of a function, relative to the root; Node's own as Node names it; empty if there is
   * none.
   */
  fileOf({ url, lineNumber, columnNumber }: ProfileNode["callFrame"]): string {
    if (!url.startsWith("file:") && !url.startsWith("/")) return url;
    const path = url.startsWith("file:") ? fileURLToPath(url) : url;
    const entry = this.#mapOf(path)?.findEntry(lineNumber, columnNumber);
    const source =
      entry !== undefined && "originalSource" in entry ? entry.originalSource : undefined;
    const file = source === undefined ? path : resolve(dirname(path), source);
    return relative(this.#root, file).replaceAll("\\", "/");
  }

  #mapOf(path: string): SourceMap | undefined {
    if (!this.#maps.has(path)) {
      const map = `${path}.map`;
      const has = existsSync(map);
      this.#maps.set(path, has ? new SourceMap(JSON.parse(readFileSync(map, "utf8"))) : undefined);
    }
    return this.#maps.get(path);
  }
}
