import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { WebhookEvent } from "../../src/event/event.ts";
import type { PropertyCreated } from "../../src/event/property.ts";
import type { OpenObject } from "../../src/event/schemas.ts";
import { createReceiver } from "../../src/receiver/receiver.ts";
import { keptLog, SECRET } from "./sample.ts";

const base = { secret: SECRET, inbox: "memory:", log: keptLog().log };

describe("the types of what handlers get", () => {
  it("give property.created the documented data", () => {
    createReceiver(base).on("property.created", (event) => {
      expectTypeOf(event.kind).toEqualTypeOf<"property.created">();
      expectTypeOf(event.data).toEqualTypeOf<PropertyCreated>();
      expectTypeOf(event.data.id).toEqualTypeOf<string>();
      expectTypeOf(event.data.purchase_price).toEqualTypeOf<number | null | undefined>();
      expectTypeOf(event.data.owner?.name).toEqualTypeOf<string | null | undefined>();
      expectTypeOf(event.data.anything_else).toEqualTypeOf<unknown>();
    });
  });

  it("give the other kinds an open object", () => {
    const receiver = createReceiver(base);
    receiver.on("payment.received", (event, { attempt, signal, delivery }) => {
      expectTypeOf(event.kind).toEqualTypeOf<"payment.received">();
      expectTypeOf(event.data).toEqualTypeOf<OpenObject>();
      expectTypeOf(attempt).toEqualTypeOf<number>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(delivery.body).toEqualTypeOf<Uint8Array>();
    });
    receiver.on("tenant.updated", ({ data }) => expectTypeOf(data.x).toEqualTypeOf<unknown>());
  });

  it("give a kind the output of the user's own schema, and leave the others", () => {
    const amount = z.string().transform(Number);
    const schemas = {
      "payment.received": z.object({ amount }),
      "property.created": z.object({ id: z.string() }),
    };
    const receiver = createReceiver({ ...base, schemas });
    receiver.on("payment.received", ({ data }) => expectTypeOf(data).toEqualTypeOf<{ amount: number }>());
    receiver.on("property.created", ({ data }) => expectTypeOf(data).toEqualTypeOf<{ id: string }>());
    receiver.on("payment.overdue", ({ data }) => expectTypeOf(data).toEqualTypeOf<OpenObject>());
    receiver.replaceHandlers((registry) => {
      registry.on("payment.received", ({ data }) => expectTypeOf(data.amount).toEqualTypeOf<number>());
    });
  });

  it("give families, the wildcard and unknown kinds an open event", () => {
    const receiver = createReceiver(base);
    receiver.on("property.*", (event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>());
    receiver.on("*", (event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>());
    receiver.onUnknown((event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>());
  });

  it("refuse a kind that is none, and a secret that was forgotten", () => {
    // @ts-expect-error a typing error in the kind; at run time it is refused as well
    const typo = () => createReceiver(base).on("payment.recieved", () => {});
    // @ts-expect-error there is no receiver without a secret
    const open = () => createReceiver({ inbox: "memory:" });
    expectTypeOf(typo).toBeFunction();
    expectTypeOf(open).toBeFunction();
  });
});
