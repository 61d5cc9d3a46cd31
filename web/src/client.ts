import { OpenCanvas } from '../../sdk/src/client.js';
import type { Account } from '../../sdk/src/session.js';
import { SESSION_KEY } from './session-mark.js';

export { unwrap } from '../../sdk/src/problem.js';

type Listener = (account: Account | undefined) => void;
const listeners = new Set<Listener>();

/** The signed-in account, after `api.resume`. */
export let account: Account | undefined;

/** The API of this server. A cookie that scripts cannot read keeps people signed in; the access token is in memory. */
export const api = new OpenCanvas({
  baseUrl: location.origin,
  cookie: true,
  storageKey: SESSION_KEY,
  // A form shows a longer wait.
  maxWaitMs: 5_000,
  onAccount: (now) => {
    account = now;
    for (const listener of listeners) listener(now);
  },
});

/** Calls back after each sign-in, refresh and sign-out, also of other tabs. @returns ends this */
export function watchAccount(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
