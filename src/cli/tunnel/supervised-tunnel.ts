import { describeFileError } from "../../base/file-error.ts";
import { HookporterError } from "../../errors.ts";
import { DEFAULT_PATH } from "../../http/default-endpoint.ts";
import { ProbeKey } from "../../tunnel/probe.ts";
import { endpointUrl } from "../../tunnel/public-url.ts";
import { TunnelSupervisor } from "../../tunnel/supervisor.ts";
import type { TunnelTiming } from "../../tunnel/timing.ts";
import type { StartChild } from "../../tunnel/tunnel-child.ts";
import type { TunnelEvent } from "../../tunnel/tunnel-event.ts";
import type { CliContext } from "../context.ts";
import type { Stop } from "../end/stop.ts";
import { printable } from "../printable.ts";
import { rememberedUrl, rememberUrl } from "./memory.ts";
import type { ReachableOptions } from "./options.ts";
import { showTunnel, warnOfThePublic } from "./view.ts";

/** A supervisor and its event handling: shows events, remembers the address, stops at the end. */
export class SupervisedTunnel {
  readonly #path: string;
  readonly #subscribes: boolean;
  readonly #context: CliContext;
  readonly #key: ProbeKey;
  #supervisor: TunnelSupervisor | undefined;
  #closed = false;
  #state: TunnelEvent["state"] = "starting";

  constructor({ path = DEFAULT_PATH, subscribe = false }: ReachableOptions, context: CliContext) {
    this.#path = path;
    this.#subscribes = subscribe;
    this.#context = context;
    this.#key = new ProbeKey(path);
  }

  /** The server's answer to this target; `undefined` if it is not a probe. */
  readonly answer = (target: string): string | undefined => this.#key.answer(target);

  /**
   * Resolves with the endpoint's public address once it is online; stays pending if it never is. Calls `stop` on a permanent
   * failure, and `moved` when the address changes later.
   */
  open(
    { name, ...source }: { name: string; startChild: StartChild; timing: Partial<TunnelTiming> },
    stop: (stop: Stop) => void,
    moved: (url: string) => void,
  ): Promise<string> {
    const { io, output, clock } = this.#context;
    let warned = false;
    let told: string | undefined;
    return new Promise((resolve) => {
      if (this.#closed) return; // closed while its server was starting
      this.#supervisor = new TunnelSupervisor({
        ...source,
        probe: this.#key.probe,
        previousUrl: rememberedUrl(io.cwd, name),
        onEvent: (event) => {
          this.#state = event.state;
          const shown = this.#atEndpoint(event);
          showTunnel(name, shown, output, { now: clock(), subscribes: this.#subscribes });
          if (event.state === "failed") stop(failed(name, event));
          if (event.state !== "online" || event.url === undefined) return;
          if (!warned) warnOfThePublic(name, output);
          warned = true;
          this.#remember(name, event.url);
          const url = shown.url ?? event.url;
          if (told === undefined) resolve(url);
          else if (told !== url) moved(url);
          told = url;
        },
      });
    });
  }

  /** Notes a delivery that came through the public address. */
  arrived(): void {
    this.#supervisor?.arrived();
  }

  /** Whether a probe has arrived and the tunnel has not been in doubt since. */
  get online(): boolean {
    return this.#state === "online" && !this.#closed;
  }

  /** Closes it for good, even if it was never opened; resolves when nothing of it is running. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#supervisor?.close();
  }

  #remember(name: string, url: string): void {
    const { io, output } = this.#context;
    try {
      rememberUrl(io.cwd, name, url);
    } catch (thrown) {
      const why = describeFileError(thrown);
      output.talk(`could not remember the address for the next run: ${why}`);
    }
  }

  /** Replaces public addresses with the endpoint's address there, which is what the service needs. */
  #atEndpoint(event: TunnelEvent): TunnelEvent {
    const at = (url: string | undefined) => url && endpointUrl(url, this.#path);
    return { ...event, url: at(event.url), previousUrl: at(event.previousUrl) };
  }
}

function failed(name: string, { failure }: TunnelEvent): Stop {
  const { code = "", message = "", fix = "" } = failure ?? {};
  const text = printable(`${name}: ${message} (${code}): ${fix}`, 600);
  return {
    reason: `the tunnel failed (${code})`,
    exitCode: 5,
    error: new HookporterError("tunnel_failed", text),
  };
}
