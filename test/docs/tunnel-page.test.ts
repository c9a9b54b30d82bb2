import { expect, it } from "vitest";
import { LOSSES } from "../../src/tunnel/lost.ts";
import { NGROK_CODES } from "../../src/tunnel/ngrok-failure.ts";
import { TUNNEL_STATES } from "../../src/tunnel/tunnel-event.ts";
import { quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/tunnel.md");
const online = rowsOf(sectionOf(page, "When it is online")).map(([name = "", ...cells]) => [
  quoted(name)[0],
  ...cells,
]);

it("lists every state with its meaning, and no other", () => {
  expect(online.filter((row) => row.length === 2)).toEqual(Object.entries(TUNNEL_STATES));
});

it("lists every loss with its meaning and fix, and no other", () => {
  const inCode = Object.entries(LOSSES).map(([code, { message, fix }]) => [code, message, fix]);
  expect(online.filter((row) => row.length === 3)).toEqual(inCode);
});

it("lists every code of ngrok's with its meaning, whether it ends all, and the fix", () => {
  const onPage = rowsOf(sectionOf(page, "ngrok")).map(([code = "", ...cells]) => [quoted(code)[0], ...cells]);
  const inCode = Object.entries(NGROK_CODES).map(([code, { message, fix, permanent }]) => {
    return [code, message, permanent ? "yes" : "no", fix];
  });
  expect(onPage).toEqual(inCode);
});
