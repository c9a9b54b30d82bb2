import { expect, it } from "vitest";
import { createContext } from "../../src/cli/context.ts";
import { KILLS } from "../../src/cli/doctor/doctor-options.ts";
import { LIST_LIMIT } from "../../src/cli/events/events.ts";
import { DEFAULT_INBOX } from "../../src/cli/files/state-folder.ts";
import { FORWARD_TIMEOUT, SYNC_TIMEOUT } from "../../src/cli/handlers/forwarding.ts";
import { WAIT } from "../../src/cli/outcome/outcome.ts";
import { createProgram } from "../../src/cli/program.ts";
import { SECRET_VARIABLE } from "../../src/cli/project/secret-variables.ts";
import { DEFAULT_ENCODING } from "../../src/cli/secrets/encoding.ts";
import { MAX_FAILURES } from "../../src/cli/send/send-all.ts";
import { commandName, leaves } from "../../src/cli/settings/command-tree.ts";
import {
  CHECK_MAX_TIME,
  CHECK_SETTLE,
  CHECK_TIMEOUT,
  DEFAULT_INBOX_HELP,
  shownDuration,
  UNLESS_RUNNING,
} from "../../src/cli/settings/default-values.ts";
import { readDuration } from "../../src/cli/settings/values.ts";
import { eventKinds, SIGNATURE_HEADER } from "../../src/entries/index.ts";
import { DEFAULT_ENDPOINT, DEFAULT_PATH, DEFAULT_PORT } from "../../src/http/default-endpoint.ts";
import { DEFAULT_INSPECTOR_PORT } from "../../src/inspector/default-port.ts";
import { DEFAULT_AGES, DEFAULTS } from "../../src/receiver/options/settings.ts";
import { SEND_TIMEOUT } from "../../src/relay/send.ts";
import { DEFAULT_ASSUMPTIONS } from "../../src/service/client/assumptions.ts";
import { DEFAULT_LIMITS } from "../../src/service/client/client-options.ts";
import { NO_CHAOS } from "../../src/service/sandbox/chaos.ts";
import { SANDBOX_DEFAULTS } from "../../src/service/sandbox/sandbox-options.ts";
import { fakeIo } from "../cli/fake-io.ts";

/**
 * What the code takes if a flag is left out, by command and flag, as help shows it. Pages are
 * compared with the help.
 */
const TAKEN: Readonly<Record<string, string | number>> = {
  "listen --port": DEFAULT_PORT,
  "listen --path": DEFAULT_PATH,
  "listen --inbox": DEFAULT_INBOX.replaceAll("\\", "/"),
  "listen --forward-timeout": `${shownDuration(FORWARD_TIMEOUT)}, with --sync ${shownDuration(SYNC_TIMEOUT)}`,
  "listen --inspect-port": `${DEFAULT_INSPECTOR_PORT}, or a free one`,
  "listen --signature-header": SIGNATURE_HEADER,
  "listen --secret-env": SECRET_VARIABLE,
  "doctor --port": `${UNLESS_RUNNING} ${DEFAULT_PORT}`,
  "doctor --kills": KILLS,
  "doctor --path": DEFAULT_PATH,
  "doctor --inspect-port": `${DEFAULT_INSPECTOR_PORT}, or a free one`,
  "doctor --inbox": `the project's, else ${DEFAULT_INBOX.replaceAll("\\", "/")}`,
  "trigger --url": `${UNLESS_RUNNING} ${DEFAULT_ENDPOINT}`,
  "trigger --count": 1,
  "trigger --duplicate": 1,
  "trigger --timeout": shownDuration(SEND_TIMEOUT),
  "trigger --concurrency": 1,
  "trigger --max-failures": MAX_FAILURES,
  "replay --url": `${UNLESS_RUNNING} ${DEFAULT_ENDPOINT}`,
  "replay --concurrency": 1,
  "replay --max-failures": MAX_FAILURES,
  "replay --duplicate": 1,
  "replay --inbox": DEFAULT_INBOX_HELP,
  "replay --timeout": shownDuration(SEND_TIMEOUT),
  "check --timeout": shownDuration(CHECK_TIMEOUT),
  "check --max-time": shownDuration(CHECK_MAX_TIME),
  "check --settle": shownDuration(CHECK_SETTLE),
  "check --concurrency": 1,
  "events list --limit": LIST_LIMIT,
  "events wait --count": 1,
  "events wait --timeout": shownDuration(WAIT),
  "events prune --older-than": shownDuration(DEFAULT_AGES.retention),
  "events prune --deliveries-older-than": shownDuration(DEFAULT_AGES.deliveryRetention),
  "sandbox --port": SANDBOX_DEFAULTS.port,
  "sandbox --properties": SANDBOX_DEFAULTS.properties,
  "sandbox --seed": SANDBOX_DEFAULTS.seed,
  "sandbox --rate-limit": SANDBOX_DEFAULTS.rateLimit,
  "sandbox --attempts": SANDBOX_DEFAULTS.retry.attempts,
  "sandbox --retry-delay": shownDuration(SANDBOX_DEFAULTS.retry.delay),
  "sandbox --answer-timeout": shownDuration(SANDBOX_DEFAULTS.answerTimeout),
  "sandbox --duplicates": NO_CHAOS.duplicates,
  "sandbox --wrong-signature": NO_CHAOS.wrongSignature,
  "properties --page-parameter": DEFAULT_ASSUMPTIONS.pageParameter,
  "properties --per-page-parameter": DEFAULT_ASSUMPTIONS.perPageParameter,
  "properties --fields-separator": DEFAULT_ASSUMPTIONS.fieldsSeparator,
  "properties --timeout": shownDuration(DEFAULT_LIMITS.timeout),
  ...Object.fromEntries(
    ["listen", "trigger", "replay", "sign", "verify", "check", "subscribe", "doctor"].map(
      (command) => [`${command} --secret-encoding`, DEFAULT_ENCODING],
    ),
  ),
  "subscribe --events": `all ${eventKinds.length}`,
  "subscribe --timeout": shownDuration(DEFAULT_LIMITS.timeout),
};

const shown: Readonly<Record<string, string>> = Object.fromEntries(
  leaves(createProgram(createContext(fakeIo({ cwd: "." }).io))).flatMap((command) =>
    command.options.flatMap(({ long, description }) => {
      const [, fallback] = /\(default: (.+)\)$/.exec(description) ?? [];
      return fallback === undefined ? [] : [[`${commandName(command)} ${long}`, fallback]];
    }),
  ),
);

it.each(Object.entries(TAKEN))("the help of %s shows the default that is taken", (flag, taken) => {
  expect(shown[flag]).toBe(String(taken));
});

it("every default with a number in it is compared with the code", () => {
  const numbers = Object.entries(shown).filter(([, fallback]) => /\d/.test(fallback));
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.map(([flag]) => flag).filter((flag) => !(flag in TAKEN))).toEqual([]);
});

it("replay runs handlers for as long as it waits for an answer", () => {
  expect(DEFAULTS.handlerTimeout).toBe(SEND_TIMEOUT);
});

it.each([
  [1, "1ms"],
  [999, "999ms"],
  [1000, "1s"],
  [1500, "1500ms"],
  [15_000, "15s"],
  [60_000, "1m"],
  [90_000, "90s"],
  [7_200_000, "2h"],
  [7 * 86_400_000, "7d"],
])("a duration of %d ms is shown as %s, and read as the same", (ms, text) => {
  expect(shownDuration(ms)).toBe(text);
  expect(readDuration(text)).toBe(ms);
});
