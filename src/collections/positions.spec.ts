import fc from 'fast-check';
import { evenPositions, MAX_POSITION, POSITION_PATTERN, positionBetween } from './positions.js';

const isPosition = new RegExp(POSITION_PATTERN);

describe('positions in a list', () => {
  it('lie strictly between their neighbors, wherever they are put', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 150 }),
        (draws) => {
          const list: string[] = [];
          for (const draw of draws) {
            const at = Math.floor(draw * (list.length + 1));
            const position = positionBetween(list[at - 1] ?? null, list[at] ?? null)!;
            expect(position).toMatch(isPosition);
            list.splice(at, 0, position);
          }
          expect(list).toEqual([...new Set(list)].sort());
        },
      ),
    );
  });

  it('stay short for 1,000 items added at one end', () => {
    for (const side of ['first', 'last']) {
      let end: string | null = null;
      for (let times = 0; times < 1_000; times++) {
        end = side === 'last' ? positionBetween(end, null) : positionBetween(null, end);
        expect(end!.length).toBeLessThanOrEqual(4);
      }
    }
  });

  it.each(['before', 'after'])('end after some hundred %s the same neighbor, at 40 characters', (side) => {
    let [low, high] = ['V', 'VG1'];
    for (let times = 0; ; times++) {
      const position = positionBetween(low, high);
      if (position === null) {
        expect(times).toBeGreaterThan(150);
        return;
      }
      expect(position.length).toBeLessThanOrEqual(MAX_POSITION);
      if (side === 'before') low = position;
      else high = position;
    }
  });

  it('do not exist between equal neighbors, or neighbors in the wrong order', () => {
    expect(positionBetween('V', 'V')).toBeNull();
    expect(positionBetween('V1', 'V')).toBeNull();
  });

  it('are assigned in order, with room between them and at both ends', () => {
    for (const count of [1, 2, 61, 62, 499, 500]) {
      const dealt = evenPositions(count);
      expect(dealt).toHaveLength(count);
      expect(dealt).toEqual([...new Set(dealt)].sort());
      for (const position of dealt) expect(position).toMatch(isPosition);
      expect(positionBetween(dealt.at(-1)!, null)!.length).toBeLessThanOrEqual(4);
      expect(positionBetween(null, dealt[0]!)!.length).toBeLessThanOrEqual(4);
    }
  });
});
