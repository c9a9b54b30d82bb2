import type { TunnelProvider } from "./provider.ts";

/** A provider for the child, which does not know its settings: they are made by the command line for the same name. */
export type AnyProvider = TunnelProvider<never>;

/** The providers by name. Each is loaded where it is used only: in a child, when it is asked for. */
export const PROVIDERS: Readonly<Record<string, () => Promise<AnyProvider>>> = {
  command: async () => (await import("./command.ts")).command,
  ngrok: async () => (await import("./ngrok.ts")).ngrok,
  ssh: async () => (await import("./ssh.ts")).ssh,
};
