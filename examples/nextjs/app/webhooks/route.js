import { fetchReceiver } from "hookporter/fetch";
import { receiver } from "../../receiver.js";

/** The endpoint. The body must be unread: the signature covers the raw bytes. */
export function POST(request) {
  return fetchReceiver(receiver())(request);
}
