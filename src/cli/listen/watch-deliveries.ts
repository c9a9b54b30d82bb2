import { resolve } from "node:path";
import { makeFolder } from "../../base/make-folder.ts";
import { unusable } from "../../base/unusable.ts";
import { describeError } from "../../errors.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import type { DiagnoseRefusal } from "../../inspector/live/refused-bodies.ts";
import { letterOf } from "../../receiver/dead-letter.ts";
import type { AttemptObservation, DeliveryObservation, Observation } from "../../receiver/observation.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { fixtureName, formatDelivery } from "../../relay/fixture.ts";
import type { CliContext } from "../context.ts";
import { DOCTOR_AGENT } from "../doctor/user-agent.ts";
import type { Goal } from "../end/goal.ts";
import type { Stop } from "../end/stop.ts";
import type { ListenTally } from "../end/tally.ts";
import { replaceFile } from "../files/replace-file.ts";
import type { NamedInbox } from "../inbox/named-inbox.ts";
import { attemptLines, recordAttempt } from "../live/attempt-view.ts";
import { deliveryLines, recordDelivery, remarksOn } from "../live/delivery-view.ts";
import { HeldLines } from "../live/held-lines.ts";
import type { RecentEntries } from "../live/recent-entries.ts";
import type { StatusBar } from "../live/status-bar.ts";
import type { TargetOutages } from "../live/target-outages.ts";
import { ToldFailures } from "../live/told-failures.ts";
import { printable } from "../printable.ts";
import type { ListenOptions } from "./options.ts";
import { readClosed } from "./waiting.ts";

interface Watching {
  readonly goal: Goal | undefined;
  readonly tally: ListenTally;
  readonly diagnose: DiagnoseRefusal;
  readonly outages: TargetOutages;
  readonly recent: RecentEntries;
  readonly bar: StatusBar;
  readonly inbox: NamedInbox;
}

/** Counts, shows and saves what happens; calls `stop` when the goal is reached. Returns a function that ends it. */
export function watchDeliveries(
  receiver: Receiver,
  { goal, tally, diagnose, outages, recent, bar, inbox }: Watching,
  { events = ["*"], saveDir }: ListenOptions,
  { output, clock, io }: CliContext,
  stop: (stop: Stop) => void,
): () => Promise<void> {
  const save = saveDir === undefined ? undefined : openSaveFolder(resolve(io.cwd, saveDir));
  let isClosed = false;
  const list = async (seqs: readonly number[]) => {
    const read = isClosed ? await readClosed(inbox, (opened) => opened.list({ seqs })) : undefined;
    return read ?? receiver.inbox.list({ seqs });
  };
  const failures = new ToldFailures({ output, bar, clock, list });
  const told = new Set<string>();
  const held = new HeldLines();
  const print = (lines: readonly string[]) => output.data(lines.join("\n"));
  const noted = (seq: number, kind: string | null, word: string) => {
    recent.note(seq, `${printable(kind ?? "not an event", 60)}  ${word}`);
    bar.update({ selected: recent.selected });
  };
  const showAttempt = (observation: AttemptObservation) => {
    recordAttempt(observation, output);
    noted(observation.seq, observation.kind, observation.state);
    const telling = failures.note(observation);
    // A target that is away is told of once, not for each event that waits for it; so is an error.
    const release = () => held.release(observation.seq);
    if (outages.note(observation, release) || telling === "nothing") return release();
    held.drop(observation.seq);
    print(attemptLines(observation, { now: clock(), telling }, output));
  };
  const showDelivery = (observation: DeliveryObservation) => {
    const { outcome } = observation;
    const diagnosis = diagnose(observation);
    recordDelivery(observation, output, diagnosis);
    if (outcome.type === "accepted" && !outcome.duplicate) noted(outcome.seq, outcome.kind, "accepted");
    const dead = letterOf(outcome);
    const telling = dead === undefined ? "whole" : failures.note({ ...dead, state: "dead", records: [] });
    const show = () => print(deliveryLines(observation, { told, diagnosis, telling }, output));
    const runs = outcome.type === "accepted" && !outcome.duplicate && dead === undefined;
    // The line of its run says nothing of what is special about a delivery.
    const isPlain = runs && outcome.problems === undefined && remarksOn(outcome).length === 0;
    if (isPlain) held.hold(outcome.seq, show);
    else show();
  };
  const stopWatching = receiver.observe((observation) => {
    if (observation.type === "delivery" && observation.headers["user-agent"] === DOCTOR_AGENT) return;
    tally.count(observation);
    bar.update({ counts: tally.brief });
    const kind = kindOf(observation);
    if (kind === null || events.some((pattern) => matchesKind(pattern, kind))) {
      if (observation.type === "attempt") showAttempt(observation);
      else {
        // A signature is diagnosed after the sender has its answer, so that the answer's timing reveals nothing.
        if (observation.diagnose === undefined) showDelivery(observation);
        else setImmediate(() => showDelivery(observation));
        try {
          save?.(observation);
        } catch (thrown) {
          output.talk(`could not save a delivery: ${describeError(thrown)}`); // it is still in the inbox
        }
      }
    }
    if (goal?.reached(observation) !== true) return;
    const exitCode = goal.failed ? 1 : 0;
    stop({
      reason: `goal reached: ${goal.progress}${goal.failed ? ", but not all were handled" : ""}`,
      exitCode,
    });
  });
  return () => {
    stopWatching();
    held.releaseAll();
    isClosed = true; // the receiver is, before
    return failures.close();
  };
}

function kindOf(observation: Observation): string | null {
  if (observation.type === "attempt") return observation.kind;
  return observation.outcome.type === "accepted" ? observation.outcome.kind : null;
}

/**
 * Creates the folder for saved deliveries, accessible only to its owner; returns a function that saves a delivery if it
 * is authentic. Throws `folder_unusable`.
 */
function openSaveFolder(path: string): (observation: DeliveryObservation) => void {
  try {
    makeFolder(path, 0o700);
  } catch (cause) {
    throw unusable(path, cause, "pass another folder with --save-dir");
  }
  let saved = 0;
  return ({ delivery, outcome }) => {
    if (delivery === undefined || !("eventId" in outcome)) return;
    const kind = outcome.type === "accepted" ? outcome.kind : null;
    const name = fixtureName(delivery.receivedAt, ++saved, kind, outcome.eventId);
    replaceFile(resolve(path, name), formatDelivery(delivery));
  };
}
