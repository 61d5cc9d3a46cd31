import { readFileSync } from 'node:fs';
import { type OpenIndex, postDocument, useIndex } from './test-index.js';

/** Lower bounds of the share of related posts among the first five. Chance gives 0.06. */
const PRECISION_FLOOR = { words: 0.5, tags: 0.6 };
const SEEN = 5;

const [, ...rows] = readFileSync('test/data/related-posts.txt', 'utf8').trim().split('\n');

/** Judges the related posts of every engine. */
export const describeSimilar = (open: OpenIndex): void =>
  describe.each(['words', 'tags'] as const)('posts similar to a post, by their %s,', (by) => {
    const index = useIndex(open);
    const judged = new Map<string, string[]>();

    beforeAll(async () => {
      const documents = rows.map((row, at) => {
        const [list, title, body] = row.split(' | ') as [string, string, string];
        const topics = list.split(', ');
        // Every second author chooses tags.
        const document = postDocument({ title, body, tags: by === 'tags' && at % 2 === 0 ? topics : [] });
        judged.set(document.id, topics);
        return document;
      });
      await index.fill(documents);
    });

    it('are judged to be related', async () => {
      expect(judged.size).toBe(100);
      const precisions: number[] = [];
      for (const [id, topics] of judged) {
        const found = (await index.reader.similar(id)).slice(0, SEEN);
        expect(found.map((other) => other.id)).not.toContain(id);
        const related = found.filter((other) => judged.get(other.id)!.some((topic) => topics.includes(topic)));
        precisions.push(related.length / SEEN);
      }
      const mean = precisions.reduce((sum, one) => sum + one, 0) / precisions.length;
      expect(mean).toBeGreaterThanOrEqual(PRECISION_FLOOR[by]);
    });
  });
