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
  ["no signature header, an empty one, only white space", "401, `signature_missing`; nothing kept"],
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
    "an array is 401; names match in any case, and only own properties count",
  ],
  ["the signature in a trailer, cookie, other header, body or query", "401, `signature_missing`"],
  [
    "the old secret after a rotation",
    "200 and `previous` while it is still configured; then 401, `signature_mismatch`",
  ],
  [
    "signed bytes that were re-serialised, reformatted or re-encoded on the way",
    "401, `signature_mismatch`; nothing of the body in the log or the outcome",
  ],
  [
    "one flipped bit in the body or digest; an empty body",
    "401, `signature_mismatch`; an empty body with a valid signature: 400, dead letter `empty_body`",
  ],
  ["a header of 16 kB, headers of 20 kB", "431, connection closed"],
  [
    "an endless series of random signatures",
    "401 each; memory does not grow, nothing is kept; one line a minute in the log",
  ],
  ["64 Latin-1 letters, which take twice as many bytes in UTF-8", "401, `signature_malformed`; never 500"],
  [
    "digests that differ in the first, a middle or the last byte",
    "the same 401: 32 bytes are compared in constant time",
  ],
  [
    "a secret function that throws or returns a wrong type; a header value of a wrong type",
    "500; 401 for the header value; the process keeps serving",
  ],
  [
    "a delivery repeated without its signature",
    "401, `signature_missing`, so it is distinguished from a forgery",
  ],
  [
    "a secret that is empty, blank or missing; short, a placeholder, with a newline",
    "`secret_empty` or `secret_missing` at construction; a warning if it is weak; the newline is removed",
  ],
  ["a rotation while a body is still arriving", "secrets are read once per request"],
  [
    "a list of secrets with an empty one",
    "`secret_empty` at construction; 500 if a function returns the list",
  ],
  [
    "an attempt to turn verification off",
    "no option, flag or variable does that; such a flag is a usage error",
  ],
  ["an empty secret as bytes", "`secret_empty`; a signature made with an empty key is 401"],
];

const BODY: readonly Row[] = [
  [
    "a byte order mark, signed with the rest",
    "200; the mark is part of the MAC, and dropped only for parsing",
  ],
  ["bytes that are not UTF-8", "400, dead letter `invalid_utf8`"],
  ["bytes that decode to the same text as the signed bytes", "401, `signature_mismatch`"],
  [
    "UTF-16, UTF-32; a wrong charset",
    "400, dead letter `invalid_json`, or `invalid_utf8` if there is a byte order mark; the charset is ignored",
  ],
  [
    "`Content-Encoding`, several of them, a zip bomb",
    "415 from the headers alone; nothing is ever decompressed",
  ],
  [
    "a body over the limit: declared, with a false length, or in endless chunks",
    "413 as soon as it is known; a body shorter than declared is 408, extra bytes are read as another request",
  ],
  ["a body of exactly the limit, and one byte more", "200 and 413"],
  [
    "text that is almost JSON; JSON that is not an object",
    "400, dead letter `invalid_json` or `invalid_envelope`",
  ],
  ["a key twice, at any depth, however it is escaped", "400 with the field, dead letter `duplicate_key`"],
  [
    "prototype-polluting keys, at any depth, however they are escaped",
    "400 with the field, dead letter `forbidden_key`",
  ],
  ["nesting deeper than 64 levels, up to millions", "400, dead letter `too_deep` with the raw bytes"],
  ["a million keys or elements", "413 with the default limit; 200 if the limit allows them"],
  [
    "numbers that a double rounds or cannot hold",
    "200, named in `problems`, or a dead letter `inexact_number`; a different exact value is a different event, the same value in another notation a duplicate",
  ],
  [
    "NUL, lone surrogates, bidirectional marks, escape sequences, a 1 MB string",
    "200; kept byte for byte, one entry each; escaped when displayed",
  ],
  [
    "envelope fields that are missing, of a wrong type, or extra",
    "400 with the field, dead letter `invalid_envelope`; extra fields are kept",
  ],
  [
    "unknown kinds, including names that every object has",
    "200, entry `received`, unless a handler for unknown kinds runs it",
  ],
  [
    "a known kind whose data does not fit its schema",
    "200, dead letter `invalid_data`; runs if it is retried once a schema accepts it",
  ],
  [
    "timestamps that are not strict UTC, or not a calendar date",
    "400 with `timestamp`, dead letter `invalid_timestamp`; 1 to 9 fractional digits and `+00:00` are accepted, truncated to milliseconds",
  ],
  ["the same event, serialised differently and signed again", "200, duplicate"],
];

const HTTP: readonly Row[] = [
  ["other methods, other paths, a CORS preflight", "405 with `Allow: POST`, 404; never a CORS header"],
  [
    "a body without `Content-Length` or `Transfer-Encoding`",
    "401, as a request without a body; the bytes after it are 400",
  ],
  [
    "lengths and chunks that are contradictory or malformed",
    "400, connection closed; 413 for endless chunk extensions",
  ],
  ["a connection that ends in the middle of a body", "nothing kept, no uncaught error, the socket is freed"],
  [
    "a body that trickles in byte by byte, or stalls before its end",
    "408 after `bodyTimeout`, or as soon as others need its memory, connection closed; no answer before the commit",
  ],
  [
    "thousands of connections, kept alive, pipelined",
    "each request is judged by itself, until 8 pipelined ones are refused: the rest get 503; idle connections make room for new ones",
  ],
  [
    "`Expect: 100-continue` with a body over the limit; another expectation",
    "413 without `100 Continue`; 417",
  ],
  ["no `Host`; a malformed `Host` or `Origin`", "400; ignored: only the signature counts"],
  ["a header named `__proto__` or like another property of every object", "200, no effect"],
  [
    "absolute targets, dot segments, escapes, parameters, queries",
    "404: the raw target must match exactly, apart from a query and one closing slash; a query is 200",
  ],
  ["another content type, or none", "ignored: only the signature counts"],
  [
    "a body that was read or parsed before the receiver",
    "500 at once, `body_already_parsed`; the log has the fix",
  ],
  [
    "non-ASCII text in an error; a handler that throws such text",
    "`Content-Length` counts bytes; no answer contains a handler's text",
  ],
  ["two webhooks with two secrets on one port", "the route selects the secret, never the body"],
];

const REPLAY: readonly Row[] = [
  ["one delivery a hundred times at once, to one or several processes", "200 each; one entry, one run"],
  [
    "a duplicate while the first is running, waiting or dead",
    "200, duplicate; counted, not run, not retried",
  ],
  [
    "a replay after an hour, after a month, after its key was deleted",
    "a duplicate while the entry exists; after that 400, `too_old`",
  ],
  ["a replay with new delivery ids in unsigned headers", "a duplicate: only signed bytes make the identity"],
  ["the same event id from two senders", "two entries"],
  ["two events with the same kind, millisecond and resource", "two entries if `data` differs, one if not"],
  [
    "a sender that gives each retry a new timestamp",
    "one entry each, reported as `restampOf`, unless `identity` makes them the same",
  ],
  ["retries after minutes, hours, days", "200 for up to seven days"],
  [
    "timestamps in the future",
    "200 if up to five minutes ahead; else 400, dead letter `future_timestamp`; accepted if sent again when its time has come",
  ],
  [
    "a clock that is set back or ahead",
    "no negative delay, `lastSeenAt` never goes back; waiting entries still run; deliveries are accepted",
  ],
  ["events of one resource out of order", "kept in the order of arrival; each has its timestamp"],
];

const STORAGE: readonly Row[] = [
  [
    "a full disk, when storing an entry or its result",
    "503 and nothing kept; a result is stored as soon as there is room",
  ],
  ["a locked or slow store", "503 after a limited wait; the retry is new or a duplicate, never lost"],
  [
    "`kill -9` before the commit, after it, while a handler runs",
    "deliveries answered 200 run after the restart; others are new when sent again",
  ],
  ["a power cut", "every commit is flushed before its answer"],
  [
    "a file that is damaged, another program's, or of a newer version; removed while open",
    "an error with a code at start; 503 from then on; never silently recreated",
  ],
  [
    "pruning while deliveries of the same events arrive",
    "a duplicate, or 400 `too_old`; never a second run; waiting and running entries are never removed",
  ],
];

const HANDLERS: readonly Row[] = [
  [
    "a handler that throws at once or later, any value, of any size",
    "one attempt, retried with back-off; the error is cut to 2 KiB",
  ],
  ["a handler that never settles and ignores its signal", "timed out and retried; a later result is ignored"],
  [
    "a handler that blocks the event loop past its lease",
    "another receiver takes over and completes it; the late result is refused",
  ],
  [
    "a handler that ends the process every time",
    "attempts are counted when claimed: a dead letter, not a crash loop",
  ],
  [
    "a handler that changes its event; one of two handlers fails",
    "each handler gets its own event; one that has finished does not run again",
  ],
  [
    "a listener that throws; a handler that leaves an unhandled rejection",
    "logged, the entry settles; `listen` survives an unhandled rejection; your own program exits as usual, and the entry runs again with the attempt counted",
  ],
  [
    "exhausted attempts; retried once, retried twice",
    "dead letter `attempts_exhausted` with its runs; the second retry has no effect",
  ],
  [
    "SIGTERM under load, a second one, SIGKILL",
    "deliveries in progress are answered; a second signal exits at once; unfinished entries run again after the restart",
  ],
];

const RELAY: readonly Row[] = [
  ["DNS rebinding against the page", "403 because of the `Host` header, on every route"],
  ["a request to the page from another site", "refused without the run's token, and from any other origin"],
  [
    "framing, sniffing or reading the page from another site",
    "no CORS header; a strict content security policy",
  ],
  ["markup and escape sequences in a delivery", "escaped in the terminal, shown as text on the page"],
  [
    "pages and routes of this machine, requested through the public address",
    "404: the tunnel leads to a listener that serves only the endpoint",
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
    "401, nothing kept: the secret protects the endpoint, not the address; a warning says so",
  ],
  [
    "secrets in output, errors, files",
    "in none of them; read from the environment, a file or standard input",
  ],
  [
    "inboxes and captures that others can read, or that get committed",
    "files have mode 0600; git ignores the folder",
  ],
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
