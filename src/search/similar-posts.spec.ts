import { readFileSync } from 'node:fs';
import { openSqlite, postDocument, useIndex } from '../../test/support/search-index.js';

/** Lower bounds of the share of related posts among the first five. Chance gives 0.06. */
const PRECISION_FLOOR = { words: 0.5, tags: 0.6 };
const SEEN = 5;

const [, ...rows] = readFileSync('test/data/related-posts.txt', 'utf8').trim().split('\n');

// As search-index.spec, a part of the contract of every engine.
describe.each(['words', 'tags'] as const)('posts similar to a post, by their %s,', (by) => {
  const index = useIndex(openSqlite);
  const judged = new Map<string, string[]>();

  beforeAll(() => {
    const documents = rows.map((row, at) => {
      const [list, title, body] = row.split(' | ') as [string, string, string];
      const topics = list.split(', ');
      // Every second author chooses tags.
      const document = postDocument({ title, body, tags: by === 'tags' && at % 2 === 0 ? topics : [] });
      judged.set(document.id, topics);
      return document;
    });
    index.fill(documents);
  });

  it('are judged to be related', () => {
    expect(judged.size).toBe(100);
    const precisions = [...judged].map(([id, topics]) => {
      const found = index.reader.similar(id).slice(0, SEEN);
      expect(found.map((other) => other.id)).not.toContain(id);
      return found.filter((other) => judged.get(other.id)!.some((topic) => topics.includes(topic))).length / SEEN;
    });
    const mean = precisions.reduce((sum, one) => sum + one, 0) / precisions.length;
    expect(mean).toBeGreaterThanOrEqual(PRECISION_FLOOR[by]);
  });
});
