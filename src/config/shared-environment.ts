import { type AppConfig, loadConfig } from './app-config.js';
import { hostIdVariable } from './host-id.js';
import { tokenSecretVariables } from './token-secrets.js';

/** What the first process decided for all that it starts, as they will read it. */
export function sharedEnvironment(config: AppConfig, decided: { uri: string; port: number }): Record<string, string> {
  return {
    MONGODB_URI: decided.uri,
    HTTP_PORT: String(decided.port),
    HTTP_WORKERS: String(config.http.workers),
    ...hostIdVariable(config.process.hostId),
    // generated with the data of an embedded server; the others must not make one of their own
    ...tokenSecretVariables(config.auth.tokenSecrets),
  };
}

/** The environment of this process with some values replaced, for a child. */
export function environmentWith(values: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...values };
}

/** What a program needs to run, and these values: no secrets. */
export function bareEnvironment(values: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return { PATH, TMPDIR, ...values };
}

/** The configuration this process would have with some values replaced. */
export function loadConfigWith(values: Record<string, string>): AppConfig {
  return loadConfig(environmentWith(values));
}
