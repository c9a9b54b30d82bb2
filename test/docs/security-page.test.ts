import { expect, it } from "vitest";
import { MAX_DEPTH } from "../../src/event/canonical-json.ts";
import { HEAD_TIMEOUT } from "../../src/receiver/adapters/server.ts";
import { readOptions } from "../../src/receiver/options/options.ts";
import { readPage } from "./markdown.ts";

const page = readPage("SECURITY.md").replaceAll(/\s+/g, " ");

it("the page states the limits of a delivery as the code has them", () => {
  const { bodyLimit, bodyTimeout } = readOptions({
    secret: "a-secret-that-is-long-enough",
    inbox: "memory:",
  });
  const time = `time (${bodyTimeout / 1000} seconds for a body, ${HEAD_TIMEOUT / 1000} for the headers)`;
  const size = `There are limits on bodies (${bodyLimit / 1024 ** 2} MiB), nesting (${MAX_DEPTH})`;
  expect(page).toContain(`${size}, ${time}`);
});
