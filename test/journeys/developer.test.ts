import { expect } from "vitest";
import { journey } from "./kit/journey.ts";

const { step } = journey("developer");

step("listen and trigger run in an empty folder, as README's first block says", async (world) => {
  const first = await world.terminal("listen", world.folder);
  first.type("npx --yes hookporter@latest listen");
  await first.until(/Try it in this folder/);
  const second = await world.terminal("commands", world.folder);
  const sent = await second.run("npx --yes hookporter@latest trigger payment.received");
  expect(sent, sent.text).toMatchObject({ code: 0 });
  await first.until(/payment\.received +received/);
  first.press("q");
  const ended = await first.ended("npx --yes hookporter@latest listen");
  expect(ended.code).toBe(0);
});
