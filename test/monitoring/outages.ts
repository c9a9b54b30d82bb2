import { ALERT_RULES } from "./alert-rules.ts";

/**
 * Outages as series of numbers, one a minute, and what promtool has to say of them: the alert of
 * each, and no other.
 */
interface Outage {
  readonly alert: string;
  readonly series: Readonly<Record<string, string>>;
  /** Minutes after the start, by which it fires, and before which it does not. */
  readonly firesBy: number;
  readonly notBefore: number;
  readonly labels: Readonly<Record<string, string>>;
  /** What the expression's value is printed as. */
  readonly value?: string;
}

const A = 'job="hooks",instance="a"';
const ON_A = { job: "hooks", instance: "a" };
const FROM_SERVICE = { job: "hooks", source: "service" };
/** One that goes wrong after 20 minutes. */
const wrong = (before: string | number, after: string | number) => `${before}x20 ${after}x40`;

const OUTAGES: readonly Outage[] = [
  {
    alert: "HookporterGone",
    series: {
      [`up{${A}}`]: wrong(1, 0),
      [`hookporter_info{${A}}`]: "1x20 stale",
      'hookporter_info{job="hooks",instance="other"}': "1x60",
      'up{job="someone-else",instance="x"}': "0x60",
    },
    notBefore: 21,
    firesBy: 24,
    labels: ON_A,
  },
  { alert: "HookporterGone", series: {}, notBefore: 1, firesBy: 3, labels: {} },
  {
    alert: "HookporterNotReady",
    series: { [`hookporter_ready{${A}}`]: wrong(1, 0) },
    notBefore: 22,
    firesBy: 24,
    labels: ON_A,
  },
  {
    alert: "HookporterInboxUnreadable",
    series: { [`hookporter_inbox_readable{${A}}`]: wrong(1, 0) },
    notBefore: 22,
    firesBy: 24,
    labels: ON_A,
  },
  {
    alert: "HookporterNothingArrives",
    series: {
      [`hookporter_last_authentic_delivery_timestamp_seconds{${A},source="service"}`]: "0x60",
      [`hookporter_normal_silence_seconds{${A},source="service"}`]: "1800x60",
    },
    notBefore: 30,
    firesBy: 40,
    labels: FROM_SERVICE,
    value: "40m 0s",
  },
  {
    alert: "HookporterNoAuthentic",
    series: { [`hookporter_no_authentic{${A},source="service"}`]: wrong(0, 1) },
    notBefore: 20,
    firesBy: 22,
    labels: FROM_SERVICE,
  },
  {
    // the first one, once for all processes of an inbox, until someone has looked
    alert: "HookporterDeadLetters",
    series: {
      [`hookporter_dead_letters_waiting{${A}}`]: wrong(0, 1),
      'hookporter_dead_letters_waiting{job="hooks",instance="b"}': wrong(0, 1),
    },
    notBefore: 20,
    firesBy: 59,
    labels: { job: "hooks" },
    value: "1",
  },
  {
    alert: "HookporterNotKept",
    series: {
      [`hookporter_deliveries_total{${A},outcome="unavailable",reason="disk_full"}`]: "0x20 1+1x40",
      [`hookporter_deliveries_total{${A},outcome="unavailable",reason="closed"}`]: "0+5x60",
    },
    notBefore: 22,
    firesBy: 25,
    labels: ON_A,
  },
  {
    alert: "HookporterBehind",
    series: {
      [`hookporter_oldest_due_age_seconds{${A}}`]: "0 400+60x59",
      'hookporter_oldest_due_age_seconds{job="hooks",instance="b"}': "0 400+60x59",
    },
    notBefore: 4,
    firesBy: 7,
    labels: { job: "hooks" },
    value: "12m 40s",
  },
  {
    alert: "HookporterTargetAway",
    series: {
      [`hookporter_entries_waiting_for_target{${A},target="http://app.test"}`]: wrong(0, 5),
    },
    notBefore: 29,
    firesBy: 32,
    labels: { job: "hooks", target: "http://app.test" },
    value: "5",
  },
  {
    alert: "HookporterPaused",
    series: { [`hookporter_paused{${A},scope="kind"}`]: wrong(0, 1) },
    notBefore: 49,
    firesBy: 52,
    labels: { job: "hooks", scope: "kind" },
    value: "1",
  },
  {
    alert: "HookporterDiskNearlyFull",
    series: {
      [`hookporter_inbox_free_bytes{${A}}`]: "900000000x60",
      [`hookporter_inbox_log_bytes{${A}}`]: wrong(100_000_000, 300_000_000),
    },
    notBefore: 20,
    firesBy: 23,
    labels: ON_A,
    value: "858.3Mi",
  },
  {
    alert: "HookporterPartDown",
    series: { [`hookporter_part_up{${A},part="tunnel"}`]: wrong(1, 0) },
    notBefore: 25,
    firesBy: 27,
    labels: { ...ON_A, part: "tunnel" },
  },
  {
    alert: "HookporterDrift",
    series: {
      [`hookporter_drift_differences_total{${A},kind="lead.created",change="type changed"}`]: wrong(
        0,
        1,
      ),
    },
    notBefore: 20,
    firesBy: 23,
    labels: { job: "hooks", kind: "lead.created" },
  },
  {
    alert: "HookporterHandlerFailing",
    series: {
      [`hookporter_attempts_total{${A},handler="h",outcome="ok"}`]: "0+1x60",
      [`hookporter_attempts_total{${A},handler="h",outcome="error"}`]: "0x20 9+9x40",
    },
    notBefore: 30,
    firesBy: 50,
    labels: { job: "hooks", handler: "h" },
  },
  {
    alert: "HookporterSlowAnswers",
    series: {
      [`hookporter_answer_duration_seconds_bucket{${A},outcome="accepted",le="4"}`]: "0+9x60",
      [`hookporter_answer_duration_seconds_bucket{${A},outcome="accepted",le="2"}`]: "0x60",
      [`hookporter_answer_duration_seconds_bucket{${A},outcome="accepted",le="+Inf"}`]: "0+9x60",
    },
    notBefore: 10,
    firesBy: 20,
    labels: ON_A,
    value: "3.98s",
  },
];

/** What a receiver's metrics are while all is well. */
const WELL = {
  [`up{${A}}`]: "1x400",
  [`hookporter_info{${A}}`]: "1x400",
  [`hookporter_ready{${A}}`]: "1x400",
  [`hookporter_inbox_readable{${A}}`]: "1x400",
  [`hookporter_no_authentic{${A},source="service"}`]: "0x400",
  [`hookporter_dead_letters_waiting{${A}}`]: "0x400",
  [`hookporter_oldest_due_age_seconds{${A}}`]: "0x400",
  [`hookporter_drift_differences_total{${A},kind="lead.created",change="new field"}`]: "3x400",
  [`hookporter_inbox_free_bytes{${A}}`]: "50000000000x400",
  [`hookporter_inbox_log_bytes{${A}}`]: "4000000x400",
};

const HOURS = 14 * 24;
const isWeekend = (hour: number) => [5, 6].includes(Math.floor(hour / 24) % 7);

/** A fortnight of one event an hour with quiet weekends, beside a scanner's wrong signatures. */
const FORTNIGHT = {
  ...WELL,
  [`hookporter_last_authentic_delivery_timestamp_seconds{${A},source="service"}`]:
    latestOf(isWeekend),
  [`hookporter_normal_silence_seconds{${A},source="service"}`]: `${3 * 49 * 3600}x400`,
  [`hookporter_deliveries_total{${A},outcome="unauthorized",reason="signature_mismatch"}`]:
    "0+20x400",
};

/** A thousand events a second. */
const RUSH = {
  ...WELL,
  [`hookporter_last_authentic_delivery_timestamp_seconds{${A},source="service"}`]: "0+60x400",
  [`hookporter_normal_silence_seconds{${A},source="service"}`]: "3600x400",
  [`hookporter_deliveries_total{${A},outcome="accepted",reason=""}`]: "0+60000x400",
  [`hookporter_deliveries_total{${A},outcome="duplicate",reason=""}`]: "0+600x400",
};

/** The time of the latest event at each hour, in seconds. */
function latestOf(isQuiet: (hour: number) => boolean): string {
  let latest = 0;
  return Array.from({ length: HOURS }, (_, hour) => {
    if (!isQuiet(hour)) latest = hour * 3600;
    return latest;
  }).join(" ");
}

/** A file for `promtool test rules`. */
export function outageTests(rules: string): string {
  const fires = OUTAGES.map((outage) => {
    const rule = ALERT_RULES.find(({ name }) => name === outage.alert);
    if (rule === undefined) throw new Error(`expected a rule ${outage.alert}`);
    const words = (text: string) =>
      text
        .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => outage.labels[label] ?? "")
        .replaceAll(/\{\{ \$value[^}]*\}\}/g, outage.value ?? "");
    const runbook = `${rule.runbook}, in docs/operations.md of the package`;
    const exp_annotations = {
      summary: words(rule.summary),
      description: words(rule.description),
      runbook,
    };
    const fired = { exp_labels: { ...outage.labels, severity: rule.severity }, exp_annotations };
    return {
      name: outage.alert,
      interval: "1m",
      input_series: seriesOf({
        ...(outage.alert === "HookporterGone" ? {} : { "hookporter_info{}": "1x60" }),
        ...outage.series,
      }),
      alert_rule_test: [
        { alertname: outage.alert, eval_time: `${outage.notBefore - 1}m` },
        { alertname: outage.alert, eval_time: `${outage.firesBy}m`, exp_alerts: [fired] },
        ...ALERT_RULES.filter(({ name }) => name !== outage.alert).map(({ name }) => ({
          alertname: name,
          eval_time: `${outage.firesBy}m`,
        })),
      ],
    };
  });
  const quiet = (name: string, interval: string, series: object, times: readonly string[]) => ({
    name,
    interval,
    input_series: seriesOf(series),
    alert_rule_test: times.flatMap((eval_time) =>
      ALERT_RULES.map((rule) => ({ alertname: rule.name, eval_time })),
    ),
  });
  const fortnight = Array.from({ length: HOURS / 4 - 1 }, (_, at) => `${4 * (at + 1)}h`);
  const rush = Array.from({ length: 18 }, (_, at) => `${20 * (at + 1)}m`);
  return JSON.stringify({
    rule_files: [rules],
    evaluation_interval: "1m",
    tests: [
      ...fires,
      quiet("a fortnight", "1h", FORTNIGHT, fortnight),
      quiet("a rush", "1m", RUSH, rush),
    ],
  });
}

function seriesOf(series: object): readonly object[] {
  return Object.entries(series).map(([name, values]) => ({ series: name, values }));
}
