import { isRecord } from "../../base/guards.ts";
import { invalid } from "../../base/options/check-options.ts";
import type { DeliveryHeaders } from "../../event/delivery.ts";
import { alreadyRead, type BodyLimits, type BodyResult } from "../../http/read-body.ts";

/**
 * An HTTP request as Lambda passes it on: from API Gateway (payload formats 1.0 and 2.0), a
 * function URL or an Application Load Balancer. Only the fields that are read. A request of VPC
 * Lattice, whose fields have other names, is read, too.
 */
export interface LambdaRequest {
  /** Format 2.0 only: the path as sent, with the stage unless it is `$default`. */
  readonly rawPath?: string | undefined;
  /** Format 2.0 only: the query as sent, without its `?`. */
  readonly rawQueryString?: string | undefined;
  /** Format 1.0 and load balancers. */
  readonly httpMethod?: string | undefined;
  /** Format 1.0 and load balancers. */
  readonly path?: string | undefined;
  /** One value per name. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  /** All values of each name: format 1.0, and load balancers with multi-value headers. */
  readonly multiValueHeaders?:
    | Readonly<Record<string, readonly string[] | undefined>>
    | null
    | undefined;
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueQueryStringParameters?:
    | Readonly<Record<string, readonly string[] | undefined>>
    | null
    | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
  /** In format 2.0 it has `http`, with the method; from a load balancer it has `elb`. */
  readonly requestContext:
    | { readonly http: { readonly method: string } }
    | { readonly elb: object }
    | object;
}

/** A request as VPC Lattice passes it on: version 2.0, or 1.0 with other names. */
interface LatticeRequest {
  readonly method: string;
  /** Version 2.0. */
  readonly path?: string | undefined;
  /** Version 1.0. */
  readonly raw_path?: string | undefined;
  /** Version 2.0: all values of each name. Version 1.0: one. */
  readonly headers?: Readonly<Record<string, readonly string[] | string | undefined>> | undefined;
  readonly queryStringParameters?: LatticeQuery;
  readonly query_string_parameters?: LatticeQuery;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
  readonly is_base64_encoded?: boolean | undefined;
}

type LatticeQuery =
  | Readonly<Record<string, readonly string[] | string | undefined>>
  | null
  | undefined;

/** What to do about an event that is not a request. */
const NO_REQUEST =
  "invoke this handler by API Gateway, a function URL, a load balancer or VPC Lattice, and use lambdaDrain for a schedule";

/** What to do about a body that was parsed. */
const UNPARSED = "remove middleware that parses the body of the event, such as a JSON body parser";

/**
 * Reads an event as one form of request. Throws a ConfigurationError `option_invalid` for an event
 * of any other kind.
 */
export function readRequest(event: unknown): LambdaRequest {
  if (isRecord(event)) {
    const request = event as unknown as LambdaRequest;
    if (methodOf(request) !== undefined) return request;
    if (isOfLattice(event)) return fromLattice(event);
  }
  throw invalid("the event to be an HTTP request", event, NO_REQUEST);
}

function isOfLattice(event: object): event is LatticeRequest {
  const { method, path, raw_path: rawPath } = event as Partial<LatticeRequest>;
  return typeof method === "string" && typeof (path ?? rawPath) === "string";
}

function fromLattice(event: LatticeRequest): LambdaRequest {
  const { method, path = event.raw_path, headers = {}, body } = event;
  return {
    httpMethod: method,
    path,
    multiValueHeaders: valuesOf(headers),
    multiValueQueryStringParameters: valuesOf(
      event.queryStringParameters ?? event.query_string_parameters ?? {},
    ),
    body,
    isBase64Encoded: event.isBase64Encoded ?? event.is_base64_encoded,
    requestContext: {},
  };
}

/** All values of each name, whichever way a version lists them. */
function valuesOf(given: NonNullable<LatticeQuery>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(given).map(([name, values]) => [name, [values ?? []].flat()]),
  );
}

export function isBalanced({ requestContext }: LambdaRequest): boolean {
  return isRecord(requestContext) && "elb" in requestContext;
}

function methodOf({ httpMethod, requestContext }: LambdaRequest): string | undefined {
  const http =
    isRecord(requestContext) && "http" in requestContext ? requestContext.http : undefined;
  const method = isRecord(http) ? http.method : httpMethod;
  return typeof method === "string" ? method : undefined;
}

/** The method, path and target, as close to what was sent as the event has them. */
export function targetOf(request: LambdaRequest): { method: string; path: string; target: string } {
  const { rawPath, rawQueryString } = request;
  const path = rawPath ?? request.path ?? "/";
  const query = rawPath === undefined ? queryOf(request) : (rawQueryString ?? "");
  return {
    method: methodOf(request) ?? "",
    path,
    target: query === "" ? path : `${path}?${query}`,
  };
}

/**
 * The query, written again: gateways decode its names and values, load balancers leave them as they
 * were sent.
 */
function queryOf(request: LambdaRequest): string {
  const { queryStringParameters, multiValueQueryStringParameters } = request;
  const spell = isBalanced(request) ? String : encodeURIComponent;
  return Object.entries({ ...queryStringParameters, ...multiValueQueryStringParameters })
    .flatMap(([name, values]) =>
      [values ?? []].flat().map((value) => `${spell(name)}=${spell(value)}`),
    )
    .join("&");
}

/**
 * The headers by lowercase name. Several values of one name are joined by commas, as Node joins
 * them.
 */
export function headersOf({ headers, multiValueHeaders }: LambdaRequest): DeliveryHeaders {
  const joined = new Map<string, string>();
  // Events that were made by hand may have the field for all values, but nothing in it.
  const hasAll = Object.values(multiValueHeaders ?? {}).some((values) => values !== undefined);
  for (const [given, values] of Object.entries((hasAll ? multiValueHeaders : headers) ?? {})) {
    const name = given.toLowerCase();
    for (const value of [values ?? []].flat()) {
      const before = joined.get(name);
      joined.set(name, before === undefined ? value : `${before}, ${value}`);
    }
  }
  return Object.fromEntries(joined);
}

/** Base64 of a JSON object. No delivery begins like that: it would not be JSON. */
const ENCODED_OBJECT = /^e[\w+/]+={0,2}$/;

/**
 * The raw bytes of the body; throws a ConfigurationError `body_already_parsed` if middleware has
 * parsed it.
 */
export function bodyOf(
  { body, isBase64Encoded }: LambdaRequest,
  { limit }: BodyLimits,
): BodyResult {
  if (body != null && typeof body !== "string") throw alreadyRead(UNPARSED);
  const text = body ?? "";
  const isEncoded = isBase64Encoded === true || ENCODED_OBJECT.test(text);
  const bytes = Buffer.from(text, isEncoded ? "base64" : "utf8");
  return bytes.byteLength > limit ? "too_large" : bytes;
}
