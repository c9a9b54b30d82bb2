import { expect, it } from "vitest";
import { orderByPath } from "../../../src/cli/handlers/forwarding.ts";
import { sampleEvent } from "../../dispatch/sample.ts";

const event = (data: Record<string, unknown>) => {
  const whole = sampleEvent();
  return { ...whole, data, envelope: { ...whole.envelope, data } };
};

it.each([
  ["data.id", { id: "prop_1" }, "prop_1"],
  ["data.owner.id", { owner: { id: 7 } }, "7"],
  ["data.list.0", { list: ["first"] }, "first"],
  ["data.vacant", { vacant: false }, "false"],
  ["webhook.id", {}, "wh_1"],
  ["event", {}, "payment.received"],
])("the path finds %s", (path, data, key) => {
  expect(orderByPath(path)(event(data))).toBe(key);
});

it.each([
  ["data.id", {}],
  ["data.id", { id: null }],
  ["data.id", { id: "" }],
  ["data.id", { id: { a: 1 } }],
  ["data.id", { id: ["a"] }],
  ["data.id.more", { id: "prop_1" }],
  ["data.toString", {}],
  ["data.__proto__", {}],
  ["data.id.length", { id: "prop_1" }],
  ["nothing.there", {}],
])("there is no order if %s is absent or not a plain value", (path, data) => {
  expect(orderByPath(path)(event(data))).toBeUndefined();
});
