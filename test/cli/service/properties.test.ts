import { expect, it, vi } from "vitest";
import {
  failure,
  json,
  KEY,
  openService,
  type StandInOptions,
  sampleProperty,
} from "../../client/service.ts";
import { runCli, startCli } from "../fake-io.ts";

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => sampleProperty(index + 1));

async function open(options: StandInOptions = {}, settings: Record<string, string> = {}) {
  const service = await openService(options);
  const env = { HOOKPORTER_API_KEY: KEY, HOOKPORTER_BASE_URL: service.url, ...settings };
  const properties = (...argv: string[]) => runCli(["properties", ...argv], { env });
  return { service, properties };
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
  const { service } = await open({ properties: many(2) });
  const env = { HOOKPORTER_API_KEY: KEY, HOOKPORTER_BASE_URL: service.url };
  const onTerminal = (...argv: string[]) =>
    runCli(["properties", "--no-color", ...argv], { env, isTTY: { stdout: true } });
  const { stdout, stderr } = await onTerminal();
  expect(stdout.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^id .* yield {2}tenant\.name …$/),
    expect.stringMatching(/^prop_1 .* 4\.2 {4}Tenant 1 +…$/),
    expect.stringMatching(/^prop_2 .*…$/),
  ]);
  expect(stderr).toMatch(
    /^2 of 2 properties, test environment; cut to this terminal: --fields chooses columns/,
  );
  const chosen = await onTerminal(
    "--fields",
    "address,tenant.name,tenant.lease_start,address,type,address,rent",
  );
  expect(chosen.stdout).not.toContain("…");
  expect(chosen.stderr).not.toContain("cut");
});

it("--all prints every page, --page a given one", async () => {
  const { service, properties } = await open({ properties: many(5) });
  const ids = async (...argv: string[]) =>
    (await properties("--fields", "id", ...argv)).stdout.trim().split("\n");
  expect(await ids("--all", "--per-page", "2")).toEqual([
    "id",
    "prop_1",
    "prop_2",
    "prop_3",
    "prop_4",
    "prop_5",
  ]);
  expect(service.requests).toHaveLength(3);
  expect(await ids("--page", "2", "--per-page", "2")).toEqual(["id", "prop_3", "prop_4"]);
  expect((await properties("--page", "1", "--all")).code).toBe(2);
});

it("a typed page overrides a setting for all, and vice versa", async () => {
  const all = await open(
    { properties: many(3), perPage: 2 },
    { HOOKPORTER_PROPERTIES_ALL: "true" },
  );
  expect((await all.properties("--page", "2", "--fields", "id")).stdout).toBe("id\nprop_3\n");
  expect((await all.properties("--fields", "id")).stdout).toBe("id\nprop_1\nprop_2\nprop_3\n");
  const page = await open({ properties: many(3), perPage: 2 }, { HOOKPORTER_PAGE: "2" });
  expect((await page.properties("--all", "--fields", "id")).stdout).toBe(
    "id\nprop_1\nprop_2\nprop_3\n",
  );
  expect((await page.properties("--fields", "id")).stdout).toBe("id\nprop_3\n");
});

it("--fields requests the given fields, and shows them in that order", async () => {
  const { service, properties } = await open({ properties: many(1) });
  const { stdout } = await properties("--fields", "rent,tenant", "--fields", "id");
  expect(stdout).toBe(
    'rent  tenant                                     id\n950   {"name":"Tenant 1","lease_start":"2025-0…  prop_1\n',
  );
  expect(service.requests[0]?.query.get("fields")).toBe("rent,tenant,id");
});

it("--json prints each property in full, including undocumented fields", async () => {
  const { service, properties } = await open();
  const property = { ...sampleProperty(1), energy: { class: "B" } };
  service.next(json(200, { data: [property], meta: { total: 1, page: 1, per_page: 20 } }));
  const { records } = await properties("--json");
  expect(records).toMatchObject([
    { type: "property", property, problems: null },
    { type: "page", page: 1, perPage: 20, total: 1, shown: 1 },
  ]);
});

it("other parameter names and another separator are used", async () => {
  const { service, properties } = await open({
    properties: many(3),
    pageParameter: "p",
    perPageParameter: "size",
  });
  const names = [
    "HOOKPORTER_PAGE_PARAMETER=p",
    "HOOKPORTER_PER_PAGE_PARAMETER=size",
    "HOOKPORTER_FIELDS_SEPARATOR=;",
  ];
  const run = await properties(...names, "--page", "2", "--per-page", "2", "--fields", "id,rent");
  expect(run.code).toBe(0);
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
  service.next(json(200, { data, meta: { total: 2, page: 1, per_page: 20 } }));
  const { stdout } = await properties("--fields", "id,address,rent,tenant.name,type");
  expect(stdout.split("\n")[1]).toMatch(/^prop_1 {2}\\u001b\[31mred {2}- {5}- {12}x{40}…$/);
});

it("a property that contradicts the description is printed, with a warning", async () => {
  const { service, properties } = await open();
  const data = [sampleProperty(1), { ...sampleProperty(2), rent: "12\u001b[31m00" }, { rooms: 1 }];
  const answer = json(200, { data, meta: { total: 3, page: 1, per_page: 20 } });
  service.next(answer, answer);
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
    const { service } = await open({ properties: many(4), perPage: 2 });
    const page = (number: number, data: object[]) =>
      json(200, { data, meta: { total: 4, page: number, per_page: 2 } });
    let answer = () => {};
    service.next(page(1, many(2)), (response, request) => {
      answer = () => page(2, many(4).slice(2))(response, request);
    });
    const env = { HOOKPORTER_API_KEY: KEY, HOOKPORTER_BASE_URL: service.url };
    const command = startCli(["properties", "--all", flag], { env });
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
  const page = (number: number, data: object) =>
    json(200, { data: [data], meta: { total: 2, page: number, per_page: 1 } });
  service.next(
    page(1, { id: "prop_1", address: "A", tenant: null, rent: 5 }),
    page(2, { id: "prop_22", address: "Long Street", tenant: { name: "B" }, rent: 10 }),
  );
  const { stdout } = await properties("--all", "--fields", "id,address,tenant.name,rent");
  expect(stdout.split("\n")).toEqual([
    "id      address  tenant.name  rent",
    "prop_1  A        -            5",
    "prop_22  Long Street  B            10",
    "",
  ]);
});

it("--all exits with 1 and says how far it came if the list is incomplete", async () => {
  const { service, properties } = await open();
  const page = (number: number, data: object[]) =>
    json(200, { data, meta: { total: 5, page: number, per_page: 2 } });
  service.next(page(1, many(2)), page(2, []));
  const { code, stdout, stderr } = await properties("--all", "--fields", "id");
  expect(code).toBe(1);
  expect(stdout).toBe("id\nprop_1\nprop_2\n");
  expect(stderr).toContain("incomplete: 2 of 5 properties, test environment\n");
  expect(stderr).toContain("after 2 of 5 properties in 1 page");
});

it("an empty portfolio prints only the count", async () => {
  const { properties } = await open();
  expect(await properties()).toMatchObject({ code: 0, stdout: "" });
});

it.each([
  [401, "service_unauthorized", 3],
  [400, "service_refused", 1],
])("status %i exits with a matching error", async (status, name, code) => {
  const { service, properties } = await open();
  service.next(failure(status));
  const run = await properties("--json");
  expect(run.code).toBe(code);
  expect(run.records).toMatchObject([{ type: "error", code: name }]);
  expect(run.stderr).not.toContain(KEY);
});

it("accessTokenEnv sends an access token, even if an API key is set", async () => {
  const { service, properties } = await open(
    { key: "oauth-token", properties: many(1) },
    { TOKEN: "oauth-token\n" },
  );
  const { code, stdout, stderr } = await properties(
    "HOOKPORTER_ACCESS_TOKEN_ENV=TOKEN",
    "--fields",
    "id",
  );
  expect(code).toBe(0);
  expect(stdout).toBe("id\nprop_1\n");
  expect(stderr).toBe("1 of 1 properties\n");
  expect(service.requests[0]?.headers.authorization).toBe("Bearer oauth-token");
});

it("a setting names the access token's variable", async () => {
  const settings = { TOKEN: "oauth-token", HOOKPORTER_ACCESS_TOKEN_ENV: "TOKEN" };
  const { service, properties } = await open({ properties: many(1) }, settings);
  await properties();
  expect(service.requests[0]?.headers.authorization).toBe("Bearer oauth-token");
});

it.each([
  ["no such variable", ["HOOKPORTER_ACCESS_TOKEN_ENV=NONE"], 3],
  ["a token of several words", ["HOOKPORTER_ACCESS_TOKEN_ENV=WORDS"], 3],
  ["a live key without --live", ["HOOKPORTER_ACCESS_TOKEN_ENV=LIVE"], 3],
  [
    "a variable for an API key too",
    ["HOOKPORTER_ACCESS_TOKEN_ENV=TOKEN", "HOOKPORTER_API_KEY_ENV=OTHER"],
    2,
  ],
])("accessTokenEnv is refused with %s, before anything is sent", async (_, argv, code) => {
  const settings = { TOKEN: "oauth-token", WORDS: "one-word and-another", LIVE: "sk_live_abcdef" };
  const { service, properties } = await open({ properties: many(1) }, settings);
  const run = await properties(...argv);
  expect(run.code).toBe(code);
  for (const secret of Object.values(settings)) expect(run.stderr).not.toContain(secret);
  expect(service.requests).toEqual([]);
});

it("an access token that the service repeats in an error is not printed", async () => {
  const { service, properties } = await open({}, { TOKEN: "oauth-token" });
  service.next(failure(401, { message: "no such token: oauth-token" }));
  const run = await properties("HOOKPORTER_ACCESS_TOKEN_ENV=TOKEN");
  expect(run.code).toBe(3);
  expect(run.stderr).toContain("access token");
  expect(run.stderr).not.toContain("oauth-token");
});

it("429 is retried, with a message", async () => {
  const { service, properties } = await open({ properties: many(1) });
  service.next(failure(429, {}, { "retry-after": "0" }));
  const run = await properties("--fields", "id");
  expect(run.code).toBe(0);
  expect(run.stderr).toMatch(/429.*; retrying in \d\.\d s\n/);
});

it("properties gives up after its timeout", async () => {
  const { service, properties } = await open();
  service.next(...Array.from({ length: 4 }, () => () => {}));
  expect((await properties("HOOKPORTER_PROPERTIES_TIMEOUT=20ms")).code).toBe(6);
});

it.each([
  ["--fields", ""],
  ["--fields", "id,,rent"],
  ["--page", "-1"],
  ["--page", "one"],
  ["--per-page", "0"],
])("%s %j is refused", async (...argv) => {
  const { service, properties } = await open();
  expect((await properties(...argv)).code).toBe(2);
  expect(service.requests).toEqual([]);
});
