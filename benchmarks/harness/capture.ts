import { Agent, request as httpRequest } from 'node:http';
import { sha256 } from './response-check.js';
import type { Expectation, PreparedRequest } from './load-plan.js';
import type { CapturedAnswer } from '../peers/node-http.js';

export type Answer = { status: number; rawHeaders: string[]; body: Buffer };

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/** Sends one request like the load generator: only Host, Connection and the headers of the request. */
export function exchange(url: string, prepared: Omit<PreparedRequest, 'expect'>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const { method, path, body } = prepared;
    const headers = { ...prepared.headers, ...(body ? { 'content-length': Buffer.byteLength(body) } : {}) };
    const request = httpRequest({ agent, hostname, port, method, path, headers, timeout: 60_000 }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, rawHeaders: response.rawHeaders, body: Buffer.concat(chunks) }),
      );
    });
    request.once('timeout', () => request.destroy(new Error(`${method} ${path}: no answer within 60 s`)));
    request.once('error', (error: NodeJS.ErrnoException) => {
      // The server may close a kept connection at this moment, mostly after a long pause of this process.
      const isStale = request.reusedSocket && error.code === 'ECONNRESET' && method === 'GET';
      if (isStale) resolve(exchange(url, prepared));
      else reject(error);
    });
    request.end(body);
  });
}

/** Headers that Node writes itself, also for the bare server. */
const WRITTEN_BY_NODE = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** Captures the server's warm responses to the paths, so that `node-http` can write the same bytes. */
export async function captureAnswers(url: string, paths: string[]): Promise<CapturedAnswer[]> {
  const captured: CapturedAnswer[] = [];
  for (const path of paths) {
    // The second response is a cache hit.
    await exchange(url, { method: 'GET', path });
    const { status, rawHeaders, body } = await exchange(url, { method: 'GET', path });
    if (status !== 200)
      throw new Error(`GET ${path} answered ${status} while it was captured: ${body.toString().slice(0, 200)}`);
    const headers: string[] = [];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      if (!WRITTEN_BY_NODE.has(rawHeaders[at]!.toLowerCase())) headers.push(rawHeaders[at]!, rawHeaders[at + 1]!);
    }
    captured.push({ path, status, headers, bodyBase64: body.toString('base64') });
  }
  return captured;
}

/** Returns an expectation of exactly these bytes. */
export function expectSame(body: Buffer): Expectation {
  return { status: 200, body: { bytes: body.length, sha256: sha256(body) } };
}
