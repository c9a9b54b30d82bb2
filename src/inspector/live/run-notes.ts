import { shortText } from "../../base/text/short-text.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import type { AttemptRecord } from "../../inbox/attempt-record.ts";
import type { TargetAnswer } from "../../relay/send.ts";
import type { PrintedLine, RunDetail, ShownAnswer } from "../api.ts";
import { shownHeaders } from "../entries/shown-delivery.ts";

/**
 * Limits of one run, in lines and characters; of a line; and of all runs together, in runs and
 * characters.
 */
export const MAX_LINES = 200;
export const MAX_TEXT = 16 * 1024;
const MAX_LINE = 2000;
const MAX_RUNS = 1000;
export const MAX_ALL_TEXT = 4 * 1024 * 1024;

/** What one run of a handler printed, and what its target answered. */
export type RunNote = ReturnType<RunNotes["begin"]>;

interface Noted {
  readonly startedAt: number;
  readonly lines: PrintedLine[];
  left: number;
  length: number;
  answer: ShownAnswer | undefined;
}

/**
 * What handlers print while they run, and the heads of targets' answers. It is kept in memory until
 * this process ends, and the oldest is dropped first: what a handler prints may be personal data,
 * which no file should collect unasked.
 */
export class RunNotes {
  readonly #runs = new Map<Noted, string>();
  readonly #byAttempt = new Map<string, Noted[]>();
  readonly #clock: () => number;
  #length = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Notes a run that starts now. It takes room only once there is something to note. */
  begin(seq: number, attempt: number) {
    const noted: Noted = {
      startedAt: this.#clock(),
      lines: [],
      left: 0,
      length: 0,
      answer: undefined,
    };
    const name = nameOf(seq, attempt);
    return {
      print: (level: PrintedLine["level"], text: string) => {
        for (const line of text.split("\n")) this.#print(name, noted, level, line);
      },
      answered: (answer: TargetAnswer) => {
        noted.answer = shownAnswer(answer);
        this.#keep(name, noted, JSON.stringify(noted.answer.headers).length + 1);
      },
    };
  }

  addTo(seq: number, runs: readonly AttemptRecord[]): readonly RunDetail[] {
    const left = new Map<number, Noted[]>();
    return runs.map((run) => {
      const { attempt, startedAt, duration } = run;
      const candidates = left.get(attempt) ?? [
        ...(this.#byAttempt.get(nameOf(seq, attempt)) ?? []),
      ];
      left.set(attempt, candidates);
      // The record's time is taken just before the handler is called.
      const end = startedAt + Math.ceil(duration) + 1;
      const at = candidates.findIndex(
        (candidate) => candidate.startedAt >= startedAt && candidate.startedAt <= end,
      );
      const [noted] = at < 0 ? [] : candidates.splice(at, 1);
      return {
        ...run,
        printed: noted?.lines ?? [],
        unprinted: noted?.left ?? 0,
        answer: noted?.answer ?? null,
      };
    });
  }

  #print(name: string, noted: Noted, level: PrintedLine["level"], line: string): void {
    if (noted.lines.length >= MAX_LINES || noted.length >= MAX_TEXT) {
      noted.left++;
      return;
    }
    const text = shortText(line, MAX_LINE);
    noted.lines.push({ at: this.#clock(), level, text });
    this.#keep(name, noted, text.length + 1);
  }

  #keep(name: string, noted: Noted, length: number): void {
    if (!this.#runs.has(noted)) {
      if (noted.length > 0) return; // it was dropped already
      this.#runs.set(noted, name);
      this.#byAttempt.set(name, [...(this.#byAttempt.get(name) ?? []), noted]);
    }
    noted.length += length;
    this.#length += length;
    while (this.#runs.size > MAX_RUNS || this.#length > MAX_ALL_TEXT) this.#dropOldest();
  }

  #dropOldest(): void {
    const [oldest] = this.#runs;
    if (oldest === undefined) return;
    const [noted, name] = oldest;
    this.#runs.delete(noted);
    this.#length -= noted.length;
    const rest = (this.#byAttempt.get(name) ?? []).filter((note) => note !== noted);
    if (rest.length === 0) this.#byAttempt.delete(name);
    else this.#byAttempt.set(name, rest);
  }
}

function nameOf(seq: number, attempt: number): string {
  return `${seq}/${attempt}`;
}

function shownAnswer({ status, headers, bytes, cut, duration }: TargetAnswer): ShownAnswer {
  const { location } = headers;
  const shown = { ...headers, ...(location !== undefined && { location: shownUrl(location) }) };
  return {
    status,
    headers: shownHeaders(shown, ""),
    bytes: bytes.byteLength,
    isCut: cut !== undefined,
    duration,
  };
}
