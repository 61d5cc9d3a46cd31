import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SRC = join(import.meta.dirname, '../../src');
/** Files with names, words and codes, without e-mail addresses. */
const OF_OTHER_TEXTS = [
  'auth/passwords.service.ts',
  'auth/providers/identities.service.ts',
  'auth/second-factors/recovery-codes.ts',
  'cli/flame-graph.ts',
];

describe('the case of an e-mail address', () => {
  it('changes only in canonicalAddress', () => {
    const rooms = /^(auth|cli|platform\/mail)\//;
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
      (file) => rooms.test(file) && file.endsWith('.ts') && !file.endsWith('.spec.ts'),
    );
    const changing = files.filter((file) =>
      /toLowerCase|toLocaleLowerCase/.test(readFileSync(join(SRC, file), 'utf8')),
    );
    expect(changing.sort()).toEqual(OF_OTHER_TEXTS);
  });
});
