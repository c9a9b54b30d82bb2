import { afterAll, beforeAll, expect, it } from "vitest";
import { type Declarations, ENTRIES, openDeclarations } from "./declarations.ts";
import { mentionedTypes } from "./mentioned-types.ts";

/** The imports that extend `hookporter`: their users have its exports too. */
const EXTENDS_MAIN = [
  "hookporter",
  "hookporter/express",
  "hookporter/node",
  "hookporter/fetch",
  "hookporter/fastify",
  "hookporter/lambda",
  "hookporter/tracing",
  "hookporter/metrics",
  "hookporter/testing",
];

/**
 * Where the types of the main import's declarations are, too: what only a tracer's author names.
 */
const BESIDE_MAIN = ["src/entries/tracing.d.ts"];

/**
 * Type machinery, what only stores and tracers handle, and the members of unions that are told
 * apart by a field: they need no names.
 */
const UNNAMED = [
  "ClaimedEntry",
  "SettledState",
  "Entry",
  "EntryFilter",
  "Settlement",
  "OwnTransactions",
  "PostgresConnection",
  "PostgresResult",
  "PostgresStatement",
  "CheckedPattern",
  "DataOf",
  "DataSchemas",
  "EventsByPattern",
  "EventsOf",
  "KindsOf",
  "KnownKind",
  "Member",
  "HandlersDefinition",
  "HandlersOption",
  "ReplacingHandlers",
  "OnlyKnownKinds",
  "RetryPolicy",
  "SchemasOption",
  "WatchedReceiver",
  // What is only passed on, or written as a literal where it is passed.
  "Channel",
  "DrainOptions",
  "DriftWatch",
  "Inline",
  "PruneOptions",
  "Ran",
  "Role",
  "SourceLimits",
  "Difference",
  "HandOnFailure",
  "SecretValue",
  "SendResult",
  "VerifiedEvent",
  "DeadLettersAlert",
  "InboxNearlyFullAlert",
  "OldestDueAlert",
  "Accepted",
  "AttemptObservation",
  "DeliveryObservation",
  "Misconfigured",
  "Proof",
  "Refused",
  "Rejected",
  "Unauthorized",
  "Unavailable",
  "AgeLimits",
  "AlertCondition",
  "AnyErrorCode",
  "BodyFailure",
  "DigestStart",
  "UnfitReason",
];

let declarations: Declarations;

beforeAll(() => {
  declarations = openDeclarations();
}, 60_000);

afterAll(() => declarations.close());

it.each(ENTRIES)("$name exports every type that its declarations mention", ({ name, file }) => {
  const main = EXTENDS_MAIN.includes(name) ? ["src/entries/index.d.ts", ...BESIDE_MAIN] : [];
  const exported = declarations.exportsOf(file);
  expect(exported.length).toBeGreaterThan(1);
  const all = [...exported, ...main.flatMap((text) => declarations.exportsOf(text))];
  const left = missing(all).filter((text) => !UNNAMED.includes(text.split(": ")[1] ?? ""));
  expect(left).toEqual([]);
});

it("what needs no name has none", () => {
  const named = ENTRIES.flatMap(({ file }) => declarations.exportsOf(file)).map(
    (symbol) => symbol.name,
  );
  expect(UNNAMED.filter((name) => named.includes(name))).toEqual(["RetryPolicy"]); // of the client
});

it("a mentioned type that is not exported is found", () => {
  const some = declarations
    .exportsOf("src/entries/index.d.ts")
    .filter(({ name }) => ["Receiver", "Outcome"].includes(name));
  const found = missing(some);
  expect(found).toContain("src/receiver/inbox-view.d.ts: InboxView");
  expect(found).toContain("src/event/delivery.d.ts: Delivery");
  expect(found).toContain("src/receiver/outcome.d.ts: Accepted");
  expect(found).not.toContain("src/receiver/receiver.d.ts: Receiver");
});

function missing(exported: Parameters<typeof mentionedTypes>[0]): readonly string[] {
  return [...mentionedTypes(exported, declarations).keys()].sort();
}
