import { defineConfig } from 'vitest/config';

// `source` makes `import 'sluice'` resolve to TypeScript, so no build is needed before a test.
// Only names Node does not set by itself: vitest passes them to the workers for `require` as well.
const conditions = ['source'];

// Tests that talk to a server; all others start without waiting for one.
const serverTests = ['test/**/*.test.ts', 'limiter/src/engines/redis/**/*.test.ts'];

// These take the whole machine, and would make any other test late: they run after all others.
const raceTests = ['test/races/**/*.test.ts'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/servers/end-with-runner.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['{limiter,platform,dashboard}/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: serverTests,
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: serverTests,
          exclude: raceTests,
          globalSetup: ['test/servers/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'races',
          include: raceTests,
          globalSetup: ['test/servers/global-setup.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
