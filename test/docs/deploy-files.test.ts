import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { scaffold } from "../../src/scaffold/scaffold.ts";
import { tempFolder } from "../cli/fake-io.ts";
import { root } from "./markdown.ts";

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

/** The fields that are used, as Kubernetes spells them. */
const name = z.string().regex(/^[a-z][a-z0-9-]*$/);
const labels = z.strictObject({ app: name });
const whole = z.number().int().min(1);
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.literal("http") }),
  periodSeconds: whole,
  timeoutSeconds: whole.optional(),
  failureThreshold: whole.optional(),
});
const container = z.strictObject({
  name,
  image: z.string(),
  ports: z.array(z.strictObject({ name, containerPort: whole })),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name }) })),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z.array(z.strictObject({ name, mountPath: z.string() })),
  lifecycle: z.strictObject({
    preStop: z.strictObject({
      exec: z.strictObject({ command: z.tuple([z.literal("sleep"), z.string().regex(/^\d+$/)]) }),
    }),
  }),
  startupProbe: probe,
  readinessProbe: probe,
  livenessProbe: probe,
  resources: z.strictObject({
    requests: z.strictObject({ cpu: z.string(), memory: z.string() }),
    limits: z.strictObject({ memory: z.string() }),
  }),
});
const pod = z.strictObject({
  terminationGracePeriodSeconds: whole,
  automountServiceAccountToken: z.literal(false),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: whole,
    runAsGroup: whole,
    fsGroup: whole,
    fsGroupChangePolicy: z.literal("OnRootMismatch"),
    seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
  }),
  containers: z.tuple([container]),
  volumes: z.array(
    z.union([
      z.strictObject({ name, persistentVolumeClaim: z.strictObject({ claimName: name }) }),
      z.strictObject({ name, emptyDir: z.strictObject({}) }),
    ]),
  ),
});
const manifests = z.tuple([
  z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("PersistentVolumeClaim"),
    metadata: z.strictObject({ name }),
    spec: z.strictObject({
      accessModes: z.tuple([z.literal("ReadWriteOncePod")]),
      resources: z.strictObject({ requests: z.strictObject({ storage: z.string() }) }),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal("apps/v1"),
    kind: z.literal("Deployment"),
    metadata: z.strictObject({ name, labels }),
    spec: z.strictObject({
      replicas: z.literal(1),
      strategy: z.strictObject({ type: z.literal("Recreate") }),
      selector: z.strictObject({ matchLabels: labels }),
      template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("Service"),
    metadata: z.strictObject({ name }),
    spec: z.strictObject({
      selector: labels,
      ports: z.tuple([z.strictObject({ name, port: whole, targetPort: z.literal("http") })]),
    }),
  }),
]);

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
  const verified = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" });
  if (verified.error !== undefined) return context.skip("systemd-analyze is not installed");
  // A machine with Node elsewhere has no /usr/bin/node.
  const lines = verified.stderr
    .split("\n")
    .filter((line) => line !== "" && !line.includes("/usr/bin/node"));
  expect(lines).toEqual([]);
});
