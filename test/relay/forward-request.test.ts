import dns from "node:dns";
import { createServer } from "node:https";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { type ForwardOptions, forwardTo } from "../../src/relay/forward.ts";
import { send } from "../../src/relay/send.ts";
import { makeCertificate } from "../tunnel/edge/certificate.ts";
import { openTarget, savedDelivery } from "./sample.ts";

const EMPTY = { headers: {}, body: new Uint8Array(0) };

/** Runs a forward once; resolves with its notes and the error's message. */
async function forwarded(target: URL, options: ForwardOptions) {
  const notes: string[] = [];
  const context = {
    delivery: savedDelivery({ headers: { "x-team": "sales", "x-request": "r-1" } }),
    seq: 1,
    signal: new AbortController().signal,
    note: (text: string) => void notes.push(text),
  };
  const run = Promise.resolve(forwardTo(target, options)({} as never, context as never));
  const message = await run.then(
    () => "",
    (thrown: Error) => thrown.message,
  );
  return { notes: notes.join("\n"), message };
}

/** An app with a self-signed certificate. */
async function openSecureTarget() {
  const names: unknown[] = [];
  const server = createServer(makeCertificate(), (request, response) => {
    names.push((request.socket as unknown as { readonly servername: unknown }).servername);
    response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, names };
}

it("added headers are sent with each forward, and replace the delivery's", async () => {
  const { url, got } = await openTarget();
  await forwarded(url, { added: { "x-team": ["billing"], "x-two": ["a", "b"] } });
  expect(got[0]?.headers).toMatchObject({
    "x-team": "billing",
    "x-two": "a, b",
    "x-request": "r-1",
  });
});

it("the Host header is the target's, unless another is given", async () => {
  const { url, got } = await openTarget();
  await forwarded(url, {});
  await forwarded(url, { host: "app.test:81" });
  expect(got.map(({ headers }) => headers.host)).toEqual([url.host, "app.test:81"]);
});

it("the value of an added header is hidden in an address that the target redirects to, and in other headers", async () => {
  const added = { authorization: ["Bearer hunter2-hunter2"] };
  for (const headers of [{ location: "/session/hunter2-hunter2" }, { allow: "hunter2-hunter2" }]) {
    const status = "allow" in headers ? 405 : 302;
    const { url } = await openTarget((response) => void response.writeHead(status, headers).end());
    const { notes, message } = await forwarded(url, { added });
    expect(notes + message).not.toContain("hunter2");
  }
});

it.each([200, 401])("the value of an added header is hidden if a %d repeats it", async (status) => {
  const { url } = await openTarget((response, { headers }) => {
    const [, token] = String(headers.authorization).split(" ");
    response
      .writeHead(status)
      .end(`got ${headers.authorization}, and ${token} again, for team ${headers["x-team"]}`);
  });
  const { notes, message } = await forwarded(url, {
    added: { authorization: ["Bearer hunter2-hunter2"], "x-team": ["a"] },
  });
  expect(notes + message).not.toContain("hunter2");
  expect(notes).toContain("got …, and … again, for team a");
});

it("a target with a self-signed certificate is refused, unless any certificate will do", async () => {
  const { port } = await openSecureTarget();
  for (const host of ["127.0.0.1", "localhost"]) {
    const target = new URL(`https://${host}:${port}/in`);
    await expect(send({ target, ...EMPTY })).rejects.toThrow("certificate is not trusted");
    expect(await send({ target, ...EMPTY, insecure: true })).toMatchObject({ status: 200 });
    // A connection that was made without a check must not serve a request with one.
    await expect(send({ target, ...EMPTY })).rejects.toThrow("certificate is not trusted");
  }
});

it("a name with a public address is refused if any certificate will do", async () => {
  const lookUp = vi.spyOn(dns, "lookup");
  lookUp.mockImplementation(((
    _name: string,
    _options: object,
    done: (error: null, all: object) => void,
  ) => done(null, [{ address: "8.8.8.8", family: 4 }])) as never);
  syncBuiltinESMExports();
  onTestFinished(() => {
    lookUp.mockRestore();
    syncBuiltinESMExports();
  });
  const sending = send({ target: new URL("https://public.test/in"), ...EMPTY, insecure: true });
  await expect(sending).rejects.toMatchObject({
    cause: { message: expect.stringContaining("8.8.8.8, a public one") },
  });
});

it("the Host header is also the name that TLS asks for", async () => {
  const { port, names } = await openSecureTarget();
  const target = new URL(`https://127.0.0.1:${port}/in`);
  await send({ target, ...EMPTY, insecure: true, host: "app.test:81" });
  expect(names).toEqual(["app.test"]);
});
