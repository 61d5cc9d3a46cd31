import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchmarkContext } from '../context.js';
import { MemoryGroup } from '../harness/memory-group.js';
import { readTreeUsage } from '../harness/process-tree.js';
import { round } from '../harness/results.js';
import { specOf } from './dialects.js';
import { runBeside } from './hot-reads.js';
import { untilDone } from './publish.js';
import type { Suite } from './suite.js';
import { COUNTING } from './writes.js';

const NAME = 'imports';
const POSTS = 10_000;
const QUICK_POSTS = 100;
/** An account has at most 5,000 imported drafts. */
const DRAFTS = 5_000;
const PARAGRAPHS = 10;
const POLL_MS = 200;
const MOST = { peakMiB: 300, seconds: 600 };
const MIB = 2 ** 20;

type Import = { id: string; state: string; failure: string | null; counts: { read: number; drafts: number } };

export const IMPORTS: Suite = {
  name: NAME,
  title: 'Reads beside the import of an archive',
  question: `Hot reads (open loop) of a server of one process in a container of 1 GiB, alone and beside the import of an XML of WordPress with ${POSTS.toLocaleString('en')} posts over HTTP, of which an account keeps ${DRAFTS.toLocaleString('en')} drafts. \`peakMiB\`: resident memory during the import; \`seconds\`: until its drafts exist.`,
  async run(context) {
    const dataset = await context.dataset();
    const users = await dataset.users(context.options.runs);
    const posts = context.options.isQuick ? QUICK_POSTS : POSTS;
    const archive = wxr(posts);
    context.progress.line(`${NAME}            an archive of ${(archive.size / 1e6).toFixed(0)} MB`);
    let [url, pid, runs] = ['', 0, 0];
    const figures = { peakMiB: 0, seconds: 0 };
    const importBeside = async (): Promise<() => Promise<void>> => {
      const authorization = `Bearer ${context.tokenOf(users[runs++]!.id)}`;
      const startedAt = performance.now();
      const { id } = await send(url, '', { method: 'POST', headers: { authorization }, body: formOf(archive) });
      const done = untilReady(url, id, authorization, () => {
        figures.peakMiB = Math.max(figures.peakMiB, round(readTreeUsage(pid).residentBytes / MIB, 0));
      });
      // The caller reports the error below.
      done.catch(() => undefined);
      return async () => {
        const { counts } = await done;
        figures.seconds = Math.max(figures.seconds, round((performance.now() - startedAt) / 1_000, 1));
        if (counts.read < posts || counts.drafts < Math.min(posts, DRAFTS))
          throw new Error(`the import has read ${counts.read} posts and made ${counts.drafts} drafts`);
        await fetch(`${url}/v1/users/me/imports/${id}`, { method: 'DELETE', headers: { authorization } });
        await untilDone(dataset);
      };
    };
    // V8 collects the less garbage the more memory it may use.
    const memory = MemoryGroup.create(1_024 * MIB);
    try {
      const results = await runBeside(context, dataset, {
        suite: NAME,
        spec: () => specOf('product', dataset, { workers: 1, env: COUNTING, memory }),
        prepare: (running) => Promise.resolve(void ([url, pid] = [running.url, running.pid!])),
        beside: { beside: importBeside, isCpuShared: true },
      });
      for (const result of results)
        if (result.subject === 'product@storm') result.extra = { ...result.extra, ...figures };
    } finally {
      await context.subjects.keepOnly([]);
      memory.delete();
    }
    if (!context.options.isQuick) check(context, figures);
  },
};

function check(context: BenchmarkContext, figures: typeof MOST): void {
  for (const name of ['peakMiB', 'seconds'] as const)
    if (figures[name] > MOST[name])
      context.fail({
        ...{ suite: NAME, subject: 'product@storm' },
        problem: `${name} is ${figures[name]}, at most ${MOST[name]} are expected`,
      });
}

/** Returns an export of WordPress whose posts have paragraphs, links and a list each. */
function wxr(posts: number): Blob {
  const items = Array.from({ length: posts }, (_, at) => {
    const paragraph = `The <em>engine</em> of part ${at} weaves <a href="/${at - 1}/">algebraical patterns</a>, just as the loom weaves flowers and leaves. It has no pretensions to originate anything; it can do whatever we know how to order it to perform.`;
    const content = `<p>${Array(PARAGRAPHS).fill(paragraph).join('</p>\n<p>')}</p>\n<ul><li>first</li><li>second</li></ul>`;
    return `<item><title>Part ${at}</title><link>https://blog.example.org/${at}/</link><guid>https://blog.example.org/?p=${at}</guid><content:encoded><![CDATA[${content}]]></content:encoded><wp:post_id>${at}</wp:post_id><wp:post_date_gmt>${new Date(1.2e12 + 3.6e6 * at).toISOString().slice(0, 19).replace('T', ' ')}</wp:post_date_gmt><wp:status>publish</wp:status><wp:post_type>post</wp:post_type><category domain="post_tag"><![CDATA[engines]]></category></item>\n`;
  });
  const head =
    '<?xml version="1.0"?>\n<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel>\n';
  return new Blob([head, ...items, '</channel></rss>\n']);
}

function formOf(archive: Blob): FormData {
  const form = new FormData();
  form.set('file', archive, 'blog.xml');
  return form;
}

async function send(url: string, path: string, init: RequestInit): Promise<Import> {
  const response = await fetch(`${url}/v1/users/me/imports${path}`, init);
  const body = await response.text();
  if (!response.ok) throw new Error(`the import was answered ${response.status}: ${body.slice(0, 200)}`);
  return JSON.parse(body) as Import;
}

async function untilReady(url: string, id: string, authorization: string, sample: () => void): Promise<Import> {
  for (;;) {
    sample();
    const found = await send(url, `/${id}`, { headers: { authorization } });
    if (found.state === 'ready') return found;
    if (found.state === 'failed') throw new Error(`the import has failed: ${found.failure}`);
    await sleep(POLL_MS);
  }
}
