import { expect, it } from "vitest";
import { describeRule } from "../../../src/cli/handlers/forward-rules.ts";
import {
  readFieldValue,
  readForward,
  readGiveUp,
  readOrderPath,
} from "../../../src/cli/handlers/values.ts";

it.each([
  ["3000", null, "http://127.0.0.1:3000/"],
  ["3000/hooks?x=1", null, "http://127.0.0.1:3000/hooks?x=1"],
  ["http://app.test/in?kind=payment", null, "http://app.test/in?kind=payment"],
  ["app.test:8080/in?a=b", null, "http://app.test:8080/in?a=b"],
  ["payment.*=3001", "payment.*", "http://127.0.0.1:3001/"],
  ["payment.received=3001/a=b", "payment.received", "http://127.0.0.1:3001/a=b"],
  ["*=https://app.test/", "*", "https://app.test/"],
  ["lead.created=[::1]:3000", "lead.created", "http://[::1]:3000/"],
])("%s is read as a rule", (text, pattern, target) => {
  const [rule, ...others] = readForward(text);
  expect([rule?.pattern, rule?.target.href, others]).toEqual([pattern, target, []]);
});

it("a repeated flag adds to the rules", () => {
  const rules = readForward("payment.*=3001", readForward("3000"));
  expect(rules.map(describeRule)).toEqual([
    "http://127.0.0.1:3000/",
    "http://127.0.0.1:3001/ (payment.*)",
  ]);
});

it.each(["payments.*=3000", "=3000", "payment=3000", "localhost=3000"])(
  "%s is refused, since its pattern matches no kind",
  (text) => expect(() => readForward(text)).toThrow("kind or family"),
);

it.each(["payment.*=", "payment.*=ftp://a", "payment.*=http://user:pass@host", ""])(
  "%j is refused, since it has no target",
  (text) => expect(() => readForward(text)).toThrow("URL"),
);

it("limits are read in any order", () => {
  expect(readGiveUp("on=4xx, time=90m,attempts=3")).toEqual({
    on: "4xx",
    time: 5_400_000,
    attempts: 3,
  });
});

it.each(["", "20", "attempts", "attempts=0", "time=soon", "on=5xx", "attempts=2,", "toString=1"])(
  "the limits %j are refused",
  (text) => expect(() => readGiveUp(text)).toThrow(/^expected /),
);

it.each([
  ["data.status=paid", { path: "data.status", value: "paid" }],
  ["data.note=a=b c", { path: "data.note", value: "a=b c" }],
])("the field %j is read", (text, field) => {
  expect(readFieldValue(text)).toEqual(field);
});

it.each(["", "data.status", "data.status=", "=paid", "data.=paid", "data x=paid"])(
  "the field %j is refused",
  (text) => expect(() => readFieldValue(text)).toThrow(/^expected a field and its value/),
);

it.each(["data.id", "webhook.id", "data.a-b.0"])("the path %s is read", (path) => {
  expect(readOrderPath(path)).toBe(path);
});

it.each(["", ".", "data.", ".id", "data..id", "data id"])("the path %j is refused", (path) => {
  expect(() => readOrderPath(path)).toThrow("path");
});
