import { describe, expect, it } from "vitest";
import { type ClientOptions, createClient } from "../../../src/entries/client.ts";
import { DEFAULT_ASSUMPTIONS } from "../../../src/service/client/assumptions.ts";
import {
  DEFAULT_CLIENT_RETRY,
  DEFAULT_LIMITS,
  readClientOptions,
} from "../../../src/service/client/client-options.ts";

const baseUrl = "https://api.example";
const apiKey = "sk_test_4f6dKq";

/** The thrown error, which must not contain a key. */
function refused(options: Partial<ClientOptions>): unknown {
  try {
    createClient({ baseUrl, apiKey, ...options });
  } catch (thrown) {
    expect(String((thrown as Error).message)).not.toContain("4f6dKq");
    return (thrown as { code?: string }).code;
  }
  return undefined;
}

describe("a key", () => {
  it("of the test environment is accepted, with or without live, and loses a trailing line break", () => {
    for (const options of [{ apiKey }, { apiKey, live: true }, { apiKey: `${apiKey}\n` }])
      expect(createClient({ baseUrl, ...options }).environment).toBe("test");
  });

  it("of the live environment is accepted only with live", () => {
    const live = "sk_live_4f6dKq";
    expect(refused({ apiKey: live })).toBe("credential_invalid");
    expect(refused({ apiKey: live, live: false })).toBe("credential_invalid");
    expect(createClient({ baseUrl, apiKey: live, live: true }).environment).toBe("live");
  });

  it.each([undefined, ""])("is missing if it is %j", (given) => {
    expect(refused({ apiKey: given })).toBe("credential_missing");
  });

  it.each([
    "4f6dKq",
    "SK_TEST_4f6dKq",
    "sk_4f6dKq",
    "sk_prod_4f6dKq",
    "sk_test_",
    "sk_live_",
    "sk_test_4f6dKq two",
    "sk_test_4f6dKq\r\nx-other: 1",
    "sk_test_4f6dKq\u00e9",
    " ",
  ])("is refused if it is %j", (given) => {
    expect(refused({ apiKey: given, live: true })).toBe("credential_invalid");
  });

  it("excludes an access token, which must not be a plain string", () => {
    expect(refused({ accessToken: () => "token" })).toBe("credential_invalid");
    expect(refused({ apiKey: undefined, accessToken: "token" as never })).toBe(
      "credential_invalid",
    );
  });

  it("that is live is refused as an access token too, and so is a value that no header can carry", async () => {
    const client = (token: string) =>
      createClient({ baseUrl, accessToken: () => token, fetch: neverFetch });
    for (const token of ["sk_live_4f6dKq", "", "a b", "a\nb"]) {
      await expect(client(token).properties.list()).rejects.toMatchObject({
        code: "credential_invalid",
      });
    }
  });
});

describe("a base URL", () => {
  it.each([
    ["https://api.example", "https://api.example"],
    ["https://api.example/", "https://api.example"],
    ["https://api.example/service//", "https://api.example/service"],
    ["http://127.0.0.1:4500", "http://127.0.0.1:4500"],
    ["http://localhost:4500/", "http://localhost:4500"],
  ])("is read as %s", (given, read) => {
    expect(createClient({ baseUrl: given, apiKey }).baseUrl).toBe(read);
    expect(createClient({ baseUrl: new URL(given), apiKey }).baseUrl).toBe(read);
  });

  it.each([
    undefined,
    "",
    "api.example",
    "ftp://api.example",
    "https://user:4f6dKq@api.example",
    "https://api.example/?key=4f6dKq",
    "https://api.example/#top",
    "https://api.example/v1",
    "https://api.example/v1/",
    "http://api.example",
    "http://localhost.example",
  ])("is refused if it is %j", (given) => {
    expect(refused({ baseUrl: given })).toBe("option_invalid");
  });

  it("may be plain HTTP elsewhere on request, but never with a live key", () => {
    const elsewhere = { baseUrl: "http://api.example", plainHttp: true };
    expect(createClient({ ...elsewhere, apiKey }).baseUrl).toBe("http://api.example");
    expect(refused({ ...elsewhere, apiKey: "sk_live_4f6dKq", live: true })).toBe("option_invalid");
  });
});

it.each<object>([
  { timeout: 0 },
  { timeout: 1.5 },
  { timeout: 2 ** 31 },
  { timeout: "30s" },
  { timeout: null },
  { maxAnswer: 0 },
  { retry: null },
  { retry: { attempts: 0 } },
  { retry: { attempts: Number.POSITIVE_INFINITY } },
  { retry: { maxDelay: 2 ** 31 } },
  { retry: { delay: -1 } },
  { retry: { jitter: 2 } },
  { retry: { atempts: 2 } },
  { assumptions: "page" },
  { assumptions: { pageParameter: "" } },
  { assumptions: { pageParam: "page" } },
  { assumptions: { fieldsSeparator: 1 } },
  { onRetry: "a text" },
  { fetch: "a text" },
  { random: "a text" },
  { sleep: "a text" },
  { clock: "a text" },
  { clock: async () => 1 },
  { live: "false" },
  { plainHttp: 1 },
  { apikey: "sk_test_4f6dKq" },
])("%o is refused", (options) => {
  expect(refused(options)).toBe("option_invalid");
});

it("an option that is misspelt is refused with the one that was probably meant", () => {
  const misspelt = { baseUrl, apiKey, timeOut: 1000 };
  expect(() => createClient(misspelt)).toThrow("did you mean timeout?");
  expect(() => Reflect.apply(createClient, undefined, [])).toThrow(
    /^expected the options of createClient to be an object, got undefined/,
  );
});

it("undefined means the default of every option but baseUrl and the credential", () => {
  const names = ["accessToken", "live", "plainHttp", "timeout", "maxAnswer", "onRetry"];
  const more = ["fetch", "clock", "random", "sleep"];
  const settings = readClientOptions({
    ...Object.fromEntries([...names, ...more].map((name) => [name, undefined])),
    baseUrl,
    apiKey,
    retry: { attempts: undefined },
    assumptions: { pageParameter: undefined },
  });
  expect(settings).toMatchObject({
    ...DEFAULT_LIMITS,
    retry: DEFAULT_CLIENT_RETRY,
    assumptions: DEFAULT_ASSUMPTIONS,
  });
});

const neverFetch = () => Promise.reject(new Error("nothing may be sent"));
