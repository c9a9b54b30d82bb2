import type { StateCounts } from "../../inbox/counts.ts";
import type { PauseOf } from "../../inbox/pause.ts";
import type * as Api from "../api.ts";
import type { BulkFates, BulkResult, Change, PausesShown, Tally } from "../changes/bulk-api.ts";
import type { FailureRow, Overview } from "../overview/overview-api.ts";
import { ApiError } from "./api-error.ts";
import { connectionWith } from "./session/connection.ts";

export interface ChangeListener {
  readonly onStep: (step: { readonly changed: number; readonly of: number }) => void;
  readonly onResult: (result: BulkResult) => void;
  readonly onFates: (fates: BulkFates) => void;
}

export type FailedCounts = Pick<StateCounts, "failing" | "dead">;

/** Callbacks of the live feed, by the names of its events. */
export interface LiveListener {
  readonly open: () => void;
  readonly update: (update: Api.LiveUpdate) => void;
  /** Updates were dropped: reload. */
  readonly gap: () => void;
  /** How many entries of the inbox fail and are dead letters, whatever the filter. */
  readonly failed: (counts: FailedCounts) => void;
  /** Events began to differ from those before. */
  readonly drift: () => void;
}

/** The page has one connection for its whole life, from before it is drawn. */
let connection: ReturnType<typeof connectionWith>;

export function connect(token: string): void {
  connection = connectionWith(token);
}

export const client = {
  get live() {
    return connection.isLive();
  },

  status: () => json<Api.Status>("/api/status"),
  overview: () => json<Overview>("/api/overview"),
  drifts: () => json<readonly Api.DriftNote[]>("/api/drifts"),
  samples: () => json<readonly Api.Sample[]>("/api/samples"),
  entries: (query: URLSearchParams) => json<Api.RowPage>(`/api/entries?${query}`),
  counts: (query: URLSearchParams) => json<Api.RowCounts>(`/api/counts?${query}`),
  entry: (seq: number) => json<Api.EntryDetail>(`/api/entries/${seq}`),
  similar: (seq: number) => json<FailureRow | null>(`/api/entries/${seq}/alike`),
  related: (seq: number) => json<Api.Related>(`/api/entries/${seq}/related`),
  refusals: (query: URLSearchParams) => json<readonly Api.RefusalRow[]>(`/api/refusals?${query}`),
  refusal: (id: string) => json<Api.RefusalDetail>(`/api/refusals/${id}`),
  curl: async (seq: number, query = "") =>
    (await request(`/api/entries/${seq}/curl${query}`)).text(),

  /** The whole body as text. Rejects if it is not UTF-8. */
  body: async (seq: number) =>
    new TextDecoder("utf-8", { fatal: true }).decode(
      await (await request(`/api/entries/${seq}/body`)).arrayBuffer(),
    ),

  replay: (seq: number, exact: boolean) => post<Api.Sent>(`/api/entries/${seq}/replay`, { exact }),
  retry: (seq: number) => post<{ retried: number }>(`/api/entries/${seq}/retry`, {}),
  drop: (seq: number) => post<{ dropped: number }>(`/api/entries/${seq}/drop`, {}),
  handlers: (kind: string) =>
    json<readonly string[]>(`/api/handlers?${new URLSearchParams({ kind })}`),
  pauses: () => json<PausesShown>("/api/pauses"),
  pause: (of: PauseOf) => post<object>("/api/pause", of),
  resume: (of: PauseOf) => post<object>("/api/resume", of),
  tally: (query: URLSearchParams) => json<Tally>(`/api/tally?${query}`),

  /** Changes the entries that match a filter, and follows what becomes of them. */
  change: async (
    query: URLSearchParams,
    fields: {
      readonly change: Change;
      readonly upTo: number;
      readonly takeBack: boolean;
      readonly follow: boolean;
      readonly rate?: number | undefined;
    },
    { onStep, onResult, onFates }: ChangeListener,
    signal?: AbortSignal,
  ): Promise<void> => {
    const init = { ...jsonPost(fields), ...(signal && { signal }) };
    const response = await request(`/api/change?${query}`, init);
    let isDone = false;
    await readBlocks(readerOf(response), "\n", (line) => {
      const step = JSON.parse(line);
      if ("result" in step) {
        isDone = true;
        onResult(step.result);
      } else if ("fates" in step) onFates(step.fates);
      else if ("changed" in step) onStep(step);
    });
    if (!isDone)
      throw new ApiError(0, "the connection was lost: some entries were changed, others were not");
  },

  forward: (seq: number, to: string) => post<Api.Sent>(`/api/entries/${seq}/forward`, { to }),
  send: (body: string, restamp: boolean) => post<Api.Sent>("/api/send", { body, restamp }),
  admit: (ticket: string) => post<object>("/api/admit", { ticket }),
  trigger: (fields: object) => post<readonly Api.Triggered[]>("/api/trigger", fields),

  save: async (path: string): Promise<string> => {
    const response = await request(path);
    const name =
      /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ??
      "download";
    const url = URL.createObjectURL(await response.blob());
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    return name;
  },

  /** Follows the live feed until it ends or is aborted; rejects if it could not be opened. */
  follow: async (
    query: URLSearchParams,
    listener: LiveListener,
    signal: AbortSignal,
  ): Promise<void> => {
    const response = await request(`/api/live?${query}`, { signal });
    const reader = readerOf(response);
    connection.opened();
    try {
      await readBlocks(reader, "\n\n", (block) => {
        const [, name = "", data = ""] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
        if (Object.hasOwn(listener, name)) listener[name as keyof LiveListener](JSON.parse(data));
      });
    } finally {
      connection.ended(signal.aborted);
    }
  },
};

async function json<Value>(path: string): Promise<Value> {
  return (await request(path)).json();
}

async function post<Value>(path: string, fields: object): Promise<Value> {
  const response = await request(path, jsonPost(fields));
  return response.json().catch(() => {
    throw new ApiError(0, "the answer was lost: look whether it arrived before you send it again");
  });
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const token = await connection.token();
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, redirect: "error" });
  } catch (thrown) {
    if (init.signal?.aborted === true) throw thrown;
    throw new ApiError(0, "listen does not respond: check that it is running");
  }
  if (response.ok) return response;
  throw new ApiError(response.status, await messageOf(response));
}

function jsonPost(fields: object) {
  const headers = { "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(fields) };
}

function readerOf(response: Response): ReadableStreamDefaultReader<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new ApiError(0, "the answer has no body");
  return reader;
}

/** Reads a text that arrives in blocks, each followed by `end`. */
async function readBlocks(
  reader: ReadableStreamDefaultReader<string>,
  end: string,
  onBlock: (block: string) => void,
): Promise<void> {
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(end);
    rest = blocks.pop() ?? "";
    blocks.forEach(onBlock);
  }
}

async function messageOf(response: Response): Promise<string> {
  try {
    return (await response.json()).error.message;
  } catch {
    return `answered ${response.status}`;
  }
}
