import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, it } from "vitest";
import { KNOWN_RED } from "../known-red.ts";
import { World } from "./world.ts";

/** They type in Bash and tmux, and run an image's steps in namespaces. */
const IS_HERE = process.platform === "linux";
const HOUR = 3_600_000;
const STEP = 600_000;
const ROOT = join(import.meta.dirname, "..", "..", "..");
const TRANSCRIPTS = join(ROOT, "node_modules", ".cache", "hookporter", "journeys");

interface Walked {
  readonly title: string;
  readonly seconds: number;
  readonly ended: "green" | "red" | "known red";
}

/** A story's steps, each of which continues the one above in one world. */
export interface Journey {
  /** Defines the next step. */
  step(title: string, walk: (world: World) => Promise<void>, timeout?: number): void;
  /** The world, once the first step runs. */
  world(): World;
  /** Adds a text, such as what a page in a browser shows, to the transcript. */
  note(text: string): void;
}

/**
 * Begins a journey, which is all of a file of tests. It prints its steps with their seconds and
 * what the terminals show at the end; a failed one keeps its folder. A step of `known-red.ts` must
 * fail, and the others must not. No command of a story asks for consent to settings.
 */
export function journey(name: string): Journey {
  const titles: string[] = [];
  const walked: Walked[] = [];
  const notes: string[] = [];
  const own = KNOWN_RED.filter((red) => red.journey === name);
  let opened: World | undefined;
  let broken: string | undefined;

  const world = () => {
    if (opened === undefined) throw new Error("expected the journey to have begun");
    return opened;
  };

  beforeAll(async () => {
    if (!IS_HERE) return;
    opened = await World.open((text) => notes.push(text));
  }, STEP);

  afterAll(async () => {
    if (!IS_HERE) return;
    const transcript = [
      `journey ${name}: ${walked.length} of ${titles.length} steps`,
      ...walked.map(
        ({ title, seconds, ended }) => `${seconds.toFixed(1).padStart(7)} s  ${ended}  ${title}`,
      ),
      ...(opened?.screens() ?? []).flatMap(([terminal, screen]) => [
        `  the terminal "${terminal}" at the end:`,
        ...screen.split("\n").map((line) => `  │ ${line}`),
      ]),
    ];
    const file = join(TRANSCRIPTS, `${name}.txt`);
    mkdirSync(TRANSCRIPTS, { recursive: true });
    rmSync(file, { force: true });
    const whole = `${transcript.join("\n")}\n\n${notes.join("\n\n")}\n`;
    writeFileSync(file, whole.replaceAll(/#token=[\w-]+/g, "#token=…"));
    if (broken !== undefined) transcript.push(`  its folder is kept: ${opened?.place}`);
    transcript.push(`  all that it typed and got: ${file}`);
    process.stdout.write(`\n${transcript.join("\n").replaceAll(/#token=[\w-]+/g, "#token=…")}\n`);
    await opened?.close(broken !== undefined);
    if (whole.includes("expected your consent"))
      throw new Error("a command asked for consent to what the person or init had written");
    const strays = own.filter(({ step }) => !titles.includes(step)).map(({ step }) => step);
    if (strays.length > 0) throw new Error(`known-red.ts names no step here: ${strays.join("; ")}`);
  }, HOUR);

  return {
    world,
    note: (text) => void notes.push(text),
    step(title, walk, timeout = STEP) {
      titles.push(title);
      const red = own.find(({ step }) => step === title);
      it.runIf(IS_HERE)(title, { timeout }, async () => {
        if (broken !== undefined) throw new Error(`not walked, since "${broken}" failed`);
        notes.push(`# ${title}`);
        const began = performance.now();
        const thrown = await failureOf(() => walk(world()));
        const seconds = (performance.now() - began) / 1000;
        const isRed = thrown !== undefined;
        walked.push({ title, seconds, ended: nameOf(isRed, red !== undefined) });
        if (isRed) notes.push(`red: ${thrown instanceof Error ? thrown.message : thrown}`);
        if (red === undefined && isRed) {
          broken = title;
          throw thrown;
        }
        if (red !== undefined && !isRed) {
          throw new Error(`it is green: remove ${red.finding} from test/journeys/known-red.ts`);
        }
      });
    },
  };
}

function nameOf(isRed: boolean, isKnown: boolean): Walked["ended"] {
  if (!isRed) return "green";
  return isKnown ? "known red" : "red";
}

async function failureOf(walk: () => Promise<void>): Promise<unknown> {
  try {
    await walk();
    return undefined;
  } catch (thrown) {
    return thrown ?? new Error("a step threw nothing");
  }
}
