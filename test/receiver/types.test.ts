import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  createReceiver,
  type DataProblem,
  type Delivery,
  defineHandlers,
  type EventKind,
  type HandlerRegistry,
  type OpenObject,
  type PropertyCreated,
  type Receiver,
  type WebhookEvent,
} from "../../src/entries/index.ts";
import { keptLog, SECRET } from "./sample.ts";

const base = { secret: SECRET, inbox: "memory:", log: keptLog().log };

describe("the types of handlers' events", () => {
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

  it("give other kinds an open object", () => {
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

  it("give a kind the output of the user's schema, and leave other kinds unchanged", () => {
    const amount = z.string().transform(Number);
    const schemas = {
      "payment.received": z.object({ amount }),
      "property.created": z.object({ id: z.string() }),
    };
    const receiver = createReceiver({ ...base, schemas });
    receiver.on("payment.received", ({ data }) =>
      expectTypeOf(data).toEqualTypeOf<{ amount: number }>(),
    );
    receiver.on("property.created", ({ data }) =>
      expectTypeOf(data).toEqualTypeOf<{ id: string }>(),
    );
    receiver.on("payment.overdue", ({ data }) => expectTypeOf(data).toEqualTypeOf<OpenObject>());
    receiver.replaceHandlers((registry) => {
      registry.on("payment.received", ({ data }) =>
        expectTypeOf(data.amount).toEqualTypeOf<number>(),
      );
    });
  });

  it("give a family, the wildcard and a list a union that the kind discriminates", () => {
    const schemas = { "payment.received": z.object({ amount: z.number() }) };
    const receiver = createReceiver({ ...base, schemas });
    receiver.on("payment.*", (event) => {
      expectTypeOf(event.kind).toEqualTypeOf<"payment.received" | "payment.overdue">();
      if (event.kind === "payment.received")
        expectTypeOf(event.data).toEqualTypeOf<{ amount: number }>();
      else expectTypeOf(event.data).toEqualTypeOf<OpenObject>();
    });
    receiver.on("*", (event) => {
      expectTypeOf(event.kind).toEqualTypeOf<EventKind>();
      if (event.kind === "property.created")
        expectTypeOf(event.data).toEqualTypeOf<PropertyCreated>();
      if (event.kind === "payment.received")
        expectTypeOf(event.data).toEqualTypeOf<{ amount: number }>();
    });
    receiver.on(["payment.received", "lead.created"], (event) => {
      expectTypeOf(event.kind).toEqualTypeOf<"payment.received" | "lead.created">();
    });
    receiver.onUnknown((event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>());
    receiver.onDead(({ event, delivery, problems }) => {
      expectTypeOf(event).toEqualTypeOf<WebhookEvent | null>();
      expectTypeOf(delivery).toEqualTypeOf<Delivery>();
      expectTypeOf(problems).toEqualTypeOf<readonly DataProblem[]>();
    });
  });

  it("give a declared kind the output of its schema", () => {
    const receiver = createReceiver({
      ...base,
      otherKinds: ["invoice.sent"],
      schemas: { "invoice.sent": z.object({ total: z.number() }) },
    });
    receiver.on("invoice.sent", ({ data }) =>
      expectTypeOf(data).toEqualTypeOf<{ total: number }>(),
    );
    receiver.on("invoice.*", ({ kind }) => expectTypeOf(kind).toEqualTypeOf<"invoice.sent">());
  });

  it("type handlers that are given as an option", () => {
    const receiver = createReceiver({
      ...base,
      schemas: { "payment.received": z.object({ amount: z.number() }) },
      handlers: {
        "payment.received": ({ data }) => expectTypeOf(data).toEqualTypeOf<{ amount: number }>(),
        "lead.*": ({ kind }) => expectTypeOf(kind).toEqualTypeOf<"lead.created">(),
      },
    });
    expectTypeOf(receiver).toExtend<Receiver>();
  });

  it("type handlers that are given with their options, as an option and in a module", () => {
    const schemas = { "payment.received": z.object({ amount: z.number() }) };
    const receiver = createReceiver({
      ...base,
      schemas,
      handlers: {
        "payment.received": {
          attempts: 2,
          handler: async ({ data }, { attempt }) => {
            expectTypeOf(data).toEqualTypeOf<{ amount: number }>();
            expectTypeOf(attempt).toEqualTypeOf<number>();
          },
        },
        "lead.*": { handler: ({ kind }) => expectTypeOf(kind).toEqualTypeOf<"lead.created">() },
      },
    });
    const { handlers } = defineHandlers({
      schemas,
      handlers: {
        "payment.received": {
          attempts: 2,
          handler: ({ data }) => expectTypeOf(data).toEqualTypeOf<{ amount: number }>(),
        },
        "lead.*": {
          name: "leads",
          handler: ({ data }) => expectTypeOf(data).toEqualTypeOf<OpenObject>(),
        },
      },
    });
    expect(receiver.handlersFor("lead.created")).toEqual(["lead.*"]);
    expect(Object.keys(handlers)).toEqual(["payment.received", "lead.*"]);
  });

  it("let a module of handlers bring its schemas", () => {
    const module = defineHandlers({
      otherKinds: ["invoice.sent"],
      schemas: { "payment.received": z.object({ amount: z.number() }) },
      handlers: (registry) => {
        registry.on("payment.received", ({ data }) =>
          expectTypeOf(data).toEqualTypeOf<{ amount: number }>(),
        );
        registry.on("invoice.sent", ({ data }) => expectTypeOf(data).toEqualTypeOf<OpenObject>());
      },
    });
    const receiver = createReceiver({ ...base, handlers: module });
    receiver.on("payment.received", ({ data }) =>
      expectTypeOf(data).toEqualTypeOf<{ amount: number }>(),
    );
    receiver.on("invoice.sent", ({ kind }) => expectTypeOf(kind).toEqualTypeOf<"invoice.sent">());
  });

  it("let a registry and a receiver stand for one with fewer schemas, not with more", () => {
    type Schemas = { "payment.received": z.ZodObject<{ amount: z.ZodNumber }> };
    expectTypeOf<Receiver<Schemas>>().toExtend<HandlerRegistry<Schemas>>();
    expectTypeOf<Receiver<Schemas>>().toExtend<HandlerRegistry>();
    expectTypeOf<HandlerRegistry<Schemas>>().toExtend<HandlerRegistry>();
    expectTypeOf<HandlerRegistry>().not.toExtend<HandlerRegistry<Schemas>>();
    expectTypeOf<Receiver>().not.toExtend<HandlerRegistry<Schemas>>();
  });

  it("refuse misspelt kinds, wherever they are", () => {
    const schema = z.object({});
    const wrong = [
      // @ts-expect-error in schemas
      () => createReceiver({ ...base, schemas: { "payment.recieved": schema } }),
      // @ts-expect-error in handlers
      () => createReceiver({ ...base, handlers: { "payment.recieved": () => {} } }),
      // @ts-expect-error in the schemas of a module
      () => defineHandlers({ schemas: { "payment.recieved": schema }, handlers: {} }),
      // @ts-expect-error in the handlers of a module
      () => defineHandlers({ handlers: { "payment.recieved": () => {} } }),
      // @ts-expect-error a family of no known kind
      () => createReceiver(base).on("foo.*", () => {}),
      // @ts-expect-error in a list
      () => createReceiver(base).on(["payment.received", "payment.recieved"], () => {}),
    ];
    for (const one of wrong)
      expect(one).toThrow(/did you mean payment\.received|the kinds are|payment\.\*/);
  });

  it("refuse a field that the schema of a module does not have", () => {
    const schemas = { "lead.created": z.object({ a: z.string() }) };
    // @ts-expect-error there is no field x
    defineHandlers({ schemas, handlers: { "lead.created": (event) => event.data.x } });
  });

  it("refuse an unknown kind and a missing secret", () => {
    // @ts-expect-error a typo in the kind; also refused at run time
    const typo = () => createReceiver(base).on("payment.recieved", () => {});
    // @ts-expect-error a receiver needs a secret
    const open = () => createReceiver({ inbox: "memory:" });
    expectTypeOf(typo).toBeFunction();
    expectTypeOf(open).toBeFunction();
  });
});
