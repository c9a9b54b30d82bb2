import { expect, it } from "vitest";
import { createReceiver } from "../../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../../src/entries/testing.ts";
import { keptLog, SECRET } from "../../receiver/sample.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";
import { addRow, openPlace, writeEnvFile } from "./place.ts";
import { expectTrouble, report, trouble } from "./trouble.ts";

const MINUTE = 60_000;

it("shows on one page what an incident's channel needs, and neither a secret nor a payload", async () => {
  const place = await openPlace();
  writeEnvFile(place, `HOOKPORTER_SECRET=${SECRET}\n`);
  await trouble(place.inbox, 20 * MINUTE);
  const found = await report(place);
  expectTrouble(found);
  expect([...new Set(found.findings.map(({ check }) => check))]).toEqual([
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
  expect(found.of("secret")[0]).toMatch(
    /^from HOOKPORTER_SECRET in the env file, fingerprint [0-9a-f]{8}$/,
  );
  expect(found.text).not.toContain(SECRET);
});

it("leaves its own words as they are, and says how many errors it does not show", async () => {
  const place = await openPlace();
  const few = ["invalid_utf8", "invalid_timestamp", "empty_body", "too_old", "too_deep"];
  for (const [index, reason] of [...few, "invalid_json"].entries())
    addRow(place, { seq: index + 1, state: "dead", reason });
  const { of } = await report(place);
  const [first, second, , , , others] = of("dead letters");
  expect(first).toMatch(/: the body is not UTF-8$/);
  expect(second).toMatch(/: the timestamp is not ISO 8601 in UTC$/);
  expect(others).toBe("1 other error");
});

it("says for how long the oldest entry has been due", async () => {
  const place = await openPlace();
  const at = Date.now() - 20 * MINUTE;
  addRow(place, { at, state: "waiting" });
  const { of } = await report(place);
  expect(of("entries")[0]).toMatch(
    /^1 unfinished, 1 due, the oldest: .*\(20 min ago\); 0 dead letters$/,
  );
  expect(of("changes")[0]).toMatch(/^last well at .* \.env changed$/);
});

it("names the processes and files that changed since all was well", async () => {
  const place = await openPlace();
  const handlers = 'export default { "deal.status_changed": () => {} };';
  folderWith({ "handlers/payments.mjs": handlers }, place.cwd);
  const { url } = await listening(["--no-inspect", "--handlers", "handlers"], place.cwd);
  place.argv.push("--port", new URL(url).port, "--handlers", "handlers");
  const { inbox } = place;
  const receiver = createReceiver({ secret: SECRET, inbox, role: "receive", log: keptLog().log });
  await receiver.start();
  const { headers, body } = signedRequest(sampleEvent("lead.created"), { secret: SECRET });
  const delivery = { method: "POST", target: "/webhooks", headers, body };
  await receiver.accept({ ...delivery, receivedAt: Date.now() });
  await receiver.close();
  const { of } = await report(place);
  expect(of("processes")[0]).toMatch(/^1 process uses the inbox/);
  expect(of("changes")[0]).toMatch(
    /handlers.payments\.mjs changed; .*a process started \(role both, version /,
  );
});
