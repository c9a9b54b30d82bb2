import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { sqliteInbox } from "../../../../src/inbox/sqlite.ts";
import { copyEntries } from "../../../../tools/bench/server/copy-entries.ts";
import { numberedEntry } from "../../../inbox/entries.ts";

const folder = mkdtempSync(join(tmpdir(), "hookporter-copies-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("copies have keys of their own, later times, and the deliveries of the entries they were copied from", async () => {
  const path = join(folder, "inbox.db");
  const inbox = sqliteInbox(path);
  await inbox.open();
  for (let number = 1; number <= 7; number++) await inbox.append(numberedEntry(number));
  await inbox.close();
  await copyEntries(path, 24);
  await inbox.open();
  const entries = await inbox.list({});
  const delivery = (seq: number) => inbox.delivery(seq);
  expect(entries.map(({ seq }) => seq)).toEqual(
    Array.from({ length: 24 }, (_, index) => index + 1),
  );
  expect(new Set(entries.map(({ key }) => key.eventId)).size).toBe(24);
  for (const { seq, receivedAt, bodyHash } of entries) {
    const original = entries[(seq - 1) % 7];
    expect(bodyHash).toBe(original?.bodyHash);
    expect(receivedAt).toBe(
      (original?.receivedAt ?? 0) + Math.ceil((seq - (original?.seq ?? 0)) / 20),
    );
    expect((await delivery(seq))?.body).toEqual((await delivery(original?.seq ?? 0))?.body);
  }
  await inbox.close();
});
