import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import {
  type Client,
  type ClientOptions,
  createClient,
  ServiceError,
} from "../../../src/entries/client.ts";

/** The key that the stand-in accepts. */
export const KEY = "sk_test_4f6dKq";

/** A request as received by the stand-in. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request instead of the stand-in's default. */
export type Scripted = (response: ServerResponse, request: SeenRequest) => void;

/** Undocumented details of the service; the defaults are the client's assumptions. */
export interface StandInOptions {
  /** Default: any free one. */
  readonly port?: number;
  readonly key?: string;
  readonly properties?: readonly object[];
  readonly pageParameter?: string;
  readonly perPageParameter?: string;
  /** Number of the first page. */
  readonly firstPage?: number;
  readonly perPage?: number;
}

/** A small service with the two endpoints that the description shows. */
export interface StandIn {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** The created subscriptions. */
  readonly created: readonly {
    readonly url: string;
    readonly events: readonly string[];
    readonly secret?: string;
  }[];
  /** Answers for the next requests, one each; later requests get the default answers. */
  next(...answers: Scripted[]): void;
  /** Ends it before the test does, as an outage. */
  stop(): Promise<void>;
}

/** A subscription to create. */
export const SUBSCRIPTION = {
  url: "https://app.example/webhooks",
  events: ["lead.created"],
  secret: "whsec-hush",
} as const;

/** A property as the list returns it. */
export function sampleProperty(number: number): Readonly<Record<string, unknown>> {
  return {
    id: `prop_${number}`,
    type: "apartment",
    address: `${number} Harbour Street`,
    surface: 40.5 + number,
    rooms: 2,
    rent: 950,
    yield: 4.2,
    tenant: { name: `Tenant ${number}`, lease_start: "2025-03-01" },
  };
}

/** Answers with a status and JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Scripted {
  return (response) => {
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(body));
  };
}

/** Answers with the error object of the description. */
export function failure(
  status: number,
  error: object = {},
  headers: Record<string, string> = {},
): Scripted {
  return json(
    status,
    { error: { type: "some_type", message: "Some message.", ...error } },
    headers,
  );
}

/** Opens a stand-in that ends with the test. */
export async function openService(options: StandInOptions = {}): Promise<StandIn> {
  const { key = KEY } = options;
  const requests: SeenRequest[] = [];
  const created: StandIn["created"][number][] = [];
  const scripted: Scripted[] = [];
  const server = createServer(async (message, response) => {
    const request = await seen(message);
    requests.push(request);
    const next = scripted.shift();
    if (next !== undefined) return next(response, request);
    if (request.headers.authorization !== `Bearer ${key}`) return failure(401)(response, request);
    const route = `${request.method} ${request.path}`;
    if (route === "GET /v1/properties") return listProperties(request, options)(response, request);
    if (route === "POST /v1/webhooks") {
      const subscription = JSON.parse(request.body);
      for (const field of ["url", "events"]) {
        if (subscription[field] !== undefined) continue;
        return failure(400, { type: "invalid_request", field })(response, request);
      }
      created.push(subscription);
      const { url, events } = subscription;
      return json(201, { id: `wh_${created.length}`, url, events })(response, request);
    }
    failure(404)(response, request);
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    created,
    next: (...answers) => void scripted.push(...answers),
    stop,
  };
}

/** A client of a stand-in that never really waits; `delays` has the waits. */
export function clientOf(
  service: Pick<StandIn, "url">,
  options: Partial<ClientOptions> = {},
): Client & { readonly delays: readonly number[] } {
  const delays: number[] = [];
  const client = createClient({
    baseUrl: service.url,
    apiKey: KEY,
    random: () => 0,
    sleep: async (milliseconds) => void delays.push(milliseconds),
    ...options,
  });
  return { ...client, delays };
}

/** A stand-in that gives these answers to its first requests, and a client of it. */
export async function openClient(
  answers: readonly Scripted[] = [],
  options: Partial<ClientOptions> = {},
  service: StandInOptions = {},
) {
  const standIn = await openService(service);
  standIn.next(...answers);
  return { service: standIn, client: clientOf(standIn, options) };
}

async function seen(message: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  const { pathname, searchParams } = new URL(message.url ?? "", "http://stand-in");
  const body = Buffer.concat(chunks).toString("utf8");
  return {
    method: message.method ?? "",
    path: pathname,
    query: searchParams,
    headers: message.headers,
    body,
  };
}

function listProperties({ query }: SeenRequest, options: StandInOptions): Scripted {
  const { properties = [], firstPage = 1, perPage: size = 20 } = options;
  const page = Number(query.get(options.pageParameter ?? "page") ?? firstPage);
  const perPage = Number(query.get(options.perPageParameter ?? "per_page") ?? size);
  const from = (page - firstPage) * perPage;
  const fields = query.get("fields")?.split(",");
  const data = properties.slice(from, from + perPage).map((property) => {
    const entries = Object.entries(property);
    return Object.fromEntries(
      entries.filter(([name]) => fields === undefined || fields.includes(name)),
    );
  });
  return json(200, { data, meta: { total: properties.length, page, per_page: perPage } });
}

/** The error of a request that must fail. */
export async function errorOf(request: Promise<unknown>): Promise<ServiceError> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}
