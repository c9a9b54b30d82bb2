import { existsSync, type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { nearestFolder } from "../files/nearest-folder.ts";
import type { ModuleLoader } from "./module-loader.ts";

/**
 * Milliseconds without a change after which changes are reported; an editor may write a file in
 * several steps.
 */
const QUIET = 100;

/** The loaders of the handlers in use and of those that were tried last, which may have failed. */
export interface LoadedModules {
  inUse?: ModuleLoader;
  tried?: ModuleLoader;
  /** How many handlers those in use have registered. */
  handlers?: number;
}

const SOURCE = /\.[cm]?[jt]s$/;
const NOT_HANDLERS = /^[._]|\.d\.[cm]?ts$|\.(?:test|spec)\./;

/** Whether a file in a folder of handlers contains handlers, judged by its name. */
export function isHandlerFile(name: string): boolean {
  return SOURCE.test(name) && !NOT_HANDLERS.test(name);
}

/**
 * Watches the files of a handlers module: those that were loaded, and new ones in its folder. It
 * watches their folders, since editors replace files. Reports those that changed.
 */
export class HandlersWatcher {
  readonly #path: string;
  readonly #isFolder: boolean;
  readonly #loaded: LoadedModules;
  readonly #onChange: (changed: ReadonlySet<string>) => void;
  readonly #folders = new Map<string, { readonly identity: string; readonly watcher: FSWatcher }>();
  #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    path: string,
    loaded: LoadedModules,
    onChange: (changed: ReadonlySet<string>) => void,
  ) {
    this.#path = path;
    this.#isFolder = statSync(path).isDirectory();
    this.#loaded = loaded;
    this.#onChange = onChange;
    this.update();
  }

  /**
   * Watches the folders of the files of now. For a file without a folder, it watches where that
   * would be created.
   */
  update(): void {
    if (this.#closed) return;
    const wanted = new Set(this.#files.map((file) => nearestFolder(dirname(file))));
    for (const [folder, { identity, watcher }] of this.#folders) {
      // A folder that was deleted and created again is not the one that is watched.
      if (wanted.has(folder) && identify(folder) === identity) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    const added = [...wanted].filter((folder) => !this.#folders.has(folder));
    for (const folder of added) this.#open(folder);
    const missed = this.#files.filter((file) => added.includes(dirname(file)) && this.#isNew(file));
    for (const file of missed) this.#report(file);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { watcher } of this.#folders.values()) watcher.close();
  }

  #open(folder: string): void {
    const identity = identify(folder);
    if (identity === undefined) return;
    const watcher = watch(folder, (_, name) => this.#note(folder, name));
    watcher.on("error", () => {
      watcher.close();
      if (this.#folders.get(folder)?.watcher === watcher) this.#folders.delete(folder);
    });
    this.#folders.set(folder, { identity, watcher });
  }

  #note(folder: string, name: string | null): void {
    // The end of the folder itself is reported as a change of its own name.
    const whole = name === null || (name === basename(folder) && !existsSync(folder));
    const file = whole ? folder : join(folder, name);
    if (this.#counts(file)) this.#report(file);
  }

  #report(file: string): void {
    this.#changed.add(file);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const changed = this.#changed;
      this.#changed = new Set();
      this.#onChange(changed);
    }, QUIET);
  }

  /** Their paths, whether or not they exist. */
  get #files(): readonly string[] {
    const { inUse, tried } = this.#loaded;
    const first = this.#isFolder ? join(this.#path, "index") : this.#path;
    return [first, ...(inUse?.files ?? []), ...(tried?.files ?? [])];
  }

  /** Whether a file changed after it was read, before its folder was watched. */
  #isNew(file: string): boolean {
    const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    const readAt = this.#loaded.tried?.startedAt ?? Number.POSITIVE_INFINITY;
    return modified !== undefined && modified >= readAt;
  }

  #counts(file: string): boolean {
    if (this.#isFolder && dirname(file) === this.#path && isHandlerFile(basename(file)))
      return true;
    return this.#files.some((text) => text === file || text.startsWith(file + sep));
  }
}

/**
 * What tells a folder from one that is created in its place later; an inode alone may be used
 * again.
 */
function identify(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.birthtimeMs}`;
}
