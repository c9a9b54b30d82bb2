import { Agent, createServer, get, type RequestListener, type Server } from "node:http";
import { expect, it, onTestFinished, vi } from "vitest";
import { CLOSE_GRACE } from "../../src/http/closing.ts";
import { closeServer, listenOn } from "../../src/http/server.ts";
import { until } from "../receiver/sample.ts";
import { dial } from "../receiver/wire.ts";

function serverOf(listener: RequestListener = (_, response) => void response.end("ok")): Server {
  const server = createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

const connections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

it("a port that is given, or a free one, is listened on", async () => {
  const server = serverOf();
  const listen = vi.spyOn(server, "listen");
  const port = await listenOn(server, 0, "127.0.0.1");
  expect(server.address()).toMatchObject({ port, address: "127.0.0.1" });
  // More than Node's default of 511, which bursts fill.
  expect(listen.mock.calls[0]?.[0]).toMatchObject({ backlog: 4096 });
});

it("a port in use is named with the flag that chooses another", async () => {
  const port = await listenOn(serverOf(), 0, "127.0.0.1");
  const failed = await listenOn(serverOf(), port, "127.0.0.1", "--inspect-port").catch(
    (error) => error,
  );
  expect(failed).toMatchObject({ code: "port_unavailable", cause: { code: "EADDRINUSE" } });
  expect(failed.message).toContain(`127.0.0.1:${port}, got it in use: stop what uses it`);
  expect(failed.message).toContain("--inspect-port");
  const byDefault = await listenOn(serverOf(), port, "127.0.0.1").catch((error) => error);
  expect(byDefault.message).toMatch(/ --port$/);
});

it("an address that is not this machine's is named, with what the system said", async () => {
  const failed = await listenOn(serverOf(), 0, "192.0.2.1").catch((error) => error);
  expect(failed).toMatchObject({ code: "port_unavailable", cause: { code: "EADDRNOTAVAIL" } });
  expect(failed.message).toMatch(/EADDRNOTAVAIL.*: choose another port or address$/);
});

it("closing ends idle connections, and waits for requests in progress", async () => {
  let answer: (() => void) | undefined;
  const server = serverOf((request, response) => {
    if (request.url === "/later") answer = () => void response.end("late");
    else response.end("ok");
  });
  const port = await listenOn(server, 0, "127.0.0.1");
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ask = (path: string) =>
    new Promise<string>((resolve, reject) => {
      get({ host: "127.0.0.1", port, path, agent }, (response) => {
        response.setEncoding("utf8").on("data", resolve);
      }).on("error", reject);
    });
  const late = ask("/later");
  await until(() => expect(answer).toBeDefined());
  await ask("/at-once");
  await until(async () => expect(await connections(server)).toBe(2));
  let isClosed = false;
  const closed = closeServer(server).then(() => {
    isClosed = true;
  });
  await until(async () => expect(await connections(server)).toBe(1));
  expect(isClosed).toBe(false);
  answer?.();
  expect(await late).toBe("late");
  agent.destroy();
  await closed;
});

it("closing ends requests that are still in progress after the time of grace", async () => {
  const begun = vi.fn();
  const server = serverOf(begun);
  const port = await listenOn(server, 0, "127.0.0.1");
  const socket = await dial(new URL(`http://127.0.0.1:${port}`));
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await until(() => expect(begun).toHaveBeenCalled());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const closed = closeServer(server);
  vi.advanceTimersByTime(CLOSE_GRACE - 1);
  expect(socket.destroyed).toBe(false);
  expect(await connections(server)).toBe(1);
  vi.advanceTimersByTime(1);
  await closed;
  expect(vi.getTimerCount()).toBe(0);
});
