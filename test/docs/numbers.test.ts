import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_RETRY, retryDelay } from "../../src/base/options/retry.ts";
import { WORK as LIVE_WORK } from "../../src/cli/live/diagnosis-limit.ts";
import { SANDBOX_DEFAULTS } from "../../src/service/sandbox/sandbox-options.ts";
import { READING_WORK, WORK } from "../../src/signature/diagnose/budget.ts";
import { readPage, root, withoutCode } from "./markdown.ts";

// Each number that a reader sets, waits for or is limited by, beside the constant in force. The
// pages state no others: internal waits and sizes change without notice. Options and flags have
// tables of their own, which `package-page.test.ts` and `cli-defaults.test.ts` compare.

/** A part of a sentence with `{}` for each number, and the constants below `src/`, in order. */
type Row = readonly [says: string, ...constants: readonly string[]];

const TIMING = "relay/tunnel/timing.ts";
const KINDS = "cli/tunnel/kinds.ts";
const RUNNERS = "inbox/postgres/runners.ts";
const DEAD_LETTERS = "cli/handlers/dead-letter-command.ts";
const COMMAND = "cli/handlers/run-command.ts";
const ALERTS = "observe/watch-alerts.ts";
const OPTIONS = "receiver/options/settings.ts";

/** By page below `docs/`. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  "reference/inbox-file.md": [
    ["Above `walLimit` ({} MiB)", "inbox/sqlite/file/log-size.ts DEFAULT_WAL_LIMIT"],
  ],
  "reference/tunnel.md": [
    ["gives up after {} minute if it never was", `${TIMING} TUNNEL_TIMING.patience`],
    ["and after {} minutes with [a program]", `${KINDS} COMMAND_TIMING.patience`],
  ],
  "reference/postgres.md": [
    ["has been silent for {} seconds", `${RUNNERS} GONE`],
    ["polls once every `poll`, {} second by default", `${OPTIONS} DEFAULTS.poll`],
    ["after {} seconds by default", `${OPTIONS} DEFAULTS.lease`],
  ],
  "scaling.md": [["A process writes one every {} seconds", `${RUNNERS} SIGN`]],
  "frameworks/proxies.md": [
    ["up to {} seconds while a database is slow", "inbox/postgres/store.ts TIMEOUT"],
  ],
  "reference/cli/forwarding.md": [
    ["`Retry-After` says (up to {} minutes)", "base/options/retry.ts MAX_ASKED"],
    ["or larger than {} MiB", "relay/sync-forward.ts MAX_PASSED_ON"],
  ],
  "reference/cli/exec.md": [
    [
      "has {} seconds, or longer if `forwardTimeout` is longer. Then it gets SIGTERM, and {} seconds later SIGKILL",
      "cli/handlers/forwarding.ts FORWARD_TIMEOUT",
      `${COMMAND} GRACE`,
    ],
  ],
  "reference/cli/on-dead.md": [
    [
      "the program has {} seconds. Then it gets SIGTERM, and {} seconds later SIGKILL",
      `${DEAD_LETTERS} TIME_LIMIT`,
      `${COMMAND} GRACE`,
    ],
  ],
  "reference/cli/listen.md": [
    ["handlers get {} attempts", "base/options/retry.ts DEFAULT_RETRY.attempts"],
  ],
  "reference/inspector.md": [
    ["headers (from {} characters on)", "inbox/entry-filter.ts MIN_HEADER_TEXT"],
    ["{} digits of the digest", "receiver/observed.ts SHOWN_DIGITS"],
    ["valid for {} hours after their last use", "inspector/auth/known-tokens.ts VALID"],
    ["a retry of at most {} entries", "inspector/changes/change-many.ts MOST_FOLLOWED"],
    ["up to {} deliveries at a time", "inspector/changes/most-triggered.ts MOST_TRIGGERED"],
  ],
  "reference/identity-and-promise.md": [
    ["longer than {} characters, or contains", "event/identity-text.ts MAX_OWN_ID"],
    ["leased for {} seconds,", `${OPTIONS} DEFAULTS.lease`],
    ["`handlerTimeout` ({} seconds)", `${OPTIONS} DEFAULTS.handlerTimeout`],
    ["`maxDelay` ({} minutes)", "base/options/retry.ts DEFAULT_RETRY.maxDelay"],
    ["`drainTimeout` ({} seconds)", `${OPTIONS} DEFAULTS.drainTimeout`],
    ["`unhandledAfter` ({} minutes)", `${OPTIONS} DEFAULTS.unhandledAfter`],
    ["| `maxAge` | {} days |", `${OPTIONS} DEFAULTS.maxAge`],
    ["| `maxSkew` | {} minutes |", `${OPTIONS} DEFAULTS.maxSkew`],
    ["| `retention` | {} days |", `${OPTIONS} DEFAULTS.retention`],
    ["| `deliveryRetention` | {} days |", `${OPTIONS} DEFAULTS.deliveryRetention`],
  ],
  "reference/answers.md": [["nested {} levels deep", "event/canonical-json.ts MAX_DEPTH"]],
  "reference/package/handlers.md": [
    ["{} KiB in total", "dispatch/attempts/run-handler.ts MAX_BYTES"],
  ],
  "reference/package/create-receiver.md": [
    ["at most {} minutes, or `maxDelay`", "base/options/retry.ts MAX_ASKED"],
    ["shorter than {} bytes", "signature/secret-bytes.ts SAFE_BYTES"],
  ],
  "reference/package/testing.md": [["`work` | {} |", "signature/diagnose/budget.ts WORK"]],
  "reference/package/drain.md": [["plus {} seconds", "dispatch/runs/run-budget.ts MAX_MARGIN * 2"]],
  "operations.md": [
    ["if its body arrives within {} seconds", "http/closing.ts CLOSE_GRACE"],
    [
      "{} days after the entry was handled (`deliveryRetention`)",
      `${OPTIONS} DEFAULTS.deliveryRetention`,
    ],
    ["after {} days (`retention`)", `${OPTIONS} DEFAULTS.retention`],
  ],
  "reference/sandbox.md": [
    ["the latest {} deliveries", "service/sandbox/deliverer.ts MAX_KEPT"],
    ["a message of more than {} MiB", `${OPTIONS} DEFAULTS.bodyLimit`],
  ],
  "reference/check.md": [
    ["longer than {} seconds fails as recommended", "check/response-times.ts SLOW"],
    ["ends after {} seconds", "check/attempts/find-cause.ts LONGEST"],
    ["`settle` ({} second)", "cli/settings/default-values.ts CHECK_SETTLE"],
  ],
  "reference/limits.md": [
    ["| `bodyLimit` | {} MiB |", `${OPTIONS} DEFAULTS.bodyLimit`],
    ["| `bodyTimeout` | {} seconds |", `${OPTIONS} DEFAULTS.bodyTimeout`],
    ["| `unverifiedLimit` | {} MiB |", `${OPTIONS} DEFAULTS.unverifiedLimit`],
    ["| `maxConnections` | {} |", "http/connection-cap.ts MAX_CONNECTIONS"],
    ["does not wait for answers | | {} |", "http/refused-streak.ts MOST_REFUSED"],
  ],
  "metrics.md": [
    ["of handlers and targets beyond {}", "observe/counted.ts MAX_HANDLERS"],
    ["names of handlers and targets beyond {}", "observe/inbox-gauges.ts MAX_TARGETS"],
    ["for the inbox for at most {} seconds", "observe/inbox-figures.ts MAX_WAIT"],
    ["| `oldestDue` | {} (5 minutes) |", `${ALERTS} ALERT_DEFAULTS.oldestDue`],
    ["twice the log plus {} MiB", "inbox/vitals.ts MIN_FREE_BYTES"],
    ["checked every {} seconds (`every`)", `${ALERTS} ALERT_DEFAULTS.every`],
  ],
  "reference/cli/events-list.md": [
    ["At most the newest {} failing", "inbox/failures.ts LOOKED_AT"],
  ],
  "guides/test-your-handlers.md": [
    ["within {} seconds: a handler waits", "testing/test-receiver.ts DELIVER_TIMEOUT"],
  ],
  "guides/write-handlers.md": [
    ["After {} seconds (`handlerTimeout`)", `${OPTIONS} DEFAULTS.handlerTimeout`],
  ],
  "reference/cli/chaos.md": [
    [
      "older than {} days or more than {} minutes ahead",
      `${OPTIONS} DEFAULTS.maxAge`,
      `${OPTIONS} DEFAULTS.maxSkew`,
    ],
  ],
  "reference/cli/doctor.md": [
    ["at least {} MiB and twice the size", "inbox/vitals.ts MIN_FREE_BYTES"],
  ],
  "reference/cli/events-prune.md": [
    [
      "you can give is {} days and {} minutes",
      `${OPTIONS} DEFAULTS.maxAge`,
      `${OPTIONS} DEFAULTS.maxSkew`,
    ],
  ],
  "reference/package/inbox.md": [
    ["{} by default, the newest", "receiver/inbox-view.ts LIST_LIMIT"],
  ],
  "reference/package/lambda.md": [
    ["plus {} seconds", "dispatch/runs/run-budget.ts MAX_MARGIN * 2"],
  ],
};

/**
 * How many of the constant's unit one unit of the page is. All times are milliseconds, all sizes
 * bytes.
 */
const UNITS: Readonly<Record<string, number>> = {
  second: 1000,
  seconds: 1000,
  minute: 60_000,
  minutes: 60_000,
  hour: 3_600_000,
  hours: 3_600_000,
  days: 86_400_000,
  KiB: 1024,
  MiB: 1024 ** 2,
};

const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/**
 * A page's prose on one line, its numbers in digits: `20 000`, `200,000`, `two` and `a` as `20000`,
 * `200000`, `2` and `1`.
 */
function proseOf(page: string): string {
  return withoutCode(readPage(`docs/${page}`))
    .replaceAll(/\s+/g, " ")
    .replaceAll(/(?<=\d)[ ,](?=\d{3}\b)/g, "")
    .replaceAll(
      /\ban?(?= (?:second|minute|hour)\b)|(?<=\bevery )(?=(?:second|minute)\b)/g,
      (word) => (word === "" ? "1 " : "1"),
    )
    .replaceAll(
      new RegExp(`\\b(?:${NUMBERS.join("|")})(?= (?:seconds?|minutes)\\b)`, "g"),
      (word) => String(NUMBERS.indexOf(word) + 1),
    );
}

/** A constant, such as `a/b.ts NAME.member / 3`. */
async function numberOf(constant: string): Promise<number> {
  const [file = "", path = "", sign, by] = constant.split(" ");
  let value = await import(/* @vite-ignore */ join(root, "src", file));
  for (const name of path.split(".")) value = value[name];
  expect(value, constant).toEqual(expect.any(Number));
  if (sign === undefined) return value;
  return sign === "/" ? value / Number(by) : value * Number(by);
}

const ALL = Object.entries(ROWS).flatMap(([page, rows]) =>
  rows.map(([says, ...constants]) => ({ page, says, constants })),
);

it.each(ALL)("$page: … $says …", async ({ page, says, constants }) => {
  expect(says.split("{}")).toHaveLength(constants.length + 1);
  let sentence = says;
  for (const constant of constants) {
    const value = await numberOf(constant);
    const [, unit = ""] = /\{\}(?: (\w+))?/.exec(sentence) ?? [];
    sentence = sentence.replace("{}", String(value / (UNITS[unit] ?? 1)));
  }
  expect(proseOf(page)).toContain(sentence);
});

/** The words of every file of the program. */
const SOURCES = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({
    file: name.replaceAll("\\", "/"),
    words: readFileSync(join(root, "src", name), "utf8").split(/\W+/),
  }));

const DOCUMENTED = ALL.flatMap(({ constants }) =>
  constants.map((constant) => {
    const [file, type, name] = constant.split(/[ .]/);
    return `${file}.${type} ${name}`;
  }),
);

it.each([...new Set(DOCUMENTED)])("the constant in force is what runs: %s", (constant) => {
  const [file, name = ""] = constant.split(" ");
  const uses = SOURCES.flatMap((source) => {
    const times = source.words.filter((word) => word === name).length;
    // without its declaration, or its import
    return source.file === file ? times - 1 : times > 1 ? times - 1 : 0;
  });
  expect(uses.reduce((sum, times) => sum + times, 0)).toBeGreaterThan(0);
});

it("identity-and-promise.md: the waits of the default back-off, and how long all attempts take", () => {
  const { attempts, delay, factor, jitter } = DEFAULT_RETRY;
  const waits = Array.from({ length: attempts - 1 }, (_, at) => (delay * factor ** at) / 1000);
  const prose = proseOf("reference/identity-and-promise.md");
  expect(prose).toContain(`waits ${waits.slice(0, 3).join(", ")} … ${waits.at(-1)} seconds`);
  const longest = waits.reduce((sum, wait) => sum + wait, 0) / 60;
  const span = `${Math.floor(longest * (1 - jitter))} to ${Math.ceil(longest)} minutes`;
  expect(prose).toContain(`${span} after the first`);
  expect(proseOf("operations.md")).toContain(`up to ${attempts} times in ${span}`);
});

it("sandbox.md: the retries of the sandbox", () => {
  const { retry, answerTimeout } = SANDBOX_DEFAULTS;
  const waits = Array.from(
    { length: retry.attempts - 1 },
    (_, index) => retryDelay(index + 1, retry, 0) ?? 0,
  );
  const minutes = Math.round(waits.reduce((sum, wait) => sum + wait, 0) / 60_000);
  expect(proseOf("reference/sandbox.md")).toContain(
    `${NUMBERS[waits.length - 1]} after the first, over about ${minutes} minutes; ${answerTimeout / 1000} seconds`,
  );
});

it("signature.md: the longest bodies that are parsed", () => {
  const prose = proseOf("reference/signature.md");
  expect(prose).toContain(
    `parsed and reprinted | ${WORK / READING_WORK / 1e6} MB | ${Math.floor(LIVE_WORK / READING_WORK / 1000)} kB`,
  );
});
