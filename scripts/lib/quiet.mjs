// Settings of quickstart that make the server log less than usual.
import { parseEnv } from 'node:util';

const QUIET = {
  // The route lists of three processes would hide the address to open.
  LOG_LEVEL: 'warn',
  // The first query of each kind is slow after the start, and a page of warnings would hide the address, too.
  MONGODB_SLOW_QUERY_MS: '1000',
};

/** Sets these variables if neither the environment nor the text of `.env` does, because the environment overrides `.env`. */
export function quieten(environment, dotEnv) {
  const given = { ...parseEnv(dotEnv), ...environment };
  for (const [name, value] of Object.entries(QUIET)) if (!given[name]) environment[name] = value;
}
