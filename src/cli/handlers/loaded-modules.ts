import type { ModuleLoader } from "./module-loader.ts";

/** The loaders of the handlers in use and of those that were tried last, which may have failed. */
export class LoadedModules {
  #inUse: ModuleLoader | undefined;
  #tried: ModuleLoader | undefined;

  try(loader: ModuleLoader): void {
    this.#tried = loader;
  }

  use(loader: ModuleLoader): void {
    this.#inUse = loader;
  }

  /** When the last load began, in milliseconds since the epoch. */
  get startedAt(): number {
    return this.#tried?.startedAt ?? Number.POSITIVE_INFINITY;
  }

  /** The files of which a change is a reason to load the handlers again. */
  get files(): readonly string[] {
    return [...(this.#inUse?.files ?? []), ...(this.#tried?.files ?? [])];
  }
}
