import type { Command } from "commander";
import { DEFAULT_ENDPOINT } from "../../default-endpoint.ts";
import type { Sendable } from "../../relay/chaos.ts";
import type { Fixture } from "../../relay/fixture.ts";
import { hasHiddenQuery } from "../../relay/query.ts";
import { exactSending, freshSending, lazySending, unsignedSending } from "../../relay/replay.ts";
import { SIGNATURE_HEADER } from "../../signature/sign.ts";
import type { CliContext } from "../context.ts";
import { printable } from "../printable.ts";
import type { SecretOptions } from "../secrets/options.ts";
import { findKey } from "../secrets/secret.ts";
import { type FitTable, fitOptions } from "../settings/fitting.ts";
import { CHAOS_FLAGS, type ChaosCommandOptions, datedTo, FITTING_CHAOS } from "./chaos-options.ts";
import { gatherFixtures, type NamedFixture } from "./gather-fixtures.ts";
import { sendWithChaos } from "./send-with-chaos.ts";

/** The options of `replay`. */
export interface ReplayOptions extends SecretOptions, ChaosCommandOptions {
  readonly url?: URL;
  readonly exact?: boolean;
  readonly handlers?: string;
  readonly inbox?: string;
  readonly timeout?: number;
  readonly signatureHeader?: string;
}

const RUN_HERE = "with --handlers nothing is sent";

/** Which flags of `replay` can be combined. */
const FITTING_FLAGS: FitTable<ReplayOptions> = {
  ...FITTING_CHAOS,
  exact: { excludes: ["stale", "future"], why: "--exact sends the saved bytes, including their timestamp" },
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
  const options = fitOptions(given, command, FITTING_FLAGS);
  const fixtures = await gatherFixtures(what, options, context);
  if (options.handlers !== undefined) {
    const { runInProcess } = await import("./run-in-process.ts");
    const { exact, timeout } = options;
    await runInProcess(fixtures, { path: options.handlers, exact: exact === true, timeout }, context);
    return;
  }
  const header = options.signatureHeader ?? SIGNATURE_HEADER;
  const target = options.url ?? new URL(DEFAULT_ENDPOINT);
  const now = datedTo(context.clock(), options);
  if (options.exact === true && target.search === "") reportHiddenQueries(fixtures, context);
  const make = await settleSending();
  const sendings = fixtures.map(({ name, fixture }) => make(fixture, name));
  await sendWithChaos(sendings, options, { target, header, timeout: options.timeout }, context);

  async function settleSending(): Promise<(fixture: Fixture, name: string) => Sendable> {
    // With --exact, an item that cannot be sent must fail before anything is sent; otherwise all can be signed.
    if (options.exact === true) return (fixture, label) => ({ label, ...exactSending(fixture, label) });
    if (options.noSignature === true)
      return (fixture, label) => lazySending(label, () => unsignedSending(fixture, now));
    const key = await findKey(options, context);
    return (fixture, label) => lazySending(label, () => freshSending(fixture, { key, header, now }));
  }
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
