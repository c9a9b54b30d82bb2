export type Proof = "proven" | "refused" | "no answer";

/**
 * Whether the browser can check a proof; it cannot on a page over plain HTTP from another machine.
 */
export const CAN_CHECK = globalThis.crypto?.subtle !== undefined;

export async function sha256(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/**
 * Asks the server on this port to prove that it knows the hash of a token. The token is not sent:
 * the question contains a name for the hash, and a nonce; the answer must be their HMAC under the
 * hash, for the address of this page.
 */
export async function askForProof(token: string): Promise<Proof> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", await sha256(token), hmac, false, [
    "sign",
    "verify",
  ]);
  const nonce = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const name = toBase64Url(
    new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes("hookporter inspector name"))),
  );
  const { host } = location;
  let response: Response;
  try {
    response = await fetch(`/api/proof?${new URLSearchParams({ name, host, nonce })}`, {
      redirect: "error",
    });
  } catch {
    return "no answer";
  }
  try {
    const { proof } = await response.json();
    const given = fromBase64Url(String(proof));
    const right = await crypto.subtle.verify(
      "HMAC",
      key,
      given,
      bytes(`hookporter inspector proof\n${host}\n${nonce}`),
    );
    return right ? "proven" : "refused";
  } catch {
    return "refused";
  }
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function toBase64Url(raw: Uint8Array): string {
  return btoa(String.fromCharCode(...raw))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (text) => text.charCodeAt(0));
}
