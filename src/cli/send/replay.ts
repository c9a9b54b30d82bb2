import type { Command } from "commander";
import type { Sendable } from "../../relay/chaos.ts";
import type { Fixture } from "../../relay/fixture.ts";
import { hasHiddenQuery } from "../../relay/query.ts";
import { exactSending, freshSending, lazySending, unsignedSending } from "../../relay/replay.ts";
import type { CliContext } from "../context.ts";
import { refuseTwoInputs } from "../files/read-input.ts";
import { inboxToWaitIn } from "../outcome/wait-for-sent.ts";
import { printable } from "../output.ts";
import { type OptionConflicts, resolveOptionConflicts } from "../settings/fitting.ts";
import { CHAOS_FLAGS, FITTING_CHAOS, type SendingOptions } from "./chaos-options.ts";
import { gatherFixtures, type NamedFixture } from "./gather-fixtures.ts";
import { ReplayRecord } from "./replay-record.ts";
import { endpointOf, sendWithChaos, signingOf } from "./send-with-chaos.ts";

export interface ReplayOptions extends SendingOptions {
  readonly exact?: boolean;
  readonly resume?: boolean;
  readonly handlers?: string;
}

const RUN_HERE = "with --handlers nothing is sent";

const FITTING_FLAGS: OptionConflicts<ReplayOptions> = {
  ...FITTING_CHAOS,
  resume: {
    excludes: ["handlers", "duplicate", "drop", "tamper", "noSignature", "dryRun"],
    why: "it sends what an earlier run has left, once and unchanged",
  },
  exact: {
    excludes: ["stale", "future"],
    why: "--exact sends the saved bytes, including their timestamp",
  },
  handlers: { excludes: CHAOS_FLAGS, why: RUN_HERE },
  // Not `excludes`, which refuses two settings: a URL in settings may be meant for `trigger`.
  url: { needs: [{ flag: "handlers", is: undefined }], why: RUN_HERE },
};

/** `replay <what…>`: sends fixtures or entries again, or runs handlers on them in this process. */
export async function runReplay(
  what: readonly string[],
  given: ReplayOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  const options = resolveOptionConflicts(given, command, FITTING_FLAGS);
  if (what.includes("-")) refuseTwoInputs("-", options);
  const inbox = options.wait === true ? await inboxToWaitIn(options, context) : undefined;
  const { fixtures, broken } = await gatherFixtures(what, options, context);
  for (const { code, message } of broken) {
    context.output.talk(`skipped: ${printable(message, 500)}`);
    context.output.record("passed_over", { code, message });
  }
  if (fixtures.length === 0 && broken.length === 0) {
    context.output.talk("nothing to replay: the input is empty");
    return;
  }
  if (options.handlers !== undefined) {
    const { runInProcess } = await import("./run-in-process.ts");
    const { exact, timeout } = options;
    await runInProcess(
      fixtures,
      { path: options.handlers, exact: exact === true, timeout },
      context,
    );
  } else await sendFixtures(fixtures, { what, options, inbox }, context);
  if (broken.length > 0 && context.exitCode === 0) context.exitCode = 1;
}

interface SendTerms {
  readonly what: readonly string[];
  readonly options: ReplayOptions;
  /** With `--wait`: the inbox of the endpoint. */
  readonly inbox: string | undefined;
}

async function sendFixtures(
  fixtures: readonly NamedFixture[],
  { what, options, inbox }: SendTerms,
  context: CliContext,
): Promise<void> {
  const { cwd } = context.io;
  const exact = options.exact === true;
  const { target, where } = endpointOf(options, context);
  if (exact && target.search === "") reportHiddenQueries(fixtures, context);
  const make = exact ? exactly : await freshly(fixtures.length, options, context);
  const items = fixtures.map(({ name, fixture }, index) => {
    const body = fixture.type === "delivery" ? fixture.delivery.body : fixture.body;
    return { item: make(fixture, name, index), name, body };
  });
  const run = { cwd, what, target, exact };
  const record = isRepeatable(options)
    ? new ReplayRecord(run, items, options.resume === true)
    : undefined;
  const left = items.filter(({ item }) => record?.has(item) !== true);
  if (options.resume === true) {
    const before = items.length - left.length;
    context.output.talk(`${before} of ${items.length} were sent before; ${left.length} are left`);
    if (left.length === 0) return;
  }
  const destination = {
    target,
    where,
    inbox,
    ...(record && { onSent: (item: Sendable) => record.add(item) }),
    ...(record && { toGoOn: (rest: number) => record.toGoOn(rest) }),
    ...(record && items.length > 1 && { onDone: () => record.write() }),
  };
  const sendings = left.map(({ item }) => item);
  await sendWithChaos(sendings, options, destination, context);
}

type Make = (fixture: Fixture, label: string, index: number) => Sendable;

const exactly: Make = (fixture, label) => ({ label, ...exactSending(fixture, label) });

async function freshly(count: number, options: ReplayOptions, context: CliContext): Promise<Make> {
  const { key, header, first } = await signingOf(count, options, context);
  return (fixture, label, index) =>
    lazySending(label, () => {
      const now = first + index;
      return key === undefined
        ? unsignedSending(fixture, now)
        : freshSending(fixture, { key, header, now });
    });
}

/** Whether a run sends each item once as it is, so that another run can send the rest. */
function isRepeatable({ duplicate, drop, tamper, noSignature, dryRun }: ReplayOptions): boolean {
  return (duplicate ?? drop ?? tamper) === undefined && !noSignature && !dryRun;
}

function reportHiddenQueries(fixtures: readonly NamedFixture[], { output }: CliContext): void {
  const [first, ...others] = fixtures.filter(
    ({ fixture }) => fixture.type === "delivery" && hasHiddenQuery(fixture.delivery),
  );
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  output.talk(
    `${printable(first.name)}${more}: saved without the values of the query, so no query is sent: add it to --url if the target needs it`,
  );
}
