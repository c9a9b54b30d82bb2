import { STATUS_CODES } from "node:http";
import type { Answer } from "../../http/answer.ts";
import { isBalanced, type LambdaRequest } from "./request.ts";

/** An answer as API Gateway, a function URL or a load balancer expects it. */
export interface LambdaAnswer {
  statusCode: number;
  /** Load balancers only. */
  statusDescription?: string;
  /** Not for load balancers with multi-value headers. */
  headers?: Record<string, string>;
  /** Only for load balancers with multi-value headers. */
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: boolean;
}

/** Set by the gateway itself. */
const OF_GATEWAY = ["connection", "content-length"];

export function toLambdaAnswer(
  { status, headers, body }: Answer,
  request: LambdaRequest,
  method: string,
): LambdaAnswer {
  const sent = Object.entries(headers).filter(([name]) => !OF_GATEWAY.includes(name.toLowerCase()));
  const isMultiple = isBalanced(request) && request.multiValueHeaders != null;
  const bytes = method === "HEAD" ? "" : body;
  return {
    statusCode: status,
    ...(isBalanced(request) && {
      statusDescription: `${status} ${STATUS_CODES[status] ?? ""}`.trim(),
    }),
    ...(isMultiple
      ? {
          multiValueHeaders: Object.fromEntries(
            sent.map(([name, values]) => [name, [values].flat()]),
          ),
        }
      : {
          headers: Object.fromEntries(
            sent.map(([name, values]) => [name, [values].flat().join(", ")]),
          ),
        }),
    body: typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("base64"),
    isBase64Encoded: typeof bytes !== "string",
  };
}
