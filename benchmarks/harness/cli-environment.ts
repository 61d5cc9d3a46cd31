/** Signs tokens of a benchmark run. The product gets the same secret in its environment. */
export const TOKEN_SECRET = 'benchmark-only-secret-of-enough-characters';

/** Returns the environment of the project's own commands on a database of the benchmark. */
export function cliEnvironment(mongoUri: string, database: string, dataDir: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    AUTH_ALLOW_DEMO_ACCOUNTS: 'true',
    MONGODB_URI: mongoUri,
    MONGODB_DATABASE: database,
    AUTH_TOKEN_SECRET: TOKEN_SECRET,
    DATA_DIR: dataDir,
  };
}
