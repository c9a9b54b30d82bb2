/** One hostile input, and what hookporter answers to it. */
export interface HostileCase {
  /** The number its tests carry. */
  readonly number: number;
  readonly section: Section;
  readonly input: string;
  /** What really happens: the status, the reason code, what is kept. */
  readonly answer: string;
  /** Why there is no test of it yet; begins with `in part:` where there is one for the rest. */
  readonly pending?: string;
}

/** The sections, in the order of their numbers; each has a test file of its name. */
export const SECTIONS = {
  signature: "The signature header and the secret",
  body: "The bytes of the body, and the JSON in them",
  http: "HTTP",
  replay: "Replays, duplicates, clocks",
  storage: "The store fails",
  handlers: "Handlers fail, and shutdown",
  relay: "The relay, the terminal, what is left on disk",
} as const;

/** One of the sections. */
export type Section = keyof typeof SECTIONS;

type Row = readonly [input: string, answer: string, pending?: string];

const SIGNATURE: readonly Row[] = [
  ["no header, an empty one, only white space", "401, `signature_missing`; nothing kept"],
  ["another prefix than `sha256=`, or none", "401, `signature_malformed`"],
  ["prefix twice, 0 to 128 digits but not 64, spaces inside", "401, `signature_malformed`, before any MAC"],
  [
    "64 right digits and junk behind them",
    "401, `signature_malformed`: the text is matched, not what it decodes to",
  ],
  ["upper case digits", "401, `signature_malformed`"],
  ["the header twice, or several values in one", "401, `signature_malformed`; never split"],
  [
    "a header bag with arrays, mixed case, inherited or poisonous names",
    "an array is 401; names fit in any case, own keys only",
  ],
  ["the signature in a trailer, cookie, other header, body or query", "401, `signature_missing`"],
  ["the secret before a rotation", "200 and `previous` while it is listed; then 401, `signature_mismatch`"],
  [
    "signed bytes that were re-printed, re-spaced or re-encoded on the way",
    "401, `signature_mismatch`; nothing of the body in log or outcome",
  ],
  [
    "one bit of body or digest flipped; an empty body",
    "401, `signature_mismatch`; empty and well signed: 400, dead letter `empty_body`",
  ],
  ["header of 16 kB, headers of 20 kB", "431, connection closed"],
  ["random signatures without end", "401 each; nothing grows, nothing is kept or logged"],
  ["64 Latin-1 letters, twice as many bytes in UTF-8", "401, `signature_malformed`; never 500"],
  [
    "digests that differ in the first, a middle, the last byte",
    "401 alike: 32 bytes compared in constant time",
  ],
  [
    "a secret that throws or is odd; a header value of an odd type",
    "500, or 401 for the value; the process lives and serves",
  ],
  ["a delivery sent again without its signature", "401, `signature_missing`, told apart from the forged"],
  [
    "a secret that is empty, blank, absent; short, a placeholder, with a newline",
    "`secret_empty` or `secret_missing` at construction; a warning for the weak, the newline dropped",
  ],
  ["a rotation while a body is still arriving", "one set of secrets per request, asked for once"],
  ["a list of secrets with an empty one", "`secret_empty` at construction; 500 where a function gives it"],
  ["an attempt to turn verification off", "no option, flag or variable does; such a flag is a usage error"],
  ["an empty secret as bytes", "`secret_empty`; what an empty key signs is 401"],
];

const BODY: readonly Row[] = [
  [
    "a byte order mark, signed with the rest",
    "200; the mark is part of the MAC and dropped for parsing only",
  ],
  ["bytes that are not UTF-8", "400, dead letter `invalid_utf8`"],
  ["bytes that decode to the same text as the signed ones", "401, `signature_mismatch`"],
  [
    "UTF-16, UTF-32; a charset that is not true",
    "400, dead letter `invalid_json` or, with a mark, `invalid_utf8`; the charset changes nothing",
  ],
  ["`Content-Encoding`, several, a zip bomb", "415 by the head alone; nothing is ever unpacked"],
  [
    "more than the limit: told, lied about, or in chunks without end",
    "413 as soon as it is known; less than was told is 408, more is another request",
  ],
  ["a body of exactly the limit, and one byte more", "200 and 413"],
  ["what is nearly JSON, or JSON but no object", "400, dead letter `invalid_json` or `invalid_envelope`"],
  ["one key twice, at any depth, in any spelling", "400 naming the field, dead letter `duplicate_key`"],
  [
    "keys that poison prototypes, at any depth, in any spelling",
    "400 naming the field, dead letter `forbidden_key`",
  ],
  ["nesting beyond 64 levels, up to millions", "400, dead letter `too_deep` with the raw bytes"],
  ["a million keys or elements", "413 by the default limit; 200 where the limit lets them in"],
  [
    "numbers that doubles round or overflow",
    "200; another exact value is another event, the same one written otherwise a duplicate",
  ],
  [
    "NUL, half surrogate pairs, direction marks, escape sequences, a 1 MB text",
    "200; kept byte for byte, one entry each; escaped where shown",
  ],
  [
    "envelope fields missing, of a wrong type, or extra",
    "400 naming the field, dead letter `invalid_envelope`; extra ones are kept",
  ],
  [
    "kinds nobody knows, among them names every object has",
    "200, entry `unhandled`, or run by a handler for such kinds",
  ],
  [
    "a known kind whose data does not fit",
    "200, dead letter `invalid_data`; runs once a schema takes it and it is redriven",
  ],
  [
    "timestamps that are not strict UTC, or no day of any calendar",
    "400 naming `timestamp`, dead letter `invalid_timestamp`; 1 to 9 digits of fraction and `+00:00` are taken, cut to milliseconds",
  ],
  ["the same event, written otherwise and signed anew", "200, duplicate"],
];

const HTTP: readonly Row[] = [
  ["other methods, other paths, a preflight", "405 with `Allow: POST`, 404; never a CORS header"],
  ["a body without a word on its length", "401 for the request without body; the bytes behind it are 400"],
  [
    "lengths and chunks that contradict each other or are malformed",
    "400, connection closed; 413 for extensions without end",
  ],
  ["a connection that ends in mid body", "nothing kept, nothing uncaught, the socket freed"],
  [
    "a body of a byte now and then, or one that stops short of its end",
    "408 after `bodyTimeout`, or as soon as others need its room, connection closed; no answer before the commit",
  ],
  [
    "connections by the thousand, kept alive, pipelined",
    "each request is judged alone, until 8 of those sent ahead are refused: the rest get 503; idle ones make room for new ones",
  ],
  ["`Expect: 100-continue` with too large a body; another expectation", "413 without `100 Continue`; 417"],
  ["no `Host`; a garbled `Host` or `Origin`", "400; never read: the signature decides"],
  ["a header named `__proto__` or like an object's own", "harmless; 200"],
  [
    "absolute targets, dot segments, escapes, parameters, queries",
    "404: the raw target is compared letter for letter, up to the first `?` and but for one closing slash; a query is 200",
  ],
  ["another content type, or none", "the signature decides"],
  [
    "a body that something read or parsed before",
    "500 at once, `body_already_parsed` with the fix in the log",
  ],
  [
    "letters beyond ASCII in an error; a handler that throws them",
    "lengths in bytes; a handler's text is on no answer",
  ],
  ["two webhooks with two secrets on one port", "the secret is chosen by the route, never by the body"],
];

const REPLAY: readonly Row[] = [
  ["one delivery a hundred times at once, to one process or several", "200 each; one entry, one run"],
  ["a duplicate while the first runs, waits or is dead", "200, duplicate; counted, not run, not redriven"],
  [
    "a replay after an hour, a month, after its key is gone",
    "duplicate while the entry lives; then 400, `too_old`",
  ],
  [
    "a replay under fresh delivery ids in unsigned headers",
    "duplicate: signed bytes alone make the identity",
  ],
  ["two senders, one event id", "two entries"],
  [
    "two events of one kind, millisecond and resource",
    "two entries where data differ; one where it does not",
  ],
  [
    "a sender that writes a new timestamp into each retry",
    "an entry each, told as `restampOf`, unless `identity` says otherwise",
  ],
  ["retries after minutes, hours, days", "200 up to seven days"],
  [
    "timestamps of the future",
    "200 up to five minutes; then 400, dead letter `future_timestamp`, taken in its own time",
  ],
  [
    "a clock that is set back or ahead",
    "no negative delay, no time that grows older; what waits runs at last; deliveries are taken",
  ],
  ["events of one resource out of order", "kept in the order of arrival; each carries its timestamp"],
];

const STORAGE: readonly Row[] = [
  [
    "a full disk, when keeping or when settling",
    "503 and nothing kept; what could not be settled is settled once there is room",
  ],
  ["a locked or slow store", "503 after a bounded wait; the retry is new or a duplicate, never lost"],
  [
    "`kill -9` before the commit, after it, in mid handler",
    "what was answered 200 runs after the restart; what was not is new",
  ],
  ["a power cut", "every commit is flushed before its answer"],
  [
    "a file that is damaged, foreign, of a newer version; removed while it is open",
    "refused at the start with a code; 503 from then on; never made anew in silence",
  ],
  [
    "pruning beside deliveries of the same events",
    "a duplicate, or 400 `too_old`; never a second run; what waits or runs is never removed",
  ],
];

const HANDLERS: readonly Row[] = [
  [
    "throws at once or later, anything at all, by the megabyte",
    "one attempt, retried with back-off; the error cut to 2 KiB",
  ],
  ["never settles, ignores its signal", "timed out and retried; what it returns later counts for nothing"],
  ["blocks the event loop past its lease", "whoever took over completes it; the late result is refused"],
  ["ends the process, each time", "attempts are counted when claimed: a dead letter, not a crash loop"],
  [
    "changes its event; one of two fails",
    "each gets an event of its own; the one that finished does not run again",
  ],
  [
    "a listener throws; a handler leaves a rejection behind",
    "logged, the entry settles; `listen` lives through a stray rejection; a program of your own ends as any, and its entry runs again, counted",
  ],
  [
    "attempts exhausted; redriven, redriven twice",
    "dead letter `attempts_exhausted` with its runs; the second redrive changes nothing",
  ],
  [
    "SIGTERM under load, a second one, SIGKILL",
    "deliveries under way are answered; the second ends at once; unfinished entries run again after the restart",
  ],
];

const RELAY: readonly Row[] = [
  ["DNS rebinding to the page", "403 by the `Host` header, on every route"],
  ["a request from another site to the page", "refused without the run's token, and from any other origin"],
  ["framing, sniffing and reading the page from elsewhere", "no CORS header; closed content policy"],
  ["markup and escape sequences in a delivery", "escaped in the terminal, text on the page"],
  [
    "pages and routes of this machine through the public address",
    "404: the tunnel ends at a listener that has the endpoint alone",
  ],
  [
    "a payload or an answer that names another target",
    "the target is fixed at the start; redirects are not followed",
  ],
  [
    "a relay that changes bytes or hides a failure",
    "same bytes, same signature; a failure is retried and told",
  ],
  [
    "a public address that is guessed or shared",
    "401, nothing kept: the signature is the key, not the address; a warning says so",
  ],
  [
    "secrets in output, errors, files",
    "in none of them; read from the environment, a file or standard input",
  ],
  [
    "inboxes and captures that others can read or that get committed",
    "files 0600, the folder ignored by git",
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

/** The title of a case's test; `part` tells several tests of one case apart. */
export function caseTitle(number: number, part?: string): string {
  const found = CATALOGUE[number - 1];
  if (found === undefined) throw new Error(`there is no case ${number}`);
  const { input, answer } = found;
  return `${number} ${input}: ${answer}${part === undefined ? "" : ` (${part})`}`;
}
