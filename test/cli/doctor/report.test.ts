import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../../src/entries/testing.ts";
import { keptLog, SECRET } from "../../receiver/sample.ts";
import { runCli } from "../fake-io.ts";
import { listening } from "../open-listen.ts";
import { changeInbox, openPlace, writeEnvFile } from "./place.ts";
import { report, trouble } from "./trouble.ts";

const MINUTE = 60_000;

it("shows on one page what an incident's channel needs, and neither a secret nor a payload", async () => {
  const place = await openPlace();
  writeEnvFile(place, `HOOKPORTER_SECRET=${SECRET}\n`);
  await trouble(place.inbox, 20 * MINUTE);
  const { code, of, text, findings } = await report(place);
  expect(code).toBe(0);
  expect([...new Set(findings.map(({ check }) => check))]).toEqual([
    "time",
    "node",
    "sqlite",
    "secret",
    "disk",
    "content",
    "processes",
    "signatures",
    "entries",
    "dead letters",
    "changes",
  ]);
  expect(of("secret")[0]).toMatch(
    /^from HOOKPORTER_SECRET in the env file, fingerprint [0-9a-f]{8}$/,
  );
  const [facts, warning] = of("signatures");
  expect(facts).toMatch(
    /latest authentic delivery .*\(20 min ago\), latest mismatch .*\(20 min ago\)$/,
  );
  expect(warning).toMatch(/^4 refused since /);
  expect(of("entries")).toEqual([
    "0 unfinished, 0 due, the oldest: none; 3 dead letters",
    "3 dead letters",
  ]);
  expect(of("dead letters")).toEqual([
    expect.stringMatching(/^3 since .*: no account for …, # at .*trouble\.ts/),
  ]);
  expect(of("changes")[0]).toMatch(
    /^last well at .*; changed since an hour before: .*\.env changed$/,
  );
  expect(text).not.toContain(SECRET);
  expect(text).not.toMatch(/Jane|4711/);
});

it("leaves its own words as they are, and says how many errors it does not show", async () => {
  const place = await openPlace();
  const reasons = [
    "invalid_utf8",
    "invalid_timestamp",
    "empty_body",
    "too_old",
    "too_deep",
    "invalid_json",
  ];
  for (const [index, reason] of reasons.entries())
    changeInbox(
      place.inbox,
      `INSERT INTO entry (seq, key_timestamp, event_id, source, state, reason, received_at, run_at, last_seen_at, body_hash, body_length)
         VALUES (${index + 1}, 0, 'e${index}', 'service', 'dead', '${reason}', 1, 1, 1, '', 0)`,
    );
  const { of } = await report(place);
  const [first, second, , , , others] = of("dead letters");
  expect(first).toMatch(/: the body is not UTF-8$/);
  expect(second).toMatch(/: the timestamp is not ISO 8601 in UTC$/);
  expect(others).toBe("1 other error");
});

it("says for how long the oldest entry has been due", async () => {
  const place = await openPlace();
  const at = Date.now() - 20 * MINUTE;
  changeInbox(
    place.inbox,
    `INSERT INTO entry (seq, key_timestamp, event_id, source, state, received_at, run_at, last_seen_at, body_hash, body_length)
       VALUES (1, 0, 'e', 'service', 'waiting', ${at}, ${at}, ${at}, '', 0)`,
  );
  const { of } = await report(place);
  expect(of("entries")[0]).toMatch(
    /^1 unfinished, 1 due, the oldest: .*\(20 min ago\); 0 dead letters$/,
  );
  expect(of("changes")[0]).toMatch(/^last well at .* \.env changed$/);
});

it("names the processes and files that changed since all was well", async () => {
  const place = await openPlace();
  mkdirSync(join(place.cwd, "handlers"));
  writeFileSync(
    join(place.cwd, "handlers", "payments.mjs"),
    'export default { "deal.status_changed": () => {} };',
  );
  const { url } = await listening(["--no-inspect", "--handlers", "handlers"], place.cwd);
  const receiver = createReceiver({
    secret: SECRET,
    inbox: place.inbox,
    role: "receive",
    log: keptLog().log,
  });
  await receiver.start();
  place.argv.push("--port", new URL(url).port, "--handlers", "handlers");
  const { headers, body } = signedRequest(sampleEvent("lead.created"), { secret: SECRET });
  await receiver.accept({
    method: "POST",
    target: "/webhooks",
    headers,
    body,
    receivedAt: Date.now(),
  });
  await receiver.close();
  const { of } = await report(place);
  expect(of("processes")[0]).toMatch(/^1 process uses the inbox/);
  expect(of("changes")[0]).toMatch(
    /handlers.payments\.mjs changed; .*a process started \(role both, version /,
  );
});

it("is a page of its own: not with --url or --drill", async () => {
  for (const other of [["--url", "https://hooks.example"], ["--drill"]]) {
    const { code, stderr } = await runCli(["doctor", "--report", ...other]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--report")]);
  }
});
