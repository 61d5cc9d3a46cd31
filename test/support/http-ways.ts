import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { isDeepStrictEqual } from 'node:util';
import { OWN_HEADERS } from './own-headers.js';

/** Headers of the connection, not of the response. `age` changes between two responses. */
const OF_THE_HOP = new Set([...OWN_HEADERS, 'connection', 'keep-alive', 'transfer-encoding', 'server', 'age']);

/** Without a given id, each side generates ids of another form. */
const REQUEST_ID = { 'x-request-id': 'one-for-all' };

export type Answer = { status: number; headers: Record<string, unknown>; body: string };
export type Asked = { method: string; path: string; headers?: Record<string, string>; body?: string };

export const overHttp1 = (
  base: string,
  { method, path, headers, body }: Asked,
  localAddress?: string,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(
      base + path,
      { method, headers: { ...REQUEST_ID, ...headers, ...length }, localAddress, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode!,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString('latin1'),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

export const overHttp2 = (url: string, { method, path, headers, body }: Asked): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const session = connectHttp2(url, { rejectUnauthorized: false });
    session.on('error', reject);
    const stream = session.request({ ...REQUEST_ID, ...headers, ':method': method, ':path': path });
    const chunks: Buffer[] = [];
    let head: Record<string, unknown> = {};
    stream.on('response', (received) => (head = received));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('end', () => {
      session.close();
      resolve({ status: Number(head[':status']), headers: head, body: Buffer.concat(chunks).toString('latin1') });
    });
    stream.end(body);
  });

/** Returns the parts of a response that must not depend on its path through the server. */
export const essence = ({ status, headers, body }: Answer) => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith(':') && !OF_THE_HOP.has(name)),
  ),
  body: body.replace(/"(requestId|id|createdAt|updatedAt)":"[^"]*"/g, '"$1":"its own"'),
});

/** Returns the response after every worker returns the same one, when their caches contain its compressed form. */
export const settled = async (url: string, asked: Asked): Promise<ReturnType<typeof essence>> => {
  let same = 0;
  let last = essence(await overHttp1(url, asked));
  for (let more = 0; same < 40 && more < 1_000; more++) {
    const next = essence(await overHttp1(url, asked));
    same = isDeepStrictEqual(next, last) ? same + 1 : 0;
    last = next;
  }
  return last;
};
