import { ARTICLES } from './articles.js';
import type { DemoPost, DemoSeries } from './demo-post.js';
import { FICTION } from './fiction.js';
import { NOTES } from './notes.js';
import { IN_OTHER_LANGUAGES } from './other-languages.js';
import { PAPERS } from './papers.js';
import { RIVER_LETTERS } from './river-letters.js';

/** Takes one of each list at a time, so that neighbors differ. */
function alternate(lists: readonly (readonly DemoPost[])[]): DemoPost[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

/** Posts of the demo accounts, older first. A small dataset has the first ones. */
export const DEMO_POSTS: readonly DemoPost[] = [
  ...RIVER_LETTERS,
  ...alternate([PAPERS, ARTICLES, FICTION, NOTES, IN_OTHER_LANGUAGES]),
];

export type { DemoPost, DemoSeries };
