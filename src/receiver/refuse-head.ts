import { isEndpoint } from "./adapters/endpoint-path.ts";
import type { Incoming } from "./incoming.ts";
import type { RefusalReason } from "./refusals.ts";

/** Why a request is refused by its head alone, in the order of the contract: route, method, encoding. */
export function refuseHead({ method, target, path, headers }: Incoming): RefusalReason | undefined {
  if (!isEndpoint(target, path)) return "wrong_path";
  if (method !== "POST") return "wrong_method";
  const encoding = headers["content-encoding"];
  const isPlain = encoding === undefined || encoding === "" || encoding === "identity";
  return isPlain ? undefined : "content_encoding";
}
