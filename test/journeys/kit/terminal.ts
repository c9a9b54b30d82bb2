import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";

const PATIENCE = 90_000;

/** What a line printed, and the code that it ended with. */
export interface Ran {
  readonly line: string;
  readonly code: number;
  readonly text: string;
}

/** A shell on a real terminal, as a person has it: what it shows, and the keys that are pressed. */
export class Terminal {
  readonly #socket: string;
  readonly #codes: string;
  readonly #cwd: string;
  readonly #env: Readonly<Record<string, string>>;
  #ended = 0;
  #lastScreen = "";

  constructor(
    place: string,
    cwd: string,
    env: Readonly<Record<string, string>>,
    columns = 80,
    rows = 40,
  ) {
    this.#socket = join(place, "tmux");
    this.#codes = join(place, "codes");
    this.#cwd = cwd;
    this.#env = { ...env, TERM: "xterm-256color" };
    writeFileSync(this.#codes, "");
    const profile = join(place, "profile");
    writeFileSync(
      profile,
      `unset HISTFILE\nPS1='$ '\nPROMPT_COMMAND="echo \\$? >> '${this.#codes}'"\n`,
    );
    const shell = `bash --noprofile --rcfile '${profile}'`;
    const settings = join(place, "tmux.conf");
    writeFileSync(settings, "set -g history-limit 50000\nset -g status off\n");
    const size = ["-x", String(columns), "-y", String(rows)];
    this.#tmux("-f", settings, "new-session", "-d", ...size, shell);
  }

  /** Waits for the first prompt. */
  async open(): Promise<this> {
    await this.#untilEnded(1);
    return this;
  }

  /** What the terminal shows now. */
  screen(): string {
    const shown = this.#tmux("capture-pane", "-p").stdout;
    if (shown !== "") this.#lastScreen = shown.trimEnd();
    return this.#lastScreen;
  }

  /** Everything that it has shown, with lines that were folded put together again. */
  history(): string {
    return this.#tmux("capture-pane", "-p", "-J", "-S", "-").stdout;
  }

  /** Types a line and Enter; does not wait. */
  type(line: string): void {
    this.#tmux("send-keys", "-l", line);
    this.#tmux("send-keys", "Enter");
  }

  /** Presses keys by the names that tmux has, such as `C-c`, `Down` or `q`. */
  press(...keys: readonly string[]): void {
    this.#tmux("send-keys", ...keys);
  }

  /** Waits until a text has been shown. */
  async until(text: RegExp | string, patience = PATIENCE): Promise<string> {
    return await vi.waitFor(
      () => {
        const shown = this.history();
        const isThere = typeof text === "string" ? shown.includes(text) : text.test(shown);
        if (!isThere) throw new Error(`expected ${text} on the terminal, got:\n${this.screen()}`);
        return shown;
      },
      { timeout: patience, interval: 100 },
    );
  }

  /** Types a line, waits until it has ended, and returns what it showed. */
  async run(line: string, patience = PATIENCE): Promise<Ran> {
    const before = this.#codesSoFar().length;
    this.type(line);
    return await this.ended(line, before + 1, patience);
  }

  /** Waits until the line that was typed last has ended. */
  async ended(line: string, count = this.#ended + 1, patience = PATIENCE): Promise<Ran> {
    const code = await this.#untilEnded(count, patience);
    const shown = this.history().trimEnd();
    const from = shown.lastIndexOf(`$ ${line}`);
    const text = shown.slice(from === -1 ? 0 : from + line.length + 3);
    return { line, code, text: text.replace(/\n\$ ?$/, "") };
  }

  close(): void {
    this.screen();
    this.#tmux("kill-server");
  }

  async #untilEnded(count: number, patience = PATIENCE): Promise<number> {
    return await vi.waitFor(
      () => {
        const codes = this.#codesSoFar();
        if (codes.length < count)
          throw new Error(`expected the line to end, the terminal shows:\n${this.screen()}`);
        this.#ended = codes.length;
        return Number(codes[count - 1]);
      },
      { timeout: patience, interval: 50 },
    );
  }

  #codesSoFar(): readonly string[] {
    return readFileSync(this.#codes, "utf8").split("\n").slice(0, -1);
  }

  #tmux(...argv: readonly string[]) {
    return spawnSync("tmux", ["-S", this.#socket, ...argv], {
      cwd: this.#cwd,
      env: this.#env,
      encoding: "utf8",
    });
  }
}
