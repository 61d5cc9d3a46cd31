/** Jest in ESM mode; SWC strips the types, `npm run typecheck` checks them. */
export default {
  testEnvironment: '<rootDir>/test/support/leak-environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/seeds/**/*.spec.ts',
    '<rootDir>/benchmarks/**/*.spec.ts',
    '<rootDir>/test/**/*.spec.ts',
  ],
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!**/*.spec.ts'],
  // a machine that does much else is slow; what hangs still ends
  testTimeout: 120_000,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};
