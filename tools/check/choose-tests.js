/** Milliseconds that a test file is expected to take if it never ran here. */
const UNKNOWN = 1000;

/** The rank of a test that is only in the room of a changed file: such fill the time left. */
const OF_ROOM = 3;

/** Tests of files that no test imports. */
const READERS = [
  [/^(?:src\/|tools\/architecture\/)/, /^test\/architecture\.test\.ts$/],
  [
    /^(?:README|CONTRIBUTING|CHANGELOG)\.md$|^docs\//,
    /^test\/docs\/(?:readme|architecture-page)\.test\.ts$/,
  ],
  [/^docs\/reference\/cli\//, /^test\/docs\/cli-page\.test\.ts$/],
  [/^docs\/reference\/package\//, /^test\/docs\/package-page\.test\.ts$/],
  [/^docs\/frameworks\//, /^test\/docs\/frameworks-page\.test\.ts$/],
  [/^SECURITY\.md$/, /^test\/docs\/security-page\.test\.ts$/],
  [/^(?:\.github\/|package\.json$)/, /^test\/workflows\.test\.ts$/],
  [/^package(?:-lock)?\.json$/, /^test\/lockfile\.test\.ts$/],
  [/^tools\/demo/, /^test\/demo\.test\.ts$/],
  [/^templates\//, /^test\/cli\/scaffold\//],
];

/**
 * Chooses the tests of changed files, the nearest first, as many as fit into a time: changed tests;
 * then those that mirror a changed file or read it; then those that import one; then the others of
 * its room. Returns those to run, and those left out since they take long.
 */
export function chooseTests({ changed, tests, known, time, workers }) {
  const ranked = tests
    .map(({ file, imports }) => {
      const ranks = changed.map((one) => rank(file, imports, one));
      return { file, rank: Math.min(...ranks), ms: known[file] ?? UNKNOWN };
    })
    .filter((test) => test.rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank || a.ms - b.ms);
  const run = [];
  const left = [];
  let rest = time * workers;
  for (const { file, rank, ms } of ranked) {
    // One file runs in one worker, however many there are.
    if (ms > time || ms > rest) {
      if (rank < OF_ROOM) left.push(file);
    } else {
      run.push(file);
      rest -= ms;
    }
  }
  return { run, left };
}

function rank(test, imports, changed) {
  if (test === changed) return 0;
  if (mirrors(test, changed) || READERS.some(([what, who]) => what.test(changed) && who.test(test)))
    return 1;
  if (imports.includes(changed)) return 2;
  return isOfRoom(test, changed) ? OF_ROOM : Number.POSITIVE_INFINITY;
}

/** Whether a quick test is in `test/event/`, say, and the changed file in `src/event/`. */
function isOfRoom(test, changed) {
  const room = /^src\/[^/]+\//.exec(changed)?.[0];
  const isQuick = !test.includes(".system.");
  return room !== undefined && isQuick && test.startsWith(room.replace("src/", "test/"));
}

/**
 * `test/event/utf8.test.ts` mirrors `src/event/utf8.ts`, and `test/docs/tunnel-page.test.ts`
 * mirrors `docs/reference/tunnel.md`.
 */
function mirrors(test, changed) {
  const path = changed.replace(/\.\w+$/, "");
  const page = `${path.replace(/^docs\/(?:.*\/)?/, "test/docs/")}-page`;
  const names = [path.replace(/^src\//, "test/"), `test/${path}`, page];
  const plain = test.replace(/(?:\.system)?(?:\.long)?\.test\.ts$/, "");
  return names.includes(plain);
}
