import { resolve } from "node:path";
import { counted } from "../../../base/text/counted.ts";
import { durationText } from "../../../base/text/duration-text.ts";
import type { Entry } from "../../../inbox/entry.ts";
import { OPEN_STATES } from "../../../inbox/entry-state.ts";
import type { Inbox } from "../../../inbox/inbox.ts";
import { awaitsHandler } from "../../../inbox/runner.ts";
import { SIGNAL_EXIT_CODES } from "../../end/stop.ts";
import { withInbox } from "../../events/inbox.ts";
import type { StopSignal } from "../../io.ts";
import { KILLS } from "../doctor-options.ts";
import { type DoctorCheck, fail, ok, warn } from "../finding.ts";
import type { Setup } from "../setup.ts";
import { DrilledReceiver } from "./drilled-receiver.ts";
import { Load } from "./load.ts";
import { makeScratch, type Scratch } from "./scratch.ts";
import { type DrillTally, tally } from "./tally.ts";

/** Milliseconds after which no more receivers are killed. */
const KILLING = 40_000;
/**
 * Milliseconds that the last receiver may take to acknowledge what is left, and to handle it:
 * longer than a lease of one that was killed.
 */
const SETTLING = 18_000;
/** Milliseconds of load before a kill, at most, and on the last receiver. */
const LIFE = 1000;
/** The share of kills that come before the receiver is ready. */
const EARLY = 0.125;
/** Entries that are read at a time. */
const PAGE = 1000;

/** Kills and restarts a receiver of its own under load, and counts what became of each event. */
export const drill: DoctorCheck = {
  name: "drill",
  timeLimit: 120_000,
  run: async (setup) => {
    const { io } = setup.context;
    const scratch = makeScratch(setup.context, setup.inbox);
    const place = {
      ...scratch,
      handlers: resolve(io.cwd, setup.options.handlers ?? scratch.handlers),
    };
    const load = new Load();
    let stopped: StopSignal | undefined;
    const off = io.onSignal((signal) => {
      stopped = signal;
      load.cut();
    });
    try {
      const began = performance.now();
      const kills = await killUnder(load, place, setup);
      const duration = performance.now() - began;
      const reported = setup.options.handlers === undefined ? scratch.ran() : undefined;
      const counts = tally(load.acknowledged, await reading(setup, scratch, allEntries), reported);
      return [report(counts, kills, duration, setup)];
    } finally {
      await scratch.remove();
      load.cut();
      off();
      if (stopped !== undefined) io.exit(SIGNAL_EXIT_CODES[stopped]);
    }
  },
};

/**
 * Runs one receiver after another; returns how many were killed. The last one handles what is left,
 * and is stopped.
 */
async function killUnder(load: Load, place: Scratch, setup: Setup): Promise<number> {
  const { options, context } = setup;
  const { kills: wanted = KILLS } = options;
  const began = performance.now();
  for (let kills = 0; ; kills++) {
    const receiver = await DrilledReceiver.start(place, load.secret, context.io.env);
    const isLast = kills >= wanted || performance.now() - began > KILLING;
    try {
      context.output.status(
        `drill: ${kills} of ${wanted} kills, ${load.acknowledged.size} acknowledged`,
      );
      if (!isLast && Math.random() < EARLY) await load.pause(Math.random() * LIFE);
      else load.target = await receiver.ready();
      await load.pause((isLast ? 1 : Math.random()) * LIFE);
      if (!isLast) continue;
      await load.finish(SETTLING);
      await reading(setup, place, (inbox) => settled(inbox, load));
      await receiver.stop();
      return kills;
    } finally {
      load.target = undefined;
      await receiver.kill();
    }
  }
}

/** Waits until the receiver has nothing left to do. */
async function settled(inbox: Inbox, load: Load): Promise<void> {
  for (
    const until = performance.now() + SETTLING;
    performance.now() < until;
    await load.pause(100)
  ) {
    const waiting = await inbox.list({ states: OPEN_STATES, limit: PAGE });
    if (waiting.every(({ reason }) => awaitsHandler(reason))) return;
  }
}

async function allEntries(inbox: Inbox): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await inbox.list({ limit: PAGE, before });
    if (page.length === 0) return entries;
    entries.push(...page);
    before = Math.min(...page.map(({ seq }) => seq));
  }
}

function reading<Result>(
  { context }: Setup,
  { inbox }: Scratch,
  read: (inbox: Inbox) => Promise<Result>,
) {
  return withInbox(context, { inbox, access: "read" }, read);
}

function report(
  tally: DrillTally,
  kills: number,
  duration: number,
  { context, inbox, options }: Setup,
) {
  context.output.record("drill", { kills, ...tally });
  const { acknowledged, lost, stuck, dead, runTwice, runTwiceAtOnce } = tally;
  const busy = "run it again while the machine has less to do";
  const handlersFail = "look at the errors of your handlers";
  const parts = [`${lost} lost`, `${stuck} stuck`, `${runTwice} run twice`];
  if (dead > 0) parts.push(counted(dead, "dead letter", "dead letters"));
  const where = inbox.file === undefined ? inbox.shown : `the disk of ${inbox.file}`;
  const message = `${counted(kills, "kill", "kills")} in ${durationText(duration)} on ${where}: ${acknowledged} acknowledged, ${parts.join(", ")}`;
  if (acknowledged === 0) return fail(message, busy);
  if (lost + runTwiceAtOnce > 0) return fail(message, REPORT);
  if (stuck > 0) return warn(message, options.handlers === undefined ? busy : handlersFail);
  return dead === 0 ? ok(message) : warn(message, handlersFail);
}

const REPORT =
  "does the disk, its network or its driver keep what it says it has flushed? If so, please report this as a bug";
