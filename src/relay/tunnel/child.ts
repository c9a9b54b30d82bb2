import { describeError } from "../../base/errors.ts";
import { loss } from "./lost.ts";
import type { OpenTunnel, TunnelProvider, TunnelReport } from "./provider.ts";
import type { FromChild, ToChild } from "./tunnel-child.ts";

/**
 * A provider as seen by the child, which does not know its settings: the command line creates them
 * for the same name.
 */
export type AnyProvider = TunnelProvider<never>;

/** The providers by name. Each is imported only in a child that needs it. */
export const PROVIDERS: Readonly<Record<string, () => Promise<AnyProvider>>> = {
  command: async () => (await import("./command.ts")).command,
  ngrok: async () => (await import("./ngrok.ts")).ngrok,
  ssh: async () => (await import("./ssh.ts")).ssh,
};

/** Milliseconds a tunnel gets to close, since some clients never finish. */
const CLOSE_TIME = 1000;

/** The part of `process` that the child uses. */
export type ChildProcessSide = Pick<NodeJS.Process, "on" | "send" | "connected">;

/**
 * Runs in the child process: opens the tunnel that the parent asks for and reports its state. Ends
 * on request, or when the parent is gone for any reason, since that closes the channel.
 */
export function runChild(
  parent: ChildProcessSide,
  exit: () => void,
  providers: Readonly<Record<string, () => Promise<AnyProvider>>> = PROVIDERS,
): void {
  let open: OpenTunnel | undefined; // a tunnel that is still opening ends with the process
  const send = (message: FromChild) => {
    // the parent may exit at any moment
    if (parent.connected) parent.send?.(message, undefined, undefined, () => {});
  };
  const report: TunnelReport = {
    up: (url) => send({ type: "up", url }),
    down: (reason) => send({ type: "down", reason }),
    failed: (failure) => send({ type: "failed", failure }),
  };
  const broke = (thrown: unknown) => report.failed(loss("provider_crashed", describeError(thrown)));
  const end = async () => {
    const closing = open?.close().catch(() => {});
    await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, CLOSE_TIME))]);
    exit();
  };
  // Ctrl-C reaches the whole process group, but the parent decides the order of closing.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) parent.on(signal, () => {});
  parent.on("uncaughtException", broke);
  parent.on("unhandledRejection", broke);
  parent.on("disconnect", end);
  parent.on("message", (message: ToChild) => {
    if (message.type === "close") return void end();
    const load = Object.hasOwn(providers, message.provider)
      ? providers[message.provider]
      : undefined;
    if (load === undefined) return broke(`unknown provider ${message.provider}`);
    load()
      .then((provider) => provider.open(message.settings as never, message.target, report))
      .then((tunnel) => {
        open = tunnel;
      })
      .catch(broke);
  });
  if (!parent.connected) exit();
}
