import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { scaffold } from "../../src/cli/scaffold/scaffold.ts";
import { tempFolder } from "../cli/fake-io.ts";
import { manifests } from "./kubernetes.ts";
import { root } from "./markdown.ts";
import { unitFaults } from "./systemd.ts";

const folder = join(root, "docs", "deploy");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const server = readFileSync(join(root, "templates", "express", "src", "server.ts"), "utf8");
/** Seconds that the server of a new project waits for running handlers. */
const drain = Number(/drainTimeout: ([\d_]+)/.exec(server)?.[1]?.replace("_", "")) / 1000;

it("the Dockerfile is the one that `init` writes", async () => {
  const directory = join(tempFolder(), "receiver");
  await scaffold({ directory, template: "express", inbox: "file" });
  const written = readFileSync(join(directory, "Dockerfile"), "utf8");
  await expect(written).toMatchFileSnapshot(join(folder, "Dockerfile"));
});

it("the image's user owns the folder of the inbox before it becomes a volume, and Node runs directly", () => {
  const steps = read("Dockerfile")
    .split("\n")
    .filter((line) => /^[A-Z]+ /.test(line));
  const at = (step: string) => steps.findLastIndex((line) => line.startsWith(step));
  expect(steps[at("RUN")]).toBe("RUN mkdir /data && chown node:node /data");
  expect([at("RUN") < at("USER"), at("USER") < at("VOLUME")]).toEqual([true, true]);
  expect(steps.at(-1)).toBe('CMD ["node", "--enable-source-maps", "dist/server.js"]');
  expect(steps[at("ENV")]).toContain("HOOKPORTER_INBOX=/data/inbox.db");
});

it("Compose stops later than the server, and only the folder of the inbox can be written", () => {
  const service = z.strictObject({
    build: z.literal("."),
    restart: z.string(),
    env_file: z.string(),
    ports: z.array(z.string()),
    volumes: z.tuple([z.literal("inbox:/data")]),
    read_only: z.literal(true),
    tmpfs: z.tuple([z.literal("/tmp")]),
    cap_drop: z.tuple([z.literal("ALL")]),
    security_opt: z.tuple([z.literal("no-new-privileges:true")]),
    stop_grace_period: z.string().regex(/^\d+s$/),
  });
  const file = z.strictObject({
    services: z.strictObject({ receiver: service }),
    volumes: z.strictObject({ inbox: z.null() }),
  });
  const { services } = file.parse(parse(read("compose.yaml")));
  expect(Number.parseInt(services.receiver.stop_grace_period, 10)).toBeGreaterThan(drain);
});

it("the Kubernetes manifests have fields that there are, and fit together", () => {
  const documents = parseAllDocuments(read("kubernetes.yaml")).map((parseAllDocument) =>
    parseAllDocument.toJS(),
  );
  const [claim, deployment, service] = manifests.parse(documents);
  const { template, selector } = deployment.spec;
  expect([selector.matchLabels, service.spec.selector]).toEqual([
    template.metadata.labels,
    template.metadata.labels,
  ]);
  const { containers, volumes, terminationGracePeriodSeconds } = template.spec;
  const [{ volumeMounts, lifecycle, startupProbe, readinessProbe, livenessProbe }] = containers;
  expect(volumeMounts.map((mount) => mount.name)).toEqual(volumes.map((volume) => volume.name));
  expect(volumes).toContainEqual(
    expect.objectContaining({ persistentVolumeClaim: { claimName: claim.metadata.name } }),
  );
  const pause = Number(lifecycle.preStop.exec.command[1]);
  expect(terminationGracePeriodSeconds).toBeGreaterThan(pause + drain);
  const paths = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path);
  expect(paths).toEqual(["/healthz", "/readyz", "/healthz"]);
});

it("systemd accepts the unit, which stops later than the server", (context) => {
  const seconds = /^TimeoutStopSec=(\d+)$/m.exec(read("receiver.service"))?.[1];
  expect(Number(seconds)).toBeGreaterThan(drain);
  const path = join(folder, "receiver.service");
  const faults = unitFaults(path);
  if (faults === undefined) return context.skip("systemd-analyze is not installed");
  expect(faults).toEqual([]);
});
