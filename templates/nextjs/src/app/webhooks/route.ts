import { fetchReceiver } from "hookporter/fetch";
import { receiver } from "../../receiver.ts";

/**
 * The endpoint. The body is still unread here, which it must be: the signature covers the raw
 * bytes.
 */
export function POST(request: Request): Promise<Response> {
  return fetchReceiver(receiver())(request);
}
