import type { ProjectInbox } from "../../scaffold/templates.ts";

/** The options of `init`. */
export interface InitOptions {
  readonly yes?: boolean;
  readonly template?: string;
  readonly inbox?: ProjectInbox;
  readonly name?: string;
  readonly into?: string;
}

/** The folder to create a project in if none is named. */
export const DEFAULT_DIRECTORY = "my-receiver";
