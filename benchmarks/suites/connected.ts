import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runContest } from '../harness/contest.js';
import { specOf } from './dialects.js';
import { contenderOf } from './publish.js';
import type { Suite } from './suite.js';
import { COUNTING, voting, WriteLoad, writePlan } from './writes.js';

/** Server settings for an OTLP collector at a host. */
const tracingTo = (host: string, share: string): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://${host}`,
  OTEL_TRACES_SAMPLER_ARG: share,
});

export const TRACING: Suite = {
  name: 'tracing',
  title: 'The price of traces',
  question:
    'Votes on many posts without tracing, with 1 % and with all requests sampled, sent to a collector over HTTP.',
  run: (context) =>
    withSink(async (host) => {
      const dataset = await context.dataset();
      const load = await WriteLoad.prepare(context, dataset);
      const session = Math.floor(Date.now() / 1000) % 1_000_003;
      const settings = {
        product: {},
        'product@1-percent': tracingTo(host, '0.01'),
        'product@all': tracingTo(host, '1'),
      };
      await runContest(context, {
        suite: 'tracing',
        // Two servers on one database would do each other's work.
        isExclusive: true,
        contenders: Object.entries(settings).map(([subject, env]) => ({
          subject,
          spec: () => specOf('product', dataset, { env: { ...COUNTING, ...env } }),
          plan: (_running, run) => writePlan(context, load.requests(voting, Infinity, session + run * 15_485_863)),
        })),
        ratios: ['product@1-percent', 'product@all'].map((subject) => [subject, 'product']),
      });
    }),
};

export const WEBHOOKS: Suite = {
  name: 'webhooks',
  title: 'The price of a webhook',
  question:
    'New posts of authors without followers, and of authors with a webhook each that receives them. CPU is that of all processes.',
  run: (context) =>
    withSink(async (host) => {
      const dataset = await context.dataset();
      const env = { SEARCH: 'off', OUTGOING_ALLOWED_PRIVATE: host };
      const alone = await contenderOf(context, dataset, 'product@alone', 0, env);
      const announced = await contenderOf(context, dataset, 'product@webhook', 0, env, announceTo(host));
      await runContest(context, {
        suite: 'webhooks',
        isExclusive: true,
        hasOwnWarmup: true,
        maxRuns: 2,
        contenders: [alone.contender, announced.contender],
        ratios: [['product@webhook', 'product@alone']],
      });
    }),
};

function announceTo(host: string) {
  return async (url: string, authorization: string): Promise<() => Promise<void>> => {
    const body = JSON.stringify({ url: `http://${host}/`, events: ['post.published'] });
    const headers = { authorization, 'content-type': 'application/json' };
    const created = await fetch(`${url}/v1/webhooks`, { method: 'POST', headers, body });
    if (created.status !== 201) throw new Error(`the webhook was answered ${created.status}: ${await created.text()}`);
    const { id } = (await created.json()) as { id: string };
    return async () => void (await fetch(`${url}/v1/webhooks/${id}`, { method: 'DELETE', headers: { authorization } }));
  };
}

/** Runs with a server that accepts everything. */
async function withSink(run: (host: string) => Promise<void>): Promise<void> {
  const sink = createServer((request, response) => void request.resume().on('end', () => response.end('{}')));
  await new Promise<void>((resolve) => void sink.listen(0, '127.0.0.1', resolve));
  try {
    await run(`127.0.0.1:${(sink.address() as AddressInfo).port}`);
  } finally {
    sink.closeAllConnections();
    sink.close();
  }
}
