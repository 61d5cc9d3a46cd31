import { type Contender, runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { specOf } from './dialects.js';
import { closedPlan } from './plans.js';
import type { Suite } from './suite.js';
import { COUNTING_ALONE, voting, WriteLoad, writePlan } from './writes.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const HOT_POSTS = 20;
const EDITORS = 100;
/** Characters of a draft's text. */
const DRAFT_LENGTH = 4_000;

const SENTENCE =
  'It is a paragraph of plain words, as most of what people write, and goes on for a line of a screen or so. ';
const PARAGRAPH = SENTENCE.repeat(12);

/** Returns Markdown with a formula every 900 characters, code, a list and a table. @param salt makes the text unique */
export function textOf(length: number, salt: string): string {
  const part = (number: number): string =>
    [
      `## Part ${number} of ${salt}`,
      `The sum $s_{${number}} = \\sum_{i=1}^{${number}} \\frac{i}{x_i}$ is *bounded*, and **every** step of [it](https://example.com/${number}) is shown.`,
      `$$\n\\int_0^{${number}} \\frac{e^{-t}}{1+t^2}\\,dt \\le \\sqrt{\\pi}\n$$`,
      `\`\`\`js\nconst part${number} = values.map((value) => value * ${number});\n\`\`\``,
      `- what is given\n- what is asked for`,
      `| n | value |\n|---|---|\n| ${number} | ${number * number} |`,
      `${PARAGRAPH}\n`,
    ].join('\n\n');
  let text = '';
  for (let number = 1; text.length < length; number++) text += part(number);
  return text.slice(0, length);
}

const AUTOSAVE: Suite = {
  name: 'autosave',
  title: 'Autosave',
  question: `${EDITORS} people write: each save replaces a text of ${DRAFT_LENGTH.toLocaleString('en')} characters, and keeps the one before; beside votes on many posts.`,
  async run(context) {
    const dataset = await context.dataset();
    const spec = () => specOf('product', dataset, { env: COUNTING_ALONE });
    const users = await dataset.users(EDITORS);
    const load = await WriteLoad.prepare(context, dataset);
    const session = Math.floor(Date.now() / 1000) % 1_000_003;
    /** Alternates two texts, because the server does not write a save without a change. */
    const saves = async (url: string, userId: string): Promise<PreparedRequest[]> => {
      const headers = { ...JSON_TYPE, authorization: `Bearer ${context.tokenOf(userId)}` };
      const created = await fetch(`${url}/v1/drafts`, { method: 'POST', headers, body: '{}' });
      const { id } = (await created.json()) as { id: string };
      return ['one', 'two'].map((title) => ({
        method: 'PATCH',
        path: `/v1/drafts/${id}`,
        // Accepts any version, because the generator reads no responses.
        headers: { ...headers, 'if-match': '*' },
        body: JSON.stringify({ title, content: textOf(DRAFT_LENGTH, title) }),
        expect: { status: 200, members: { id, title } },
      }));
    };
    await runContest(context, {
      suite: 'autosave',
      contenders: [
        {
          subject: 'product@vote',
          spec,
          plan: (_running, run) => writePlan(context, load.requests(voting, Infinity, session + run * 15_485_863)),
        },
        {
          subject: 'product@autosave',
          spec,
          plan: async ({ url }) => {
            const lanes = await Promise.all(users.map(({ id }) => saves(url, id)));
            return writePlan(context, lanes);
          },
        },
      ],
      ratios: [['product@autosave', 'product@vote']],
    });
  },
};

const HTML_HOT: Suite = {
  name: 'html-hot',
  title: 'HTML of posts',
  question: `${HOT_POSTS} posts as JSON and as HTML, all of it cached.`,
  async run(context) {
    const dataset = await context.dataset();
    const { posts } = await dataset.productOrder();
    const spec = () => specOf('product', dataset);
    const contender = (subject: string, end: string): Contender => ({
      subject,
      spec,
      plan: async ({ url }) => {
        const paths = posts.slice(0, HOT_POSTS).map(({ id }) => `/v1/posts/${id}${end}`);
        // Sequential, because the first read of a post renders its HTML.
        for (const path of paths) await (await fetch(url + path)).arrayBuffer();
        return closedPlan(
          context,
          paths.map((path) => ({ method: 'GET', path, expect: { status: 200 } })),
        );
      },
    });
    await runContest(context, {
      suite: 'html-hot',
      contenders: [
        contender('product@post', ''),
        contender('product@content', '/content'),
        contender('product@html', '/html'),
      ],
      ratios: [
        ['product@html', 'product@post'],
        ['product@html', 'product@content'],
      ],
    });
  },
};

export const WRITING_SUITES: Suite[] = [HTML_HOT, AUTOSAVE];
