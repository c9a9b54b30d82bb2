/** What the tools may do only if the person who starts them allows it. */
export const PERMISSIONS = {
  many: "retry or send more than one event in a call",
  hosts: "send to other machines than this one",
} as const;

export type Permission = keyof typeof PERMISSIONS;

export interface McpOptions {
  readonly allow?: readonly Permission[];
}
