import { expect, it } from "vitest";
import { expressReceiver } from "../../src/entries/express.ts";
import { fastifyReceiver } from "../../src/entries/fastify.ts";
import { fetchReceiver } from "../../src/entries/fetch.ts";
import { createReceiver } from "../../src/entries/index.ts";
import { lambdaReceiver } from "../../src/entries/lambda.ts";
import { nodeReceiver } from "../../src/entries/node.ts";
import { SECRET } from "../receiver/sample.ts";

const refused = expect.objectContaining({ name: "ConfigurationError", code: "option_invalid" });
const receiver = createReceiver({ secret: SECRET, inbox: "memory:" });

it.each([
  ["expressReceiver", expressReceiver],
  ["nodeReceiver", nodeReceiver],
  ["fastifyReceiver", fastifyReceiver],
  ["fetchReceiver", fetchReceiver],
  ["lambdaReceiver", lambdaReceiver],
])("%s refuses what is no receiver, and options that cannot work", (name, adapter) => {
  const paths = ["webhooks", "", 5, null, "/a?b", "/a#b", "/a b", "http://127.0.0.1/"];
  const options = [null, { paths: "/webhooks" }, ...paths.map((path) => ({ path }))];
  const calls = [[], [createReceiver], [{}], ...options.map((given) => [receiver, given])];
  for (const given of calls) {
    expect(() => Reflect.apply(adapter, undefined, given)).toThrow(refused);
  }
  expect(() => Reflect.apply(adapter, undefined, [])).toThrow(name);
  for (const path of [undefined, "/", "/webhooks/", "/a/b.c;d"])
    expect(adapter(receiver, { path })).toBeInstanceOf(Function);
});
