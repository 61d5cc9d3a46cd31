import { EXAMPLE } from '../../src/common/examples.js';

const PARTS = [
  'The Analytical Engine weaves *algebraic patterns* just as the Jacquard loom weaves flowers and leaves.',
  '## The store and the mill\n\n| part | holds |\n| --- | --- |\n| store | numbers of fifty digits |\n| mill | what is computed of them |',
  '## A loop\n\nThe sum of the first $n$ squares is\n\n$$\n\\frac{n(n+1)(2n+1)}{6}\n$$\n\n```js\nlet sum = 0;\nfor (let n = 1; n <= 10; n++) sum += n * n;\n```',
  '## What it does not do\n\nIt has no pretensions to *originate* anything. It can do whatever we know how to order it to perform.\n\nWith thanks to @demo_reader.',
];

/** Rows of the accounts that the text mentions. */
export const EXAMPLE_MENTIONS = [1];

/** Returns the text at a version, from 1 on. Each version adds a part. */
export const exampleText = (version: number): string => PARTS.slice(0, version).join('\n\n');

export const EXAMPLE_POST = {
  title: EXAMPLE.postTitle,
  subtitle: 'What it can do, and what it cannot',
  tags: [EXAMPLE.tag, 'history'] as string[],
  markdown: exampleText(PARTS.length),
};
