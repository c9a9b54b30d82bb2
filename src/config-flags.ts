// Written by `npm run config-flags` from the flags of the commands; a test compares them.

/** One value, or a list of them. */
export type OneOrMore<Value> = Value | readonly Value[];

/** Flags that mean the same in every command that has them. */
export interface SharedFlags {
  /** Ask no questions. */
  readonly yes?: boolean | undefined;
  /** Template to use (default: express). */
  readonly template?: string | undefined;
  /** Project name in package.json (default: from the folder's name). */
  readonly name?: string | undefined;
  /** Print NDJSON records to standard output. */
  readonly json?: boolean | undefined;
  /** Use colours even if the output is not a terminal. */
  readonly color?: boolean | undefined;
  /** Print the stack trace of an error. */
  readonly debug?: boolean | undefined;
  /** Path of the endpoint (default: /webhooks). */
  readonly path?: string | undefined;
  /** Inbox file, or postgres:// URL (default: .hookporter/inbox.db). */
  readonly inbox?: string | undefined;
  /** What this process does with the inbox by itself: receive, run, or both (default: both). */
  readonly role?: "both" | "receive" | "run" | undefined;
  /** Show, save, handle and forward only these kinds or families; all events are kept. */
  readonly events?:
    | OneOrMore<
        | "property.created"
        | "property.updated"
        | "property.deleted"
        | "tenant.created"
        | "tenant.updated"
        | "lease.expired"
        | "payment.received"
        | "payment.overdue"
        | "expense.created"
        | "lead.created"
        | "deal.status_changed"
        | "contact.created"
        | "property.*"
        | "tenant.*"
        | "lease.*"
        | "payment.*"
        | "expense.*"
        | "lead.*"
        | "deal.*"
        | "contact.*"
        | "*"
      >
    | undefined;
  /** Name of the signature header (default: x-service-signature). */
  readonly signatureHeader?: string | undefined;
  /** Program and arguments to run for each event, without a shell; gets the body on standard input, and is run again until it exits with 0. */
  readonly exec?: string | undefined;
  /** Run events with the same value at this path one after another, such as data.id. */
  readonly orderBy?: string | undefined;
  /** After a dead letter, run later events with the same order key (skip), or hold them back (block) (default: skip). */
  readonly deadLetters?: "skip" | "block" | undefined;
  /** Program and arguments to run when there are dead letters, without a shell; for the first at once, then at most once a minute. */
  readonly onDead?: string | undefined;
  /** Report when events begin to differ from this shape file of `types` (default: src/schemas.shape.json if there is one). */
  readonly shapes?: string | undefined;
  /** At the start, run unhandled entries that now have a handler or target (default: with --forward-to). */
  readonly catchUp?: boolean | undefined;
  /** Forward each event to this URL or local port until it answers 2xx; for some kinds only, put a kind or family before it: payment.*=3001; may be a list. */
  readonly forwardTo?: OneOrMore<string | number> | undefined;
  /** How long a target may take to answer (default: 30s, with --sync 10s). */
  readonly forwardTimeout?: string | number | undefined;
  /** Give up on an event after this many attempts at a target (default: no limit). */
  readonly forwardAttempts?: number | undefined;
  /** Give up on an event that has waited this long for a target (default: no limit). */
  readonly forwardFor?: string | number | undefined;
  /** Give up on an event at once if a target answers 4xx, other than 408, 409, 425 and 429 (default: never). */
  readonly giveUpOn?: "4xx" | undefined;
  /** Once a target is back, send the events that waited for it in parallel, not in order of arrival. */
  readonly unordered?: boolean | undefined;
  /** Forward while the sender waits, and return the target's response to the sender. */
  readonly sync?: boolean | undefined;
  /** Header to add whose value is in an environment variable, such as authorization=APP_TOKEN; may be a list. */
  readonly headerEnv?: OneOrMore<string> | undefined;
  /** Host header of each forward (default: that of the target). */
  readonly forwardHost?: string | undefined;
  /** Forward to https targets with any certificate, such as a self-signed one; loopback and private addresses only. */
  readonly insecure?: boolean | undefined;
  /** Open a tunnel to a public address: ngrok, localhost.run, pinggy, serveo, ssh, cloudflared, tailscale, bore, zrok, command. */
  readonly tunnel?:
    | "ngrok"
    | "localhost.run"
    | "pinggy"
    | "serveo"
    | "ssh"
    | "cloudflared"
    | "tailscale"
    | "bore"
    | "zrok"
    | "command"
    | undefined;
  /** With --tunnel ngrok, localhost.run or serveo: the domain of your account to use. */
  readonly domain?: string | undefined;
  /** Public address that already leads here, or to the port of --tunnel ssh; listen checks that it does. */
  readonly publicUrl?: string | undefined;
  /** With --tunnel ssh: your server, or a name from ~/.ssh/config; with an SSH service: another of its hosts. */
  readonly sshHost?: string | undefined;
  /** Port of the SSH server (default: the service's, or from ~/.ssh/config). */
  readonly sshPort?: number | undefined;
  /** User to log in as (default: the service's guest user, or from ~/.ssh/config). */
  readonly sshUser?: string | undefined;
  /** Private key to log in with (default: your SSH agent and ~/.ssh; for services, hookporter's own key). */
  readonly sshIdentity?: string | undefined;
  /** With --tunnel ssh: port on the server that the public address leads to. */
  readonly sshRemotePort?: number | undefined;
  /** With --tunnel command: program and arguments, run without a shell; {target}, {host} and {port} are replaced. */
  readonly tunnelCommand?: string | undefined;
  /** With --tunnel command: regular expression for the address in the output (whole match, or first group). */
  readonly tunnelUrlPattern?: string | undefined;
  /** Port of the inspector page on 127.0.0.1, or 0 for any free port (default: 4401, or a free one). */
  readonly inspectPort?: number | undefined;
  /** Forwarded address under which the inspector page is open, such as localhost:9000 or devbox.test; may be a list. */
  readonly inspectHost?: OneOrMore<string | number> | undefined;
  /** Lock out the inspector's tabs of earlier runs. */
  readonly forgetTabs?: boolean | undefined;
  /** Open the inspector, even if a setting turns it off. */
  readonly inspect?: boolean | undefined;
  /** Also take unsigned deliveries from this WebSocket, or from the sandbox on this port (experimental). */
  readonly stream?: string | number | undefined;
  /** Base URL of the service, without the version. */
  readonly baseUrl?: string | undefined;
  /** Environment variable that holds the API key (default: HOOKPORTER_API_KEY). */
  readonly apiKeyEnv?: string | undefined;
  /** Environment variable that holds an OAuth access token, to use instead of an API key; read once, at the start. */
  readonly accessTokenEnv?: string | undefined;
  /** Allow a live key, which gives access to real data. */
  readonly live?: boolean | undefined;
  /** Allow plain HTTP to another machine, with a test key. */
  readonly plainHttp?: boolean | undefined;
  /** Stop after one new event. */
  readonly once?: boolean | undefined;
  /** Stop after a new event of this kind or family. */
  readonly waitFor?:
    | "property.created"
    | "property.updated"
    | "property.deleted"
    | "tenant.created"
    | "tenant.updated"
    | "lease.expired"
    | "payment.received"
    | "payment.overdue"
    | "expense.created"
    | "lead.created"
    | "deal.status_changed"
    | "contact.created"
    | "property.*"
    | "tenant.*"
    | "lease.*"
    | "payment.*"
    | "expense.*"
    | "lead.*"
    | "deal.*"
    | "contact.*"
    | "*"
    | undefined;
  /** Environment variables that hold the secrets, current one first (default: HOOKPORTER_SECRET). */
  readonly secretEnv?: OneOrMore<string> | undefined;
  /** File to read variables from if they are not set (default: .env). */
  readonly envFile?: string | undefined;
  /** Read the secret from standard input. */
  readonly secretStdin?: boolean | undefined;
  /** How secrets are encoded: utf8, base64, hex, whsec (default: utf8). */
  readonly secretEncoding?: "utf8" | "base64" | "hex" | "whsec" | undefined;
  /** Save each authentic delivery to this folder, byte for byte. */
  readonly saveDir?: string | undefined;
  /** Write this file when ready, and remove it at the end. */
  readonly readyFile?: string | undefined;
  /** Serve /healthz, /readyz and /metrics on this port of 127.0.0.1, or 0 for any free port. */
  readonly healthPort?: number | undefined;
  /** Allow a kind other than the 12 known ones. */
  readonly unknownKind?: boolean | undefined;
  /** Endpoint, or a local port (default: http://127.0.0.1:4400/webhooks). */
  readonly url?: string | number | undefined;
  /** Set a value in the envelope, such as data.amount=1200; may be a list. */
  readonly set?: OneOrMore<string> | undefined;
  /** JSON object to send as data; @file reads it from a file, @- from standard input. */
  readonly data?: string | undefined;
  /** Times to send each event (default: 1). */
  readonly duplicate?: number | undefined;
  /** Send in random order. */
  readonly shuffle?: boolean | undefined;
  /** Maximum deliveries per second. */
  readonly rate?: number | undefined;
  /** Delay before each delivery, such as 0..2s. */
  readonly delay?: string | number | undefined;
  /** Share of deliveries to drop, such as 10%. */
  readonly drop?: string | number | undefined;
  /** After signing, change the signature (one digit), body (one bit) or header (its format). */
  readonly tamper?: "signature" | "body" | "header" | undefined;
  /** Omit the signature header. */
  readonly noSignature?: boolean | undefined;
  /** Backdate timestamps by this much, such as 8d. */
  readonly stale?: string | number | undefined;
  /** Set timestamps this far in the future, such as 1h. */
  readonly future?: string | number | undefined;
  /** Random seed, to repeat a run (default: random, printed). */
  readonly seed?: number | undefined;
  /** Deliveries to send at a time; above 1, they may arrive in another order (default: 1). */
  readonly concurrency?: number | undefined;
  /** Stop after this many deliveries in a row without an answer (default: 10). */
  readonly maxFailures?: number | undefined;
  /** Stop at the first delivery that is not answered 2xx. */
  readonly failFast?: boolean | undefined;
  /** Send nothing; print a curl command for each delivery, with its body in a file. */
  readonly dryRun?: boolean | undefined;
  /** Folder for the body files of --dry-run (default: .hookporter/bodies). */
  readonly bodiesTo?: string | undefined;
  /** Send the same bytes and signature (default: set the timestamp to now and sign again). */
  readonly exact?: boolean | undefined;
  /** Send only what an earlier run with the same arguments did not get a 2xx answer for. */
  readonly resume?: boolean | undefined;
  /** Value of the signature header; a saved delivery contains its own. */
  readonly signature?: string | undefined;
  /** Run only these cases or groups, such as SIG,BODY-12; may be a list. */
  readonly only?: OneOrMore<string> | undefined;
  /** Skip these cases or groups; may be a list. */
  readonly skip?: OneOrMore<string> | undefined;
  /** List the cases without running them. */
  readonly list?: boolean | undefined;
  /** Also fail if a recommended case fails. */
  readonly strict?: boolean | undefined;
  /** Show every case, including those that passed. */
  readonly verbose?: boolean | undefined;
  /** Report format: pretty, json, junit, github or markdown (default: pretty). */
  readonly format?:
    | "pretty"
    | "json"
    | "junit"
    | "github"
    | "markdown"
    | "zod"
    | "typescript"
    | "json-schema"
    | undefined;
  /** Write the report to this file, and print the pretty one. */
  readonly output?: string | undefined;
  /** Command or URL that reports how often an event ran; {marker} is replaced by its data.id. */
  readonly observe?: string | undefined;
  /** With --observe, how long to watch for a late second run (default: 1s). */
  readonly settle?: string | number | undefined;
  /** Only these kinds or families, such as payment.*. */
  readonly kind?:
    | OneOrMore<
        | "property.created"
        | "property.updated"
        | "property.deleted"
        | "tenant.created"
        | "tenant.updated"
        | "lease.expired"
        | "payment.received"
        | "payment.overdue"
        | "expense.created"
        | "lead.created"
        | "deal.status_changed"
        | "contact.created"
        | "property.*"
        | "tenant.*"
        | "lease.*"
        | "payment.*"
        | "expense.*"
        | "lead.*"
        | "deal.*"
        | "contact.*"
        | "*"
      >
    | undefined;
  /** Only entries that wait for these targets, or were given up on for them: URLs, or ports of this machine. */
  readonly target?: OneOrMore<string> | undefined;
  /** Only entries of these sources, if receivers of several sources share the inbox. */
  readonly source?: OneOrMore<string> | undefined;
  /** Only entries received at or after this time: a date, or a time ago such as 2h. */
  readonly since?: string | undefined;
  /** Only entries received before this time: a date, or a time ago such as 2h. */
  readonly until?: string | undefined;
  /** Print only the bytes of the body. */
  readonly body?: boolean | undefined;
  /** Write one file per entry to this folder (default: one per line on standard output). */
  readonly to?: string | undefined;
  /** Only entries older than this (default: 30d). */
  readonly olderThan?: string | number | undefined;
  /** Delete the delivery of entries that were done longer ago than this, and keep the rest (default: 7d). */
  readonly deliveriesOlderThan?: string | number | undefined;
  /** Also grant this user the rights that receivers need, but not to create tables. */
  readonly grantTo?: string | undefined;
  /** Print the SQL that is still to run, and run nothing. */
  readonly print?: boolean | undefined;
  /** Copy the readable part of a damaged file, and report the rest. */
  readonly salvage?: boolean | undefined;
  /** File to write, or - (default: src/schemas.ts, or src/schemas.json). */
  readonly out?: string | undefined;
  /** Make an enum of the strings at a path, such as payment.received:data.status; may be a list. */
  readonly enums?: OneOrMore<string> | undefined;
  /** Keep your edits of the file, and print how they differ from what was learned. */
  readonly merge?: boolean | undefined;
  /** Write nothing; compare the events before and since a time, or a shape file with events or another one. */
  readonly diff?: string | undefined;
  /** Keep the values at a path, such as data.status; may be a list. */
  readonly keep?: OneOrMore<string> | undefined;
  /** Environment variable that holds the only API key to accept (default: any test key). */
  readonly onlyKeyEnv?: string | undefined;
  /** Requests per minute and API key, or none (default: 600). */
  readonly rateLimit?: string | number | undefined;
  /** Delays between attempts, or none (default: 1s,5s,30s,2m,10m). */
  readonly retry?: OneOrMore<string | number> | undefined;
  /** How long an endpoint may take to answer (default: 10s). */
  readonly answerTimeout?: string | number | undefined;
  /** Other hosts that it may deliver to, such as *.example.com; may be a list. */
  readonly targetHosts?: OneOrMore<string> | undefined;
  /** Share of deliveries to send twice, such as 20% (default: 0). */
  readonly duplicates?: string | number | undefined;
  /** Share of deliveries to hold back until another has gone out (default: 0). */
  readonly reorder?: string | number | undefined;
  /** Share of attempts to send with a wrong signature (default: 0). */
  readonly wrongSignature?: string | number | undefined;
  /** Send deliveries in batches of n (default: 1). */
  readonly burst?: number | undefined;
  /** Let nothing through for this long, starting with the first attempt. */
  readonly outage?: string | number | undefined;
  /** Query parameter for the page number (default: page). */
  readonly pageParameter?: string | undefined;
  /** Query parameter for the page size (default: per_page). */
  readonly perPageParameter?: string | undefined;
  /** Separator between field names (default: ,). */
  readonly fieldsSeparator?: string | undefined;
  /** Create a subscription even if the same one is remembered. */
  readonly again?: boolean | undefined;
  /** List the subscriptions created from this folder; sends nothing. */
  readonly remembered?: boolean | undefined;
  /** Forget these subscriptions, by id or URL, after removing them at the service; may be a list. */
  readonly forget?: OneOrMore<string> | undefined;
  /** Remember these subscriptions, which may exist, as created, after finding them at the service; may be a list. */
  readonly confirm?: OneOrMore<string> | undefined;
  /** Only these fields, such as id,address,rent; may be a list. */
  readonly fields?: OneOrMore<string> | undefined;
  /** Page number (default: the service's first). */
  readonly page?: number | undefined;
  /** Page size (default: the service's own). */
  readonly perPage?: number | undefined;
}

/** The flags of each command. */
export interface CommandFlags {
  /** Create a new receiver project. */
  readonly init?:
    | (Pick<SharedFlags, "yes" | "template" | "name" | "json" | "color" | "debug"> & {
        /** Where to keep the events, file or postgres (default: file, if the template can). */
        readonly inbox?: "file" | "postgres" | undefined;
      })
    | undefined;
  /** Start a local receiver that verifies, keeps, shows, handles and forwards deliveries. */
  readonly listen?:
    | (Pick<
        SharedFlags,
        | "path"
        | "inbox"
        | "role"
        | "events"
        | "signatureHeader"
        | "exec"
        | "orderBy"
        | "deadLetters"
        | "onDead"
        | "shapes"
        | "catchUp"
        | "forwardTo"
        | "forwardTimeout"
        | "forwardAttempts"
        | "forwardFor"
        | "giveUpOn"
        | "unordered"
        | "sync"
        | "headerEnv"
        | "forwardHost"
        | "insecure"
        | "tunnel"
        | "domain"
        | "publicUrl"
        | "sshHost"
        | "sshPort"
        | "sshUser"
        | "sshIdentity"
        | "sshRemotePort"
        | "tunnelCommand"
        | "tunnelUrlPattern"
        | "inspectPort"
        | "inspectHost"
        | "forgetTabs"
        | "inspect"
        | "stream"
        | "baseUrl"
        | "apiKeyEnv"
        | "accessTokenEnv"
        | "live"
        | "plainHttp"
        | "once"
        | "waitFor"
        | "secretEnv"
        | "envFile"
        | "secretStdin"
        | "secretEncoding"
        | "saveDir"
        | "readyFile"
        | "healthPort"
        | "json"
        | "color"
        | "debug"
      > & {
        /** Port on 127.0.0.1, or 0 for any free port (default: 4400). */
        readonly port?: number | undefined;
        /** TypeScript or JavaScript file or folder with the handlers to run; reloaded on change. */
        readonly handlers?: string | undefined;
        /** Header to add to each forward, such as 'x-team: billing'; may be a list; for a secret use --header-env. */
        readonly header?: OneOrMore<string> | undefined;
        /** Create a subscription, so that the service delivers here, unless the same one is remembered. */
        readonly subscribe?: boolean | undefined;
        /** Stop after n new events. */
        readonly count?: number | undefined;
        /** Exit with code 6 if the goal is not reached in this time. */
        readonly timeout?: string | number | undefined;
      })
    | undefined;
  /** Create a sample event, sign it and send it. */
  readonly trigger?:
    | (Pick<
        SharedFlags,
        | "unknownKind"
        | "url"
        | "set"
        | "data"
        | "shapes"
        | "signatureHeader"
        | "duplicate"
        | "shuffle"
        | "rate"
        | "delay"
        | "drop"
        | "tamper"
        | "noSignature"
        | "stale"
        | "future"
        | "seed"
        | "concurrency"
        | "maxFailures"
        | "failFast"
        | "dryRun"
        | "bodiesTo"
        | "secretEnv"
        | "envFile"
        | "secretStdin"
        | "secretEncoding"
        | "json"
        | "color"
        | "debug"
      > & {
        /** Send one event of each kind. */
        readonly all?: boolean | undefined;
        /** Number of events to send, each with a different timestamp (default: 1). */
        readonly count?: number | undefined;
        /** How long to wait for each response (default: 30s). */
        readonly timeout?: string | number | undefined;
      })
    | undefined;
  /** Send saved deliveries, envelopes or inbox entries again, in the order given (folders in name order). */
  readonly replay?:
    | (Pick<
        SharedFlags,
        | "exact"
        | "resume"
        | "url"
        | "inbox"
        | "signatureHeader"
        | "duplicate"
        | "shuffle"
        | "rate"
        | "delay"
        | "drop"
        | "tamper"
        | "noSignature"
        | "stale"
        | "future"
        | "seed"
        | "concurrency"
        | "maxFailures"
        | "failFast"
        | "dryRun"
        | "bodiesTo"
        | "secretEnv"
        | "envFile"
        | "secretStdin"
        | "secretEncoding"
        | "json"
        | "color"
        | "debug"
      > & {
        /** Run the handlers in this file or folder, in this process, instead of sending. */
        readonly handlers?: string | undefined;
        /** How long to wait for each response or handler (default: 30s). */
        readonly timeout?: string | number | undefined;
      })
    | undefined;
  /** Print the signature of a body. */
  readonly sign?:
    | (Pick<
        SharedFlags,
        | "signatureHeader"
        | "secretEnv"
        | "envFile"
        | "secretStdin"
        | "secretEncoding"
        | "json"
        | "color"
        | "debug"
      > & {
        /** Print the whole header line, for curl -H. */
        readonly header?: boolean | undefined;
      })
    | undefined;
  /** Check the signature of a body or a saved delivery, and explain a failure. */
  readonly verify?:
    | Pick<
        SharedFlags,
        | "signature"
        | "signatureHeader"
        | "secretEnv"
        | "envFile"
        | "secretStdin"
        | "secretEncoding"
        | "json"
        | "color"
        | "debug"
      >
    | undefined;
  /** Check whether a receiver, in any language, handles signatures and deliveries correctly. */
  readonly check?:
    | (Pick<
        SharedFlags,
        | "only"
        | "skip"
        | "list"
        | "yes"
        | "strict"
        | "verbose"
        | "format"
        | "output"
        | "observe"
        | "settle"
        | "concurrency"
        | "signatureHeader"
        | "secretEnv"
        | "envFile"
        | "secretStdin"
        | "secretEncoding"
        | "json"
        | "color"
        | "debug"
      > & {
        /** How long to wait for each response (default: 15s). */
        readonly timeout?: string | number | undefined;
      })
    | undefined;
  /** List entries, oldest first. */
  readonly "events list"?:
    | (Pick<
        SharedFlags,
        "inbox" | "kind" | "target" | "source" | "since" | "until" | "json" | "color" | "debug"
      > & {
        /** Only entries in these states: pending, running, done, dead, unhandled. */
        readonly state?: OneOrMore<"pending" | "running" | "done" | "dead" | "unhandled"> | undefined;
        /** Only the newest n entries (default: 50). */
        readonly limit?: number | undefined;
      })
    | undefined;
  /** Show one entry in full: its delivery and its attempts. */
  readonly "events show"?: Pick<SharedFlags, "inbox" | "body" | "json" | "color" | "debug"> | undefined;
  /** Run dead and unhandled entries again. */
  readonly "events redrive"?:
    | (Pick<
        SharedFlags,
        "inbox" | "kind" | "target" | "source" | "since" | "until" | "json" | "color" | "debug"
      > & {
        /** Only entries in these states: pending, running, done, dead, unhandled. */
        readonly state?: OneOrMore<"pending" | "running" | "done" | "dead" | "unhandled"> | undefined;
        /** Redrive every dead and unhandled entry. */
        readonly all?: boolean | undefined;
      })
    | undefined;
  /** Run pending entries now, before their time, and dead and unhandled ones again. */
  readonly "events retry"?:
    | (Pick<
        SharedFlags,
        "inbox" | "kind" | "target" | "source" | "since" | "until" | "json" | "color" | "debug"
      > & {
        /** Only entries in these states: pending, running, done, dead, unhandled. */
        readonly state?: OneOrMore<"pending" | "running" | "done" | "dead" | "unhandled"> | undefined;
        /** Retry every pending, dead and unhandled entry. */
        readonly all?: boolean | undefined;
      })
    | undefined;
  /** Drop entries: they become dead letters, and hold back no other entry. */
  readonly "events drop"?:
    | (Pick<
        SharedFlags,
        "inbox" | "kind" | "target" | "source" | "since" | "until" | "json" | "color" | "debug"
      > & {
        /** Only entries in these states: pending, running, done, dead, unhandled. */
        readonly state?: OneOrMore<"pending" | "running" | "done" | "dead" | "unhandled"> | undefined;
        /** Drop every pending and running entry. */
        readonly all?: boolean | undefined;
      })
    | undefined;
  /** Export entries as fixtures for replay. */
  readonly "events export"?:
    | (Pick<
        SharedFlags,
        "inbox" | "kind" | "target" | "source" | "since" | "until" | "to" | "json" | "color" | "debug"
      > & {
        /** Only entries in these states: pending, running, done, dead, unhandled. */
        readonly state?: OneOrMore<"pending" | "running" | "done" | "dead" | "unhandled"> | undefined;
        /** Only the newest n entries (default: all). */
        readonly limit?: number | undefined;
      })
    | undefined;
  /** Write a consistent copy of an inbox file, which may be in use, to a new file. */
  readonly "events backup"?:
    | (Pick<SharedFlags, "inbox" | "json" | "color" | "debug"> & {
        /** Replace the file if it exists. */
        readonly force?: boolean | undefined;
      })
    | undefined;
  /** Delete old entries that are finished; a running receiver does this itself, except for dead letters. */
  readonly "events prune"?:
    | (Pick<
        SharedFlags,
        "inbox" | "source" | "olderThan" | "deliveriesOlderThan" | "json" | "color" | "debug"
      > & {
        /** Only entries in these states: done, unhandled, dead (default: done,unhandled). */
        readonly state?: OneOrMore<"done" | "unhandled" | "dead"> | undefined;
      })
    | undefined;
  /** Create the tables of an inbox on PostgreSQL, or update them. */
  readonly "inbox migrate"?:
    | (Pick<SharedFlags, "inbox" | "grantTo" | "print" | "json" | "color" | "debug"> & {
        /** With --print: print the SQL of every version, without connecting. */
        readonly all?: boolean | undefined;
      })
    | undefined;
  /** Create the partitions for the coming days of an inbox on PostgreSQL, and delete old entries; for cron. */
  readonly "inbox maintain"?:
    | (Pick<
        SharedFlags,
        "inbox" | "source" | "olderThan" | "deliveriesOlderThan" | "json" | "color" | "debug"
      > & {
        /** Only entries in these states: done, unhandled, dead (default: done,unhandled). */
        readonly state?: OneOrMore<"done" | "unhandled" | "dead"> | undefined;
      })
    | undefined;
  /** Check every page and every delivery of an inbox file, and print what it contains. */
  readonly "inbox check"?: Pick<SharedFlags, "inbox" | "json" | "color" | "debug"> | undefined;
  /** Return the free space of an inbox file to the disk; stop its receivers first. */
  readonly "inbox vacuum"?: Pick<SharedFlags, "inbox" | "json" | "color" | "debug"> | undefined;
  /** Copy every entry of an inbox into a new one, and compare both; continues an interrupted copy. */
  readonly "inbox copy"?:
    | (Pick<SharedFlags, "inbox" | "salvage" | "json" | "color" | "debug"> & {
        /** Copy even if processes are registered with the inbox, such as killed ones. */
        readonly force?: boolean | undefined;
      })
    | undefined;
  /** Learn schemas and types of `data` from events, and see where events differ from them. */
  readonly types?:
    | (Pick<
        SharedFlags,
        | "inbox"
        | "kind"
        | "source"
        | "since"
        | "format"
        | "out"
        | "shapes"
        | "enums"
        | "merge"
        | "diff"
        | "json"
        | "color"
        | "debug"
      > & {
        /** Replace the file even if it was edited. */
        readonly force?: boolean | undefined;
        /** Write nothing; print how events differ from the shape file, and exit with 1 if any does. */
        readonly check?: boolean | undefined;
      })
    | undefined;
  /** Replace the values in fixtures with made-up ones of the same shape, so that you can share them. */
  readonly "fixtures scrub"?:
    | Pick<SharedFlags, "inbox" | "to" | "keep" | "seed" | "json" | "color" | "debug">
    | undefined;
  /** Check your setup, and print what is wrong and how to fix it; takes the flags and settings of listen, and changes nothing. */
  readonly doctor?:
    | (Pick<
        SharedFlags,
        | "path"
        | "inbox"
        | "healthPort"
        | "inspectPort"
        | "exec"
        | "onDead"
        | "events"
        | "forwardTo"
        | "insecure"
        | "tunnel"
        | "domain"
        | "publicUrl"
        | "sshHost"
        | "sshPort"
        | "sshUser"
        | "sshIdentity"
        | "sshRemotePort"
        | "tunnelCommand"
        | "tunnelUrlPattern"
        | "baseUrl"
        | "apiKeyEnv"
        | "accessTokenEnv"
        | "live"
        | "plainHttp"
        | "secretEnv"
        | "envFile"
        | "secretStdin"
        | "secretEncoding"
        | "json"
        | "color"
        | "debug"
      > & {
        /** Port of the endpoint (default: 4400). */
        readonly port?: number | undefined;
        /** TypeScript or JavaScript file or folder with the handlers; they are loaded, but not run. */
        readonly handlers?: string | undefined;
        /** Listen creates a subscription, so the service's address and key are needed. */
        readonly subscribe?: boolean | undefined;
      })
    | undefined;
  /** Run a simulated service: its API, and signed deliveries with retries. */
  readonly sandbox?:
    | (Pick<
        SharedFlags,
        | "seed"
        | "onlyKeyEnv"
        | "envFile"
        | "rateLimit"
        | "retry"
        | "answerTimeout"
        | "targetHosts"
        | "signatureHeader"
        | "duplicates"
        | "reorder"
        | "delay"
        | "wrongSignature"
        | "burst"
        | "outage"
        | "pageParameter"
        | "perPageParameter"
        | "fieldsSeparator"
        | "json"
        | "color"
        | "debug"
      > & {
        /** Port on 127.0.0.1, or 0 for any free port (default: 4500). */
        readonly port?: number | undefined;
        /** Number of properties in the portfolio (default: 25). */
        readonly properties?: number | undefined;
      })
    | undefined;
  /** Create a subscription, so that the service delivers to a URL, and remember it. */
  readonly subscribe?:
    | (Pick<
        SharedFlags,
        | "events"
        | "again"
        | "remembered"
        | "forget"
        | "confirm"
        | "baseUrl"
        | "apiKeyEnv"
        | "accessTokenEnv"
        | "live"
        | "plainHttp"
        | "secretEnv"
        | "envFile"
        | "secretStdin"
        | "secretEncoding"
        | "json"
        | "color"
        | "debug"
      > & {
        /** How long to wait for each response (default: 30s). */
        readonly timeout?: string | number | undefined;
      })
    | undefined;
  /** List the service's properties. */
  readonly properties?:
    | (Pick<
        SharedFlags,
        | "fields"
        | "page"
        | "perPage"
        | "pageParameter"
        | "perPageParameter"
        | "fieldsSeparator"
        | "envFile"
        | "baseUrl"
        | "apiKeyEnv"
        | "accessTokenEnv"
        | "live"
        | "plainHttp"
        | "json"
        | "color"
        | "debug"
      > & {
        /** Fetch every page. */
        readonly all?: boolean | undefined;
        /** How long to wait for each response (default: 30s). */
        readonly timeout?: string | number | undefined;
      })
    | undefined;
  /** Print a script that lets a shell complete commands, flags and their values. */
  readonly completion?: Pick<SharedFlags, "json" | "color" | "debug"> | undefined;
}
