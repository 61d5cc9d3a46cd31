import '../../src/app.module.js';
import { dtoRules, type Rule } from './hostile-rules.js';
import { costliest, type HostileText, inBody, longest, pairs, runs } from './hostile-texts.js';

/** Lengths below and above each of the limits, because a rule examines a text within its own limit. */
const LENGTHS = [300, 1_000, 4_000, 30_000];
const LONGEST = 1_000_000;
/** From this time on the test measures the growth of a check. */
const SUSPICIOUS_MS = 20;
/** Four times the text is four times the work, or sixteen times if the work is quadratic. */
const MOST_GROWTH = 8;
const ATTEMPTS = 7;

const rules = dtoRules();

describe('a rule of a DTO', () => {
  it.each(LENGTHS)('does linear work on a hostile text of %d bytes', async (length) => {
    const texts = (size: number): HostileText[] => [...runs(inBody(size)), ...pairs(inBody(size))];

    const found = await overgrown(rules, texts, length);

    expect(found).toEqual([]);
  });

  it('does linear work on the costliest texts of a whole body', async () => {
    const texts = (size: number): HostileText[] => [...longest(inBody(size)), ...costliest(inBody(size))];

    const found = await overgrown(rules, texts, LONGEST);

    expect(found).toEqual([]);
  });

  it('is found in every module', () => {
    expect(rules.length).toBeGreaterThan(40);
  });

  it('is named when its work is quadratic', async () => {
    const squared: Rule = {
      name: 'Quadratic.text',
      check: async ({ length }) => {
        for (let one = 0, steps = 0; one < length; one++) for (let other = 0; other < length; other++) steps += other;
      },
    };

    const found = await overgrown([squared], (size) => runs(inBody(size)).slice(0, 1), 8_000);

    expect(found).toEqual([expect.stringMatching(/^Quadratic\.text, .* grows \d+ times$/)]);
  });
});

/** Returns rules and texts whose work grows faster than the text, from a quarter of the length to all of it. */
async function overgrown(tried: Rule[], texts: (size: number) => HostileText[], size: number): Promise<string[]> {
  const [short, long] = [texts(size / 4), texts(size)];
  const found: string[] = [];
  for (const rule of tried) {
    for (const [at, { name, text }] of long.entries()) {
      // Most texts stay below the bound in the first run. A run on a busy machine is repeated.
      const whole = await shortest(rule, text, SUSPICIOUS_MS);
      if (whole <= SUSPICIOUS_MS) continue;
      const growth = whole / (await shortest(rule, short[at]!.text));
      if (growth > MOST_GROWTH) found.push(`${rule.name}, ${name}, ${text.length}: grows ${growth.toFixed()} times`);
    }
  }
  return found;
}

/** Returns the shortest time of several runs, because a run may be interrupted. A run below `enoughMs` is not repeated. */
async function shortest(rule: Rule, text: string, enoughMs = 0): Promise<number> {
  let shortestMs = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && shortestMs > enoughMs; attempt++)
    shortestMs = Math.min(shortestMs, await millisecondsOf(rule, text));
  return shortestMs;
}

async function millisecondsOf(rule: Rule, text: string): Promise<number> {
  const startedAt = performance.now();
  await rule.check(text);
  return performance.now() - startedAt;
}
