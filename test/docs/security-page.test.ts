import express from "express";
import { expect, it } from "vitest";
import { HEAD_TIMEOUT } from "../../src/adapters/server.ts";
import { SHARE } from "../../src/cli/live/diagnosis-limit.ts";
import { MOST_TIME } from "../../src/cli/live/diagnosis-thread.ts";
import { createWebhookServer } from "../../src/entries/express.ts";
import { MAX_DEPTH } from "../../src/event/canonical-json.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { readPage } from "./markdown.ts";

const page = readPage("SECURITY.md").replaceAll(/\s+/g, " ");

it("the page states the limits of a delivery as the code has them", () => {
  const { bodyLimit, bodyTimeout } = readOptions({
    secret: "a-secret-that-is-long-enough",
    inbox: "memory:",
  });
  const { headersTimeout } = createWebhookServer(express());
  const heads = `${HEAD_TIMEOUT / 1000} seconds in \`listen\`, ${headersTimeout / 1000} with \`createWebhookServer\``;
  const time = `time (${bodyTimeout / 1000} seconds for a body; for the headers ${heads})`;
  const size = `There are limits on bodies (${bodyLimit / 1024 ** 2} MiB), nesting (${MAX_DEPTH} levels)`;
  expect(page).toContain(`${size}, ${time}`);
});

it("the page states the limits of the search for a cause as the code has them", () => {
  expect(1 / SHARE).toBe(5);
  expect(page).toContain(
    `for ${MOST_TIME / 1000} seconds at most, one at a time and in a fifth of the time`,
  );
});
