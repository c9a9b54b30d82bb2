import { expect, it, vi } from "vitest";
import {
  failure,
  json,
  KEY,
  openService,
  type StandInOptions,
  sampleProperty,
} from "../../service/client/service.ts";
import { type FakeIoOptions, runCli, startCli } from "../fake-io.ts";

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => sampleProperty(index + 1));

/** A page of the list. */
const page = (number: number, data: readonly object[], total: number, size = 2) =>
  json(200, { data, meta: { total, page: number, per_page: size } });

/** A service, and command lines of `properties` that call it. */
async function open(options: StandInOptions = {}, settings: Record<string, string> = {}) {
  const service = await openService(options);
  const env = { HOOKPORTER_API_KEY: KEY, HOOKPORTER_BASE_URL: service.url, ...settings };
  const words = (flags: string) => ["properties", ...flags.split(" ").filter(Boolean)];
  const properties = (flags = "", more: FakeIoOptions = {}) =>
    runCli(words(flags), { env, ...more });
  const start = (flags: string) => startCli(words(flags), { env });
  const ids = async (flags = "") => {
    const [, ...lines] = (await properties(`--fields id ${flags}`)).stdout.trim().split("\n");
    return lines.map((line) => line.replace("prop_", "")).join();
  };
  return { service, properties, start, ids };
}

it("properties prints one page as a table, with the total", async () => {
  const { properties } = await open({ properties: many(12), perPage: 10 });
  const { code, stdout, stderr } = await properties();
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(11);
  expect(lines[0]).toBe(
    "id       type       address            surface  rooms  rent  yield  tenant.name  tenant.lease_start",
  );
  expect(lines[1]).toBe(
    "prop_1   apartment  1 Harbour Street   41.5     2      950   4.2    Tenant 1     2025-03-01",
  );
  expect(stderr).toMatch(/^10 of 12 properties, test environment; page 1, .*--all/);
});

it("rows fit a terminal, whose reader learns how to see the rest; --fields are shown whole", async () => {
  const { properties } = await open({ properties: many(2) });
  const isTTY = { stdout: true };
  const { stdout, stderr } = await properties("--no-color", { isTTY });
  expect(stdout.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^id .* yield {2}tenant\.name …$/),
    expect.stringMatching(/^prop_1 .* 4\.2 {4}Tenant 1 +…$/),
    expect.stringMatching(/^prop_2 .*…$/),
  ]);
  expect(stderr).toMatch(
    /^2 of 2 properties, test environment; cut to this terminal: --fields chooses columns/,
  );
  const fields = "address,tenant.name,tenant.lease_start,address,type,address,rent";
  const chosen = await properties(`--no-color --fields ${fields}`, { isTTY });
  expect(chosen.stdout).not.toContain("…");
  expect(chosen.stderr).not.toContain("cut");
});

it("--all prints every page, --page a given one", async () => {
  const { service, properties, ids } = await open({ properties: many(5) });
  expect(await ids("--all --per-page 2")).toBe("1,2,3,4,5");
  expect(service.requests).toHaveLength(3);
  expect(await ids("--page 2 --per-page 2")).toBe("3,4");
  expect((await properties("--page 1 --all")).code).toBe(2);
});

it("a typed page overrides a setting for all, and vice versa", async () => {
  const three = { properties: many(3), perPage: 2 };
  const all = await open(three, { HOOKPORTER_PROPERTIES_ALL: "true" });
  expect([await all.ids("--page 2"), await all.ids()]).toEqual(["3", "1,2,3"]);
  const second = await open(three, { HOOKPORTER_PAGE: "2" });
  expect([await second.ids("--all"), await second.ids()]).toEqual(["1,2,3", "3"]);
});

it("--fields requests the given fields, and shows them in that order", async () => {
  const { service, properties } = await open({ properties: many(1) });
  const { stdout } = await properties("--fields rent,tenant --fields id");
  expect(stdout).toBe(
    'rent  tenant                                     id\n950   {"name":"Tenant 1","lease_start":"2025-0…  prop_1\n',
  );
  expect(service.requests[0]?.query.get("fields")).toBe("rent,tenant,id");
});

it("--json prints each property in full, including undocumented fields", async () => {
  const { service, properties } = await open();
  const property = { ...sampleProperty(1), energy: { class: "B" } };
  service.next(page(1, [property], 1, 20));
  const { records } = await properties("--json");
  expect(records).toMatchObject([
    { type: "property", property, problems: null },
    { type: "page", page: 1, perPage: 20, total: 1, shown: 1 },
  ]);
});

it("other parameter names and another separator are used", async () => {
  const names = { pageParameter: "p", perPageParameter: "size" };
  const settings = {
    HOOKPORTER_PAGE_PARAMETER: "p",
    HOOKPORTER_PER_PAGE_PARAMETER: "size",
    HOOKPORTER_FIELDS_SEPARATOR: ";",
  };
  const { service, properties } = await open({ properties: many(3), ...names }, settings);
  expect((await properties("--page 2 --per-page 2 --fields id,rent")).code).toBe(0);
  expect([...(service.requests[0]?.query ?? [])]).toEqual([
    ["fields", "id;rent"],
    ["p", "2"],
    ["size", "2"],
  ]);
});

it("missing values are shown, and characters that could draw on a terminal are escaped", async () => {
  const { service, properties } = await open();
  const data = [
    { id: "prop_1", address: "\u001b[31mred", tenant: null, type: "x".repeat(100) },
    { id: "prop_2", rent: 10, tenant: { name: "A", lease_start: "2025-03-01" } },
  ];
  service.next(page(1, data, 2, 20));
  const { stdout } = await properties("--fields id,address,rent,tenant.name,type");
  expect(stdout.split("\n")[1]).toMatch(/^prop_1 {2}\\u001b\[31mred {2}- {5}- {12}x{40}…$/);
});

it("a property that contradicts the description is printed, with a warning", async () => {
  const { service, properties } = await open();
  const data = [sampleProperty(1), { ...sampleProperty(2), rent: "12\u001b[31m00" }, { rooms: 1 }];
  service.next(page(1, data, 3, 20), page(1, data, 3, 20));
  const { code, stdout, stderr } = await properties();
  expect(code).toBe(0);
  expect(stdout.split("\n")).toHaveLength(5);
  expect(stderr).toContain(
    "2 properties contradict the service's description, such as property.rent: expected number, got string;",
  );
  const { records } = await properties("--json");
  expect(records.map(({ problems }) => problems)).toEqual([
    null,
    [{ field: "property.rent", message: "expected number, got string" }],
    [{ field: "property.id", message: expect.any(String) }],
    undefined,
  ]);
});

it.each(["--json", "--no-color"])(
  "--all %s prints each page before the next one arrives",
  async (flag) => {
    const { service, start } = await open();
    let answer = () => {};
    service.next(page(1, many(2), 4), (response, request) => {
      answer = () => page(2, many(4).slice(2), 4)(response, request);
    });
    const command = start(`--all ${flag}`);
    await vi.waitFor(() => expect(service.requests).toHaveLength(2));
    expect(command.now().stdout).toContain("prop_2");
    expect(command.now().stdout).not.toContain("prop_3");
    answer();
    const { code, stdout } = await command.finished;
    expect(code).toBe(0);
    expect(stdout).toContain("prop_4");
  },
);

it("--all keeps the columns of the first page, and makes them wider for later ones", async () => {
  const { service, properties } = await open();
  service.next(
    page(1, [{ id: "prop_1", address: "A", tenant: null, rent: 5 }], 2, 1),
    page(2, [{ id: "prop_22", address: "Long Street", tenant: { name: "B" }, rent: 10 }], 2, 1),
  );
  const { stdout } = await properties("--all --fields id,address,tenant.name,rent");
  expect(stdout.split("\n")).toEqual([
    "id      address  tenant.name  rent",
    "prop_1  A        -            5",
    "prop_22  Long Street  B            10",
    "",
  ]);
});

it("--all exits with 1 and says how far it came if the list is incomplete", async () => {
  const { service, properties } = await open();
  service.next(page(1, many(2), 5), page(2, [], 5));
  const { code, stdout, stderr } = await properties("--all --fields id");
  expect(code).toBe(1);
  expect(stdout).toBe("id\nprop_1\nprop_2\n");
  expect(stderr).toContain("incomplete: 2 of 5 properties, test environment\n");
  expect(stderr).toContain("after 2 of 5 properties in 1 page");
});

it("an empty portfolio prints only the count, and 429 is retried, with a message", async () => {
  const { service, properties } = await open();
  expect(await properties()).toMatchObject({ code: 0, stdout: "" });
  service.next(failure(429, {}, { "retry-after": "0" }));
  const run = await properties();
  expect(run.code).toBe(0);
  expect(run.stderr).toMatch(/429.*; retrying in \d\.\d s\n/);
});

it("accessTokenEnv sends an access token, even if an API key is set", async () => {
  const settings = { TOKEN: "oauth-token\n", HOOKPORTER_ACCESS_TOKEN_ENV: "TOKEN" };
  const { service, properties } = await open({ key: "oauth-token", properties: many(1) }, settings);
  const { code, stdout, stderr } = await properties("--fields id");
  expect([code, stdout, stderr]).toEqual([0, "id\nprop_1\n", "1 of 1 properties\n"]);
  expect(service.requests[0]?.headers.authorization).toBe("Bearer oauth-token");
  // One that the service repeats in an error is not printed.
  service.next(failure(401, { message: "no such token: oauth-token" }));
  const refused = await properties();
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain("access token");
  expect(refused.stderr).not.toContain("oauth-token");
});

it.each([
  ["no such variable", "HOOKPORTER_ACCESS_TOKEN_ENV=NONE", 3],
  ["a token of several words", "HOOKPORTER_ACCESS_TOKEN_ENV=WORDS", 3],
  ["a live key without --live", "HOOKPORTER_ACCESS_TOKEN_ENV=LIVE", 3],
  [
    "a variable for an API key too",
    "HOOKPORTER_ACCESS_TOKEN_ENV=TOKEN HOOKPORTER_API_KEY_ENV=OTHER",
    2,
  ],
])("accessTokenEnv is refused with %s, before anything is sent", async (_, flags, code) => {
  const settings = { TOKEN: "oauth-token", WORDS: "one-word and-another", LIVE: "sk_live_abcdef" };
  const { service, properties } = await open({ properties: many(1) }, settings);
  const run = await properties(flags);
  expect(run.code).toBe(code);
  for (const secret of Object.values(settings)) expect(run.stderr).not.toContain(secret);
  expect(service.requests).toEqual([]);
});

it("properties gives up after its timeout", async () => {
  const { service, properties } = await open();
  service.next(...Array.from({ length: 4 }, () => () => {}));
  expect((await properties("HOOKPORTER_PROPERTIES_TIMEOUT=20ms")).code).toBe(6);
});
