import { describe, expect, it } from "vitest";
import { whyUnreachable } from "../../src/relay/unreachable.ts";
import { closedAddress } from "./sample.ts";

/** Why a target did not answer; the failure is a code, and may have words after it. */
async function why(failure: string, target: URL | string, inContainer = false): Promise<string> {
  return (await whyUnreachable(failed(failure), new URL(target), { inContainer })).why;
}

function failed(failure: string): Error {
  const [code = "", ...words] = failure.split(" ");
  return Object.assign(new Error(words.length === 0 ? failure : words.join(" ")), { code });
}

describe("a refused connection", () => {
  const NONE = "nothing listens there; start the receiver, or check the port";
  const BOTH = "connection refused on 127.0.0.1 and ::1";

  it.each([
    ["127.0.0.1", "connection refused"],
    ["[::1]", "connection refused"],
    ["localhost", BOTH],
    ["app.localhost", BOTH],
    ["LOCALHOST.", BOTH],
  ])("to %s says where it was tried, and in a container what else to try", async (name, said) => {
    const closed = await closedAddress();
    closed.hostname = name;
    const host = closed.hostname.replace(/[[\]]/g, "");
    expect(await why("ECONNREFUSED", closed)).toBe(`${said}: ${NONE}`);
    expect(await why("ECONNREFUSED", closed, true)).toBe(
      `${said}: ${NONE}; in this container ${host} is the container itself: for an app on the container's host use http://host.docker.internal:${closed.port}`,
    );
  });

  it.each(["192.0.2.1", "localhost.test", "mylocalhost"])(
    "to another machine, such as %s, is not about the container",
    async (name) => {
      expect(await why("ECONNREFUSED", `http://${name}:3000`, true)).toBe(
        `connection refused: ${NONE}`,
      );
    },
  );
});

it("of several addresses a refusal is reported, else the first failure", async () => {
  const target = await closedAddress();
  const thrown = async (...failures: string[]) => {
    const all = new AggregateError(failures.map(failed));
    return (await whyUnreachable(all, target, { inContainer: false })).why;
  };
  expect(await thrown("EADDRNOTAVAIL", "ECONNREFUSED")).toMatch(/^connection refused: /);
  expect(await thrown("EHOSTUNREACH", "ENETUNREACH")).toContain("(EHOSTUNREACH)");
});

const network = (code: string) =>
  `the network cannot reach it (${code}): check the address and firewalls`;
const PLAIN = "it speaks plain HTTP, not TLS: use http://app.test:8443";
const untrusted = (code: string) =>
  `its certificate is not trusted (${code}): set NODE_EXTRA_CA_CERTS to its authority's certificate file, use a plain HTTP port, or, for a loopback or private address, start listen with --insecure`;
const CLOSED = "the connection was closed before an answer arrived";
const TLS = "https://app.test:8443/in";
const CLEAR = "http://127.0.0.1:1/in";

it.each([
  ["ENOTFOUND", "http://ap.test:3000", "unknown host: check the spelling of ap.test"],
  [
    "ENOTFOUND",
    "http://host.docker.internal:3000",
    "unknown host: that name exists only inside a container (on Linux start it with --add-host=host.docker.internal:host-gateway); elsewhere use 127.0.0.1",
  ],
  [
    "EAI_AGAIN",
    "http://host.docker.internal",
    "could not look up host.docker.internal: check its spelling and this machine's network",
  ],
  ["ETIMEDOUT", "http://192.0.2.1", network("ETIMEDOUT")],
  ["EHOSTUNREACH", "https://192.0.2.1", network("EHOSTUNREACH")],
  ["ENETUNREACH", "http://192.0.2.1", network("ENETUNREACH")],
  ["EADDRNOTAVAIL", "https://192.0.2.1", network("EADDRNOTAVAIL")],
  ["ECONNRESET", TLS, `${CLOSED}; it may not speak TLS: try http://app.test:8443`],
  ["EPIPE broken pipe", TLS, "broken pipe"],
  ["ECONNRESET", CLEAR, `${CLOSED}: check the app's log`],
  ["EPIPE", CLEAR, `${CLOSED}: check the app's log`],
  ["EOTHER something else", CLEAR, "something else"],
])("after %s from %s no server is known to be there: %s", async (failure, target, said) => {
  const found = await whyUnreachable(failed(failure), new URL(target), { inContainer: false });
  expect(found).toEqual({ why: said, isThere: false });
});

it.each([
  ["EPROTO wrong version number", TLS, PLAIN],
  ["EPROTO packet length too long", TLS, PLAIN],
  ["ERR_SSL_WRONG_VERSION_NUMBER", TLS, PLAIN],
  ["ERR_SSL_HTTP_REQUEST", TLS, PLAIN],
  [
    "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    TLS,
    "it speaks TLS, but not as this machine does: ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  ],
  ["CERT_HAS_EXPIRED", TLS, untrusted("CERT_HAS_EXPIRED")],
  ["ERR_TLS_CERT_ALTNAME_INVALID", TLS, untrusted("ERR_TLS_CERT_ALTNAME_INVALID")],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", TLS, untrusted("DEPTH_ZERO_SELF_SIGNED_CERT")],
  ["SELF_SIGNED", TLS, untrusted("SELF_SIGNED")],
  ["UNABLE_TO_VERIFY_LEAF", TLS, untrusted("UNABLE_TO_VERIFY_LEAF")],
  ["UNABLE_TO_GET_ISSUER", TLS, untrusted("UNABLE_TO_GET_ISSUER")],
  ["HPE_INVALID_CONSTANT", CLEAR, "the server there does not speak HTTP: check the port"],
])(
  "after %s from %s a server is there, reached in the wrong way: %s",
  async (failure, target, said) => {
    const found = await whyUnreachable(failed(failure), new URL(target), { inContainer: false });
    expect(found).toEqual({ why: said, isThere: true });
  },
);
