import { join } from "node:path";
import { expect, it } from "vitest";
import { keep, numberedEntry, sampleDelivery } from "../../inbox/entries.ts";
import { rowsOf } from "../../inbox/sqlite/changed-file.ts";
import { inboxFolder } from "../inbox-folder.ts";

it("a header that another program wrote into an inbox is neither shown nor copied, and the check names its entry", async () => {
  const { cwd, inbox, cli } = await inboxFolder("a.db");
  const headers = { "x-good": "yes", "x-bad\ntouch hacked #": "1", "x-line": "a\r\nb" };
  await keep(inbox, numberedEntry(1));
  await keep(inbox, numberedEntry(2, 0, { delivery: sampleDelivery({ headers }) }));
  await inbox.close();
  const shown = await cli("events show 2 --inbox a.db");
  expect(shown.stdout).toContain("x-good");
  expect(shown.stdout).not.toMatch(/hacked|x-line/);
  const checked = await cli("inbox check --inbox a.db");
  expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining("unreadable  #2\n") });
  expect((await cli("inbox copy a.db b.db")).code).toBe(0);
  expect(rowsOf(join(cwd, "b.db"), "SELECT headers FROM delivery WHERE seq = 2")).toEqual([
    { headers: '{"x-good":"yes"}' },
  ]);
});
