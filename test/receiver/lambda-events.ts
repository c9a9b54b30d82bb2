import type { LambdaRequest } from "../../src/adapters/lambda.ts";

/** A request, as a gateway has received it. */
export interface GatewayRequest {
  readonly method: string;
  /** The raw target. */
  readonly target: string;
  /** All values of each name. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** Makes the event of a request. */
export type ToEvent = (request: GatewayRequest) => LambdaRequest;

const IP = "192.0.2.1";
const AGENT = "agent/1.0";

/**
 * The events of each source, with all the fields that AWS documents. They are written from its
 * documentation ("Payload format version", "Input format of a Lambda function for proxy
 * integration", "Function URL payloads", "Lambda functions as targets"), not recorded from AWS.
 */
export const EVENTS = {
  "an HTTP API": (request) => format2(request, "abc123"),
  "a function URL": (request) => format2(request, "<function-url-id>"),
  "a REST API": restApi,
  "an HTTP API with the payload format 1.0": (request) => ({
    version: "1.0",
    ...restApi(request),
    // Binary unless the content type says text; a REST API passes all bodies as text by default.
    ...bodyByType(request),
  }),
  "a load balancer": (request) => balancer(request, false),
  "a load balancer with multi-value headers": (request) => balancer(request, true),
  "VPC Lattice": (request) => lattice(request) as unknown as LambdaRequest,
  "VPC Lattice with version 1.0": (request) => {
    const { method, path, headers, queryStringParameters, body, isBase64Encoded } =
      lattice(request);
    return {
      raw_path: path,
      method,
      headers: mapHeaders(headers, (values) => values.join(", ")),
      query_string_parameters: Object.fromEntries(
        Object.entries(queryStringParameters).map(([name, values]) => [name, values.at(-1)]),
      ),
      body,
      is_base64_encoded: isBase64Encoded,
    } as unknown as LambdaRequest;
  },
} as const satisfies Record<string, ToEvent>;

function format2(request: GatewayRequest, apiId: string) {
  const { method, target, headers } = request;
  const [rawPath = "", rawQueryString = ""] = target.split(/\?(.*)/s);
  const query = [...new URLSearchParams(rawQueryString)];
  const names = new Set(query.map(([name]) => name));
  const cookies = headers.cookie?.flatMap((value) => value.split("; "));
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString,
    ...(cookies && { cookies }),
    headers: mapHeaders(headers, (values, name) =>
      name === "cookie" ? undefined : values.join(","),
    ),
    ...(query.length > 0 && {
      queryStringParameters: Object.fromEntries(
        [...names].map((name) => [
          name,
          new URLSearchParams(rawQueryString).getAll(name).join(","),
        ]),
      ),
    }),
    requestContext: {
      accountId: "123456789012",
      apiId,
      domainName: `${apiId}.execute-api.eu-central-1.amazonaws.com`,
      domainPrefix: apiId,
      http: { method, path: rawPath, protocol: "HTTP/1.1", sourceIp: IP, userAgent: AGENT },
      requestId: "JKJaXmPLvHcESHA=",
      routeKey: "$default",
      stage: "$default",
      time: "15/Jan/2026:10:00:00 +0000",
      timeEpoch: 1_768_471_200_000,
    },
    ...bodyByType(request),
  };
}

function restApi({ method, target, headers, body }: GatewayRequest) {
  const [path = "", query = ""] = target.split(/\?(.*)/s);
  return {
    resource: "/{proxy+}",
    path,
    httpMethod: method,
    headers: mapHeaders(headers, (values) => values.at(-1)),
    multiValueHeaders: mapHeaders(headers, (values) => [...values]),
    ...queryOf(new URLSearchParams(query)),
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: {
      accountId: "123456789012",
      apiId: "abc123",
      httpMethod: method,
      identity: { sourceIp: IP, userAgent: AGENT, accessKey: null, accountId: null, caller: null },
      path: `/prod${path}`,
      protocol: "HTTP/1.1",
      requestId: "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
      requestTimeEpoch: 1_768_471_200_000,
      resourceId: "123456",
      resourcePath: "/{proxy+}",
      stage: "prod",
    },
    body: body.length === 0 ? null : body.toString("base64"),
    isBase64Encoded: body.length > 0, // with the binary media type */*
  };
}

function balancer({ method, target, headers, body }: GatewayRequest, multiple: boolean) {
  const [path = "", query = ""] = target.split(/\?(.*)/s);
  // Not decoded, unlike API Gateway.
  const pairs = query === "" ? [] : query.split("&").map((pair) => pair.split(/=(.*)/s));
  const byName = new Map<string, string[]>();
  for (const [name = "", value = ""] of pairs)
    byName.set(name, [...(byName.get(name) ?? []), value]);
  const last = [...byName].map(([name, values]) => [name, values.at(-1) ?? ""] as const);
  const type = headers["content-type"]?.at(-1) ?? "";
  const isText = /^(?:text\/|application\/(?:json|javascript|xml))/.test(type);
  return {
    requestContext: {
      elb: {
        targetGroupArn:
          "arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/hooks/6d0ecf831eec9f09",
      },
    },
    httpMethod: method,
    path,
    ...(multiple
      ? {
          multiValueQueryStringParameters: Object.fromEntries(byName),
          multiValueHeaders: mapHeaders(headers, (values) => [...values]),
        }
      : {
          queryStringParameters: Object.fromEntries(last),
          headers: mapHeaders(headers, (values) => values.at(-1)),
        }),
    body: body.toString(isText ? "utf8" : "base64"),
    isBase64Encoded: !isText,
  };
}

function lattice(request: GatewayRequest) {
  const { method, target, headers } = request;
  const [path = "", query = ""] = target.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const network = "servicenetwork/sn-0bf3f2882e9cc805a";
  return {
    version: "2.0",
    path,
    method,
    headers: mapHeaders(headers, (values) => [...values]),
    queryStringParameters: Object.fromEntries(
      [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]),
    ),
    requestContext: {
      serviceNetworkArn: `arn:aws:vpc-lattice:eu-central-1:123456789012:${network}`,
      identity: { sourceVpcArn: "arn:aws:ec2:eu-central-1:123456789012:vpc/vpc-0b8276c84697e7339" },
      region: "eu-central-1",
      timeEpoch: "1768471200000000",
    },
    ...bodyByType(request),
  };
}

/** Text and JSON pass as text, as far as they are UTF-8; anything else in base64. */
function bodyByType({ headers, body }: GatewayRequest) {
  const type = headers["content-type"]?.at(-1) ?? "";
  const isText = /^(?:text\/|application\/(?:json|javascript|xml))/.test(type);
  if (body.length === 0) return { body: undefined, isBase64Encoded: false };
  return { body: body.toString(isText ? "utf8" : "base64"), isBase64Encoded: !isText };
}

function queryOf(query: URLSearchParams) {
  const names = [...new Set(query.keys())];
  if (names.length === 0)
    return { queryStringParameters: null, multiValueQueryStringParameters: null };
  return {
    queryStringParameters: Object.fromEntries(
      names.map((name) => [name, query.getAll(name).at(-1) ?? ""]),
    ),
    multiValueQueryStringParameters: Object.fromEntries(
      names.map((name) => [name, query.getAll(name)]),
    ),
  };
}

function mapHeaders<Value>(
  headers: GatewayRequest["headers"],
  map: (values: readonly string[], name: string) => Value | undefined,
): Record<string, Value> {
  const mapped: Record<string, Value> = {};
  for (const [name, values = []] of Object.entries(headers)) {
    const value = map(values, name);
    if (value !== undefined) mapped[name] = value;
  }
  return mapped;
}
