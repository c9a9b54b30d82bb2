/** A hostile input, and how hookporter handles it. */
export interface HostileCase {
  /** The number in the titles of its tests. */
  readonly number: number;
  readonly section: Section;
  readonly input: string;
  /** The actual result: status, reason code, what is kept. */
  readonly answer: string;
  /** Why it has no test yet; starts with `in part:` if the rest is tested. */
  readonly pending?: string;
}

/** The sections, in the order of their numbers. */
export const SECTIONS = {
  signature: "The signature header and the secret",
  body: "The bytes of the body, and the JSON in them",
  http: "HTTP",
  replay: "Replays, duplicates, clocks",
  storage: "Storage failures",
  handlers: "Handler failures and shutdown",
  relay: "The relay, the terminal, files on disk",
} as const;

export type Section = keyof typeof SECTIONS;

type Row = readonly [input: string, answer: string, pending?: string];

const SIGNATURE: readonly Row[] = [
  ["no signature header, an empty or blank one", "401, `signature_missing`; nothing kept"],
  ["a prefix other than `sha256=`, or none", "401, `signature_malformed`"],
  [
    "the prefix twice, 0 to 128 digits but not 64, spaces inside",
    "401, `signature_malformed`, before any MAC",
  ],
  [
    "64 correct digits followed by junk",
    "401, `signature_malformed`: the text is matched, not the bytes it decodes to",
  ],
  ["uppercase digits", "401, `signature_malformed`"],
  ["the header twice, or several values in one", "401, `signature_malformed`; never split"],
  [
    "header objects with arrays, mixed case, inherited or dangerous names",
    "an array is 401; names match in any case, own properties only",
  ],
  ["the signature in a trailer, cookie, other header, body or query", "401, `signature_missing`"],
  [
    "the old secret after a rotation",
    "200 and `previous` while configured; then 401, `signature_mismatch`",
  ],
  [
    "signed bytes, re-serialised or re-encoded on the way",
    "401, `signature_mismatch`; nothing of the body in the log or the outcome",
  ],
  [
    "one flipped bit in the body or digest; an empty body",
    "401, `signature_mismatch`; an empty body with a valid signature: 400, dead letter `empty_body`",
  ],
  ["a header of 16 kB, headers of 20 kB", "431, connection closed"],
  [
    "an endless series of random signatures",
    "401 each; nothing kept, memory does not grow; one log line a minute",
  ],
  ["64 Latin-1 letters, 128 bytes in UTF-8", "401, `signature_malformed`; never 500"],
  ["digests that differ in one byte, anywhere", "the same 401, compared in constant time"],
  [
    "a secret function that throws or returns a wrong type; a header of a wrong type",
    "500; 401 for the header; the process keeps serving",
  ],
  ["a delivery repeated without its signature", "401, `signature_missing`"],
  [
    "a secret that is empty, blank or missing; short, a placeholder, with a newline",
    "`secret_empty` or `secret_missing` at construction; a warning if weak; the newline is removed",
  ],
  ["a rotation while a body is still arriving", "secrets are read once per request"],
  [
    "a list of secrets with an empty one",
    "`secret_empty` at construction; 500 if a function returns the list",
  ],
  ["an attempt to turn verification off", "no option, flag or variable does that"],
  ["an empty secret as bytes", "`secret_empty`; a signature made with it is 401"],
];

const BODY: readonly Row[] = [
  ["a byte order mark, signed with the rest", "200; the MAC includes it"],
  ["bytes that are not UTF-8", "400, dead letter `invalid_utf8`"],
  ["bytes that decode to the same text as the signed bytes", "401, `signature_mismatch`"],
  [
    "UTF-16, UTF-32; a wrong charset",
    "400, dead letter `invalid_json`, or `invalid_utf8` with a byte order mark; the charset is ignored",
  ],
  [
    "`Content-Encoding`, several of them, a zip bomb",
    "415 from the headers alone; never decompressed",
  ],
  [
    "a body over the limit: declared, with a false length, or in endless chunks",
    "413 as soon as it is known; shorter than declared: 408; extra bytes are another request",
  ],
  ["a body of exactly the limit, and one byte more", "200 and 413"],
  [
    "text that is almost JSON; JSON that is not an object",
    "400, dead letter `invalid_json` or `invalid_envelope`",
  ],
  ["a key twice, at any depth, however escaped", "400 with the field, dead letter `duplicate_key`"],
  [
    "prototype-polluting keys, at any depth, however escaped",
    "400 with the field, dead letter `forbidden_key`",
  ],
  [
    "nesting deeper than 64 levels, up to millions",
    "400, dead letter `too_deep` with the raw bytes",
  ],
  ["a million keys or elements", "413 with the default limit; 200 if the limit allows them"],
  [
    "numbers that a double rounds or cannot hold",
    "200, named in `problems`, or a dead letter `inexact_number`; another exact value is another event, another notation a duplicate",
  ],
  [
    "NUL, lone surrogates, bidirectional marks, escape sequences, a 1 MB string",
    "200; kept byte for byte; escaped when displayed",
  ],
  [
    "envelope fields that are missing, of a wrong type, or extra",
    "400 with the field, dead letter `invalid_envelope`; extra fields are kept",
  ],
  [
    "unknown kinds, including names that every object has",
    "200, entry `received`, unless a handler runs it",
  ],
  [
    "a known kind whose data does not fit its schema",
    "200, dead letter `invalid_data`; runs if retried once a schema accepts it",
  ],
  [
    "timestamps that are not strict UTC, or not a calendar date",
    "400 with `timestamp`, dead letter `invalid_timestamp`; 1 to 9 fractional digits, `z`, `+00:00` and `+0000` are accepted",
  ],
  ["the same event, serialised differently and signed again", "200, duplicate"],
];

const HTTP: readonly Row[] = [
  [
    "other methods, other paths, a CORS preflight",
    "405 with `Allow: POST`, 404; never a CORS header",
  ],
  [
    "a body without `Content-Length` or `Transfer-Encoding`",
    "401, as without a body; the bytes after it are 400",
  ],
  [
    "lengths and chunks that are contradictory or malformed",
    "400, connection closed; 413 for endless chunk extensions",
  ],
  ["a connection that ends in the middle of a body", "nothing kept; the socket is freed"],
  [
    "a body that trickles in, or stalls before its end",
    "408 after `bodyTimeout`, or as soon as others need its memory; connection closed",
  ],
  [
    "thousands of connections, kept alive, pipelined",
    "each request is judged by itself; after 8 refused pipelined ones, the rest get 503; idle connections make room for new ones",
  ],
  [
    "`Expect: 100-continue` with a body over the limit; another expectation",
    "413 without `100 Continue`; 417",
  ],
  ["no `Host`; a malformed `Host` or `Origin`", "400; ignored: only the signature counts"],
  ["a header named `__proto__` or like another object property", "200, no effect"],
  [
    "absolute targets, dot segments, escapes, parameters, queries",
    "404, except for a query and one closing slash",
  ],
  ["another content type, or none", "ignored: only the signature counts"],
  [
    "a body read or parsed before the receiver",
    "500 at once, `body_already_parsed`; the log has the fix",
  ],
  [
    "non-ASCII text in an error or thrown by a handler",
    "`Content-Length` counts bytes; no answer contains a handler's text",
  ],
  ["two webhooks with two secrets on one port", "the route selects the secret, never the body"],
];

const REPLAY: readonly Row[] = [
  ["one delivery 100 times at once, to one or several processes", "200 each; one entry, one run"],
  [
    "a duplicate while the first is running, waiting or dead",
    "200, duplicate; counted, not run, not retried",
  ],
  [
    "a replay after an hour, after a month, after its key was deleted",
    "a duplicate while the entry exists; then 400, `too_old`",
  ],
  ["a replay with new delivery ids in unsigned headers", "a duplicate: only signed bytes count"],
  ["the same event id from two senders", "two entries"],
  [
    "two events with the same kind, millisecond and resource",
    "two entries if `data` differs, one if not",
  ],
  [
    "a sender that gives each retry a new timestamp",
    "one entry each, reported as `restampOf`, unless `identity` equates them",
  ],
  ["retries after minutes, hours, days", "200 for up to seven days"],
  [
    "timestamps in the future",
    "200 up to five minutes ahead; else 400, dead letter `future_timestamp`; accepted if sent again when due",
  ],
  [
    "a clock that is set back or ahead",
    "waiting entries still run; deliveries are accepted; `lastSeenAt` never goes back",
  ],
  ["events of one resource out of order", "kept in the order of arrival, each with its timestamp"],
];

const STORAGE: readonly Row[] = [
  [
    "a full disk, when storing an entry or its result",
    "503 and nothing kept; a result is stored as soon as there is room",
  ],
  ["a locked or slow store", "503 after a limited wait; the retry is never lost"],
  [
    "`kill -9` before the commit, after it, while a handler runs",
    "what was answered 200 runs after the restart; the rest is new when sent again",
  ],
  ["a power cut", "every commit is flushed before its answer"],
  [
    "a file that is damaged, another program's, newer, or removed while open",
    "an error with a code at start; 503 from then on; never silently recreated",
  ],
  [
    "pruning while deliveries of the same events arrive",
    "a duplicate, or 400 `too_old`; never a second run; unfinished entries are never removed",
  ],
];

const HANDLERS: readonly Row[] = [
  [
    "a handler that throws at once or later, any value, of any size",
    "retried with back-off; the error is cut to 2 KiB",
  ],
  [
    "a handler that never settles and ignores its signal",
    "timed out and retried; a later result is ignored",
  ],
  [
    "a handler that blocks the event loop past its lease",
    "another receiver completes it; the late result is refused",
  ],
  ["a handler that ends the process every time", "a dead letter, not a crash loop"],
  [
    "a handler that changes its event; one of two handlers fails",
    "each handler gets its own event; a finished one does not run again",
  ],
  [
    "a listener that throws; a handler that leaves an unhandled rejection",
    "logged, the entry settles; `listen` survives the rejection; your own program exits as usual, and the entry runs again",
  ],
  [
    "exhausted attempts; retried once, retried twice",
    "dead letter `attempts_exhausted` with its runs; the second retry has no effect",
  ],
  [
    "SIGTERM under load, a second one, SIGKILL",
    "deliveries in progress are answered; a second signal exits at once; unfinished entries run after the restart",
  ],
];

const RELAY: readonly Row[] = [
  ["DNS rebinding against the page", "403 because of the `Host` header, on every route"],
  [
    "a request to the page from another site",
    "refused without the run's token, and from any other origin",
  ],
  [
    "framing, sniffing or reading the page from another site",
    "no CORS header; a strict content security policy",
  ],
  [
    "markup and escape sequences in a delivery",
    "escaped in the terminal, shown as text on the page",
  ],
  [
    "pages and routes of this machine, requested through the public address",
    "404: only the endpoint is public",
  ],
  [
    "a payload or response that names another target",
    "the target is fixed at start; redirects are not followed",
  ],
  [
    "a relay that changes bytes or hides a failure",
    "same bytes, same signature; a failure is retried and reported",
  ],
  [
    "a public address that is guessed or shared",
    "401, nothing kept: the secret protects the endpoint, not the address",
  ],
  ["secrets in output, errors, files", "in none of them"],
  [
    "inboxes and captures that others can read, or that get committed",
    "files have mode 0600; git ignores the folder",
  ],
  [
    "a body whose wrong signature takes long to diagnose",
    "401; the diagnosis is ended after 2 seconds, and other deliveries do not wait for it",
  ],
  ["a target or headers that take long to read or show", "404 or 401, in linear time"],
];

/** Every case, by number from 1. */
export const CATALOGUE: readonly HostileCase[] = Object.entries({
  signature: SIGNATURE,
  body: BODY,
  http: HTTP,
  replay: REPLAY,
  storage: STORAGE,
  handlers: HANDLERS,
  relay: RELAY,
} satisfies Record<Section, readonly Row[]>)
  .flatMap(([section, rows]) => rows.map((row) => ({ section: section as Section, row })))
  .map(({ section, row: [input, answer, pending] }, index) => {
    return { number: index + 1, section, input, answer, ...(pending !== undefined && { pending }) };
  });

/** The title of a case's test; `part` distinguishes several tests of a case. */
export function caseTitle(number: number, part?: string): string {
  const found = CATALOGUE[number - 1];
  if (found === undefined) throw new Error(`there is no case ${number}`);
  const { input, answer } = found;
  return `${number} ${input}: ${answer}${part === undefined ? "" : ` (${part})`}`;
}
