import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../docs/markdown.ts";

const folder = join(root, "examples", "fleet");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const { services } = parse(read("compose.yaml"), { merge: true }) as {
  services: Record<string, { environment?: Record<string, string>; volumes?: string[] }>;
};

it("the compose file has two receivers, two workers, a balancer and PostgreSQL", () => {
  const roles = Object.values(services).flatMap(({ environment }) => environment?.ROLE ?? []);
  expect(roles.sort()).toEqual(["receive", "receive", "run", "run"]);
  expect(Object.keys(services)).toEqual(expect.arrayContaining(["balancer", "postgres"]));
});

it("every process of the compose file has the database and the secret", () => {
  const processes = Object.values(services).filter(
    ({ environment }) => environment?.ROLE !== undefined,
  );
  for (const { environment } of processes) {
    expect(Object.keys(environment ?? {}).sort()).toEqual([
      "DATABASE_URL",
      "HOOKPORTER_SECRET",
      "ROLE",
    ]);
  }
});

it("the balancer's receivers are those of the compose file", () => {
  const named = [...read("nginx.conf").matchAll(/server ([\w-]+):3000/g)].map(([, name]) => name);
  expect(named).toEqual(
    Object.keys(services).filter((name) => services[name]?.environment?.ROLE === "receive"),
  );
});

it("every file that is mounted or copied exists", () => {
  const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
    volumes.map((volume) => volume.split(":")[0] ?? ""),
  );
  const copied = [...read("Dockerfile").matchAll(/^COPY (.*) \.\/$/gm)].flatMap(([, names = ""]) =>
    names.split(" "),
  );
  const files = [...mounted.filter((path) => path.startsWith("./")), ...copied];
  expect(files.length).toBeGreaterThan(4);
  expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
});
