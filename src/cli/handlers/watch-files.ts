import { existsSync, type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { nearestFolder } from "../files/nearest-folder.ts";

/** Milliseconds without a change after which changes are reported; an editor may write a file in several steps. */
const QUIET = 100;

export interface WatchedFiles {
  /** Their paths, whether or not they exist; read again at each change. */
  readonly files: () => readonly string[];
  /** Whether another file in the folder of one of these counts too. */
  readonly alsoCounts: (file: string) => boolean;
  /** When these files were read; one that changed later, before its folder was watched, is reported too. */
  readonly readAt: () => number;
}

/** Watches files by watching their folders, since editors replace files. Reports those that changed. */
export class FileWatcher {
  readonly #watched: WatchedFiles;
  readonly #onChange: (changed: ReadonlySet<string>) => void;
  readonly #folders = new Map<string, { readonly identity: string; readonly watcher: FSWatcher }>();
  #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(watched: WatchedFiles, onChange: (changed: ReadonlySet<string>) => void) {
    this.#watched = watched;
    this.#onChange = onChange;
    this.update();
  }

  /** Watches the folders of the files of now. For a file without a folder, it watches where that would be created. */
  update(): void {
    if (this.#closed) return;
    const wanted = new Set(this.#watched.files().map((file) => nearestFolder(dirname(file))));
    for (const [folder, { identity, watcher }] of this.#folders) {
      // A folder that was deleted and created again is not the one that is watched.
      if (wanted.has(folder) && identify(folder) === identity) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    const added = [...wanted].filter((folder) => !this.#folders.has(folder));
    for (const folder of added) this.#open(folder);
    const missed = this.#watched.files().filter((file) => added.includes(dirname(file)) && this.#isNew(file));
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

  #isNew(file: string): boolean {
    const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    return modified !== undefined && modified >= this.#watched.readAt();
  }

  #counts(file: string): boolean {
    const inside = (one: string) => one === file || one.startsWith(file + sep);
    return this.#watched.alsoCounts(file) || this.#watched.files().some(inside);
  }
}

/** What tells a folder from one that is created in its place later; an inode alone may be used again. */
function identify(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.birthtimeMs}`;
}
