import { type AppConfig, loadConfig } from './app-config.js';
import { embeddedMongodVariable, hostIdVariable } from './process-variables.js';
import { tokenSecretVariables } from './token-secrets.js';

/** Settings of glibc: few arenas, and freed memory goes back to the system, 30 of 360 MiB of five idle processes. */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: String(128 * 1024) };

/** The decisions of the first process, as environment variables for the processes that it starts. */
export function sharedEnvironment(config: AppConfig, decided: { uri: string; port: number }): Record<string, string> {
  const { MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_ } = { ...MALLOC, ...process.env };
  return {
    MALLOC_ARENA_MAX,
    MALLOC_TRIM_THRESHOLD_,
    MONGODB_URI: decided.uri,
    ...embeddedMongodVariable(config.mongo.uri === undefined),
    HTTP_PORT: String(decided.port),
    HTTP_WORKERS: String(config.http.workers),
    ...hostIdVariable(config.process.hostId),
    // Secrets of an embedded server are generated with its data, so the other processes must not generate their own.
    ...tokenSecretVariables(config.auth.tokenSecrets),
  };
}

/** The environment of this process with some values replaced, for a child. */
export function environmentWith(values: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...values };
}

/** The minimal environment of a program plus these values, without secrets. */
export function minimalEnvironment(values: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return { PATH, TMPDIR, ...values };
}

/** The configuration of this process with some values replaced. */
export function loadConfigWith(values: Record<string, string>): AppConfig {
  return loadConfig(environmentWith(values));
}
