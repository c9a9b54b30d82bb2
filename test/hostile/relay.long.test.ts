import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import { ConfigurationError, SIGNATURE_HEADER, sign } from "../../src/entries/index.ts";
import { formatDelivery, parseFixture } from "../../src/relay/fixture.ts";
import { readSecrets } from "../../src/signature/secrets.ts";
import { runCli, tempFolder } from "../cli/fake-io.ts";
import { posting } from "../receiver/open.ts";
import { bytes, deliveryOf, SECRET, signedHeaders, until } from "../receiver/sample.ts";
import { openTarget } from "../relay/sample.ts";
import { caseTitle } from "./catalogue.ts";
import { env, nowEnvelope, startListen } from "./cli.ts";

/**
 * Characters that a terminal acts on: control characters except newline, and bidirectional marks.
 */
const ACTIVE = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\u2029]/u;
const ATTACK =
  "\u001b[2J\u001b]0;owned\u0007\u009b31m\u202egnp.exe\r\b\u0000<img src=x onerror=alert(1)>";

it(caseTitle(84, "listen"), async () => {
  const cwd = tempFolder();
  const handlers = `export default { "*": () => { throw new Error(${JSON.stringify(ATTACK)}); } };`;
  writeFileSync(join(cwd, "h.js"), handlers);
  const { url, now } = await startListen(["--handlers", "h.js"], { cwd });
  const { post, ask } = posting(url);
  await post(nowEnvelope({ event: ATTACK, id: ATTACK, data: { text: ATTACK } }));
  await post(nowEnvelope({ data: [ATTACK] }));
  await post(
    JSON.stringify(nowEnvelope()).replace(/"data":\{[^}]*\}/, '"data":{"\u202ea":1,"\u202ea":2}'),
  );
  await ask({ target: "/%1b[2J", body: bytes("{}") });
  await until(() => expect(now().stdout).toContain("failing"));
  expect(now().stdout.split("\n").length).toBeGreaterThan(4);
  expect(now().stdout + now().stderr).not.toMatch(ACTIVE);
  expect(now().stdout).toContain("\\u001b[2J"); // shown, not dropped
});

it(caseTitle(84, "events, trigger, replay"), async () => {
  const { url, cwd } = await startListen();
  const body = bytes(nowEnvelope({ event: ATTACK, id: ATTACK, data: { text: "\u202e\u009b31m" } }));
  const headers = {
    ...signedHeaders(body),
    "x-odd": Buffer.from("\u009b31m\u0085", "latin1").toString("latin1"),
  };
  expect((await posting(url).ask({ body, headers })).status).toBe(200);
  const target = await openTarget((response) => void response.writeHead(500).end(`no: ${ATTACK}`));
  writeFileSync(join(cwd, "evil.json"), formatDelivery(deliveryOf(body)));
  const runs = [
    await runCli(["events", "list"], { cwd, env }),
    await runCli(["events", "show", "1"], { cwd, env }),
    await runCli(["events", "show", ATTACK], { cwd, env }),
    await runCli(["trigger", "payment.received", "--url", target.url.href], { cwd, env }),
    await runCli(["replay", "evil.json", "--url", target.url.href], { cwd, env }),
    await runCli(["verify", "evil.json"], { cwd, env }),
  ];
  expect(target.got).toHaveLength(2);
  for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toMatch(ACTIVE);
});

it(caseTitle(86, "a payload"), async () => {
  const trap = await openTarget();
  const target = await openTarget();
  const { url, now } = await startListen(["--forward-to", target.url.href]);
  const evil = trap.url.href;
  const webhook = { id: "wh_1", url: evil, target: evil, forwardTo: evil };
  const body = bytes(nowEnvelope({ webhook, data: { url: evil, webhook: { url: evil } } }));
  const hosts = {
    "x-forwarded-host": trap.url.host,
    "x-forward-to": evil,
    location: evil,
    referer: evil,
  };
  expect(
    (await posting(url).ask({ body, headers: { ...signedHeaders(body), ...hosts } })).status,
  ).toBe(200);
  await until(() => expect(now().stdout).toContain("handled"));
  expect(target.got).toMatchObject([
    { url: "/hooks?a=b", headers: { host: target.url.host }, body },
  ]);
  expect(trap.got).toEqual([]);
});

it(caseTitle(86, "a redirect"), async () => {
  const trap = await openTarget();
  const statuses = [301, 302, 303, 307, 308];
  const target = await openTarget((response) => {
    response.writeHead(statuses[target.got.length - 1] ?? 200, { location: trap.url.href }).end();
  });
  const { cwd, url } = await startListen();
  for (const status of statuses) {
    const run = await runCli(["trigger", "payment.received", "--url", target.url.href, "--json"], {
      cwd,
      env,
    });
    expect(run.code).toBe(1);
    expect(run.records).toMatchObject([{ type: "answer", status, ok: false }]);
  }
  expect(trap.got).toEqual([]);
  expect(url.hostname).toBe("127.0.0.1"); // it listens only on this machine
});

it(caseTitle(86, "misleading addresses"), async () => {
  const users = ["http://127.0.0.1:3000@evil.test/", "http://user:password@127.0.0.1/"];
  const schemes = ["file:///etc/passwd", "javascript:alert(1)", "ftp://127.0.0.1/", "data:,x"];
  for (const address of [...users, ...schemes, "3000@evil.test", "//evil.test:99999/"]) {
    const run = await runCli(["listen", "--port", "0", "--forward-to", address], { env });
    const sent = await runCli(["trigger", "payment.received", "--url", address], { env });
    expect([address, run.code, sent.code]).toEqual([address, 2, 2]);
  }
});

it(caseTitle(86, "a fixture that names another target"), async () => {
  const trap = await openTarget();
  const target = await openTarget();
  const cwd = tempFolder();
  const delivery = deliveryOf(nowEnvelope(), {
    host: trap.url.host,
    "x-forwarded-host": trap.url.host,
  });
  writeFileSync(join(cwd, "f.json"), formatDelivery({ ...delivery, target: trap.url.href }));
  for (const exact of [[], ["--exact"]]) {
    const run = await runCli(["replay", "f.json", ...exact, "--url", target.url.href], {
      cwd,
      env,
    });
    expect(run.code).toBe(0);
  }
  expect(target.got.map(({ url, headers }) => [url, headers.host])).toEqual([
    ["/hooks?a=b", target.url.host],
    ["/hooks?a=b", target.url.host],
  ]);
  expect(trap.got).toEqual([]);
});

it(caseTitle(87), async () => {
  const answers = [500, 302, 200];
  const target = await openTarget((response) => {
    response.writeHead(answers[target.got.length - 1] ?? 200).end("what went wrong");
  });
  const { url, now } = await startListen(["--forward-to", target.url.href, "--json"]);
  const text = JSON.stringify(nowEnvelope(), null, "\t").replace('"payment_', '"p\\u0061yment_');
  const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes(`${text}\r\n\r\n `)]);
  const perConnection = {
    te: "trailers",
    "keep-alive": "timeout=5",
    "proxy-authorization": "Basic x",
  };
  const credentials = { authorization: "Bearer canary", cookie: "session=canary" };
  const headers = {
    ...signedHeaders(body),
    "content-type": 'application/json; charset="UTF-8"',
    "x-own": "é",
  };
  await posting(url).ask({ body, headers: { ...headers, ...perConnection, ...credentials } });
  await vi.waitFor(() => expect(target.got).toHaveLength(3), 8000);
  for (const got of target.got) {
    expect(got.body.equals(body)).toBe(true);
    expect(got.headers).toMatchObject(headers);
    expect(got.headers).not.toHaveProperty("transfer-encoding");
    for (const name of [...Object.keys(perConnection), ...Object.keys(credentials)]) {
      expect(got.headers).not.toHaveProperty(name);
    }
  }
  const attempts = () => now().records.filter(({ type }) => type === "attempt");
  await vi.waitFor(() => expect(attempts()).toHaveLength(3));
  // Each failure is reported with the app's response.
  expect(attempts().map(({ state }) => state)).toEqual(["failing", "failing", "handled"]);
  expect(JSON.stringify(attempts()[0])).toContain("answered 500: what went wrong");
});

it(caseTitle(87, "a replayed delivery"), async () => {
  const target = await openTarget();
  const cwd = tempFolder();
  const bodies = [
    Buffer.from([0xff, 0xfe, 0x00, 0x0d, 0x0a]),
    bytes('{"a": 1.0,\r\n "b":"\\u00e9"}\n'),
    bytes("\uFEFF{}"),
    Buffer.alloc(0),
  ];
  for (const [index, body] of bodies.entries()) {
    const text = formatDelivery(deliveryOf(body));
    const fixture = parseFixture(Buffer.from(text), "f");
    expect(fixture.type === "delivery" && Buffer.from(fixture.delivery.body).equals(body)).toBe(
      true,
    );
    writeFileSync(join(cwd, `${index}.json`), text);
  }
  expect(
    (await runCli(["replay", ".", "--exact", "--url", target.url.href], { cwd, env })).code,
  ).toBe(0);
  expect(target.got.map(({ body }) => body)).toEqual(bodies);
  expect(target.got.map(({ headers }) => headers[SIGNATURE_HEADER])).toEqual(
    bodies.map((body) => sign(body, SECRET)),
  );
});

/** All files below a folder, except those meant to hold a secret. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

it(caseTitle(89, "the secret"), async () => {
  const canary = "canary-Zq7vR2m9Xk4tB8w";
  const own = { HOOKPORTER_SECRET: canary };
  const cwd = tempFolder();
  writeFileSync(join(cwd, "h.js"), 'export default { "*": () => { throw new Error("broken"); } };');
  const { url, stop } = await startListen(["--handlers", "h.js", "--save-dir", "saved"], {
    cwd,
    env: own,
  });
  const { post, ask } = posting(url);
  expect((await post(nowEnvelope(), canary)).status).toBe(200);
  expect((await post("no JSON", canary)).status).toBe(400);
  const replies = [
    await post(nowEnvelope(), "another-secret-0001"),
    await ask({ body: bytes("x") }),
  ];
  writeFileSync(join(cwd, "body.json"), "{}");
  const runs = [
    await runCli(["events", "show", "1"], { cwd, env: own }),
    await runCli(["events", "export", "--to", "out"], { cwd, env: own }),
    await runCli(["sign", "body.json"], { cwd, env: own }),
    await runCli(["verify", "body.json", "--signature", "sha256=00"], { cwd, env: own }),
    await runCli(["verify", "body.json", "--signature", "x", "--debug"], { cwd, env: own }),
    await runCli(["trigger", "payment.received", "--url", "http://127.0.0.1:1/", "--debug"], {
      cwd,
      env: own,
    }),
    await runCli(["events", "show", "99", "--debug"], { cwd, env: own }),
    await stop(),
  ];
  const out = runs.map(({ stdout, stderr }) => stdout + stderr);
  const files = filesBelow(cwd);
  expect(files.length).toBeGreaterThan(5);
  for (const text of [...out, ...replies.map(({ text }) => text)])
    expect(text).not.toContain(canary);
  const holding = files.filter((file) => readFileSync(file).includes(canary));
  expect(holding).toEqual([]);
});

it(caseTitle(89, "the secret on the command line or in an object"), async () => {
  const canary = "canary-Zq7vR2m9Xk4tB8w!";
  for (const argv of [
    ["listen", "--secret", canary],
    ["trigger", "payment.received", "--secret", canary],
    ["sign", "--secret-env", canary],
  ])
    expect((await runCli(argv, { env })).code).toBe(2);
  const deeply = { depth: 9, showHidden: true };
  const [secret] = readSecrets(canary);
  expect(inspect(secret, deeply) + JSON.stringify(secret)).not.toContain(canary);
  const short = "short!";
  const warnings: string[] = [];
  readSecrets(short, (warning) => warnings.push(warning));
  expect(warnings.join()).not.toContain(short);
  let thrown: unknown;
  try {
    readSecrets([canary, ""]);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConfigurationError);
  expect(inspect(thrown, deeply)).not.toContain(canary);
});

it(caseTitle(89, "personal data in payloads, and credentials of the relay"), async () => {
  const person = "Marie-Canary Durand";
  const credential = "credential-canary-8812";
  const { url, cwd, stop, now } = await startListen(["--save-dir", "saved"]);
  const { ask } = posting(url);
  const forged = bytes(nowEnvelope({ data: { name: person } }));
  await ask({ body: forged });
  await ask({ body: forged, headers: signedHeaders(forged, "another-secret-0001") });
  const rejected = bytes(`{"event":"${person}","event":2}`);
  await ask({ body: rejected, headers: signedHeaders(rejected) });
  const good = bytes(nowEnvelope());
  const credentials = {
    authorization: credential,
    cookie: credential,
    "proxy-authorization": credential,
  };
  await ask({ body: good, headers: { ...signedHeaders(good), ...credentials } });
  await until(() => expect(now().stdout).toContain("#2"));
  await runCli(["events", "export", "--to", "out"], { cwd, env });
  const { stdout, stderr } = await stop();
  // Forged bodies are stored nowhere; signed ones are in the inbox and the captures, never on the
  // screen.
  expect(stdout + stderr).not.toContain(person);
  expect(stdout + stderr).not.toContain("sha256=");
  const files = filesBelow(cwd);
  expect(files.filter((file) => readFileSync(file).includes(credential))).toEqual([]);
  expect(files.filter((file) => readFileSync(file).includes(forged))).toEqual([]);
});

it(caseTitle(90), async () => {
  const before = process.umask(0); // the most permissive setting
  onTestFinished(() => void process.umask(before));
  const { url, cwd } = await startListen(["--save-dir", "saved/deep"]);
  expect((await posting(url).post(nowEnvelope())).status).toBe(200);
  expect((await runCli(["events", "export", "--to", "out"], { cwd, env })).code).toBe(0);
  const mode = (path: string) => statSync(join(cwd, path)).mode & 0o777;
  for (const folder of [".hookporter", "saved/deep", "out"])
    expect([folder, mode(folder)]).toEqual([folder, 0o700]);
  const files = filesBelow(cwd).map((file) => file.slice(cwd.length + 1));
  expect(files).toEqual(
    expect.arrayContaining([join(".hookporter", "inbox.db"), join(".hookporter", ".gitignore")]),
  );
  expect(files.some((file) => file.startsWith("saved"))).toBe(true);
  expect(files.some((file) => file.startsWith("out"))).toBe(true);
  for (const file of files) expect([file, mode(file)]).toEqual([file, 0o600]);
  expect(readFileSync(join(cwd, ".hookporter", ".gitignore"), "utf8")).toBe("*\n");
});

it(caseTitle(90, "an existing folder with a development secret"), async () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, ".hookporter"));
  writeFileSync(join(cwd, ".hookporter", "secret"), `${SECRET}\n`, { mode: 0o644 });
  const run = await runCli(["listen", "--port", "0"], { cwd });
  expect(run.code).toBe(3); // others may have read it
  expect(run.stderr).not.toContain(SECRET);
});
