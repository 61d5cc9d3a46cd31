import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describeApi } from '../../src/api-document.js';
import { EXAMPLE } from '../../src/common/examples.js';
import { signUp } from '../support/accounts.js';
import { loopBusyMs } from '../support/busy-time.js';
import { type Operation, operationsOf } from '../support/openapi.js';
import { RawClient, type RawRequest } from '../support/raw-request.js';
import { publish, useServer } from '../support/server.js';
import { until } from '../support/until.js';
import { addressFields, bodyFields, type Field, headerField, oddBodies } from './hostile-fields.js';
import type { HostileText } from './hostile-texts.js';
import { validRequest } from './valid-request.js';

const BOUND_MS = 250;
/** Linear work on a text this long takes a millisecond, so that superlinear work is visible. */
const SHORT = 64_000;
const SHORT_BOUND_MS = 30;
const LIVENESS = { method: 'GET', path: '/health/live' };
const AT_ONCE = 8;
const ATTEMPTS = 15;
const LENGTH_AT_ONCE = 1_000_000;

/** Headers that this code or a library reads, with a valid prefix of their value. */
const HEADERS: Record<string, string> = {
  accept: 'text/html;',
  'accept-encoding': 'gzip;q=0',
  'access-control-request-headers': 'authorization,',
  'access-control-request-method': 'GET',
  authorization: 'Bearer a',
  'cache-control': 'no-cache',
  'content-type': 'application/json;a="',
  cookie: 'a=',
  expect: '100-continue',
  'idempotency-key': 'a',
  'if-match': '"1-',
  'if-modified-since': 'Thu, 01 Jan',
  'if-none-match': 'W/"',
  'if-range': '"',
  'last-event-id': 'a',
  origin: 'https://',
  pragma: 'no-cache',
  range: 'bytes=0-',
  'sec-fetch-site': 'same-origin',
  traceparent: '00-',
  'user-agent': 'Mozilla/5.0 (',
  'x-forwarded-for': '127.0.0.1,',
  'x-request-id': 'a',
};
/** Numbers and words that node itself parses, and a header of responses. */
const OTHERS = ['content-length', 'transfer-encoding', 'upgrade', 'vary'];

/**
 * The event loop is free again after 250 ms for any text in any place; superlinear work would take seconds. The test measures the
 * loop's own time on the request and on a concurrent health check, because wall time includes other specs.
 */
describe('the longest hostile text', () => {
  const served = useServer({
    environment: {
      HTTP_TRUSTED_PROXIES: '127.0.0.1',
      HTTP_CORS_ORIGINS: 'https://example.org',
      HTTP_MAX_IN_FLIGHT: '10000',
    },
  });
  let document: OpenAPIObject;
  let operations: Operation[];
  let valid: Map<string, ReturnType<typeof validRequest>>;
  let raw: RawClient;

  beforeAll(async () => {
    document = await describeApi();
    operations = operationsOf(document).filter(({ path }) => path.startsWith('/v1/'));
    const { client, author, url } = served;
    // With three posts the feed is compressed and served from the response cache.
    const posts = [await publish(served), await publish(served), await publish(served)];
    const { id } = posts[0]!;
    const content = { content: 'Well said.' };
    const comment = await client.post(`/v1/posts/${id}/comments`, { token: author.token, body: content });
    const { username } = await signUp(client);
    const draft = { kind: 'list', title: 'Looms' };
    const list = await client.post('/v1/collections', { token: author.token, body: draft });
    const collection = { collectionId: list.body.id as string, collectionSlug: list.body.slug as string };
    const { id: draftId } = (await client.post('/v1/drafts', { token: author.token, body: { title: 'A draft' } })).body;
    const { notificationId } = EXAMPLE;
    const draftOf = { draftId, notificationId, draftKey: 'x'.repeat(43), version: '1', provider: 'unknown' };
    const commentId = comment.body.id as string;
    const picture = { mediaId: id, mediaKey: `${id}-${'0'.repeat(16)}.jpg` };
    const ids = { id, idOrSlug: id, postId: id, commentId, caseId: `post-${id}`, actionId: id };
    const { webhookId, webhookDeliveryId: deliveryId } = EXAMPLE;
    const target = { ...ids, webhookId, deliveryId, username, ...collection, ...draftOf, ...picture };
    const context = { target, username: author.username, refreshToken: author.refreshToken };
    valid = new Map(operations.map((operation) => [operation.id, validRequest(document, operation, context)]));
    raw = new RawClient(url);
  });
  afterAll(() => raw.agent.destroy());

  it('is sent in every string of the document, and in every header that the code reads', () => {
    const found = operations.flatMap((operation) => [
      ...bodyFields(document, operation, valid.get(operation.id)!),
      ...addressFields(operation, valid.get(operation.id)!),
    ]);
    expect(new Set(found.map(({ name }) => name)).size).toBeGreaterThanOrEqual(countStrings(document));
    const known = [...Object.keys(HEADERS), ...OTHERS];
    expect(headersOfSource().filter((name) => !known.includes(name))).toEqual([]);
  });

  it('blocks the event loop for less than a quarter of a second in a body', async () => {
    const fields = operations.flatMap((operation) => bodyFields(document, operation, valid.get(operation.id)!));
    expect(await slow(fields)).toEqual([]);
  });

  it('blocks it no longer in place of a name, or of the whole body', async () => {
    // All operations parse a body in the same way.
    const posted = operations.find(({ body }) => body !== undefined)!;
    expect(await slow(oddBodies(posted, valid.get(posted.id)!))).toEqual([]);
  });

  it('blocks it no longer in a URL', async () => {
    const fields = operations.flatMap((operation) => addressFields(operation, valid.get(operation.id)!));
    expect(await slow(fields)).toEqual([]);
  });

  it('blocks it no longer in a header, also of a cached response', async () => {
    await served.client.get('/v1/feed');
    const { headers } = await served.client.get('/v1/feed');
    expect(headers.get('x-cache')).toBe('HIT');
    const byId = new Map(operations.map((operation) => [operation.id, operation]));
    // The response cache serves the first operation, and the framework serves the second.
    const plain = ['listFeed', 'votePost'].map((id) => byId.get(id)!);
    const fields = Object.entries(HEADERS).flatMap(([header, prefix]) => {
      const parsed = operations.filter(({ parameters }) =>
        parameters.some(({ name, in: place }) => place === 'header' && name.toLowerCase() === header),
      );
      return [...plain, ...parsed.slice(0, 1)].map((operation) =>
        headerField(operation, valid.get(operation.id)!, header, prefix),
      );
    });
    expect(await slow(fields)).toEqual([]);
  });

  /** Returns the fields with a text that takes longer, and the first such text of each. */
  async function slow(fields: Field[]): Promise<string[]> {
    const found: string[] = [];
    for (const field of fields) {
      for (const batch of inBatches(field.texts())) {
        const fault = await firstSlow(batch, field);
        if (fault === undefined) continue;
        found.push(`${field.name}, ${fault}`);
        break;
      }
    }
    return found;
  }

  /** Sends all texts concurrently. Only if they are slow together, sends each alone. */
  async function firstSlow(texts: HostileText[], { operation, request }: Field): Promise<string | undefined> {
    const cost = (asked: string[]): Promise<number> => loopMsOf(asked.map(request), operation.access !== 'public');
    const boundMs = texts.some(({ text }) => text.length > SHORT) ? BOUND_MS : SHORT_BOUND_MS;
    if ((await cost(texts.map(({ text }) => text))) <= boundMs) return undefined;
    for (const { name, text } of texts) {
      await untilIdle();
      // Each attempt includes the cost of the text. A garbage collection, or CPU taken by the host of this machine (which counts as
      // time spent), occurs only in some attempts.
      let ms = Infinity;
      for (let attempt = 0; attempt < ATTEMPTS && ms > boundMs; attempt++) {
        ms = Math.min(ms, await cost([text + ' '.repeat(attempt)]));
      }
      if (ms > boundMs) return `${name}, ${text.length} characters: ${ms.toFixed()} ms`;
    }
    return undefined;
  }

  /** Returns the event loop time until the requests and a concurrent health check have responses; infinite if one has none. */
  async function loopMsOf(requests: RawRequest[], isSignedIn: boolean): Promise<number> {
    const before = loopBusyMs(served.host.pid);
    // A hit of the response cache has no token.
    const token: Record<string, string> = isSignedIn ? { authorization: `Bearer ${served.author.token}` } : {};
    const asked = requests.map((request) => raw.send({ ...request, headers: { ...token, ...request.headers } }));
    const answers = await Promise.allSettled([...asked, raw.send(LIVENESS)]);
    const spent = loopBusyMs(served.host.pid) - before;
    return answers.every((answer) => answer.status === 'fulfilled' && answer.value.status < 500) ? spent : Infinity;
  }

  /** Waits until the server is idle, so that the rest of a slow request does not count for the next one. */
  async function untilIdle(): Promise<void> {
    const isAnswered = () =>
      raw.send(LIVENESS).then(
        () => true,
        () => null,
      );
    await until(isAnswered);
  }
});

/** Many short texts, or few long ones. */
function* inBatches(texts: HostileText[]): Generator<HostileText[]> {
  let batch: HostileText[] = [];
  let length = 0;
  for (const text of texts) {
    batch.push(text);
    length += text.text.length;
    if (batch.length < AT_ONCE && length < LENGTH_AT_ONCE) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Counts strings in parameters and bodies, in the text of the document. */
function countStrings(document: OpenAPIObject): number {
  const schemas = document.components!.schemas as Record<string, object>;
  const count = (schema: unknown): number => {
    const text = JSON.stringify(schema) ?? '';
    const own = text.match(/"type":\s*(?:"string"|\[[^\]]*"string")/g)?.length ?? 0;
    const others = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
    return others.reduce((sum, [, name]) => sum + count(schemas[name!]), own);
  };
  return operationsOf(document).reduce((sum, { body, parameters }) => {
    return sum + count(body) + count(parameters.filter(({ in: place }) => place !== 'header'));
  }, 0);
}

/** Returns names of request headers, as the sources spell them. */
function headersOfSource(): string[] {
  const root = join(import.meta.dirname, '../../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.spec)\.ts$/.test(name),
  );
  const text = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const headerReads =
    /\bheaders(?:\.(authorization|cookie|expect|origin|upgrade)\b|(?:\[|\()'([a-z-]+)'(?:\]|\))(?! \?*=))/gi;
  return [...new Set([...text.matchAll(headerReads)].map(([, dotted, quoted]) => (dotted ?? quoted)!))];
}
