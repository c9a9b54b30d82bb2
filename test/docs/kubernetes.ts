import { z } from "zod";

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
/** A claim of a volume, a deployment and a service. */
export const manifests = z.tuple([
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
