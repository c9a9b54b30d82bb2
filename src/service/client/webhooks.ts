import * as z from "zod";
import { invalid } from "../../base/options/check-options.ts";
import { checkEventKind } from "../../event/kind-pattern.ts";
import type { EventKind } from "../../event/kinds.ts";
import { call } from "./call.ts";
import type { ClientSettings } from "./client-options.ts";

/** A subscription to create (service description, "Webhook subscription (request to create)"). */
export interface NewSubscription {
  /** Public URL that receives deliveries; HTTPS recommended. */
  readonly url: string | URL;
  /** Some of the 12 kinds; at least one. */
  readonly events: readonly EventKind[];
  /**
   * The secret that the service signs with. If omitted, none is sent; the description does not show
   * what happens then.
   */
  readonly secret?: string | undefined;
  /** Aborts the request and the waits between attempts; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The service's response. The description shows neither status nor body of a success, so nothing is
 * guaranteed; the body may repeat the secret, so do not log it.
 */
export interface CreatedSubscription {
  /** `wh_…`, if the body has one at its top or one level below, which are assumed places. */
  readonly id: string | undefined;
  /** 200 to 299. */
  readonly status: number;
  /** The JSON of the response; `undefined` if there was none. */
  readonly body: unknown;
  /**
   * An earlier attempt ended with 500 and may have been carried out too. Two subscriptions for one
   * URL mean two deliveries of each event; a hookporter receiver treats the second as a duplicate.
   */
  readonly mayExistTwice: boolean;
}

/** `POST /v1/webhooks` (service description, "Endpoints"). */
export interface WebhooksApi {
  /**
   * Creates a subscription. Each success creates another one, and the API shows no way to list or
   * delete them. So after a failure other than 429 and 500, a request that may have been carried
   * out is not retried (see `ServiceError.mayHaveHappened`).
   *
   * @throws ServiceError; ConfigurationError `option_invalid`
   */
  create(subscription: NewSubscription): Promise<CreatedSubscription>;
}

export function webhooksApi(settings: ClientSettings): WebhooksApi {
  const create = async ({
    url,
    events,
    secret,
    signal,
  }: NewSubscription): Promise<CreatedSubscription> => {
    if (!URL.canParse(String(url)) || !/^https?:$/.test(new URL(url).protocol))
      throw invalid("url to be an http or https URL", url, "pass the public URL of your receiver");
    if (!Array.isArray(events) || events.length === 0)
      throw invalid(
        "events to be a list of at least one kind",
        events,
        'pass one such as ["payment.received"]',
      );
    for (const kind of events) checkEventKind(kind);
    if (secret !== undefined && (typeof secret !== "string" || secret.trim() === ""))
      throw invalid("secret to be a non-empty string", secret, "pass one, or leave it out");
    const body = { url: String(url), events, secret };
    const result = await call(settings, {
      method: "POST",
      path: "/v1/webhooks",
      body,
      signal,
      ...(secret !== undefined && { secrets: [secret] }),
    });
    const { status, body: created, mayHaveHappenedBefore: mayExistTwice } = result;
    return { id: readCreatedId(created), status, body: created, mayExistTwice };
  };
  return Object.freeze({ create });
}

const withId = z.looseObject({ id: z.string().regex(/^wh_[^\s,]{1,200}$/) });

/**
 * The id of a created subscription. The description shows its format (`wh_<id>`), but not the
 * response to a creation: the id is searched at the top of the body and one level below, and is
 * `undefined` if not found.
 */
function readCreatedId(body: unknown): string | undefined {
  const below = typeof body === "object" && body !== null ? Object.values(body) : [];
  for (const place of [body, ...below]) {
    const parsed = withId.safeParse(place);
    if (parsed.success) return parsed.data.id;
  }
  return undefined;
}
