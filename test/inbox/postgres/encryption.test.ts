import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { postgresStore } from "../../../src/inbox/postgres.ts";
import { SSL_REQUEST } from "./pglite-server.ts";

/** A server that answers the request for TLS, and notes what it is sent. */
async function answering(answer: string) {
  const seen: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      seen.push(data);
      if (data.equals(SSL_REQUEST)) socket.write(answer);
      else socket.destroy();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { seen, url: `postgres://app:canary@127.0.0.1:${port}/app` };
}

it.each([
  ["says something in plain text before TLS begins", "Sand more"],
  ["says something before it is spoken to", "Nand more"],
  ["reports an error", "E"],
  ["speaks another protocol", "HTTP/1.1 400 Bad Request\r\n\r\n"],
])("a server that %s is told nothing", async (_, answer) => {
  const { seen, url } = await answering(answer);
  await expect(postgresStore(url).open()).rejects.toMatchObject({ code: "inbox_unavailable" });
  expect(seen).toEqual([SSL_REQUEST]);
});

it("TLS is not asked for if the URL or PGSSLMODE says so, and always if it is required", async () => {
  const asks = async (query: string) => {
    const { seen, url } = await answering("N");
    await expect(postgresStore(url + query).open()).rejects.toThrow();
    return seen[0]?.equals(SSL_REQUEST);
  };
  expect(await asks("")).toBe(true);
  expect(await asks("?sslmode=")).toBe(true);
  expect(await asks("?sslmode=disable")).toBe(false);
  expect(await asks("?sslmode=verify-full")).toBe(true);
  vi.stubEnv("PGSSLMODE", "disable");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await asks("")).toBe(false);
  vi.stubEnv("PGSSLMODE", "allow"); // which the client does not know
  expect(await asks("")).toBe(true);
});

it("no fix trusts any certificate", async () => {
  const { url } = await answering("N");
  await expect(postgresStore(`${url}?sslmode=verify-full`).open()).rejects.toMatchObject({
    code: "inbox_unavailable",
    message: expect.stringMatching(/turn on TLS at the server(?!.*no-verify)/),
  });
});
