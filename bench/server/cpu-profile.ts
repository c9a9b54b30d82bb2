import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

/** Microseconds between two samples. */
const INTERVAL = 250;

/** A V8 CPU profile of this thread, started on request, to profile a warm server rather than its start. */
export class CpuProfile {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.setSamplingInterval", { interval: INTERVAL });
    await this.#session.post("Profiler.start");
  }

  /** Ends the profile and writes it to a file that Chrome's developer tools read. */
  async write(path: string): Promise<void> {
    const { profile } = await this.#session.post("Profiler.stop");
    this.#session.disconnect();
    writeFileSync(path, JSON.stringify(profile));
  }
}
