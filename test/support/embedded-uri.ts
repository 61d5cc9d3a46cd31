import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the database URI of a running server with this data directory, as its operator gets it. */
export function embeddedUri(dataDir: string): string {
  const read = (name: string) => readFileSync(join(dataDir, 'mongo', name), 'utf8').trim();
  return `mongodb://opencanvas:${read('password')}@127.0.0.1:${read('port')}/?directConnection=true`;
}
