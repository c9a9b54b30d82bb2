import { expect, it } from "vitest";
import { addedHeaders } from "../../../src/cli/handlers/forward-request.ts";
import { describeRule } from "../../../src/cli/handlers/forward-rules.ts";
import {
  readAddedHeader,
  readFieldValue,
  readForward,
  readForwardHost,
  readGiveUp,
  readHeaderVariable,
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

it("a repeated flag adds to the rules and headers, whose names may be those of each object", () => {
  const rules = readForward("payment.*=3001", readForward("3000"));
  expect(rules.map(describeRule)).toEqual([
    "http://127.0.0.1:3000/",
    "http://127.0.0.1:3001/ (payment.*)",
  ]);
  expect(readAddedHeader("b: 2", readAddedHeader("a: 1"))).toHaveLength(2);
  const added = addedHeaders({ header: readAddedHeader("constructor: x") }, {} as never);
  expect({ ...added }).toEqual({ constructor: ["x"] });
});

const header = (name: string, value: string) => [{ name, value }];

it.each<[string, (text: string) => unknown, unknown]>([
  ["X-Team: billing", readAddedHeader, header("x-team", "billing")],
  ["x-team:billing", readAddedHeader, header("x-team", "billing")],
  ["x-empty:", readAddedHeader, header("x-empty", "")],
  ["x-url: http://app.test/", readAddedHeader, header("x-url", "http://app.test/")],
  ["Authorization=APP_TOKEN", readHeaderVariable, header("authorization", "APP_TOKEN")],
  ["app.test", readForwardHost, "app.test"],
  ["app.test:8080", readForwardHost, "app.test:8080"],
  ["[::1]:3000", readForwardHost, "[::1]:3000"],
  ["127.0.0.1", readForwardHost, "127.0.0.1"],
  ["app_1", readForwardHost, "app_1"],
  ["on=4xx, time=90m,attempts=3", readGiveUp, { on: "4xx", time: 5_400_000, attempts: 3 }],
  ["data.status=paid", readFieldValue, { path: "data.status", value: "paid" }],
  ["data.note=a=b c", readFieldValue, { path: "data.note", value: "a=b c" }],
  ["data.id", readOrderPath, "data.id"],
  ["webhook.id", readOrderPath, "webhook.id"],
  ["data.a-b.0", readOrderPath, "data.a-b.0"],
])("%j is read by %o", (text, read, value) => {
  expect(read(text)).toEqual(value);
});

it.each<[(text: string) => unknown, RegExp, readonly string[]]>([
  // a pattern that matches no kind
  [readForward, /kind or family/, ["payments.*=3000", "=3000", "payment=3000", "localhost=3000"]],
  // no target
  [readForward, /URL/, ["payment.*=", "payment.*=ftp://a", "payment.*=http://user:pass@host", ""]],
  [readAddedHeader, /header/, ["no colon", ": value", "two words: value"]],
  [readAddedHeader, /one line/, ["x-a: 1\r\nx-b: 2"]],
  [readAddedHeader, /Latin-1/, ["x-a: \u20ac"]],
  [readAddedHeader, /forwardHost/, ["Host: app.test"]],
  [readAddedHeader, /each forward has its own/, ["Content-Length: 1", "Connection: close"]],
  [readAddedHeader, /each forward has its own/, ["Transfer-Encoding: x", "accept-encoding: gzip"]],
  [readHeaderVariable, /./, ["APP_TOKEN", "=APP_TOKEN", "a=", "a=Bearer x", "host=A", "a=B,C"]],
  [readForwardHost, /host/, ["", "http://app.test", "app.test/in", "a b", "app.test:x"]],
  [readForwardHost, /host/, ["sk_test_4eC39HqLyJWDarjtT1zdp7dc"]],
  [readGiveUp, /^expected /, ["", "20", "attempts", "attempts=0", "time=soon", "on=5xx"]],
  [readGiveUp, /^expected /, ["attempts=2,", "toString=1"]],
  [readFieldValue, /^expected a field and its value/, ["", "data.status", "data.status="]],
  [readFieldValue, /^expected a field and its value/, ["=paid", "data.=paid", "data x=paid"]],
  [readOrderPath, /path/, ["", ".", "data.", ".id", "data..id", "data id"]],
])("%o refuses, with %s: %j", (read, words, texts) => {
  for (const text of texts) expect(() => read(text), text).toThrow(words);
});
