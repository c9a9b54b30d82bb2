import { Socket } from "node:net";
import express from "express";
import { expect, it, onTestFinished, vi } from "vitest";
import { HEAD_TIMEOUT } from "../../src/adapters/server.ts";
import { SHARE } from "../../src/cli/live/diagnosis-limit.ts";
import { MOST_TIME } from "../../src/cli/live/diagnosis-thread.ts";
import { createWebhookServer } from "../../src/entries/express.ts";
import { MAX_DEPTH } from "../../src/event/canonical-json.ts";
import { readOptions } from "../../src/receiver/options/settings.ts";
import { program } from "../cli/all-commands.ts";
import { runCli } from "../cli/fake-io.ts";
import { folderWith } from "../cli/folder-with.ts";
import { saveDeliveries } from "../cli/save-deliveries.ts";
import { deliveryNow, SECRET } from "../receiver/sample.ts";
import { readPage, rowsOf, sectionOf } from "./markdown.ts";

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

it("the page says of each command what it sends, and to whom", () => {
  const rows = rowsOf(sectionOf(readPage("SECURITY.md"), "What is sent where"));
  const named = rows.flatMap(([names = ""]) => names.match(/(?<=`)[a-z]+(?=`)/g) ?? []);
  expect([...new Set(named)].sort()).toEqual(program.commands.map((one) => one.name()).sort());
});

/** Commands that send nothing, by a command line that succeeds. */
const SILENT: readonly (readonly string[])[] = [
  ["init", "made"],
  ["sign", "body"],
  ["verify", "saved.json"],
  ["fixtures", "scrub", "saved.json", "--to", "scrubbed"],
  ["trust"],
  ["completion", "bash"],
];

it("the commands that send nothing open no connection", async () => {
  const connect = vi.spyOn(Socket.prototype, "connect");
  onTestFinished(() => void vi.restoreAllMocks());
  const { headers, body } = deliveryNow();
  const cwd = folderWith({ body: "body" }, saveDeliveries({ "saved.json": { headers, body } }));
  const env = { HOOKPORTER_SECRET: SECRET };
  for (const argv of SILENT) {
    const { code, stderr } = await runCli(argv, { cwd, env });
    expect(code, `${argv.join(" ")}: ${stderr}`).toBe(0);
  }
  const rows = rowsOf(sectionOf(readPage("SECURITY.md"), "What is sent where"));
  const [names = ""] = rows.find(([, sends]) => sends === "nothing") ?? [];
  expect(names.match(/(?<=`)[a-z]+(?=`)/g)).toEqual(SILENT.map(([name]) => name));
  expect(connect).not.toHaveBeenCalled();
});
