import { defineConfig } from 'vitest/config';

// `source` makes `import 'sluice'` resolve to TypeScript, so no build is needed before a test.
// Only names Node does not set by itself: vitest passes them to the workers for `require` as well.
const conditions = ['source'];

// Tests that talk to a server; all others start without waiting for one.
const serverTests = ['test/**/*.test.ts', 'limiter/src/engines/redis/**/*.test.ts'];

// These take the whole machine, and would make any other test late: they run after all others.
const raceTests = ['test/races/**/*.test.ts'];

// Campaigns that have no short form: `npm run test:faults` alone runs them.
const longTests = process.env['FAULT_SCALE'] === undefined ? [] : ['test/faults/**/*.long.ts'];

// These need an Envoy, which nothing installs by itself: `npm run test:envoy` alone runs them.
const envoyTests = process.env['ENVOY'] === undefined ? [] : ['test/envoy/*.long.ts'];

// In a browser, which has a set-up of its own.
const consoleTests = ['test/console/**/*.test.ts'];

// These are about what their process has loaded, so each has one of its own.
const aloneTests = ['platform/src/observe/tracing.test.ts', 'test/platform/traces.test.ts'];

// Every embedded database compiles PostgreSQL for itself. For the few seconds that one of a test
// lives, the second, optimising compilation takes longer than all of its queries.
const embeddedFlags = ['--liftoff-only'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    pool: 'forks',
    // Files share a process: to load the service anew for each would take a third of all the time.
    isolate: false,
    // One more than the processors we count on: some tests wait for a server most of their time.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a test waits for comes late on a busy machine, a browser's dialog too: a second is too short.
    expect: { poll: { timeout: 20_000 } },
    setupFiles: ['test/servers/end-with-runner.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['{limiter,platform,dashboard}/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...serverTests, ...aloneTests],
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: aloneTests,
          isolate: true,
          globalSetup: ['test/servers/global-setup.ts'],
          execArgv: embeddedFlags,
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: serverTests,
          exclude: [...raceTests, ...aloneTests, ...consoleTests],
          globalSetup: ['test/servers/global-setup.ts'],
          execArgv: embeddedFlags,
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          include: consoleTests,
          globalSetup: ['test/console/rig/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'races',
          include: [...raceTests, ...longTests, ...envoyTests],
          globalSetup: ['test/servers/global-setup.ts'],
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
        },
      },
    ],
  },
});
