import { expect, it, vi } from "vitest";
import { endpointOf } from "../../../src/cli/send/send-with-chaos.ts";
import { runCli } from "../fake-io.ts";
import { awayTarget, startReceiving } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";
import { env, envelope, sendingTo } from "./sending.ts";

const OWN = { status: 200, body: '{"received":true,"id":"evt_1_ab","duplicate":false}' };

it("one delivery is one line, without a summary or a way to go on", async () => {
  const { run } = sendingTo(await startReceiving(200, { status: 500, body: "<p>Broken</p>" }, OWN));
  const ok = await run("trigger lead.created");
  expect(ok).toMatchObject({ code: 0, stderr: "" });
  expect(ok.stdout).toMatch(/^200 lead\.created [\d.]+ ms {2}\(empty body\)\n$/);
  const refused = await run("trigger lead.created");
  expect(refused).toMatchObject({ code: 1, stderr: "" });
  expect(refused.stdout).toMatch(/^500 lead\.created [\d.]+ ms {2}<p>Broken<\/p>\n$/);
  const own = await run("trigger lead.created");
  expect(own.stdout).toMatch(/^200 lead\.created [\d.]+ ms {2}new {2}evt_1_ab\n$/);
});

it("an answer's record has its status, how long it took and its body, and without an answer none", async () => {
  const target = await startReceiving({ status: 202, body: "x".repeat(3000) });
  const url = `${target.url}?key=hunter2`;
  const { records } = await sendingTo({ url }).run("trigger lead.created --json");
  const answer = { url: `${target.url}?key=…`, label: "lead.created", status: 202, ok: true };
  expect(records).toMatchObject([{ ...answer, chaos: null, body: "x".repeat(2000), error: null }]);
  const away = sendingTo(await awayTarget());
  const none = await away.run("trigger lead.created --count 2 HOOKPORTER_MAX_FAILURES=2 --json");
  expect(none.records[0]).toMatchObject({
    label: "lead.created",
    status: null,
    ok: false,
    duration: null,
    body: null,
    chaos: null,
    error: expect.stringContaining("connection refused"),
  });
});

it.each([
  ["--tamper signature", "signature tampered with"],
  ["--tamper body", "body tampered with"],
  ["--tamper header", "header tampered with"],
  ["--no-signature", "no signature"],
])(
  "a line says what %s did, and does not explain the refusal that was meant",
  async (flags, said) => {
    const { run } = sendingTo(await startReceiving(401));
    const { stdout } = await run(`trigger lead.created ${flags}`);
    expect(stdout).toMatch(`401 lead.created (${said}) `);
    expect(stdout).not.toMatch(/^ {4}\S/m);
  },
);

it("what was refused is explained once in a row, and why there is no answer is said once", async () => {
  const refusing = sendingTo(await startReceiving({ status: 401, body: "no" }));
  const { stdout } = await refusing.run("trigger lead.created --count 2");
  expect(stdout.match(/^ {4}\S/gm)).toHaveLength(1);
  expect(stdout.match(/^401 lead\.created [\d.]+ ms {2}no$/gm)).toHaveLength(2);
  const away = sendingTo(await awayTarget());
  const none = await away.run("trigger lead.created --count 3 HOOKPORTER_MAX_FAILURES=3");
  const [first, ...others] = none.stdout.trim().split("\n");
  expect(first).toMatch(/^no answer lead\.created {2}.*connection refused/);
  expect(others).toEqual(Array(2).fill("no answer lead.created  as above"));
});

it("where a target comes from that nobody typed is said once, if something fails", async () => {
  const target = await startReceiving(500, 200, 500);
  const several = ["trigger", "lead.created", "--count", "3"];
  const inEnv = (url: string) => ({ env: { ...env, HOOKPORTER_URL: url } });
  const set = await runCli(several, inEnv(target.url));
  expect(set.stderr.match(/^endpoint .*$/gm)).toEqual([
    `endpoint ${target.url}, from HOOKPORTER_URL`,
  ]);
  const typed = await runCli([...several, "--url", target.url], { env });
  expect(typed.stderr).not.toContain("endpoint");
  const fine = await startReceiving();
  expect((await runCli(several, inEnv(fine.url))).stderr).not.toContain("endpoint");
  const { url } = await awayTarget();
  const none = await runCli(["trigger", "lead.created"], inEnv(url));
  expect(none.code).toBe(5);
  expect(none.stderr).toMatch(`endpoint ${url}, from HOOKPORTER_URL\n`);
});

it("without a URL the target is that of listen, and said to be the default", () => {
  const context = { origins: new Map([["url", "HOOKPORTER_URL"]]) } as never;
  expect(endpointOf({}, context)).toEqual({
    target: new URL("http://127.0.0.1:4400/webhooks"),
    where: "the default: no listen runs in this folder",
  });
});

it("how to send the rest is said of a run of several that was refused or gave up, if it can be sent", async () => {
  const refusing = sendingTo(await startReceiving(500));
  const several = "trigger lead.created --count 2";
  expect((await refusing.run(several)).stderr).toContain("--count 2 sends the rest\n");
  expect((await refusing.run(`${several} --duplicate 2`)).stderr).toBe(
    "4 sent, 0 answered 2xx, 4 not answered 2xx\n",
  );
  const away = sendingTo(await awayTarget());
  const gaveUp = async (line: string) => {
    const { code, stderr } = await away.run(`trigger ${line} HOOKPORTER_MAX_FAILURES=2`);
    expect(code).toBe(5);
    return / (\(0 of .*\))\n$/.exec(stderr)?.[1];
  };
  expect(await gaveUp("lead.created --count 3")).toBe("(0 of 3 sent: --count 3 sends the rest)");
  expect(await gaveUp("lead.created --count 6 --duplicate 2")).toBe("(0 of 12 sent)");
  expect(await gaveUp("--all")).toBe("(0 of 12 sent)");
});

it.each(["--all", "--all --count 5 HOOKPORTER_CONCURRENCY=4"])(
  "a delivery that cannot be made ends a run of %s, and is no delivery without an answer",
  async (flags) => {
    const target = await startReceiving();
    const run = await sendingTo(target).run(`trigger ${flags} --set data.amount.net=1`);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("error: --set data.amount.net: expected amount to be an object");
    expect(run.stdout).not.toContain("no answer");
  },
);

it("an answer is shown before the next delivery is due, and Ctrl-C ends the wait for it", async () => {
  const target = await startReceiving(500);
  const run = sendingTo(target).start("trigger lead.created --count 2 --rate 0.001");
  await vi.waitFor(() => expect(run.now().stdout).toMatch(/^500 lead\.created/));
  run.signal("SIGINT");
  const { code, stderr } = await run.finished;
  expect([code, target.got.length]).toEqual([130, 1]);
  expect(stderr).toContain(
    "stopped by SIGINT: 1 of 2 sent, 0 answered 2xx\n--count 2 sends the rest\n",
  );
});

it("on a terminal a long run shows its progress, and only what went wrong above it", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `fx/${10 + at}.json`);
  const cwd = folderWith(Object.fromEntries(names.map((name) => [name, envelope()])));
  const isTTY = { stdout: true, stderr: true };
  const { run } = sendingTo(await startReceiving(500, 200), cwd);
  const plain = await run("replay fx --no-color", { isTTY });
  expect(plain.stdout).toMatch(/^500 10\.json [\d.]+ ms {2}\(empty body\)\n$/);
  expect(plain.stderr).toContain("20 sent, 19 answered 2xx, 1 not answered 2xx\n");
  expect(plain.stderr).toMatch(/0 % {2}0 of 20/);
  const dropped = await run("replay fx --drop 100% --no-color", { isTTY });
  expect(dropped.stdout).toBe("");
  expect(dropped.stderr).toContain("0 sent, 0 answered 2xx, 20 dropped\n");
  const colored = await run("replay fx --drop 100%", { isTTY: { stdout: true } });
  expect(colored.stdout).toContain("\u001b[2mdropped 10.json\u001b[");
});

it("on a terminal a status is green, and red if it is not 2xx", async () => {
  const isTTY = { stdout: true };
  const { run } = sendingTo(await startReceiving(200, OWN, { ...OWN, status: 500 }));
  const { stdout, stderr } = await run("trigger lead.created --count 3", { isTTY });
  expect(stderr).toContain("3 sent, 2 answered 2xx, 1 not answered 2xx\n");
  const green = "\u001b[32m200\u001b[39m";
  const red = "\u001b[31m500\u001b[39m";
  expect(stdout.split("\n").map((line) => line.split(" ")[0])).toEqual([green, green, red, ""]);
  const away = sendingTo(await awayTarget());
  const none = await away.run("trigger lead.created --count 2", { isTTY });
  expect(none.stdout).toContain("\u001b[31mno answer\u001b[39m lead.created");
});
