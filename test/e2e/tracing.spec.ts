import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signUp } from '../support/accounts.js';
import { publish, useServer } from '../support/server.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

type Value = { stringValue?: string };
type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
};
type Resource = { attributes: { key: string; value: Value }[] };
type Export = { resourceSpans: { resource: Resource; scopeSpans: { spans: OtlpSpan[] }[] }[] };
type Span = OtlpSpan & { role: string | undefined };

const SPAN_ID = 'b7ad6b7169203331';
const PACKAGE = '@opentelemetry/sdk-trace-base';

const collector = await WebhookReceiver.start();
afterAll(() => collector.stop());

function spansOf(traceId: string): Span[] {
  const exports = collector.at('/v1/traces').map(({ body }) => JSON.parse(body) as Export);
  return exports.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const role = resource.attributes.find(({ key }) => key === 'opencanvas.role')?.value.stringValue;
      const spans = scopeSpans.flatMap((scope) => scope.spans).filter((span) => span.traceId === traceId);
      return spans.map((span) => ({ ...span, role }));
    }),
  );
}

/** Waits until the trace has a span of each name, and returns them by name. */
async function traceWith(traceId: string, ...names: string[]): Promise<Map<string, Span>> {
  const found = await until(
    () => {
      const byName = new Map(spansOf(traceId).map((span) => [span.name, span]));
      return names.every((name) => byName.has(name)) ? byName : null;
    },
    () =>
      `the trace has only: ${spansOf(traceId)
        .map(({ name }) => name)
        .join(', ')}`,
  );
  return found;
}

/** The names from a span up to the one that the client sent. */
function pathOf(span: Span): string[] {
  const parent = spansOf(span.traceId).find(({ spanId }) => spanId === span.parentSpanId);
  if (parent !== undefined) return [span.name, ...pathOf(parent)];
  expect(span.parentSpanId).toBe(SPAN_ID);
  return [span.name];
}

describe('tracing', () => {
  const server = useServer({
    processes: 2,
    jobs: true,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${collector.host}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OUTGOING_ALLOWED_PRIVATE: collector.host,
    },
  });

  async function send(method: string, path: string, traceparent: string, body: object, token = server.author.token) {
    const headers = { traceparent, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) });
    expect(response.status).toBeLessThan(300);
  }

  it('shows a vote from its request to the applied fact, in three processes', async () => {
    const { id } = await publish(server);
    const traceId = '0af7651916cd43dd8448eb211c80319c';

    await send('PUT', `/v1/posts/${id}/vote`, `00-${traceId}-${SPAN_ID}-01`, { value: 'like' });

    const route = 'PUT /v1/posts/:id/vote';
    const handler = 'InteractionsController.votePost';
    const commit = ['commit interactions', 'write interactions', handler, route];
    const spans = await traceWith(
      traceId,
      'apply facts',
      'respond',
      'commit interactions',
      'queue interactions',
      route,
    );
    const shown = [...spans].map(([name, span]) => [name, span.role, ...pathOf(span).slice(1)]);
    expect(shown).toEqual(
      expect.arrayContaining([
        [route, 'web'],
        ['guard', 'web', route],
        [handler, 'web', route],
        ['respond', 'web', route],
        ['write interactions', 'web', handler, route],
        ['queue interactions', 'writer', ...commit.slice(1)],
        ['commit interactions', 'writer', ...commit.slice(1)],
        ['insert interactions', 'writer', ...commit],
        ['insert activity', 'writer', ...commit],
        ['apply facts', 'jobs', ...commit],
        ['delete activity', 'jobs', 'apply facts', ...commit],
      ]),
    );
    const commits = spansOf(traceId).filter(({ name }) => name === 'commitTransaction');
    expect(commits.map(({ role }) => role).sort()).toEqual(['jobs', 'writer']);
    for (const { startTimeUnixNano: start, endTimeUnixNano: end } of spans.values())
      expect(BigInt(end) >= BigInt(start)).toBe(true);
  });

  it('passes a trace on to the webhook of a new comment', async () => {
    const { id } = await publish(server);
    const { token } = server.author;
    const body = { url: `http://${collector.host}/hook`, events: ['comment.created'] };
    expect((await server.client.post('/v1/webhooks', { token, body })).status).toBe(201);
    const traceId = '1af7651916cd43dd8448eb211c80319c';
    const reader = await signUp(server.client);

    const comment = { content: 'A trace.' };
    await send('POST', `/v1/posts/${id}/comments`, `00-${traceId}-${SPAN_ID}-01`, comment, reader.token);

    const { headers } = await until(() => collector.at('/hook')[0]);
    const spans = await traceWith(traceId, 'task webhook.delivery');
    const { spanId } = spans.get('task webhook.delivery')!;
    expect(headers['traceparent']).toBe(`00-${traceId}-${spanId}-01`);
  });

  it('sends nothing of a trace that the client does not sample', async () => {
    const { id } = await publish(server);
    const traceIds = ['2af7651916cd43dd8448eb211c80319c', '3af7651916cd43dd8448eb211c80319c'] as const;

    await send('PUT', `/v1/posts/${id}/vote`, `00-${traceIds[0]}-${SPAN_ID}-00`, { value: 'dislike' });
    await send('PUT', `/v1/posts/${id}/vote`, `00-${traceIds[1]}-${SPAN_ID}-01`, { value: 'like' });

    await traceWith(traceIds[1], 'apply facts');
    expect(spansOf(traceIds[0])).toEqual([]);
  });
});

describe('without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-tracing-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  // Node writes the URLs of all loaded files there when a process exits.
  const server = useServer({ processes: 2, environment: { NODE_V8_COVERAGE: directory } });

  it('no process loads the packages of OpenTelemetry', async () => {
    await publish(server);
    server.host.signal('SIGTERM');
    expect(await server.host.exit()).toBe(0);

    const files = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    expect(files.length).toBeGreaterThanOrEqual(4);
    expect(files.filter((text) => text.includes('/bundle/main.js'))).not.toEqual([]);
    expect(files.filter((text) => text.includes(PACKAGE))).toEqual([]);
  });
});
