import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { EntryDetail } from "../../../src/inspector/api.ts";
import { openTarget } from "../../relay/sample.ts";
import { tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";

it("what a handler prints is told apart by run, and still reaches the terminal", async () => {
  const cwd = folderWith({
    "handlers.mjs": `const wait = () => new Promise((resolve) => setTimeout(resolve, 60));
     export default { "*": async ({ kind }, context) => {
       const { log, attempt } = context;
       console.log("begin %s %o", kind, { attempt });
       await wait();
       console.error("\\u001b[31mhalf of " + kind);
       log.debug({ amount: 12n }, "detail");
       log.warn({ kind }, "nearly");
       await wait();
       if (kind === "lead.created" && attempt === 1) throw new Error("once");
     } };`,
  });
  const { api, trigger, now, until } = await listening(["--handlers", "handlers.mjs"], cwd);
  await Promise.all([trigger("payment.received"), trigger("lead.created")]);
  await until("attempt", [{ state: "handled" }]);
  await until("attempt", 3);
  for (const seq of [1, 2]) {
    const { kind, runs } = await api<EntryDetail>(`/api/entries/${seq}`);
    expect(
      runs.map(({ printed }) => printed.map(({ level, text }) => `${level}: ${text}`)),
    ).toEqual(
      (kind === "lead.created" ? [1, 2] : [1]).map((attempt) => [
        `info: begin ${kind} { attempt: ${attempt} }`,
        `error: half of ${kind}`,
        "debug: detail amount=12n",
        `warn: nearly kind='${kind}'`,
      ]),
    );
  }
  const { stderr } = now();
  expect(stderr).toMatch(/^ {3}#[12] │ begin payment\.received \{ attempt: 1 \}$/m);
  expect(stderr).toMatch(/^ {3}#[12] │ \S+half of lead\.created$/m);
  expect(stderr).toMatch(/warning: nearly .*kind=payment\.received/);
});

it("a target's answer has its headers, without credentials, the values of added headers, and queries", async () => {
  const target = await openTarget((response, { headers }) => {
    response.writeHead(202, {
      "set-cookie": ["session=canary-cookie", "b=2"],
      location: "/jobs/7?key=canary-query",
      "x-echo": `got ${headers["x-api"]}`,
      "x-plain": "yes",
    });
    response.end("accepted");
  });
  const cwd = folderWith({ ".env": "APP_KEY=canary-key\n" });
  const argv = ["--forward-to", target.url.href, "--header-env", "x-api=APP_KEY"];
  const { api, trigger, until } = await listening(argv, cwd);
  await trigger("payment.received");
  await until("attempt");
  const { runs } = await api<EntryDetail>("/api/entries/1");
  const headers = {
    "set-cookie": "(not shown)",
    location: "/jobs/7?key=…",
    "x-echo": "got …",
    "x-plain": "yes",
  };
  expect(runs).toMatchObject([{ answer: { status: 202, bytes: 8, isCut: false, headers } }]);
  expect(JSON.stringify(runs)).not.toContain("canary");
});

it("the output of a command of --exec is its run's", async () => {
  const cwd = folderWith({ "step.cjs": 'console.log("booked"); console.error("careful");' });
  const { api, trigger, until } = await listening(
    ["--exec", `"${process.execPath}" step.cjs`],
    cwd,
  );
  await trigger("payment.received");
  await until("attempt");
  const [run] = (await api<EntryDetail>("/api/entries/1")).runs;
  expect(run?.printed.map(({ text }) => text).sort()).toEqual(["booked", "careful"]);
});

it("a handler that prints a payload cannot forge a row, and each line has the entry's number", async () => {
  const cwd = tempFolder();
  const forged =
    "x\\r\\u001b[2K12:00:00  #9   ✓ payment.received      handled\\n12:00:00  #8   ✓ paid\\u200b";
  writeFileSync(
    join(cwd, "handlers.mjs"),
    `export default { "*": () => console.log("${forged}") };`,
  );
  const { trigger, now, until } = await listening(["--handlers", "handlers.mjs"], cwd);
  await trigger("payment.received");
  await until("attempt");
  const printed = now()
    .stderr.split("\n")
    .filter((line) => line.includes("✓"));
  expect(printed).toEqual([
    "   #1 │ x\\u000d\\u001b[2K12:00:00  #9   ✓ payment.received      handled",
    "   #1 │ 12:00:00  #8   ✓ paid\\u200b",
  ]);
});
