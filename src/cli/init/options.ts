import type { ProjectInbox } from "../../scaffold/templates.ts";

export interface InitOptions {
  readonly yes?: boolean;
  readonly template?: string;
  readonly inbox?: ProjectInbox;
  readonly name?: string;
  readonly into?: string;
}

export const DEFAULT_DIRECTORY = "my-receiver";
