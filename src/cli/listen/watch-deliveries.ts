import { resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describeError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { PendingWork } from "../../base/pending-work.ts";
import { withFileErrors } from "../../base/unusable.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import type { RefusalDiagnosis } from "../../inspector/live/refused-bodies.ts";
import { letterOf } from "../../receiver/dead-letter.ts";
import { inboxOf } from "../../receiver/inbox-view.ts";
import type {
  AttemptObservation,
  DeliveryObservation,
  Observation,
} from "../../receiver/observation.ts";
import type { InspectedDelivery } from "../../receiver/observed.ts";
import { fixtureName, formatDelivery } from "../../relay/fixture.ts";
import { DOCTOR_AGENT } from "../doctor/doctor-options.ts";
import { replaceFile } from "../files/replace-file.ts";
import { readClosed } from "../inbox/read-closed.ts";
import { attemptLines, recordAttempt } from "../live/attempt-view.ts";
import { deliveryLines, recordDelivery, remarksOn } from "../live/delivery-view.ts";
import { HeldLines } from "../live/held-lines.ts";
import { ReportedFailures } from "../live/reported-failures.ts";
import { TargetOutages } from "../live/target-outages.ts";
import { type Output, printable } from "../output.ts";
import type { ListenSession } from "./plan.ts";
import { OWN } from "./waiting.ts";

/**
 * Counts, shows and saves what happens; calls `stop` when the goal is reached. Returns a function
 * that ends it.
 */
export function watchDeliveries(session: ListenSession): () => Promise<void> {
  const { receiver, goal, tally, stop, diagnosis, bar } = session;
  const { events = ["*"], saveDir } = session.options;
  const { output, io } = session.context;
  const save = saveDir === undefined ? undefined : openSaveFolder(resolve(io.cwd, saveDir), output);
  const lines = liveLines(session);
  const refused = showDiagnosed(diagnosis, lines.showDelivery);
  const stopWatching = receiver.observe((observation: AttemptObservation | InspectedDelivery) => {
    if (observation.type === "delivery" && observation.headers["user-agent"] === DOCTOR_AGENT)
      return;
    tally.count(observation);
    bar.update({ counts: tally.brief });
    const kind = kindOf(observation);
    if (kind === null || events.some((pattern) => matchesKind(pattern, kind))) {
      if (observation.type === "attempt") lines.showAttempt(observation);
      else {
        if (observation.outcome.type !== "unauthorized") lines.showDelivery(observation);
        else refused.show(observation);
        save?.(observation);
      }
    }
    if (goal?.reached(observation) !== true) return;
    const failed = goal.failed ? ", but not all were handled" : "";
    stop({ reason: `goal reached: ${goal.progress}${failed}`, exitCode: goal.failed ? 1 : 0 });
  });
  return async () => {
    stopWatching();
    await refused.shown();
    await lines.close();
  };
}

/** The lines and records of deliveries and attempts, each failure reported once. */
function liveLines({ receiver, inbox, recent, bar, context: { output, clock } }: ListenSession) {
  const waiting = () => inboxOf(receiver).waiting(OWN);
  const outages = new TargetOutages({ output, bar, clock, waiting });
  let isClosed = false;
  const list = async (seqs: readonly number[]) => {
    const read = isClosed ? await readClosed(inbox, (opened) => opened.list({ seqs })) : undefined;
    return read ?? inboxOf(receiver).list({ seqs });
  };
  const failures = new ReportedFailures({ output, bar, clock, list });
  const reported = new Set<string>();
  const held = new HeldLines();
  const print = (lines: readonly string[]) => output.data(lines.join("\n"));
  const noted = (seq: number, kind: string | null, word: string) => {
    recent.note(seq, `${printable(kind ?? "not an event", 60)}  ${word}`);
    bar.update({ selected: recent.selected });
  };
  const showAttempt = (observation: AttemptObservation) => {
    recordAttempt(observation, output);
    noted(observation.seq, observation.kind, observation.state);
    const detail = failures.note(observation);
    // A target that is away is reported once, not for each event that waits for it; so is an error.
    const release = () => held.release(observation.seq);
    if (outages.note(observation, release) || detail === "nothing") return release();
    held.drop(observation.seq);
    print(attemptLines(observation, { now: clock(), detail }, output));
  };
  const showDelivery: ShowDelivery = (observation, diagnosis) => {
    const { outcome } = observation;
    recordDelivery(observation, output, diagnosis);
    const isNew = outcome.type === "accepted" && !outcome.duplicate;
    if (isNew) noted(outcome.seq, outcome.kind, "accepted");
    const dead = letterOf(outcome);
    const detail =
      dead === undefined ? "whole" : failures.note({ ...dead, state: "dead", records: [] });
    const show = () => print(deliveryLines(observation, { reported, diagnosis, detail }, output));
    // The line of its run says nothing of what is special about a delivery.
    const isPlain = dead === undefined && remarksOn(outcome).length === 0;
    if (isNew && isPlain && outcome.problems === undefined) held.hold(outcome.seq, show);
    else show();
  };
  const close = async () => {
    held.releaseAll();
    outages.close();
    isClosed = true; // as the receiver is by now
    await failures.close();
  };
  return { showAttempt, showDelivery, close };
}

type ShowDelivery = (observation: InspectedDelivery, diagnosis?: RefusalDiagnosis) => void;

/**
 * Shows each refused delivery when it has been diagnosed. That begins after the sender has its
 * answer, so that the answer's timing reveals nothing.
 */
function showDiagnosed(diagnosis: ListenSession["diagnosis"], show: ShowDelivery) {
  const pending = new PendingWork();
  const diagnoseAndShow = async (observation: InspectedDelivery) => {
    await turn();
    show(observation, await diagnosis.diagnose(observation));
  };
  return {
    show: (observation: InspectedDelivery) => void pending.follow(diagnoseAndShow(observation)),
    shown: () => pending.settled(),
  };
}

function kindOf(observation: Observation): string | null {
  if (observation.type === "attempt") return observation.kind;
  return observation.outcome.type === "accepted" ? observation.outcome.kind : null;
}

/**
 * Creates the folder for saved deliveries, accessible only to its owner; returns a function that
 * saves a delivery if it is authentic, and reports one that it cannot save. Throws
 * `folder_unusable`.
 */
function openSaveFolder(
  path: string,
  { talk }: Output,
): (observation: DeliveryObservation) => void {
  withFileErrors(path, () => makeFolder(path, 0o700), "pass another folder with --save-dir");
  let saved = 0;
  return ({ delivery, outcome }) => {
    if (delivery === undefined || !("eventId" in outcome)) return;
    const kind = outcome.type === "accepted" ? outcome.kind : null;
    const name = fixtureName(delivery.receivedAt, ++saved, kind, outcome.eventId);
    try {
      replaceFile(resolve(path, name), formatDelivery(delivery));
    } catch (thrown) {
      talk(`could not save a delivery: ${describeError(thrown)}`); // it is still in the inbox
    }
  };
}
