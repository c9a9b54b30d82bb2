import { createServer, type Server } from "node:net";
import { createServer as createSecureServer, type TlsOptions } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { hostOf, portOf } from "../../src/http/host-of.ts";
import { tryToConnect } from "../../src/http/try-to-connect.ts";
import { makeCertificate } from "../relay/tunnel/edge/certificate.ts";
import { closedPort } from "../relay/tunnel/machine.ts";

const TIMEOUT = 10_000;

/** Listens until the test ends; returns its port, and the names that clients asked for. */
async function listen(server: Server): Promise<number> {
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

/** With a certificate of its own. */
async function secureServer() {
  const names: string[] = [];
  const SNICallback: NonNullable<TlsOptions["SNICallback"]> = (name, done) => {
    names.push(name);
    done(null);
  };
  const server = createSecureServer({ ...makeCertificate(), SNICallback }, (socket) => {
    socket.on("error", () => {}).end();
  });
  server.on("tlsClientError", () => {});
  return { port: await listen(server), names };
}

it.each([
  ["http://example.com/x", "example.com", 80],
  ["https://example.com", "example.com", 443],
  ["http://example.com:8080", "example.com", 8080],
  ["https://[::1]:8443", "::1", 8443],
  ["postgres://db.example.com", "db.example.com", 443],
])("%s has a host and a port to connect to", (url, host, port) => {
  expect([hostOf(new URL(url)), portOf(new URL(url))]).toEqual([host, port]);
});

it("a port that accepts connections has no fault, and the connection is closed", async () => {
  const closed: Promise<void>[] = [];
  const server = createServer((socket) => {
    closed.push(
      new Promise((resolve) =>
        socket
          .resume()
          .on("error", () => {})
          .once("close", () => resolve()),
      ),
    );
  });
  const port = await listen(server);
  expect(
    await tryToConnect(new URL(`http://127.0.0.1:${port}`), { timeout: TIMEOUT }),
  ).toBeUndefined();
  await Promise.all(closed);
});

it("a closed port is refused", async () => {
  const url = new URL(`http://127.0.0.1:${await closedPort()}`);
  expect(await tryToConnect(url, { timeout: TIMEOUT })).toMatchObject({ code: "ECONNREFUSED" });
});

it("a server that never answers a handshake is given up when the time is over", async () => {
  const port = await listen(createServer((socket) => void socket.on("error", () => {})));
  expect(await tryToConnect(new URL(`https://127.0.0.1:${port}`), { timeout: 50 })).toBe("timeout");
});

it("https means a handshake with a certificate that is trusted, unless any will do", async () => {
  const { port, names } = await secureServer();
  const url = new URL(`https://localhost:${port}`);
  expect(await tryToConnect(url, { timeout: TIMEOUT })).toMatchObject({
    code: expect.stringMatching(/CERT/),
  });
  expect(await tryToConnect(url, { timeout: TIMEOUT, insecure: true })).toBeUndefined();
  const address = new URL(`https://127.0.0.1:${port}`);
  expect(await tryToConnect(address, { timeout: TIMEOUT, insecure: true })).toBeUndefined();
  expect(names).toEqual(["localhost", "localhost"]); // an address is no name to ask for
});

it("a handshake is left out, or asked for, if the protocol does not say", async () => {
  const { port } = await secureServer();
  const terms = { timeout: TIMEOUT };
  const url = new URL(`https://localhost:${port}`);
  expect(await tryToConnect(url, { ...terms, secure: false })).toBeUndefined();
  const plain = new URL(`http://localhost:${port}`);
  expect(await tryToConnect(plain, { ...terms, secure: true })).toMatchObject({
    code: expect.stringMatching(/CERT/),
  });
});
