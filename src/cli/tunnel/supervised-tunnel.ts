import { HookporterError } from "../../errors.ts";
import { endpointUrl } from "../../tunnel/endpoint-url.ts";
import { ProbeKey } from "../../tunnel/probe.ts";
import { TunnelSupervisor } from "../../tunnel/supervisor.ts";
import type { TunnelTiming } from "../../tunnel/timing.ts";
import type { StartChild } from "../../tunnel/tunnel-child.ts";
import type { TunnelEvent } from "../../tunnel/tunnel-event.ts";
import type { CliContext } from "../context.ts";
import type { Stop } from "../end/stop.ts";
import { describeFileError } from "../files/file-error.ts";
import { printable } from "../printable.ts";
import { TunnelMemory } from "./memory.ts";
import { showTunnel, warnOfThePublic } from "./view.ts";

/** A way from outside, and how it is kept up. */
export interface Way {
  /** As records name it. */
  readonly name: string;
  readonly startChild: StartChild;
  readonly timing: Partial<TunnelTiming>;
}

/** A supervisor, and what a command does about its events: it shows them, remembers the address, stops at the end. */
export class SupervisedTunnel {
  readonly #path: string;
  readonly #context: CliContext;
  readonly #key: ProbeKey;
  #supervisor: TunnelSupervisor | undefined;
  #closed = false;
  #state: TunnelEvent["state"] = "starting";

  /** `path` is the endpoint's. */
  constructor(path: string, context: CliContext) {
    this.#path = path;
    this.#context = context;
    this.#key = new ProbeKey(path);
  }

  /** What the server behind it is to answer to this target; `undefined` where it is no probe. */
  readonly answer = (target: string): string | undefined => this.#key.answer(target);

  /**
   * Resolves with the endpoint's public address once it is online, and never where that does not come; calls `stop` when
   * there is no hope, and `moved` with each later address that is another one.
   */
  open({ name, ...way }: Way, stop: (stop: Stop) => void, moved: (url: string) => void): Promise<string> {
    const { io, output, clock } = this.#context;
    const memory = new TunnelMemory(io.cwd, name);
    let warned = false;
    let told: string | undefined;
    return new Promise((resolve) => {
      if (this.#closed) return; // while its server was started
      this.#supervisor = new TunnelSupervisor({
        ...way,
        probe: this.#key.probe,
        previousUrl: memory.url,
        onEvent: (event) => {
          this.#state = event.state;
          const shown = this.#atEndpoint(event);
          showTunnel(name, shown, output, clock());
          if (event.state === "failed") stop(failed(name, event));
          if (event.state !== "online" || event.url === undefined) return;
          if (!warned) warnOfThePublic(name, output);
          warned = true;
          this.#remember(memory, event.url);
          const url = shown.url ?? event.url;
          if (told === undefined) resolve(url);
          else if (told !== url) moved(url);
          told = url;
        },
      });
    });
  }

  /** Whether a probe has come back through it, and nothing has happened to it since. */
  get online(): boolean {
    return this.#state === "online" && !this.#closed;
  }

  /** Ends it for good, opened or not; resolves once nothing of it runs any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#supervisor?.close();
  }

  #remember(memory: TunnelMemory, url: string): void {
    try {
      memory.remember(url);
    } catch (thrown) {
      const why = describeFileError(thrown);
      this.#context.output.talk(`the address is not remembered for the next run: ${why}`);
    }
  }

  /** With the endpoint's address at each public one: what is to be told to the service. */
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
