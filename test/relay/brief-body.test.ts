import { expect, it } from "vitest";
import { briefBody } from "../../src/relay/brief-body.ts";

it.each([
  ["a text", "not found", "not found"],
  ["lines", "amount: not a number\r\n  at line 3\n", "amount: not a number at line 3"],
  ["JSON", '{\n  "error": "unknown"\n}', '{ "error": "unknown" }'],
  ["nothing", " \n", ""],
  ["text with a sign", "3 < 4 and 5 > 4", "3 < 4 and 5 > 4"],
])("%s is shown in one line", (_, body, shown) => {
  expect(briefBody(body)).toBe(shown);
});

it.each([
  [
    "Flask",
    "<!doctype html>\n<html lang=en>\n<title>405 Method Not Allowed</title>\n<h1>Method Not Allowed</h1>\n<p>The method is",
    "405 Method Not Allowed",
  ],
  [
    "Express",
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot POST /hooks</pre>\n</body>\n</html>\n',
    "Error: Cannot POST /hooks",
  ],
  [
    "nginx",
    "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx/1.24.0</center>",
    "404 Not Found",
  ],
  [
    "Django",
    "<!-- page -->\n<html><title>\n  Page not found\n  at /hooks</title>",
    "Page not found at /hooks",
  ],
  [
    "with comments",
    "<html><!-- a > b, <p>hidden</p> --><p>Not found here</p><!-- -->",
    "Not found here",
  ],
  [
    "without a title",
    "<html><style>p { color: red }</style><p>No &quot;id&quot; &amp; no name</p>",
    'No "id" & no name',
  ],
])("a page of %s is shown by its title, or its first words", (_, body, shown) => {
  expect(briefBody(body)).toBe(shown);
});

it("a long text and a long page are cut", () => {
  expect(briefBody("x".repeat(900))).toBe(`${"x".repeat(500)}…`);
  expect(briefBody(`<html>${"x ".repeat(900)}`).length).toBeLessThan(130);
});

it("a page made of the beginnings of comments takes no time", () => {
  const start = process.cpuUsage();
  briefBody("<!--".repeat(100_000));
  briefBody("<script ".repeat(100_000));
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});
