import { type RunningServer, startServer } from "../../adapters/server.ts";
import { HookporterError } from "../../base/errors.ts";
import { describeFileError } from "../../base/file-error.ts";
import { DEFAULT_PATH } from "../../http/default-endpoint.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { ProbeKey } from "../../relay/tunnel/probe.ts";
import { endpointUrl } from "../../relay/tunnel/public-url.ts";
import { TunnelSupervisor } from "../../relay/tunnel/supervisor.ts";
import type { TunnelTiming } from "../../relay/tunnel/timing.ts";
import type { StartChild } from "../../relay/tunnel/tunnel-child.ts";
import type { TunnelEvent } from "../../relay/tunnel/tunnel-event.ts";
import type { CliContext } from "../context.ts";
import type { Stop } from "../end/stop.ts";
import { printable } from "../output.ts";
import { rememberedUrl, rememberUrl } from "./memory.ts";
import type { ReachableOptions } from "./tunnel-options.ts";
import { showTunnel, warnOfThePublic } from "./view.ts";

export const HOST = "127.0.0.1";

/** How a public address comes to lead here. */
interface TunnelRoute {
  readonly name: string;
  readonly timing: Partial<TunnelTiming>;
  /** Whether it leads to the main server; otherwise to a port of its own. */
  readonly toMain: boolean;
  readonly childTo: (port: number) => Promise<StartChild>;
}

/** A public address for this process: shows what happens to it, remembers it, stops at the end. */
export class SupervisedTunnel {
  readonly #way: TunnelRoute;
  readonly #path: string;
  readonly #subscribes: boolean;
  readonly #context: CliContext;
  readonly #key: ProbeKey;
  #serving: Promise<RunningServer> | undefined;
  #supervisor: TunnelSupervisor | undefined;
  #closed = false;
  #state: TunnelEvent["state"] = "starting";
  /** What the main server answers besides the endpoint: probes, if the address leads to it. */
  readonly alsoHere: ((target: string) => string | undefined) | undefined;

  constructor(
    way: TunnelRoute,
    { path = DEFAULT_PATH, subscribe = false }: ReachableOptions,
    context: CliContext,
  ) {
    this.#way = way;
    this.#path = path;
    this.#subscribes = subscribe;
    this.#context = context;
    this.#key = new ProbeKey(path);
    this.alsoHere = way.toMain ? (target) => this.#answer(target) : undefined;
  }

  /**
   * Opens it; resolves with the endpoint's public address once a probe has arrived through it;
   * stays pending if none does. Calls `stop` on a permanent failure, now or later, and `moved` when
   * the address changes.
   */
  async open(
    receiver: Pick<Receiver, "receive">,
    stop: (stop: Stop) => void,
    moved: (url: string) => void,
  ): Promise<string> {
    const { name, timing, toMain, childTo } = this.#way;
    const startChild = await childTo(toMain ? 0 : await this.#serve(receiver));
    const { io, output, clock } = this.#context;
    let reported: string | undefined;
    return new Promise((resolve) => {
      if (this.#closed) return; // closed while its server was starting
      this.#supervisor = new TunnelSupervisor({
        startChild,
        timing,
        probe: (url, timeout) => this.#key.probe(url, timeout),
        previousUrl: rememberedUrl(io.cwd, name),
        onEvent: (event) => {
          this.#state = event.state;
          const shown = this.#atEndpoint(event);
          showTunnel(name, shown, output, { now: clock(), subscribes: this.#subscribes });
          if (event.state === "failed") stop(failed(name, event));
          if (event.state !== "online" || event.url === undefined) return;
          if (reported === undefined) warnOfThePublic(name, output);
          this.#remember(name, event.url);
          const url = shown.url ?? event.url;
          if (reported === undefined) resolve(url);
          else if (reported !== url) moved(url);
          reported = url;
        },
      });
    });
  }

  /**
   * Whether deliveries can arrive through it now: a probe has, and it has not been in doubt since.
   */
  get online(): boolean {
    return this.#state === "online" && !this.#closed;
  }

  /** Closes it for good, even if it was never opened; resolves when nothing of it is running. */
  async close(): Promise<void> {
    const server = await this.#serving?.catch(() => undefined);
    await server?.close(); // first, so that answers in progress can still leave through the tunnel
    this.#closed = true;
    await this.#supervisor?.close();
  }

  /** The server's answer to this target; `undefined` if it is not a probe. */
  #answer(target: string): string | undefined {
    return this.#key.answer(target);
  }

  /**
   * Serves only the endpoint, so that nothing else in this process can become public; returns the
   * port.
   */
  async #serve(receiver: Pick<Receiver, "receive">): Promise<number> {
    const receive: Receiver["receive"] = (...given) => {
      this.#supervisor?.arrived(); // only the tunnel leads to this server
      return receiver.receive(...given);
    };
    this.#serving = startServer(
      { receive },
      { port: 0, host: HOST, path: this.#path, also: (target) => this.#answer(target) },
    );
    return Number((await this.#serving).url.port);
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

  /**
   * Replaces public addresses with the endpoint's address there, which is what the service needs.
   */
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
