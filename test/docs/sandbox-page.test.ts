import { expect, it } from "vitest";
import type { Chaos } from "../../src/entries/sandbox.ts";
import { NO_CHAOS } from "../../src/service/sandbox/chaos.ts";
import { DEFAULT_PER_PAGE, MAX_PER_PAGE } from "../../src/service/sandbox/property-list.ts";
import { readSandboxOptions } from "../../src/service/sandbox/sandbox-options.ts";
import { openTarget } from "../relay/sample.ts";
import { openSandbox } from "../service/sandbox/open.ts";
import { quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/sandbox.md");
const library = readPage("docs/reference/package/sandbox.md");

it("the page of the library has the actual defaults", () => {
  const rows = rowsOf(sectionOf(library, "startSandbox(options)"));
  const plain = Object.entries(readSandboxOptions({})).filter(([, value]) =>
    ["number", "string"].includes(typeof value),
  );
  expect(plain.length).toBeGreaterThan(5);
  for (const [name, value] of plain) {
    const row = rows.find(([cell = ""]) => quoted(cell)[0] === name);
    expect([name, row?.[2]?.replaceAll("`", "")]).toEqual([name, String(value)]);
  }
});

it("the page lists every kind of chaos with its default", () => {
  const rows = rowsOf(sectionOf(page, "Chaos")).map(([name = "", , value = ""]) => {
    return [quoted(name)[0], JSON.parse(value.replaceAll("`", ""))];
  });
  expect(rows).toEqual(Object.entries(NO_CHAOS satisfies Chaos));
});

it("the page lists every field of an attempt in the log", async () => {
  const target = await openTarget();
  const { sandbox, subscribe, settled } = await openSandbox();
  await subscribe(target.url, ["lead.created"]);
  sandbox.emit("lead.created");
  const [delivery] = await settled();
  const rows = rowsOf(sectionOf(page, "The log"));
  const attempts = rows.find(([name]) => name === "`attempts`")?.[1] ?? "";
  expect([...quoted(attempts)].sort()).toEqual(Object.keys(delivery?.attempts[0] ?? {}).sort());
});

it("the page has the page sizes", () => {
  expect(sectionOf(page, "Assumptions")).toContain(`${DEFAULT_PER_PAGE}, at most ${MAX_PER_PAGE}`);
});

it("the page lists existing routes with their actual paths", async () => {
  const target = await openTarget();
  const { ask, subscribe } = await openSandbox();
  const id = await subscribe(target.url, ["lead.created"]);
  const routes = [
    ...rowsOf(sectionOf(page, "The API")),
    ...rowsOf(sectionOf(page, "Routes of its own")),
  ];
  const paths = routes
    .map(([route = ""]) => quoted(route)[0] ?? "")
    .filter((route) => !route.includes("stream"));
  expect(paths).toHaveLength(6);
  for (const route of paths) {
    const [method = "", path = ""] = route.split(" ");
    const reply = await ask(path.replace(":id", id), {
      method,
      ...(method === "POST" && { body: {} }),
    });
    expect([route, reply.status]).not.toEqual([route, 404]);
  }
});
