import { expect, it } from "vitest";
import { expressReceiver } from "../../src/entries/express.ts";
import { fetchReceiver } from "../../src/entries/fetch.ts";
import { createReceiver, defineHandlers, type ReceiverOptions } from "../../src/entries/index.ts";
import { lambdaDrain, lambdaReceiver } from "../../src/entries/lambda.ts";
import { DAY, keptLog, SECRET } from "./sample.ts";

const { log } = keptLog();
const make = (options: object) =>
  createReceiver({ secret: SECRET, inbox: "memory:", log, ...options } as ReceiverOptions);
const receiver = make({});

/** Everything that a user can say wrongly to a receiver or an adapter, and that is one sentence. */
const MISTAKES: Readonly<Record<string, () => unknown>> = {
  "a header's name": () => make({ signatureHeader: "x signature" }),
  "a header of another type": () => make({ signatureHeader: 5 }),
  "a short retention": () => make({ retention: DAY, maxAge: 7 * DAY }),
  "a shorter retention of dead letters": () => make({ retentionDead: DAY }),
  "less room than one body": () => make({ bodyLimit: 1000, unverifiedLimit: 999 }),
  "a secret that is none": () => make({ secret: "" }),
  "an unknown option": () => make({ secert: SECRET }),
  "an inbox that is none": () => make({ inbox: 5 }),
  "a logger that is none": () => make({ log: "info" }),
  "no kind": () => receiver.on([] as never, () => {}),
  "a kind that does not exist": () => receiver.on("payment.recieved" as never, () => {}),
  "a handler that is none": () => receiver.on("payment.received", 5 as never),
  "a kind of the 12 among others": () =>
    defineHandlers({ handlers: {}, otherKinds: ["payment.received"] as never }),
  "other kinds that are no list": () => make({ otherKinds: "invoice.sent" }),
  "a pattern among other kinds": () => make({ otherKinds: ["invoice.*"] }),
  "a listener that is none": () => receiver.observe("log" as never),
  "no budget of a drain": () => receiver.drain({} as never),
  "a misspelt budget of a drain": () => receiver.drain({ budgt: 25_000 } as never),
  "options of an adapter": () => fetchReceiver(receiver, { pth: "/webhooks" } as never),
  "a relative path": () => expressReceiver(receiver, { path: "webhooks" }),
  "an adapter without a receiver": () => expressReceiver({} as never),
  "no budget in Lambda": () => lambdaReceiver(receiver, { drain: {} as never }),
  "an event of Lambda that is no request": () => lambdaReceiver(receiver)({} as never),
  "a budget of Lambda's drain": () => lambdaDrain(receiver, { budget: -1 }),
};

it("a wrong option or argument is refused in one sentence: what was expected, what came, what to do", async () => {
  const sentences: Record<string, string> = {};
  for (const [name, mistake] of Object.entries(MISTAKES)) {
    const thrown = await Promise.resolve()
      .then(mistake)
      .then(
        () => undefined,
        (error: Error) => error,
      );
    sentences[name] = `${thrown?.name}: ${thrown?.message}`;
  }
  expect(sentences).toMatchInlineSnapshot(`
    {
      "a budget of Lambda's drain": "ConfigurationError: expected budget to be a whole number of milliseconds from 1 to 2147483647, got -1: pass such a number, or leave it out for the default",
      "a handler that is none": "ConfigurationError: expected the handler for payment.received to be a function, got 5: pass (event, context) => …",
      "a header of another type": "ConfigurationError: expected signatureHeader to be the name of a header, got 5: use letters, digits and hyphens, such as x-service-signature",
      "a header's name": "ConfigurationError: expected signatureHeader to be the name of a header, got a string: it contains " "; use letters, digits and hyphens, such as x-service-signature",
      "a kind of the 12 among others": "ConfigurationError: expected otherKinds to have other kinds than the 12, got a string: leave out payment.received",
      "a kind that does not exist": "ConfigurationError: expected an event kind, a family such as payment.*, or *, got "payment.recieved": did you mean payment.received?",
      "a listener that is none": "ConfigurationError: expected the listener of observe to be a function, got a string: pass (observation) => …",
      "a logger that is none": "ConfigurationError: expected log to be a logger, got a string: pass a logger such as pino's",
      "a misspelt budget of a drain": "ConfigurationError: expected only known names in the options of drain, got "budgt": did you mean budget?",
      "a pattern among other kinds": "ConfigurationError: expected otherKinds to have kinds, got a string: pass a name such as invoice.sent",
      "a relative path": "ConfigurationError: expected path to begin with a slash and to have no query, got a string: pass only the path, such as /webhooks; any query is accepted",
      "a secret that is none": "ConfigurationError: expected the secret not to be empty, got only white space or nothing: set it to the subscription's secret",
      "a short retention": "ConfigurationError: expected retention to be at least maxAge + maxSkew (605100000 ms), got 86400000 ms: raise it, or lower maxAge; otherwise a delivery could be replayed after its key was dropped",
      "a shorter retention of dead letters": "ConfigurationError: expected retentionDead to be at least retention (2592000000 ms), got 86400000 ms: raise it, or lower retention",
      "an adapter without a receiver": "ConfigurationError: expected the first argument of expressReceiver to be a receiver, got an object without the methods receive: pass the result of createReceiver",
      "an event of Lambda that is no request": "ConfigurationError: expected the event to be an HTTP request, got an object: invoke this handler by API Gateway, a function URL, a load balancer or VPC Lattice, and use lambdaDrain for a schedule",
      "an inbox that is none": "ConfigurationError: expected inbox to be a file path, a postgres:// URL, "memory:" or what postgresInbox returns, got 5: name a file or a database, or pass postgresInbox(…)",
      "an unknown option": "ConfigurationError: expected only known names in the options of createReceiver, got "secert": did you mean secret?",
      "less room than one body": "ConfigurationError: expected unverifiedLimit to be at least bodyLimit (1000 bytes), got 999: raise it, lower bodyLimit, or leave it out for the default",
      "no budget in Lambda": "ConfigurationError: expected drain to have budget, got undefined: pass { budget: 25_000 }",
      "no budget of a drain": "ConfigurationError: expected the options of drain to have budget, got undefined: pass { budget: 25_000 }",
      "no kind": "ConfigurationError: expected at least one kind, got an array: name one",
      "options of an adapter": "ConfigurationError: expected only known names in the options of fetchReceiver, got "pth": did you mean path?",
      "other kinds that are no list": "ConfigurationError: expected otherKinds to be a list of kinds, got a string: pass ["invoice.sent"]",
    }
  `);
});
