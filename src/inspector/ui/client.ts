import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { StateCounts } from "../../inbox/counts.ts";
import type { PauseOf } from "../../inbox/pause.ts";
import type * as Api from "../api.ts";
import type { BulkFates, BulkResult, Change, PausesShown, Tally } from "../changes/bulk-api.ts";
import type { FailureRow, Overview } from "../overview/overview-api.ts";
import { ApiError } from "./api-error.ts";
import type { Connection } from "./session/connection.ts";

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

/** Gives components the client: one for the whole life of the page. */
export const ClientContext = createContext<ApiClient | undefined>(undefined);

export function useClient(): ApiClient {
  const client = useContext(ClientContext);
  if (client === undefined) throw new TypeError("there is no client around this component");
  return client;
}

export class ApiClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get live(): boolean {
    return this.#connection.live;
  }

  readonly status = () => this.#json<Api.Status>("/api/status");
  readonly overview = () => this.#json<Overview>("/api/overview");
  readonly drifts = () => this.#json<readonly Api.DriftNote[]>("/api/drifts");
  readonly samples = () => this.#json<readonly Api.Sample[]>("/api/samples");
  readonly entries = (query: URLSearchParams) => this.#json<Api.RowPage>(`/api/entries?${query}`);
  readonly counts = (query: URLSearchParams) => this.#json<Api.RowCounts>(`/api/counts?${query}`);
  readonly entry = (seq: number) => this.#json<Api.EntryDetail>(`/api/entries/${seq}`);
  readonly alike = (seq: number) => this.#json<FailureRow | null>(`/api/entries/${seq}/alike`);
  readonly related = (seq: number) => this.#json<Api.Related>(`/api/entries/${seq}/related`);
  readonly refusals = (query: URLSearchParams) =>
    this.#json<readonly Api.RefusalRow[]>(`/api/refusals?${query}`);
  readonly refusal = (id: string) => this.#json<Api.RefusalDetail>(`/api/refusals/${id}`);
  readonly curl = async (seq: number, query = "") =>
    (await this.#fetch(`/api/entries/${seq}/curl${query}`)).text();

  /** The whole body as text. Rejects if it is not UTF-8. */
  readonly body = async (seq: number) =>
    new TextDecoder("utf-8", { fatal: true }).decode(
      await (await this.#fetch(`/api/entries/${seq}/body`)).arrayBuffer(),
    );

  readonly replay = (seq: number, exact: boolean) =>
    this.#post<Api.Sent>(`/api/entries/${seq}/replay`, { exact });
  readonly retry = (seq: number) => this.#post<{ retried: number }>(`/api/entries/${seq}/retry`, {});
  readonly drop = (seq: number) => this.#post<{ dropped: number }>(`/api/entries/${seq}/drop`, {});
  readonly handlers = (kind: string) =>
    this.#json<readonly string[]>(`/api/handlers?${new URLSearchParams({ kind })}`);
  readonly pauses = () => this.#json<PausesShown>("/api/pauses");
  readonly pause = (of: PauseOf) => this.#post<object>("/api/pause", of);
  readonly resume = (of: PauseOf) => this.#post<object>("/api/resume", of);
  readonly tally = (query: URLSearchParams) => this.#json<Tally>(`/api/tally?${query}`);

  /** Changes the entries that match a filter, and follows what becomes of them. */
  readonly change = async (
    query: URLSearchParams,
    fields: {
      readonly change: Change;
      readonly upTo: number;
      readonly takeBack: boolean;
      readonly follow: boolean;
      readonly rate?: number | undefined;
      readonly canary?: number | undefined;
    },
    { onStep, onResult, onFates }: ChangeListener,
    signal?: AbortSignal,
  ): Promise<void> => {
    const init = { ...jsonPost(fields), ...(signal && { signal }) };
    const response = await this.#fetch(`/api/change?${query}`, init);
    let isDone = false;
    await readBlocks(readerOf(response), "\n", (line) => {
      const step = JSON.parse(line);
      if ("result" in step) {
        isDone = true;
        onResult(step.result);
      } else if ("fates" in step) onFates(step.fates);
      else if ("changed" in step) onStep(step);
    });
    if (!isDone) throw new ApiError(0, "the connection was lost: some entries were changed, others were not");
  };

  readonly forward = (seq: number, to: string) => this.#post<Api.Sent>(`/api/entries/${seq}/forward`, { to });
  readonly send = (body: string, restamp: boolean) => this.#post<Api.Sent>("/api/send", { body, restamp });
  readonly admit = (ticket: string) => this.#post<object>("/api/admit", { ticket });
  readonly trigger = (fields: object) => this.#post<readonly Api.Triggered[]>("/api/trigger", fields);

  async save(path: string): Promise<string> {
    const response = await this.#fetch(path);
    const name =
      /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "download";
    const url = URL.createObjectURL(await response.blob());
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    return name;
  }

  /** Follows the live feed until it ends or is aborted; rejects if it could not be opened. */
  async follow(query: URLSearchParams, listener: LiveListener, signal: AbortSignal): Promise<void> {
    const response = await this.#fetch(`/api/live?${query}`, { signal });
    const reader = readerOf(response);
    this.#connection.opened();
    try {
      await readBlocks(reader, "\n\n", (block) => {
        const [, name = "", data = ""] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
        if (Object.hasOwn(listener, name)) listener[name as keyof LiveListener](JSON.parse(data));
      });
    } finally {
      this.#connection.ended(signal.aborted);
    }
  }

  async #json<Value>(path: string): Promise<Value> {
    return (await this.#fetch(path)).json();
  }

  async #post<Value>(path: string, fields: object): Promise<Value> {
    const response = await this.#fetch(path, jsonPost(fields));
    return response.json().catch(() => {
      throw new ApiError(0, "the answer was lost: look whether it arrived before you send it again");
    });
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const token = await this.#connection.token();
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
