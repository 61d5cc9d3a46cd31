import { idAt } from '../../activity/actor-range.js';
import { MAX_NEW, StreamPosition } from './stream-position.js';

const NOW = 1_900_000_000_000;
const row = (ms: number) => ({ seq: idAt(new Date(NOW + ms)) });
const hex = (ms: number): string => row(ms).seq.toHexString();
const idsOf = (taken: { id: string }[]): string[] => taken.map(({ id }) => id);

describe('StreamPosition', () => {
  it('gives each row once, oldest first, with the position after it', () => {
    const position = new StreamPosition(hex(0));

    expect(idsOf(position.take([row(2_000), row(1_000)]))).toEqual([hex(1_000), hex(2_000)]);

    expect(idsOf(position.take([row(3_000), row(2_000), row(1_000)]))).toEqual([hex(3_000)]);
  });

  it('gives a row that was committed after later ones, and does not move back', () => {
    const position = new StreamPosition(hex(0));
    position.take([row(60_000)]);

    expect(position.since.toHexString() < hex(-4_000)).toBe(true);
    expect(idsOf(position.take([row(60_000), row(-4_000)]))).toEqual([hex(60_000)]);
  });

  it('reads the 65 s before it again', () => {
    const position = new StreamPosition(hex(0));

    expect(position.since.toHexString()).toBe(hex(-65_000));
  });

  it('skips rows without giving them later', () => {
    const position = new StreamPosition(hex(0));
    const rows = [row(2_000), row(1_000)];

    position.skip(rows);

    expect(position.id).toBe(hex(2_000));
    expect(position.take(rows)).toEqual([]);
  });

  it('does not read too many rows a second time', () => {
    const position = new StreamPosition(hex(0));
    const rows = Array.from({ length: MAX_NEW + 1 }, (_, at) => row(1_000 - at));

    position.skip(rows);

    expect(position.since.toHexString()).toBe(hex(1_000));
  });

  it('is recent for a day, and not in the future', () => {
    const at = (seconds: number) => new StreamPosition(idAt(new Date(Date.now() + seconds * 1_000)).toHexString());

    expect([-86_500, -86_300, 0, 60, 3_600].map((seconds) => at(seconds).isRecent)).toEqual([
      ...[false, true, true, true],
      false,
    ]);
  });
});
