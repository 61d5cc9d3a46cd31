import { createHash } from 'node:crypto';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { FORMAT } from '../../src/platform/mongo/format/database-format.js';
import { declaredCollections } from '../../src/platform/mongo/indexes/indexes.js';
import { useApp } from '../support/app.js';

/** A hash of all declared indexes and validators, by the format that has them. */
const SCHEMAS: Record<number, string> = {
  7: '6ddc11a8d3df5a88',
  8: '92d825f5cd90a6fa',
};

describe('the format of the database', () => {
  const app = useApp({ oneHost: 'reads the schemas of the code' });

  /** After a release, add a migration and its format (CONTRIBUTING.md); before it, only the hash of the last format changes. */
  it('is raised with every change of an index or a validator', () => {
    const declared = declaredCollections(app.app.get<Connection>(getConnectionToken()));
    const sorted = declared.sort((a, b) => (a.collection < b.collection ? -1 : 1));

    expect({ [FORMAT]: createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16) }).toEqual({
      [FORMAT]: SCHEMAS[FORMAT],
    });
  });
});
