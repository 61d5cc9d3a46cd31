import { createDataset } from '../dataset.js';
import { decompressBody } from '../../src/rendering/body-codec.js';
import type { ReadText } from '../../src/rendering/rendered-html.js';

/** Words that occur in every English text, and small numbers. */
const FUNCTION_WORDS = new Set(
  'a about after again all also although among an and another any anyone are as at be because been before between both but by can could did do does each eight even ever every far few first five for four from had has have how if in is it its last least like many may me more most much must my neither never next nine no none nor not of off often old on once one ones only or other others our over own per same seven should since six so some still such ten than that the their them then there these they this those though three through to too toward two under unless until up us was we were what when where which while who why will with without would year years you your'.split(
    ' ',
  ),
);
/** Words of the formulas and the code in the dataset. */
const FORMULAS_AND_CODE = new Set(['frac', 'data']);
const POSTS = 100_000;
/** Every fortieth post. */
const SAMPLE = 2_500;
// Without spaces between words a whole sentence would count as one word.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

type Uses = { total: number; posts: number };

describe('the words of a large dataset', () => {
  const uses = new Map<string, Uses>();
  const scripts = { Latin: 0, Cyrillic: 0, Arabic: 0, Devanagari: 0, Han: 0, Hangul: 0, Hiragana: 0 };

  beforeAll(() => {
    // Has people of all languages, and only rows that are part of a post.
    const sizes = { posts: POSTS, comments: 0, interactions: 0, follows: 0 };
    const dataset = createDataset({ profile: 'small', seed: 1, now: new Date('2025-06-01T12:00:00Z'), sizes });
    for (let at = 0; at < SAMPLE; at++) {
      const { card, body } = dataset.writePost(Math.floor((at * POSTS) / SAMPLE));
      const { rawLength, bytes } = body.text;
      const read = JSON.parse(decompressBody({ codec: body.codec, rawLength, bytes: bytes.value() })) as ReadText;
      const text = `${card.title} ${read.text}`;
      for (const script of Object.keys(scripts) as (keyof typeof scripts)[])
        if (new RegExp(`\\p{Script=${script}}`, 'u').test(text)) scripts[script]++;
      const seen = new Set<string>();
      for (const [word] of text.toLowerCase().matchAll(/\p{L}[\p{L}\p{M}]+/gu)) {
        if (UNSPACED.test(word)) continue;
        let use = uses.get(word);
        if (use === undefined) uses.set(word, (use = { total: 0, posts: 0 }));
        use.total++;
        if (!seen.has(word)) use.posts++;
        seen.add(word);
      }
    }
  });

  it('are 30,000 and more', () => {
    expect(uses.size).toBeGreaterThan(30_000);
  });

  it('characterize a post: none of them is in more than a third of the posts', () => {
    const expected = new Set([...FUNCTION_WORDS, ...FORMULAS_AND_CODE]);
    const common = [...uses].filter(([word, { posts }]) => !expected.has(word) && posts > SAMPLE / 3);
    expect(common).toEqual([]);
  });

  it("are used as Zipf's law has it: the word of rank r about one r-th as often as the first", () => {
    const totals = [...uses.values()].map(({ total }) => total).sort((a, b) => b - a);
    // Ranks are as far apart as their logarithms, so that the many rare words weigh no more than the few common ones.
    const points: [x: number, y: number][] = [];
    for (let rank = 10; rank < 20_000; rank *= 1.2)
      points.push([Math.log(rank), Math.log(totals[Math.round(rank) - 1]!)]);
    const slope = slopeOf(points);
    expect(slope).toBeGreaterThan(-1.2);
    expect(slope).toBeLessThan(-0.85);
    expect(correlation(points)).toBeLessThan(-0.98);
  });

  it('are written in several scripts', () => {
    for (const [script, posts] of Object.entries(scripts)) expect([script, posts > 0]).toEqual([script, true]);
  });
});

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function moments(points: [number, number][]) {
  const [mx, my] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  return {
    xx: mean(points.map(([x]) => (x - mx) ** 2)),
    yy: mean(points.map(([, y]) => (y - my) ** 2)),
    xy: mean(points.map(([x, y]) => (x - mx) * (y - my))),
  };
}

function slopeOf(points: [number, number][]): number {
  const { xx, xy } = moments(points);
  return xy / xx;
}

function correlation(points: [number, number][]): number {
  const { xx, yy, xy } = moments(points);
  return xy / Math.sqrt(xx * yy);
}
