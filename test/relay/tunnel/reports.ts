import { onTestFinished } from "vitest";
import type {
  OpenTunnel,
  TunnelFailure,
  TunnelProvider,
  TunnelReport,
} from "../../../src/relay/tunnel/provider.ts";

/** A provider's reports, in order. */
export type Report =
  | { readonly type: "up"; readonly url: string }
  | { readonly type: "down"; readonly reason: string }
  | { readonly type: "failed"; readonly failure: TunnelFailure };

/** Records a provider's reports. */
export class Reports {
  readonly all: Report[] = [];
  readonly #waiting = new Set<() => void>();

  readonly report: TunnelReport = {
    up: (url) => this.#add({ type: "up", url }),
    down: (reason) => this.#add({ type: "down", reason }),
    failed: (failure) => this.#add({ type: "failed", failure }),
  };

  get urls(): readonly string[] {
    return this.all.flatMap((each) => (each.type === "up" ? [each.url] : []));
  }

  /** Resolves with the address once there are this many. */
  async up(count = 1): Promise<string> {
    await this.#until(() => this.urls.length >= count || this.#failure !== undefined);
    const url = this.urls[count - 1];
    if (url === undefined) throw new Error(`expected an address, got ${JSON.stringify(this.all)}`);
    return url;
  }

  /** Resolves when the tunnel is over. */
  async failed(): Promise<TunnelFailure> {
    await this.#until(() => this.#failure !== undefined);
    return this.#failure as TunnelFailure;
  }

  get #failure(): TunnelFailure | undefined {
    return this.all.flatMap((each) => (each.type === "failed" ? [each.failure] : []))[0];
  }

  #add(report: Report): void {
    this.all.push(report);
    for (const wake of this.#waiting) wake();
  }

  async #until(reached: () => boolean): Promise<void> {
    while (!reached()) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }
}

/** Opens a tunnel that is closed with the test. */
export async function openProvider<Settings>(
  provider: TunnelProvider<Settings>,
  settings: Settings,
  port = 9,
): Promise<{ readonly reports: Reports; readonly tunnel: OpenTunnel }> {
  const reports = new Reports();
  const tunnel = await provider.open(settings, { host: "127.0.0.1", port }, reports.report);
  onTestFinished(() => tunnel.close());
  return { reports, tunnel };
}
