import { expect, it } from "vitest";
import { Listeners } from "../../src/base/listeners.ts";
import { keptLog, uncaught, until } from "../receiver/sample.ts";

it("listeners are called until they are removed", () => {
  const listeners = new Listeners<number>("observe", keptLog().log);
  const heard: string[] = [];
  const leave = listeners.add((event) => heard.push(`a${event}`));
  listeners.add((event) => heard.push(`b${event}`));
  listeners.notify(1);
  leave();
  listeners.notify(2);
  expect(heard).toEqual(["a1", "b1", "b2"]);
});

it("an error of a listener is logged once a minute, with its name, and the other listeners are called", async () => {
  const { log, lines } = keptLog();
  const caught = uncaught();
  const listeners = new Listeners<number>("observe", log);
  const heard: number[] = [];
  listeners.add(() => {
    throw new Error("at once");
  });
  listeners.add(async () => {
    throw new Error("later");
  });
  listeners.add((event) => heard.push(event));
  listeners.notify(7);
  listeners.notify(8);
  expect(heard).toEqual([7, 8]);
  await until(() =>
    expect(lines).toEqual([
      { level: "error", fields: { error: "at once" }, message: "a listener of observe failed" },
      { level: "error", fields: { error: "later" }, message: "a listener of observe failed" },
    ]),
  );
  expect(caught).toEqual([]);
});
