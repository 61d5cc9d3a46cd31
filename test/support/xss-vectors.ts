import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Vectors of test/security/xss-vectors.txt. `
` is a line break, and lines that begin with `%%` describe the next ones. */
export const VECTORS = readFileSync(join(import.meta.dirname, '../security/xss-vectors.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('%%'))
  .map((line) => line.replaceAll('\\n', '\n'));
