import { expect, it } from "vitest";
import { COMMAND_CODES } from "../../src/relay/tunnel/command.ts";
import { COMMAND_PRESETS } from "../../src/relay/tunnel/command-presets.ts";
import { LOSSES } from "../../src/relay/tunnel/lost.ts";
import { NGROK_CODES } from "../../src/relay/tunnel/ngrok-failure.ts";
import type { FailureTable } from "../../src/relay/tunnel/provider.ts";
import { SSH_CODES } from "../../src/relay/tunnel/ssh/failure.ts";
import { SSH_SERVICES } from "../../src/relay/tunnel/ssh/services.ts";
import { TUNNEL_STATES } from "../../src/relay/tunnel/tunnel-event.ts";
import { quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/tunnel.md");
const online = rowsOf(sectionOf(page, "When it is online")).map(([name = "", ...cells]) => [
  quoted(name)[0],
  ...cells,
]);

it("the page lists every state with its meaning, and no other", () => {
  expect(online.filter(([name, ...cells]) => name !== undefined && cells.length === 1)).toEqual(
    Object.entries(TUNNEL_STATES),
  );
});

it("the page lists every loss with its meaning and fix, and no other", () => {
  const inCode = Object.entries(LOSSES).map(([code, { message, fix }]) => [code, message, fix]);
  expect(online.filter((row) => row.length === 3)).toEqual(inCode);
});

it.each([
  ["ngrok", NGROK_CODES],
  ["What ssh may and may not do", SSH_CODES],
  ["Other programs", COMMAND_CODES],
])(
  "the page lists every code with its meaning, whether it ends listen, and the fix: %s",
  (section, codes) => {
    const rows = rowsOf(sectionOf(page, section)).filter(([, , , fix]) => fix !== undefined);
    const onPage = rows.map(([code = "", ...cells]) => [quoted(code)[0], ...cells]);
    const inCode = Object.entries<FailureTable<string>[string]>(codes).map(
      ([code, { message, fix, permanent }]) => {
        return [code, message, permanent ? "yes" : "no", fix];
      },
    );
    expect(onPage).toEqual(inCode);
  },
);

it("the page has the actual command of each known program", () => {
  const rows = rowsOf(sectionOf(page, "Other programs")).filter((row) => row.length === 3);
  const onPage = rows.map(([name = "", runs = ""]) => [quoted(name)[0], quoted(runs)[0]]);
  const inCode = Object.entries(COMMAND_PRESETS).map(([name, { command }]) => [
    name,
    command.join(" "),
  ]);
  expect(onPage).toEqual(inCode);
});

it("the page names every service", () => {
  const rows = rowsOf(sectionOf(page, "SSH: localhost.run, pinggy, serveo"));
  const onPage = rows.map(([name = ""]) => quoted(name)[0]);
  expect(onPage).toEqual(Object.keys(SSH_SERVICES));
});
