// Checks that the project in the current folder may be published under a tag: node
// tools/check-release.js v1.2.3
import { readFileSync } from "node:fs";

const tag = process.argv[2] ?? "";
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { version } = manifest;
const changes = readFileSync("CHANGELOG.md", "utf8")
  .split(/^## /m)
  .find((section) => section.startsWith(`[${version}] - `));

const problems = [
  tag !== `v${version}` &&
    `expected the tag v${version}, as in package.json, got "${tag}": tag the commit that sets the version`,
  changes === undefined &&
    `expected a section "[${version}] - YYYY-MM-DD" in CHANGELOG.md, found none: name the section after the release`,
  changes !== undefined &&
    !/^\S+ - \d{4}-\d\d-\d\d\n/.test(changes) &&
    `expected a date after "[${version}] - " in CHANGELOG.md, got "${changes.split("\n")[0]}": set the day of the release`,
  // Provenance names the repository, and npm refuses it if package.json names another or none.
  ...["repository", "bugs", "homepage"].map(
    (field) =>
      manifest[field] === undefined &&
      `expected "${field}" in package.json, found none: see docs/releasing.md`,
  ),
  // npm's page leads the README's relative links to the repository, but only to one of these hosts.
  manifest.repository !== undefined &&
    !/^(?:git\+)?https:\/\/(?:github\.com|gitlab\.com|bitbucket\.org)\/[^/]+\/[^/]+$/.test(
      manifest.repository.url,
    ) &&
    `expected the "url" of "repository" to be https://HOST/OWNER/NAME of GitHub, GitLab or Bitbucket, got ${JSON.stringify(manifest.repository.url)}: otherwise the README's links lead nowhere on npm's page`,
].filter(Boolean);

for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
