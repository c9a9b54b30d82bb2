import { expect, it } from "vitest";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { sharedInbox } from "../../../src/inbox/shared/shared-inbox.ts";

it("a store without figures has no size", async () => {
  const names = ["a store without figures"];
  const inbox = sharedInbox({
    make: () => memoryInbox(),
    names: () => ({ opening: names, open: names }),
  });
  await inbox.open();
  expect(await inbox.vitals?.size()).toEqual({ bytes: 0 });
  await inbox.close();
});
