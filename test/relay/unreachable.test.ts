import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createPlain, type Socket } from "node:net";
import { createServer as createSecure } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { send } from "../../src/relay/send.ts";
import { explainPlainHttp, isWrongWay, whyUnreachable } from "../../src/relay/unreachable.ts";
import { openTarget } from "./sample.ts";

const EMPTY = { headers: {}, body: Buffer.from("{}") };

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

const outside = { inContainer: false };
const REFUSED = failure("ECONNREFUSED");

/** The address of a port that was free on both families a moment ago. */
async function closedPort(): Promise<URL> {
  const { url, close } = await openTarget();
  await close();
  return url;
}

/** Starts a server on an address of this machine; `undefined` if it lacks that address family. */
async function listening(server: Server, host: string): Promise<number | undefined> {
  const listens = new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(0, host, () => resolve(true));
  });
  onTestFinished(() => void server.close());
  return (await listens) ? (server.address() as AddressInfo).port : undefined;
}

describe("a refused connection", () => {
  it("is reported as nothing listening there", async () => {
    const why = await whyUnreachable(REFUSED, await closedPort(), outside);
    expect(why).toContain("nothing listens there");
    expect(why).not.toContain("host.docker.internal");
  });

  it.each([
    ["127.0.0.1", "::1"],
    ["::1", "127.0.0.1"],
  ])("on %s names %s if something listens there", async (asked, where) => {
    const port = await listening(createServer(), where);
    if (port === undefined) return; // a machine without IPv6
    const name = (address: string) => (address.includes(":") ? `[${address}]` : address);
    const target = new URL(`http://${name(asked)}:${port}/hooks`);
    const why = await whyUnreachable(REFUSED, target, outside);
    expect(why).toContain(`something listens on ${where}`);
    expect(why).toContain(`http://${name(where)}:${port}`);
  });

  it.each(["127.0.0.1", "localhost", "[::1]"])(
    "of %s in a container suggests the host's name",
    async (host) => {
      const target = await closedPort();
      target.hostname = host;
      const why = await whyUnreachable(REFUSED, target, { inContainer: true });
      expect(why).toContain(`http://host.docker.internal:${target.port}`);
    },
  );

  it("of a name is reported even if the other address does not exist on this machine", async () => {
    const thrown = new AggregateError([failure("EADDRNOTAVAIL"), REFUSED]);
    const target = await closedPort();
    target.hostname = "localhost";
    expect(await whyUnreachable(thrown, target, outside)).toContain("refused on 127.0.0.1 and ::1");
  });

  it("to another machine in a container is not about the container", async () => {
    const why = await whyUnreachable(REFUSED, new URL("http://192.0.2.1:3000"), {
      inContainer: true,
    });
    expect(why).not.toContain("docker");
  });
});

describe("an unknown name", () => {
  it("is reported with the name", async () => {
    const why = await whyUnreachable(failure("ENOTFOUND"), new URL("http://ap.test:3000"), outside);
    expect(why).toContain("ap.test");
  });

  it("is reported differently if it exists only inside a container", async () => {
    const target = new URL("http://host.docker.internal:3000");
    expect(await whyUnreachable(failure("ENOTFOUND"), target, outside)).toContain("127.0.0.1");
  });

  it("is reported differently if the lookup itself failed", async () => {
    const why = await whyUnreachable(failure("EAI_AGAIN"), new URL("http://ap.test:3000"), outside);
    expect(why).toContain("network");
  });
});

it.each(["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"])(
  "an unreachable network is reported: %s",
  async (code) => {
    expect(await whyUnreachable(failure(code), new URL("http://192.0.2.1"), outside)).toContain(
      code,
    );
  },
);

describe("HTTP instead of TLS, or the reverse", () => {
  it("is reported if a TLS target is really plain", async () => {
    const { url } = await openTarget();
    const target = new URL(url);
    target.protocol = "https:";
    await expect(send({ target, ...EMPTY })).rejects.toMatchObject({
      code: "target_unreachable",
      message: expect.stringContaining(`use http://${target.host}`),
    });
  });

  it("is reported if a plain target really speaks TLS", async () => {
    // Without a certificate the handshake fails, but with a TLS alert.
    const server = createSecure({ SNICallback: (_, done) => done(new Error("none")) });
    server.on("tlsClientError", () => {});
    const port = await listening(server as unknown as Server, "127.0.0.1");
    await expect(
      send({ target: new URL(`http://127.0.0.1:${port}`), ...EMPTY }),
    ).rejects.toMatchObject({
      message: expect.stringContaining(`use https://127.0.0.1:${port}`),
    });
  });

  it.each([
    ["nginx", "<center>The plain HTTP request was sent to HTTPS port</center>"],
    ["Go", "Client sent an HTTP request to an HTTPS server."],
    ["Apache", "Reason: You're speaking plain HTTP to an SSL-enabled server port."],
  ])("is recognised by the 400 of %s", (_, body) => {
    const target = new URL("http://app.test:8443/hooks");
    expect(explainPlainHttp(target, 400, body)).toContain("https://app.test:8443");
    expect(explainPlainHttp(target, 500, body)).toBeUndefined();
    expect(explainPlainHttp(new URL("https://app.test:8443"), 400, body)).toBeUndefined();
  });

  it("is not assumed from another 400", () => {
    expect(explainPlainHttp(new URL("http://app.test"), 400, "event is missing")).toBeUndefined();
  });
});

it("a server that does not speak HTTP is reported", async () => {
  const server = createPlain((socket: Socket) => {
    socket.on("error", () => {}).end("SSH-2.0-server\r\n");
  });
  const port = await listening(server as unknown as Server, "127.0.0.1");
  await expect(
    send({ target: new URL(`http://127.0.0.1:${port}`), ...EMPTY }),
  ).rejects.toMatchObject({
    message: expect.stringContaining("does not speak HTTP"),
  });
});

it.each([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "https://127.0.0.1:1", true],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "https://127.0.0.1:1", true],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "https://127.0.0.1:1", true],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "https://127.0.0.1:1", true],
  ["HPE_INVALID_CONSTANT", "http://127.0.0.1:1", true],
  ["ECONNRESET", "https://127.0.0.1:1", false],
  ["ECONNREFUSED", "https://127.0.0.1:1", false],
  ["ENOTFOUND", "https://a.test", false],
])("whether a server is there after %s from %s: %s", async (code, target, there) => {
  expect(isWrongWay(await whyUnreachable(failure(code), new URL(target), outside))).toBe(there);
});

it("an unknown failure is reported in its own words", async () => {
  expect(await whyUnreachable(new Error("something else"), new URL("http://a.test"), outside)).toBe(
    "something else",
  );
});

describe("in whole sentences", () => {
  const why = (code: string, target: URL | string, inContainer = false, text = code) =>
    whyUnreachable(Object.assign(new Error(text), { code }), new URL(target), { inContainer });

  it("a refused connection says where it was tried, and in a container what else to try", async () => {
    const closed = await closedPort();
    const none = "nothing listens there; start the receiver, or check the port";
    const inside = (host: string) =>
      `; in this container ${host} is the container itself: for an app on the container's host use http://host.docker.internal:${closed.port}`;
    expect(await why("ECONNREFUSED", closed)).toBe(`connection refused: ${none}`);
    expect(await why("ECONNREFUSED", closed, true)).toBe(
      `connection refused: ${none}${inside("127.0.0.1")}`,
    );
    closed.hostname = "app.localhost";
    const local = `connection refused on 127.0.0.1 and ::1: ${none}`;
    expect(await why("ECONNREFUSED", closed)).toBe(local);
    expect(await why("ECONNREFUSED", closed, true)).toBe(`${local}${inside("app.localhost")}`);
  });

  it.each(["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"])(
    "%s is the network's",
    async (code) => {
      const said = `the network cannot reach it (${code}): check the address and firewalls`;
      expect(await why(code, "http://192.0.2.1")).toBe(said);
      expect(await why(code, "https://192.0.2.1")).toBe(said);
    },
  );

  it("of several addresses without a refusal, the first is reported", async () => {
    const thrown = new AggregateError([failure("EHOSTUNREACH"), failure("ENETUNREACH")]);
    expect(await whyUnreachable(thrown, new URL("http://app.test"), outside)).toContain(
      "(EHOSTUNREACH)",
    );
  });

  it("a name that is unknown or was not looked up says what to check", async () => {
    expect(await why("ENOTFOUND", "http://ap.test:3000")).toBe(
      "unknown host: check the spelling of ap.test",
    );
    expect(await why("EAI_AGAIN", "http://ap.test:3000")).toBe(
      "could not look up ap.test: check its spelling and this machine's network",
    );
    expect(await why("EAI_AGAIN", "http://host.docker.internal")).toMatch(/^could not look up/);
  });

  it.each([
    ["EPROTO", "wrong version number", "it speaks plain HTTP, not TLS: use http://app.test:8443"],
    ["EPROTO", "packet length too long", "it speaks plain HTTP, not TLS: use http://app.test:8443"],
    ["ERR_SSL_HTTP_REQUEST", "", "it speaks plain HTTP, not TLS: use http://app.test:8443"],
    [
      "CERT_HAS_EXPIRED",
      "",
      "its certificate is not trusted (CERT_HAS_EXPIRED): set NODE_EXTRA_CA_CERTS",
    ],
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "",
      "its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): ",
    ],
    ["SELF_SIGNED", "", "its certificate is not trusted (SELF_SIGNED): "],
    ["UNABLE_TO_VERIFY_LEAF", "", "its certificate is not trusted (UNABLE_TO_VERIFY_LEAF): "],
    ["UNABLE_TO_GET_ISSUER", "", "its certificate is not trusted (UNABLE_TO_GET_ISSUER): "],
    [
      "ECONNRESET",
      "",
      "the connection was closed before an answer arrived; it may not speak TLS: try http://app.test:8443",
    ],
    ["EPIPE", "broken pipe", "broken pipe"],
  ])("of a TLS target %s %s is explained", async (code, text, said) => {
    expect((await why(code, "https://app.test:8443/in", false, text)).startsWith(said)).toBe(true);
  });

  it.each([
    ["ECONNRESET", "the connection was closed before an answer arrived: check the app's log"],
    ["EPIPE", "the connection was closed before an answer arrived: check the app's log"],
    ["HPE_INVALID_CONSTANT", "the server there does not speak HTTP: check the port"],
    ["EOTHER", "EOTHER"],
  ])("of a plain target %s is explained", async (code, said) => {
    expect(await why(code, await closedPort())).toBe(said);
  });

  it("the 400 of a TLS server is explained, whatever else it says", () => {
    const body = "400: The plain HTTP request was sent to HTTPS port";
    expect(explainPlainHttp(new URL("http://app.test:8443/in"), 400, body)).toBe(
      "it speaks TLS, not plain HTTP: use https://app.test:8443",
    );
  });
});
