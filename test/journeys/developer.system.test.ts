import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { codeOf, readPage } from "../docs/markdown.ts";
import { openPage, useBrowser } from "../inspector/browser/chromium.ts";
import { journey } from "./kit/journey.ts";
import { commandsIn } from "./kit/pages.ts";
import type { Ran } from "./kit/terminal.ts";
import type { Running, World } from "./kit/world.ts";

const { step, note } = journey("developer");
const newPage = useBrowser();

const readme = readPage("README.md");
const NPX_LISTEN = "npx --yes hookporter@latest listen";
const HANDLERS = "npx hookporter listen --handlers src/handlers";

/** The commands of README's first block after a text. */
function commandsAfter(text: string): readonly string[] {
  const [block = ""] = codeOf(readme.slice(readme.indexOf(text)), "sh");
  return block
    .trim()
    .split("\n")
    .map((line) => line.replace(/ +# .*/, ""));
}

/** Runs a line, which must end with a code; returns what it did. */
async function expectCode(world: World, cwd: string, line: string, code: number): Promise<Ran> {
  const ran = await world.shell(cwd, line);
  expect(ran, ran.text).toMatchObject({ code });
  return ran;
}

const projectOf = (world: World) => join(world.folder, "my-receiver");
const finances = (world: World) => join(projectOf(world), "src", "handlers", "finances.ts");

/** The address of the page that `listen` has printed. */
function pageOf(shown: string): URL {
  const found = [...shown.matchAll(/Inspector +(http:\S+)/g)].at(-1)?.[1];
  if (found === undefined) throw new Error(`expected an address of the page, got:\n${shown}`);
  return new URL(found);
}

/** What README asks for in its second terminal, and what one types next: on listen's inbox. */
async function useInbox(world: World, cwd: string): Promise<void> {
  for (const line of commandsAfter("**Develop.**")) await expectCode(world, cwd, line, 0);
  const exported = readdirSync(join(cwd, "fixtures"));
  expect(exported.some((name) => name.includes("payment.received"))).toBe(true);
  for (const line of [
    "npx hookporter events list",
    "npx hookporter events show 1",
    "npx hookporter events retry 1",
    "npx hookporter replay 1",
    "npx hookporter types --with-samples",
  ]) {
    const { text } = await expectCode(world, cwd, line, 0);
    expect(text, line).not.toContain("there is no inbox");
  }
}

step("README's first block works in an empty folder, on two terminals", async (world) => {
  const [listen = "", trigger = ""] = commandsAfter("# hookporter");
  expect([listen, trigger]).toEqual([
    "npx hookporter@latest listen",
    "npx hookporter@latest trigger payment.received",
  ]);
  const first = await world.terminal("listen", world.folder);
  first.type(NPX_LISTEN);
  await first.until(/Try it in this folder/);
  const second = await world.terminal("commands", world.folder);
  const sent = await second.run(trigger.replace("npx", "npx --yes"));
  expect(sent, sent.text).toMatchObject({ code: 0 });
  await first.until(/#1 +· payment\.received +received/);
});

step("the page shows in a browser what the terminal shows", async (world) => {
  const first = await world.terminal("listen", world.folder);
  const page = await newPage();
  await openPage(page, pageOf(first.history()));
  await page.locator(".line", { hasText: "payment.received" }).first().waitFor();
  note(`the page: ${await page.locator("main").innerText()}`);
  expect(page.troubles).toEqual([]);
});

step("the line that listen suggests, and q, work where they are printed", async (world) => {
  const first = await world.terminal("listen", world.folder);
  const suggested = commandsIn(first.history()).filter((line) => line.includes("trigger"));
  expect(suggested).toEqual(["npx hookporter trigger payment.received"]);
  const second = await world.terminal("commands", world.folder);
  for (const line of suggested)
    expect(await second.run(line.replace("npx", "npx --yes"))).toMatchObject({ code: 0 });
  first.press("q");
  expect(await first.ended(NPX_LISTEN)).toMatchObject({ code: 0 });
});

step("README's first task makes a project, whose tests pass", async (world) => {
  const [init = ""] = commandsAfter("**Integrate.**");
  expect(init).toBe("npx hookporter init my-receiver");
  await expectCode(world, world.folder, `${init.replace("npx", "npx --yes")} --yes`, 0);
  await expectCode(world, projectOf(world), "npm install", 0);
  await expectCode(world, projectOf(world), "npm test", 0);
});

let url = "";
let listen: Running | undefined;
let server: Running | undefined;

step(
  "with listen started first, each command of the project acts on what it received",
  async (world) => {
    const project = projectOf(world);
    url = await world.portFor(project);
    listen = await world.start(project, "npx hookporter listen", /Try it in this folder/);
    await expectCode(world, project, "npx hookporter trigger payment.received", 0);
    await useInbox(world, project);
  },
);

step(
  "once the server runs too, what deletes asks which inbox, and its lines run as printed",
  async (world) => {
    const project = projectOf(world);
    server = await world.start(project, "npm run dev", /"message":"listening"/);
    const sent = await expectCode(
      world,
      project,
      `npx hookporter trigger lead.created --wait --url ${url}`,
      0,
    );
    expect(sent.text).toContain("handled");
    const listed = await expectCode(world, project, "npx hookporter events list", 0);
    expect(listed.text).toContain("that of the project is data/inbox.db");
    expect(listed.text).not.toContain("lead.created");
    const refused = await expectCode(world, project, "npx hookporter events drop 1", 2);
    const printed = commandsIn(refused.text);
    expect(printed.length).toBe(2);
    for (const line of printed) await expectCode(world, project, line, 0);
  },
);

step("what a failed event's fix says runs while listen runs, and after it", async (world) => {
  const project = projectOf(world);
  const broken = await expectCode(
    world,
    project,
    "npx hookporter trigger property.created --data '{}' --wait",
    7,
  );
  const fixes = commandsIn(`${broken.text}\n${listen?.printed()}`).filter((line) =>
    line.includes("events retry"),
  );
  expect(fixes.length).toBeGreaterThan(0);
  for (const line of fixes) await expectCode(world, project, line, 0);
  await listen?.stop();
  for (const line of fixes) await expectCode(world, project, line, 0);
});

step(
  "with the server started first, listen's inbox is the one that commands use while it runs",
  async (world) => {
    const project = projectOf(world);
    const leads = "npx hookporter events list --kind lead.created";
    const before = await expectCode(world, project, leads, 0);
    expect(before.text).toMatch(/#\d+ .* lead\.created/);
    expect(before.text).toContain("a listen that has ended has newer events");
    listen = await world.start(project, "npx hookporter listen", /Try it in this folder/);
    const during = await expectCode(world, project, leads, 0);
    expect(during.text).not.toMatch(/#\d+ .* lead\.created/);
    await useInbox(world, project);
    await listen.stop();
    await server?.stop();
  },
);

step(
  "a broken handler is red on the terminal and on the page, with its file and line",
  async (world) => {
    const project = projectOf(world);
    world.edit(
      finances(world),
      'log.info({ id, amount }, "payment received");',
      'throw new Error(["the ledger is down", id, amount].join(" "));',
    );
    const terminal = await world.terminal("listen with handlers", project);
    terminal.type(HANDLERS);
    await terminal.until(/Try it in this folder/);
    const second = await world.terminal("commands in the project", project);
    const sent = await second.run("npx hookporter trigger payment.received --wait");
    expect(sent, sent.text).toMatchObject({ code: 7 });
    expect(sent.text).toMatch(/the ledger is down/);
    expect(sent.text).toMatch(/finances\.ts:\d+/);
    const page = await newPage();
    await openPage(page, pageOf(terminal.history()));
    await page.locator(".line", { hasText: "the ledger is down" }).first().waitFor();
    note(`the page: ${await page.locator("main").innerText()}`);
  },
);

step(
  "mending the handler's file makes the next attempt succeed, as the printed lines show",
  async (world) => {
    const project = projectOf(world);
    const second = await world.terminal("commands in the project", project);
    world.edit(finances(world), /throw new Error\(.*/, 'log.info({ id, amount }, "booked");');
    const terminal = await world.terminal("listen with handlers", project);
    await terminal.until(/handlers reloaded/);
    const listed = await second.run("npx hookporter events list --limit 1 --json");
    const newest = listed.text.split("\n").find((line) => line.startsWith("{")) ?? "{}";
    const { seq } = JSON.parse(newest);
    expect(seq, listed.text).toEqual(expect.any(Number));
    // It may have run again by itself, as its next attempt was due.
    await second.run(`npx hookporter events retry ${seq}`);
    await terminal.until(new RegExp(`#${seq} +✓ payment\\.received +handled`));
    const page = await newPage();
    await openPage(page, pageOf(terminal.history()), `/entry/${seq}`);
    await page.getByText("handled").first().waitFor();
  },
);

step(
  "saved fixtures run against the handlers in CI, and fail it if a handler fails",
  async (world) => {
    const project = projectOf(world);
    const line = "npx hookporter replay fixtures/ --handlers src/handlers";
    const ci = { CI: "true" };
    const green = await world.shell(project, line, { env: ci });
    expect(green, green.text).toMatchObject({ code: 0 });
    world.edit(
      finances(world),
      /log\.info\(\{ id, amount \}.*/,
      'throw new Error(["no ledger", id, amount].join(" "));',
    );
    const red = await world.shell(project, line, { env: ci });
    expect(red, red.text).toMatchObject({ code: 1 });
    world.edit(finances(world), /throw new Error\(.*/, 'log.info({ id, amount }, "booked");');
  },
);

step("a secret pasted into .env while listen runs is told by trigger and doctor", async (world) => {
  const project = projectOf(world);
  const env = join(project, ".env");
  const before = world.read(env);
  const second = await world.terminal("commands in the project", project);
  try {
    world.edit(env, /^HOOKPORTER_SECRET=.*$/m, `HOOKPORTER_SECRET=${"5".repeat(40)}`);
    const sent = await second.run("npx hookporter trigger payment.received");
    const doctor = await second.run("npx hookporter doctor");
    for (const { text } of [sent, doctor]) expect(text).toMatch(/still uses the secret/);
  } finally {
    world.edit(env, /^HOOKPORTER_SECRET=.*$/m, /^HOOKPORTER_SECRET=.*$/m.exec(before)?.[0] ?? "");
  }
});

step("Ctrl-C ends listen with 0, and doctor finds nothing wrong", async (world) => {
  const terminal = await world.terminal("listen with handlers", projectOf(world));
  terminal.press("C-c");
  expect(await terminal.ended(HANDLERS)).toMatchObject({ code: 0 });
  await expectCode(world, projectOf(world), "npx hookporter doctor", 0);
});

step(
  "a copy of the project is used once its settings are agreed to, in one question",
  async (world) => {
    const copy = join(world.folder, "copy");
    cpSync(projectOf(world), copy, { recursive: true });
    const ignored = /hookporter\.config\.json \(project: handlers\) is ignored:/;
    const terminal = await world.terminal("a copy", copy);
    expect(await terminal.run("npx hookporter doctor")).toMatchObject({
      text: expect.stringMatching(ignored),
    });
    terminal.type("npx hookporter trust");
    await terminal.until(/Trust 1 value/);
    terminal.press("y");
    expect(await terminal.ended("npx hookporter trust")).toMatchObject({ code: 0 });
    expect((await terminal.run("npx hookporter doctor")).text).not.toMatch(/is ignored/);
  },
);

step(
  "README's third task finds the signature right, a wrong one wrong, and the server sound",
  async (world) => {
    const project = projectOf(world);
    const [show = "", verify = "", check = ""] = commandsAfter("**Test.**");
    server = await world.start(project, "npm run dev", /"message":"listening"/);
    await expectCode(world, project, show, 0);
    const shown = await expectCode(world, project, "npx hookporter events show 1", 0);
    const [signature = ""] = /sha256=[0-9a-f]{64}/.exec(shown.text) ?? [];
    await expectCode(world, project, verify.replace("sha256=…", signature), 0);
    await expectCode(world, project, verify.replace("sha256=…", `sha256=${"0".repeat(64)}`), 4);
    await expectCode(world, project, check.replace("http://localhost:3000/webhooks", url), 0);
    await server.stop();
  },
);
