import { z } from "zod";
import { eventKinds } from "../../event/kinds.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { STATE_WORDS } from "../../inbox/entry-state.ts";
import { targetUrl } from "../../relay/target-url.ts";
import type { Permission } from "./mcp-options.ts";

type Fields = Record<string, unknown>;

/** A tool: a command of this program with named arguments. */
export interface Tool<Input = Fields> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Whether it changes nothing. */
  readonly readsOnly: boolean;
  /** Whether it may reach more than this folder's inbox: apps, the service, other machines. */
  readonly reachesOut: boolean;
  /** The command, such as `events list`. */
  readonly command: readonly string[];
  readonly flags?: (input: Input) => readonly string[];
  readonly operands?: (input: Input) => readonly string[];
  /** What the command reads from standard input. */
  readonly stdin?: (input: Input) => string;
  /** What must have been allowed for this input. */
  readonly needs?: (input: Input) => readonly Permission[];
  /** Shortens a record of the command. */
  readonly shorten?: (record: Fields, input: Input) => Fields | undefined;
}

/** Bytes of a body in an answer, unless more are asked for. */
export const BODY_BYTES = 4096;

const kind = z.string().describe(`an event kind: ${eventKinds.join(", ")}`);
const kinds = z
  .string()
  .describe("kinds or families, comma-separated, such as payment.received,lead.*");
const states = z.array(z.enum(STATE_WORDS as [string, ...string[]]));
const url = z.string().describe("endpoint, or a port of this machine");
const fields = z.record(z.string(), z.unknown()).optional();
const flag = z.boolean().optional();
const timeout = z.number().int().min(1).max(120).describe("seconds to wait (default: 30)");

/** What is wrong with a sent event, and the flags of `trigger` for it. */
const FAULTS = {
  none: [],
  duplicate: ["--duplicate", "2"],
  unsigned: ["--no-signature"],
  wrong_signature: ["--tamper", "signature"],
  changed_body: ["--tamper", "body"],
  malformed_header: ["--tamper", "header"],
  too_old: ["--stale", "8d"],
  in_the_future: ["--future", "1h"],
  unknown_kind: ["--unknown-kind"],
} as const;

const sendEvent = tool({
  name: "send_event",
  title: "Send an event",
  description:
    "Signs a sample event, sends it to the receiver, and reports what its handler or target did: state, error with file and line, how to fix it.",
  input: z.object({
    kind,
    set: fields.describe('values by path, such as {"data.amount": 1200}'),
    data: fields.describe("replaces the sample's data"),
    fault: z.enum(Object.keys(FAULTS) as [keyof typeof FAULTS]).optional(),
    count: z.number().int().min(1).max(1000).optional(),
    url: url.optional().describe(`${url.description} (default: where \`listen\` runs here)`),
    timeout: timeout.optional(),
  }),
  readsOnly: false,
  reachesOut: true,
  command: ["trigger"],
  operands: ({ kind: wanted }) => [wanted],
  flags: ({ set = {}, data, fault = "none", count, url: to, timeout: seconds }) => [
    "--wait",
    ...Object.entries(set).map(([path, value]) => `--set=${path}=${JSON.stringify(value)}`),
    ...FAULTS[fault],
    ...flagsOf({
      data: data && JSON.stringify(data),
      count,
      url: to,
      timeout: seconds && `${seconds}s`,
    }),
  ],
  needs: ({ count = 1, url: to }) => [...(count > 1 ? ["many" as const] : []), ...hostOf(to)],
});

const waitForEvent = tool({
  name: "wait_for_event",
  title: "Wait for an event",
  description:
    "Waits for the next entries with numbers above `after`, and reports what became of each. Pass the last number you have seen, so that nothing is missed between two calls.",
  input: z.object({
    after: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("an entry number (default: that of the newest entry)"),
    kind: kinds.optional(),
    state: states.optional().describe("report an entry once it is in one of these states"),
    count: z.number().int().min(1).max(50).optional(),
    timeout: timeout.optional(),
  }),
  readsOnly: true,
  reachesOut: false,
  command: ["events", "wait"],
  flags: ({ timeout: seconds, ...rest }) => flagsOf({ ...rest, timeout: seconds && `${seconds}s` }),
});

const findEvents = tool({
  name: "find_events",
  title: "Find events",
  description:
    "Lists the newest entries of the inbox, oldest of them first, or with `group` what failing entries and dead letters failed with.",
  input: z.object({
    state: states.optional(),
    kind: kinds.optional(),
    since: z.string().optional().describe("a date, or a time ago such as 2h"),
    limit: z.number().int().min(1).max(200).optional().describe("default: 20"),
    group: flag,
  }),
  readsOnly: true,
  reachesOut: false,
  command: ["events", "list"],
  flags: ({ limit = 20, ...rest }) => flagsOf({ limit, ...rest }),
  shorten: ({ seq, id, kind: found, state, reason, attempts, duplicates, receivedAt, ...more }) =>
    seq === undefined
      ? more
      : { seq, id, kind: found, state, reason, attempts, duplicates, receivedAt },
});

const getEvent = tool({
  name: "get_event",
  title: "Show an event",
  description:
    "Shows one entry: its state, problems and runs with their errors; its body on request.",
  input: z.object({
    entry: z.union([z.string(), z.number().int()]).describe("entry number, or event id"),
    body: flag.describe(`with the headers and the first ${BODY_BYTES} characters of the body`),
    bytes: z
      .number()
      .int()
      .min(1)
      .max(1_048_576)
      .optional()
      .describe("characters of the body instead"),
  }),
  readsOnly: true,
  reachesOut: false,
  command: ["events", "show"],
  operands: ({ entry }) => [String(entry)],
  shorten: (record, { body, bytes }) =>
    withBody(record, body === true || bytes !== undefined, bytes),
});

const explainSignature = tool({
  name: "explain_signature",
  title: "Explain a signature",
  description:
    "Verifies a body against a signature header with this project's secrets, and says why it does not match.",
  input: z.object({
    body: z.string().describe("the exact body"),
    signature: z.string().describe("the value of the signature header: sha256= and 64 hex digits"),
  }),
  readsOnly: true,
  reachesOut: false,
  command: ["verify"],
  flags: ({ signature }) => flagsOf({ signature }),
  stdin: ({ body }) => body,
});

const checkReceiver = tool({
  name: "check_receiver",
  title: "Check a receiver",
  description:
    "Sends hundreds of valid, forged and broken deliveries to a receiver, in any language, and reports which it handles wrongly and why. Its handlers run for the correct ones.",
  input: z.object({
    url,
    only: z
      .string()
      .optional()
      .describe("only these cases, comma-separated, such as SIG-01,GATE-01"),
  }),
  readsOnly: false,
  reachesOut: true,
  command: ["check"],
  flags: ({ only }) => flagsOf({ only }),
  operands: ({ url: to }) => [to],
  needs: ({ url: to }) => hostOf(to),
  shorten: (record) => (record.outcome === "passed" ? undefined : record),
});

const retryEvents = tool({
  name: "retry_events",
  title: "Retry events",
  description:
    "Runs a dead, failing or received entry again. Without `entry`, all that match the selection and were not dropped.",
  input: z.object({
    entry: z.union([z.string(), z.number().int()]).optional().describe("entry number, or event id"),
    state: states.optional(),
    kind: kinds.optional(),
    since: z.string().optional().describe("a date, or a time ago such as 2h"),
  }),
  readsOnly: false,
  reachesOut: true,
  command: ["events", "retry"],
  operands: ({ entry }) => (entry === undefined ? [] : [String(entry)]),
  flags: ({ entry: _, ...selection }) => flagsOf(selection),
  needs: ({ entry }) => (entry === undefined ? ["many"] : []),
});

const doctor = tool({
  name: "doctor",
  title: "Check this project",
  description: "Says what is wrong with this project's setup, and how to fix it.",
  input: z.object({}),
  readsOnly: false, // it loads the handlers, which runs their module
  reachesOut: true,
  command: ["doctor"],
});

export const TOOLS: readonly Tool[] = [
  sendEvent,
  waitForEvent,
  findEvents,
  getEvent,
  explainSignature,
  checkReceiver,
  retryEvents,
  doctor,
];

/** Forgets the type of a tool's input, which the server validates before it calls the tool. */
function tool<Input>(definition: Tool<Input>): Tool {
  return definition as unknown as Tool;
}

/** The flags with the names and values of an object. */
function flagsOf(values: Readonly<Record<string, unknown>>): readonly string[] {
  const given = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== false,
  );
  return given.map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}

function hostOf(to: string | undefined): readonly Permission[] {
  const url = targetUrl(to ?? "");
  // the command refuses what is no address
  return url === undefined || isLoopback(url) ? [] : ["hosts"];
}

/** Leaves out a delivery, or cuts its body. */
function withBody(record: Fields, isWanted: boolean, bytes = BODY_BYTES): Fields {
  const { delivery, ...rest } = record;
  if (!isWanted || typeof delivery !== "object" || delivery === null) return rest;
  const { body, ...head } = delivery as { body?: unknown };
  const text = String(body ?? "");
  const cut =
    text.length > bytes ? { body: text.slice(0, bytes), bodyCutFrom: text.length } : { body: text };
  return { ...rest, delivery: { ...head, ...cut } };
}
