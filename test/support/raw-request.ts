import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decompress } from '@cloudpss/zstd';
import type { Answer } from './client.js';

export type RawRequest = {
  method: string;
  /** Sent unchanged, without the normalization of a URL. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
};

/** Sends requests that fetch would normalize or refuse. `agent.destroy()` closes the kept connections. */
export class RawClient {
  readonly agent = new Agent({ keepAlive: true, maxSockets: 32 });

  constructor(private readonly url: string) {}

  send({ method, path, headers = {}, body }: RawRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sized = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const { hostname, port } = new URL(this.url);
      const options = { hostname, port, method, path, headers: { ...sized, ...headers }, agent: this.agent };
      const outgoing = request(options, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        const end = (): void => {
          const answered = new Headers();
          for (let at = 0; at < incoming.rawHeaders.length; at += 2)
            answered.append(incoming.rawHeaders[at]!, incoming.rawHeaders[at + 1]!);
          try {
            const text = decoded(Buffer.concat(chunks), answered.get('content-encoding'));
            const isJson = /^application\/(?:[\w.-]+\+)?json/.test(answered.get('content-type') ?? '');
            const body = isJson && text !== '' ? JSON.parse(text) : text;
            resolve({ status: incoming.statusCode!, headers: answered, body });
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        };
        incoming.on('end', end);
        if (!incoming.headers['content-type']?.startsWith('text/event-stream')) return;
        // A stream of events has no end.
        end();
        outgoing.destroy();
      });
      // The server may respond and close before it has read a body that it rejects.
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

function decoded(bytes: Buffer, encoding: string | null): string {
  if (bytes.length === 0 || encoding === null) return bytes.toString();
  if (encoding === 'gzip') return gunzipSync(bytes).toString();
  if (encoding === 'br') return brotliDecompressSync(bytes).toString();
  if (encoding === 'zstd') return Buffer.from(decompress(bytes)).toString();
  throw new Error(`no way to read ${encoding}`);
}
