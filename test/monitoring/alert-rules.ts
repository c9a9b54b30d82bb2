import type { Alert } from "../../src/entries/metrics.ts";
import { MIN_FREE_BYTES } from "../../src/inbox/vitals.ts";
import { ALERT_DEFAULTS, DRIFT_FOR } from "../../src/observe/watch-alerts.ts";

/**
 * What is worth an alert. `npx vitest run test/monitoring/files.test.ts -u` makes
 * docs/monitoring/alerts.yml and the tables of docs/metrics.md from it; without `-u` it compares
 * them.
 */
export interface AlertRule {
  readonly name: string;
  /** Its type in `watchAlerts`, if that reports it. */
  readonly type?: Alert["type"];
  /** Worth waking someone up, or not before the morning. */
  readonly severity: "page" | "ticket";
  readonly expr: string;
  /** For how long it must hold. */
  readonly for?: string;
  readonly summary: string;
  readonly description: string;
  /** When it fires, for the page. */
  readonly when: string;
  /** The heading in docs/operations.md that says what to do. */
  readonly runbook: string;
}

const DUE = ALERT_DEFAULTS.oldestDue / 1000;
const INSTANCE = "{{ $labels.instance }}";
const JOB = "{{ $labels.job }}";
const SOURCE = "{{ $labels.source }}";

export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: "HookporterGone",
    severity: "page",
    expr: "(up == 0 and on (job, instance) count_over_time(hookporter_info[1d]) > 0) or absent(hookporter_info)",
    for: "2m",
    summary: `${INSTANCE}: the process is gone`,
    description:
      "It cannot be scraped, or no process of hookporter is left. Start it, and see its log.",
    when: "a process that was scraped in the last day is gone, or none is left",
    runbook: "Deliveries stopped",
  },
  {
    name: "HookporterNotReady",
    type: "not_ready",
    severity: "page",
    expr: "hookporter_ready == 0",
    for: "2m",
    summary: `${INSTANCE}: the receiver accepts no deliveries`,
    description:
      "It answers 503: its last commit failed, as with a full disk, its inbox is damaged, or it is starting or closing. `/readyz` and its log say why.",
    when: "deliveries are answered 503",
    runbook: "Deliveries stopped",
  },
  {
    name: "HookporterNothingArrives",
    type: "nothing_arrives",
    severity: "ticket",
    expr: "time() - max by (job, source) (hookporter_last_authentic_delivery_timestamp_seconds) > max by (job, source) (hookporter_normal_silence_seconds)",
    for: "1m",
    summary: `${JOB}: nothing from ${SOURCE} for {{ $value | humanizeDuration }}`,
    description:
      "That is over 3 times as long as the longest gap of 14 days. Deliveries may go elsewhere, or stop on the way.",
    when: "nothing authentic has come for longer than the [normal silence](#signatures)",
    runbook: "Deliveries stopped",
  },
  {
    name: "HookporterNoAuthentic",
    type: "no_authentic",
    severity: "page",
    expr: "max by (job, source) (hookporter_no_authentic) == 1",
    summary: `${JOB}: no delivery from ${SOURCE} is authentic any more`,
    description:
      "Signatures match no secret, and none has matched for longer than is normal: was the secret changed? See `hookporter doctor`.",
    when: "deliveries come, but none has been authentic for longer than the [normal silence](#signatures)",
    runbook: "Everything is 401",
  },
  {
    name: "HookporterDeadLetters",
    type: "dead_letters",
    severity: "page",
    expr: "max by (job) (hookporter_dead_letters_waiting) > 0",
    summary: `${JOB}: {{ $value }} dead letters wait`,
    description:
      "Their handlers gave up, or the deliveries are not events. See `hookporter events list --group`, correct the cause, then `hookporter events retry`.",
    when: "there are dead letters that nobody has retried or dropped",
    runbook: "Dead letters",
  },
  {
    name: "HookporterInboxUnreadable",
    severity: "page",
    expr: "hookporter_inbox_readable == 0",
    for: "2m",
    summary: `${INSTANCE}: the inbox cannot be read`,
    description:
      "Its file is gone, locked or damaged, or its database does not respond. See `hookporter doctor`.",
    when: "the inbox cannot be read",
    runbook: "Deliveries stopped",
  },
  {
    name: "HookporterNotKept",
    severity: "page",
    expr: 'sum by (job, instance) (increase(hookporter_deliveries_total{outcome=~"unavailable|misconfigured", reason!="closed"}[5m])) > 0',
    for: "2m",
    summary: `${INSTANCE}: deliveries are answered 500 or 503`,
    description:
      "They could not be kept, and the sender may not try again. See the receiver's log.",
    when: "deliveries are answered 500 or 503, for another reason than a restart",
    runbook: "Deliveries stopped",
  },
  {
    name: "HookporterBehind",
    type: "oldest_due",
    severity: "page",
    expr: `max by (job) (hookporter_oldest_due_age_seconds) > ${DUE}`,
    for: "5m",
    summary: `${JOB}: events wait for {{ $value | humanizeDuration }}`,
    description:
      "Entries are due, but not run: handlers are too slow, or no process runs entries. Raise `concurrency`, or start more processes.",
    when: `the oldest due entry has waited for more than ${DUE / 60} minutes`,
    runbook: "Backlog grows",
  },
  {
    name: "HookporterTargetAway",
    severity: "page",
    expr: "max by (job, target) (hookporter_entries_waiting_for_target) > 0",
    for: "10m",
    summary: `${JOB}: {{ $labels.target }} does not answer, and {{ $value }} events wait for it`,
    description:
      "They are sent once it answers; nothing is lost. See `hookporter events list --state waiting`.",
    when: "entries wait for a target that does not answer",
    runbook: "Backlog grows",
  },
  {
    name: "HookporterPaused",
    severity: "ticket",
    expr: "max by (job, scope) (hookporter_paused) > 0",
    for: "30m",
    summary: `${JOB}: {{ $value }} paused, of scope {{ $labels.scope }}`,
    description:
      "A person paused it, or a retry stopped by itself. See `hookporter events pause`, and end it with `hookporter events resume`.",
    when: "something is paused",
    runbook: "Backlog grows",
  },
  {
    name: "HookporterDiskNearlyFull",
    type: "inbox_nearly_full",
    severity: "page",
    expr: `hookporter_inbox_free_bytes < 2 * hookporter_inbox_log_bytes + ${MIN_FREE_BYTES}`,
    for: "1m",
    summary: `${INSTANCE}: {{ $value | humanize1024 }}B of disk are left for the inbox`,
    description:
      "Once the disk is full, deliveries are answered 503. Free some space, or prune the inbox with `hookporter events prune`.",
    when: `free disk is below twice the log plus ${MIN_FREE_BYTES / 1024 ** 2} MiB`,
    runbook: "Disk full",
  },
  {
    name: "HookporterPartDown",
    severity: "page",
    expr: 'hookporter_part_up{part=~"tunnel|stream|subscription"} == 0',
    for: "5m",
    summary: `${INSTANCE}: {{ $labels.part }} is down, so deliveries may not arrive`,
    description: "`listen` tries again by itself. Its log says why it cannot.",
    when: "the tunnel, stream or subscription of `listen` is down",
    runbook: "Deliveries stopped",
  },
  {
    name: "HookporterDrift",
    type: "drift",
    severity: "ticket",
    expr: `sum by (job, kind) (increase(hookporter_drift_differences_total[${DRIFT_FOR / 3_600_000}h])) > 0`,
    summary: `${JOB}: events of {{ $labels.kind }} began to differ`,
    description:
      "A field is new, gone, or of another type than before. See the log, or `hookporter types --check`.",
    when: "events began to differ from the shape file within the last hour",
    runbook: "Events began to differ",
  },
  {
    name: "HookporterHandlerFailing",
    severity: "ticket",
    expr: 'sum by (job, handler) (rate(hookporter_attempts_total{outcome!="ok"}[15m])) > 0.5 * sum by (job, handler) (rate(hookporter_attempts_total[15m]))',
    for: "15m",
    summary: `${JOB}: most runs of the handler {{ $labels.handler }} fail`,
    description: "Entries are retried by themselves. See `hookporter events list --group`.",
    when: "over half of a handler's runs fail",
    runbook: "Dead letters",
  },
  {
    name: "HookporterSlowAnswers",
    severity: "ticket",
    expr: 'histogram_quantile(0.99, sum by (job, instance, le) (rate(hookporter_answer_duration_seconds_bucket{outcome!="refused"}[10m]))) > 2',
    for: "10m",
    summary: `${INSTANCE}: 1 % of answers take over {{ $value | humanizeDuration }}`,
    description:
      "A sender that waits no longer sends the delivery again. Compare hookporter_commit_duration_seconds (a slow disk or database) and nodejs_eventloop_lag_p99_seconds (handlers that block).",
    when: "1 % of answers take over 2 seconds",
    runbook: "Slow answers",
  },
];

/** The rules as a file for Prometheus. */
export function rulesFile(): string {
  const rules = ALERT_RULES.map(
    ({ name, severity, expr, for: duration, summary, description, runbook }) => {
      const text = (value: string) => JSON.stringify(value);
      return [
        `      - alert: ${name}`,
        `        expr: ${text(expr)}`,
        ...(duration === undefined ? [] : [`        for: ${duration}`]),
        `        labels: { severity: ${severity} }`,
        "        annotations:",
        `          summary: ${text(summary)}`,
        `          description: ${text(description)}`,
        `          runbook: ${text(`${runbook}, in docs/operations.md of the package`)}`,
      ].join("\n");
    },
  );
  return `# Alert rules for hookporter: add this file to \`rule_files\` of prometheus.yml. \`severity: page\` is worth waking someone up,
# \`severity: ticket\` can wait until the morning. docs/metrics.md explains each alert.
groups:
  - name: hookporter
    rules:
${rules.join("\n\n")}
`;
}

/** The rules as rows of the page's table. */
export function rulesTable(): string {
  const rows = ALERT_RULES.map(({ name, type, severity, when, for: duration, runbook }) => {
    const told = type === undefined ? "" : `\`${type}\``;
    const see = `[${runbook}](operations.md#${anchorOf(runbook)})`;
    return `| \`${name}\` | ${told} | ${severity} | ${when}${duration === undefined ? "" : `, for ${minutes(duration)}`} | ${see} |`;
  });
  return [
    "| alert | `watchAlerts` | severity | fires when | then see |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(" ", "-");
}

function minutes(duration: string): string {
  const count = Number.parseInt(duration, 10);
  return `${count} minute${count === 1 ? "" : "s"}`;
}
