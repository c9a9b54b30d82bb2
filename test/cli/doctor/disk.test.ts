import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { disk } from "../../../src/cli/doctor/disk.ts";
import type { Setup } from "../../../src/cli/doctor/setup.ts";
import { smallDisk } from "../../small-disk.ts";

it("a disk on which a delivery does not fit is a fault, and a nearly full one a warning", async (context) => {
  const folder = smallDisk(context, 6);
  const setup = {
    inbox: { file: join(folder, "inbox.db") },
    file: async () => undefined,
  } as unknown as Setup;
  expect(await disk.run(setup)).toMatchObject([{ status: "warn" }]);
  writeFileSync(join(folder, "ballast"), Buffer.alloc(5_000_000));
  expect(await disk.run(setup)).toMatchObject([
    { status: "fail", message: expect.stringContaining("it is answered 503") },
  ]);
});
