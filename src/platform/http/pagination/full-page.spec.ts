import fc from 'fast-check';
import { fullPage } from './full-page.js';

/** Lists rows 0, 1, 2 …; `visible` contains whether each row is readable. */
function listOf(visible: boolean[]) {
  return (limit: number, after: number) =>
    fullPage<number, string>(
      limit,
      async (last, count) => {
        const from = (last ?? after) + 1;
        return visible.map((_, row) => row).slice(from, from + count);
      },
      async (rows) => rows.map((row) => (visible[row] ? `thing ${row}` : null)),
      (row) => String(row),
    );
}

describe('fullPage', () => {
  it('returns the whole list in full pages, each visible row once, and null only at the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 80 }),
        fc.integer({ min: 1, max: 7 }),
        async (visible, limit) => {
          const page = listOf(visible);
          const seen: string[] = [];
          let after = -1;
          for (;;) {
            const { data, page: info } = await page(limit, after);
            seen.push(...data);
            if (info.nextCursor === null) break;
            expect(data).toHaveLength(limit);
            after = Number(info.nextCursor);
          }
          expect(seen).toEqual(visible.flatMap((isVisible, row) => (isVisible ? [`thing ${row}`] : [])));
          if (seen.length > 0 && seen.length % limit === 0) expect((await page(limit, after)).data).toHaveLength(limit);
        },
      ),
    );
  });

  it('reads no row twice, and nothing after an empty list', async () => {
    let reads = 0;
    const page = await fullPage<number, number>(
      20,
      async () => (reads++, []),
      async () => {
        throw new Error('nothing to resolve');
      },
      String,
    );
    expect(page).toEqual({ data: [], page: { nextCursor: null } });
    expect(reads).toBe(1);
  });
});
