import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../common/errors.js';
import type { Env } from './env.schema.js';
import { MIN_SECRET_LENGTH } from './env-values.js';

/** The first secret signs, and all verify. */
export type TokenSecrets = readonly [string, ...string[]];

/**
 * Returns a function that reads the secrets. It generates one at its first call, so that a command that signs nothing writes no file.
 * @throws StartupError when no secret is configured and none may be generated; the function: when a generated one is damaged
 */
export function tokenSecretsOf(env: Env, dataDir: string): () => TokenSecrets {
  const { AUTH_TOKEN_SECRET: plain, AUTH_TOKEN_SECRETS: list } = env;
  if (plain !== undefined && list !== undefined) {
    throw new StartupError('Set AUTH_TOKEN_SECRET or AUTH_TOKEN_SECRETS, not both: the list holds the old secret too.');
  }
  if (list !== undefined) return () => list as [string, ...string[]];
  if (plain !== undefined) return () => [plain];
  if (env.MONGODB_URI !== undefined && env.NODE_ENV === 'production') {
    throw new StartupError('AUTH_TOKEN_SECRET is required in production; `openssl rand -base64 48` makes one.');
  }
  let secrets: TokenSecrets | undefined;
  return () => (secrets ??= generatedSecrets(dataDir));
}

/** Returns the variables that give another process the same secrets. */
export function tokenSecretVariables(secrets: TokenSecrets): Record<string, string> {
  const [first, ...others] = secrets;
  // A single secret may contain a comma.
  if (others.length === 0) return { AUTH_TOKEN_SECRET: first, AUTH_TOKEN_SECRETS: '' };
  return { AUTH_TOKEN_SECRET: '', AUTH_TOKEN_SECRETS: secrets.join(',') };
}

/** Shows whether two hosts sign with the same secret, without revealing it. */
export function secretFingerprint(secret: string): string {
  return createHmac('sha256', secret).update('fingerprint').digest('base64url').slice(0, 8);
}

/** The code of the first run. It is derived, so that all processes and a restarted server have the same. */
export function setupCodeOf([secret]: TokenSecrets): string {
  return createHmac('sha256', secret).update('setup').digest('base64url').slice(0, 22);
}

/** Returns the secret of a server that owns its database: generated once, stored beside the data, readable by its user only. */
function generatedSecrets(dataDir: string): TokenSecrets {
  const file = join(dataDir, 'auth-token-secret');
  try {
    return readSecrets(file);
  } catch (error) {
    // Another error means that the file does not exist yet, or that the directory is unusable, which the write below reports.
    if (error instanceof StartupError) throw error;
  }
  const secret = randomBytes(48).toString('base64url');
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, secret, { mode: 0o600, flag: 'wx' });
    return [secret];
  } catch (error) {
    // Another process of this host has created the file.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readSecrets(file);
    throw new StartupError(
      `The data directory ${dataDir} cannot be written; set DATA_DIR or AUTH_TOKEN_SECRET.`,
      error,
    );
  }
}

/** Reads one secret per line. */
function readSecrets(file: string): TokenSecrets {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const secrets = lines.map((line) => line.trim());
  if (secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
    throw new StartupError(`Every line of ${file} must be a secret of at least ${MIN_SECRET_LENGTH} characters.`);
  }
  return secrets as [string, ...string[]];
}
