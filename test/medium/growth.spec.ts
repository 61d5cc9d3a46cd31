import { readFileSync } from 'node:fs';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { useApp } from '../support/app.js';

describe('docs/limits.md', () => {
  const app = useApp();

  it('documents the bound of every collection', async () => {
    const connection = app.app.get<Connection>(getConnectionToken());
    const schemas = Object.values(connection.models).map(({ collection }) => collection.collectionName);
    const stored = (await app.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
    const collections = new Set([...schemas, ...stored.filter((name) => !name.startsWith('system.'))]);

    const rows = readFileSync('docs/limits.md', 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter(([, names, , bound]) => names?.startsWith('`') && bound !== '');
    const bounded = new Set(rows.flatMap(([, names]) => names!.match(/[\w.]+/g)!));

    expect(schemas.length).toBeGreaterThan(30);
    expect([...collections].filter((name) => !bounded.has(name))).toEqual([]);
  });
});
