// Settings of quickstart that make the server log less than usual.
import { parseEnv } from 'node:util';

const QUIET = {
  // three processes that list their routes would hide the address to open
  LOG_LEVEL: 'warn',
  // the first query of each kind is slow while everything is cold: a page of warnings would hide it, too
  MONGODB_SLOW_QUERY_MS: '1000',
};

/** Sets these variables where neither the environment nor the text of `.env` does: the environment would win over `.env`. */
export function quieten(environment, dotEnv) {
  const told = { ...parseEnv(dotEnv), ...environment };
  for (const [name, value] of Object.entries(QUIET)) if (!told[name]) environment[name] = value;
}
