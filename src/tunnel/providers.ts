import type { TunnelProvider } from "./provider.ts";

/** A provider as seen by the child, which does not know its settings: the command line creates them for the same name. */
export type AnyProvider = TunnelProvider<never>;

/** The providers by name. Each is imported only in a child that needs it. */
export const PROVIDERS: Readonly<Record<string, () => Promise<AnyProvider>>> = {
  command: async () => (await import("./command.ts")).command,
  ngrok: async () => (await import("./ngrok.ts")).ngrok,
  ssh: async () => (await import("./ssh.ts")).ssh,
};
