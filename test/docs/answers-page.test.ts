import { expect, it } from "vitest";
import type { Outcome, RefusalReason } from "../../src/entries/index.ts";
import { REJECTION_REASONS } from "../../src/event/rejection.ts";
import { DEAD_REASONS, ERASED, WAITING_REASONS } from "../../src/inbox/reasons.ts";
import { REFUSALS } from "../../src/receiver/refusals.ts";
import { toAnswer } from "../../src/receiver/response.ts";
import { SIGNATURE_REASONS } from "../../src/signature/signature-format.ts";
import { quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/answers.md");

it("the page lists every rejection reason with its meaning, and no other", () => {
  const onPage = table("Rejection reasons").map(([reason = "", meaning]) => [
    quoted(reason)[0],
    meaning,
  ]);
  expect(onPage).toEqual(Object.entries(REJECTION_REASONS));
});

it("the page lists every signature reason with its meaning and fix, and no other", () => {
  const onPage = table("Signature reasons").map(([reason = "", ...rest]) => [
    quoted(reason)[0],
    ...rest,
  ]);
  const inCode = Object.entries(SIGNATURE_REASONS).map(([reason, { meaning, fix }]) => [
    reason,
    meaning.replaceAll("`", ""),
    fix,
  ]);
  expect(onPage.map((cells) => cells.map((cell) => cell?.replaceAll("`", "")))).toEqual(inCode);
});

it("the page lists every refusal with its answer, and no other", () => {
  const onPage = table("Refusals").map(([reason = "", status, type = "", header = ""]) => [
    quoted(reason)[0],
    status,
    quoted(type)[0],
    quoted(header).join(", "),
  ]);
  const inCode = (Object.keys(REFUSALS) as RefusalReason[]).map((reason) => {
    const { status, type, headers } = answerTo({ type: "refused", reason });
    const own = Object.entries(headers).filter(([name]) => !name.startsWith("Content-"));
    return [reason, String(status), type, own.map((header) => header.join(": ")).join(", ")];
  });
  expect(onPage).toEqual(inCode);
});

it("the page lists every other reason of an entry, and no other", () => {
  const onPage = table("Dead letters and retry").map(([reason = "", state = ""]) => ({
    reason: quoted(reason)[0],
    isDead: quoted(state)[0] === "dead",
  }));
  const reasons = (isDead: boolean) =>
    new Set(onPage.flatMap((row) => (row.isDead === isDead ? [row.reason] : [])));
  const dead = Object.keys(DEAD_REASONS).filter(
    (reason) => !Object.hasOwn(REJECTION_REASONS, reason),
  );
  expect(reasons(true)).toEqual(new Set(dead));
  expect(reasons(false)).toEqual(new Set([...Object.keys(WAITING_REASONS), ERASED]));
});

it("the page has the status and type of the other errors, and the seconds after which a sender may retry", () => {
  const error = new Error("a reason");
  const others: Outcome[] = [
    { ...REJECTED, rejection: { reason: "empty_body", message: "" } },
    { type: "unauthorized", reason: "signature_missing" },
    { type: "unavailable", error },
    { type: "misconfigured", error },
  ];
  const told = table("The answers").map(([, answer = ""]) => answer);
  for (const outcome of others) {
    const { status, type, headers } = answerTo(outcome);
    expect(told).toContainEqual(expect.stringMatching(`^${status} \`${type}\``));
    const after = headers["Retry-After"];
    if (after !== undefined) expect(page).toContain(`\`Retry-After: ${after}\``);
  }
});

const REJECTED = {
  type: "rejected",
  kind: null,
  seq: 1,
  eventId: "",
  duplicate: false,
  secret: { role: "current", fingerprint: "" },
} as const;

it("the page shows the actual format of the error body", () => {
  const shown = /```json\n(.*)\n```/.exec(page)?.[1] ?? "";
  const reason = "invalid_timestamp";
  const rejection = { reason, message: REJECTION_REASONS[reason], field: "timestamp" } as const;
  const { body } = toAnswer({ ...REJECTED, rejection });
  expect(JSON.parse(shown)).toEqual(JSON.parse(Buffer.from(body).toString("utf8")));
});

function table(heading: string): readonly (readonly string[])[] {
  return rowsOf(sectionOf(page, heading));
}

function answerTo(outcome: Outcome): {
  status: number;
  type: string;
  headers: Readonly<Record<string, string | readonly string[]>>;
} {
  const { status, headers, body } = toAnswer(outcome);
  const { error } = JSON.parse(Buffer.from(body).toString("utf8"));
  return { status, headers, type: error.type };
}
