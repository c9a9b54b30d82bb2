import { expect, it } from "vitest";
import { posting } from "../../receiver/open.ts";
import { freshEnvelope, SECRET, signedHeaders } from "../../receiver/sample.ts";
import { openTarget } from "../../relay/sample.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";

it("listen adds headers, one of them from the env file, and prints no value", async () => {
  const cwd = folderWith({ ".env": 'APP_TOKEN="Bearer hunter2-hunter2"\n' });
  const { url, got } = await openTarget((response, { headers }) => {
    response
      .writeHead(got.length === 1 ? 403 : 200)
      .end(`no: ${headers.authorization} ${headers["x-team"]}`);
  });
  const forward = ["--forward-to", url.href, "HOOKPORTER_FORWARD_HOST=app.test"];
  const added = ["--header", "X-Team: secret-team-name", "--header-env", "Authorization=APP_TOKEN"];
  const { trigger, until, stop } = await listening([...forward, ...added], cwd);
  await trigger("lead.created");
  await until("attempt", 2);
  expect(got[1]?.headers).toMatchObject({
    authorization: "Bearer hunter2-hunter2",
    "x-team": "secret-team-name",
    host: "app.test",
  });
  const shown = await runCli(["events", "show", "1", "--json"], { cwd });
  const { stdout, stderr } = await stop();
  expect(stderr).toContain("adding headers x-team, authorization");
  expect(stderr).toContain("with Host app.test");
  expect(stdout + stderr + shown.stdout).not.toMatch(/hunter2|secret-team-name/);
});

it("headers that others may have added are not forwarded, unless a setting names them", async () => {
  const { url, got } = await openTarget((response) => response.writeHead(200).end());
  const added = {
    connection: "keep-alive, X-Hop-Only, X-Service-Signature",
    "x-hop-only": "1",
    "x-forwarded-for": "127.0.0.1",
    "x-original-url": "/admin",
    "x-http-method-override": "DELETE",
    "x-remote-user": "root",
    "x-own": "1",
  };
  const forwarded = async (...settings: string[]) => {
    const argv = ["--forward-to", url.href, ...settings];
    const listen = await listening(argv, tempFolder(), { HOOKPORTER_SECRET: SECRET });
    const { until } = listen;
    const body = JSON.stringify(freshEnvelope({ timestamp: new Date().toISOString() }));
    const headers = { ...signedHeaders(Buffer.from(body)), ...added };
    await posting(new URL(listen.url)).ask({ headers, body: Buffer.from(body) });
    await until("attempt", 1);
    return Object.keys(got.at(-1)?.headers ?? {}).filter((name) => name.startsWith("x-"));
  };
  expect(await forwarded()).toEqual(["x-service-signature", "x-own"]);
  expect(await forwarded("HOOKPORTER_PASS_HEADERS=X-Forwarded-For,x-own")).toEqual([
    "x-service-signature",
    "x-forwarded-for",
    "x-own",
  ]);
});

it.each([
  [["--header", "x-service-signature: sha256=00"], 2],
  [["--header-env", "x-service-signature=PATH"], 2],
  [["--header", "X-Own: 1", "HOOKPORTER_SIGNATURE_HEADER=x-own"], 2],
  [["--header-env", "authorization=NO_SUCH_VARIABLE"], 3],
  [["--header", "Host: hunter"], 2],
])("listen refuses %j", async (argv, code) => {
  const run = await runCli(["listen", "--port", "0", "--forward-to", "1", ...argv]);
  expect(run.code).toBe(code);
  expect(run.stderr).not.toMatch(/sha256=00|hunter|bug/);
});

it("--insecure is refused with a public target, and announced at each start with the targets that it concerns, or that it has no effect", async () => {
  for (const target of ["https://8.8.8.8", "https://[2001:db8::1]/in"]) {
    const run = await runCli(["listen", "--port", "0", "--insecure", "--forward-to", target]);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("a public one")]);
  }
  const said = async (...targets: string[]) => {
    const argv = targets.flatMap((target) => ["--forward-to", target]);
    return (await listening(["--insecure", ...argv])).now().stderr;
  };
  expect(await said("https://192.168.1.1:8443", "http://8.8.8.8")).toContain(
    "WARNING: --insecure: the certificate of https://192.168.1.1:8443 is not checked",
  );
  expect(await said("http://8.8.8.8")).toContain("--insecure has no effect");
});
