/** The options of `init`. */
export interface InitOptions {
  readonly yes?: boolean;
  readonly template?: string;
  readonly name?: string;
}

/** Where a project is made when no folder is named. */
export const DEFAULT_DIRECTORY = "my-receiver";
