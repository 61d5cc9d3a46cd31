import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the violations of accessibility rules that axe finds on a page, with the HTML of their elements. */
export async function axeProblems(page: Page): Promise<{ id: string; html: string[] }[]> {
  // A transition of colors has other contrasts.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(AXE);
  return page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, html: nodes.map((n) => n.html) })))`,
  );
}
