import { expect, it } from "vitest";
import { Audience } from "../../src/receiver/audience.ts";
import { keptLog, uncaught, until } from "./sample.ts";

it("tells every listener, until it is taken off", () => {
  const audience = new Audience<number>(keptLog().log);
  const heard: string[] = [];
  const leave = audience.add((told) => heard.push(`a${told}`));
  audience.add((told) => heard.push(`b${told}`));
  audience.tell(1);
  leave();
  audience.tell(2);
  expect(heard).toEqual(["a1", "b1", "b2"]);
});

it("logs what a listener throws or rejects with, and goes on", async () => {
  const { log, lines } = keptLog();
  const caught = uncaught();
  const audience = new Audience<number>(log);
  const heard: number[] = [];
  audience.add(() => {
    throw new Error("at once");
  });
  audience.add(async () => {
    throw new Error("later");
  });
  audience.add((told) => heard.push(told));
  audience.tell(7);
  expect(heard).toEqual([7]);
  await until(() =>
    expect(lines.map(({ fields }) => fields)).toEqual([{ error: "at once" }, { error: "later" }]),
  );
  expect(caught).toEqual([]);
});
