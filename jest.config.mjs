/** Node loads the specs, see test/runner; `npm run check` checks their types. */
export default {
  testRunner: '<rootDir>/test/runner/runner.mjs',
  runner: '<rootDir>/test/runner/lanes.mjs',
  testSequencer: '<rootDir>/test/runner/sequencer.mjs',
  testEnvironment: '<rootDir>/test/runner/leak-environment.mjs',
  // a process that has grown is replaced; with a limit, files never run in Jest's own process unless that is asked for
  workerIdleMemoryLimit: '2GB',
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/seeds/**/*.spec.ts',
    '<rootDir>/benchmarks/**/*.spec.ts',
    '<rootDir>/web/**/*.spec.ts',
    '<rootDir>/test/**/*.spec.ts',
  ],
  transform: {},
  // which specs a changed file concerns: what is imported as .js lies in .ts
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // for a machine with a tenth of the speed; above the limit of one wait (test/support/until.ts), so that the wait says what did not happen
  // TEST_SCALE=long does up to fifty times the work, and the gate limits its step.
  testTimeout: process.env.TEST_SCALE === 'long' ? 3_600_000 : 600_000,
  globalSetup: '<rootDir>/test/runner/global-setup.mjs',
  globalTeardown: '<rootDir>/test/runner/global-teardown.mjs',
};
