import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request as requestByHttp, type IncomingMessage } from 'node:http';
import { request as requestByHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { CodedError } from '../common/errors.js';
import type { AppConfig } from '../config/app-config.js';
import { MediaFiles } from './media-files.js';

type S3Options = NonNullable<AppConfig['media']['s3']>;
type S3Request = {
  method: string;
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  path?: string;
};

const TRIES = 4;
const FIRST_WAIT_MS = 100;
/** A request that transfers no byte for this time fails. With retries, a response takes at most 10 s. */
const TIMEOUT_MS = 8_000;
const RETRY_WITHIN_MS = 1_500;
const PAGE = 1_000;

/** Stores files in an S3 bucket, addressed by path. Retries failed requests for 1.5 s, then throws `media_unavailable`. */
export class S3MediaFiles extends MediaFiles {
  constructor(
    private readonly options: S3Options,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    super();
  }

  async put(key: string, path: string, type: string): Promise<void> {
    const { size } = await stat(path);
    const headers = { 'content-type': type, 'content-length': String(size) };
    await text(await this.request({ method: 'PUT', key, path, headers }, [200]));
  }

  async open(key: string, { start, end }: { start?: number; end?: number }): Promise<Readable> {
    const isPart = start !== undefined && end !== undefined;
    const headers: Record<string, string> = isPart ? { range: `bytes=${start}-${end - 1}` } : {};
    return this.request({ method: 'GET', key, headers }, [200, 206]);
  }

  async delete(key: string): Promise<void> {
    await text(await this.request({ method: 'DELETE', key }, [200, 204, 404]));
  }

  async findLength(key: string): Promise<number | null> {
    const response = await this.request({ method: 'HEAD', key }, [200, 404]);
    response.resume();
    return response.statusCode === 404 ? null : Number(response.headers['content-length']);
  }

  async *keys(): AsyncGenerator<string, void, undefined> {
    for (let after = ''; ;) {
      const query = { 'list-type': '2', 'max-keys': String(PAGE), ...(after === '' ? {} : { 'start-after': after }) };
      const page = await text(await this.request({ method: 'GET', query }, [200]));
      // Keys contain no characters that XML escapes.
      const keys = [...page.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => key!);
      yield* keys;
      if (keys.length < PAGE) return;
      after = keys.at(-1)!;
    }
  }

  /** Rejects if the bucket is unreachable, unknown, or forbidden for these credentials. */
  async probe(): Promise<void> {
    (await this.request({ method: 'HEAD' }, [200])).resume();
  }

  private async request(request: S3Request, expected: number[]): Promise<IncomingMessage> {
    const startedAt = performance.now();
    for (let attempt = 1; ; attempt++) {
      const response = await this.send(request).catch((error: unknown) => String(error));
      if (typeof response !== 'string' && expected.includes(response.statusCode!)) return response;
      const isLasting = typeof response !== 'string' && response.statusCode! < 500 && response.statusCode !== 429;
      const isLate = attempt === TRIES || performance.now() - startedAt > RETRY_WITHIN_MS;
      const reason =
        typeof response === 'string' ? response : `${response.statusCode} ${(await text(response)).slice(0, 200)}`;
      const failure = new Error(`${request.method} ${request.key ?? 'of the bucket'}: ${reason}`);
      if (isLasting) throw failure;
      if (isLate) throw mediaUnavailable(failure);
      await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + Math.random()));
    }
  }

  private async send({ method, key = '', query = {}, headers = {}, path }: S3Request): Promise<IncomingMessage> {
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = this.options;
    const url = new URL(`${endpoint}/${bucket}/${key}?${new URLSearchParams(query).toString()}`);
    // The signature excludes the body, because signing would read the file twice.
    const signer = new AwsV4Signer({
      ...{ method, url: url.href, headers, region, accessKeyId, secretAccessKey },
      service: 's3',
    });
    const signed = await signer.sign();
    const send = url.protocol === 'https:' ? requestByHttps : requestByHttp;
    const request = send(url, { method, headers: Object.fromEntries(signed.headers), timeout: this.timeoutMs });
    const response = new Promise<IncomingMessage>((resolve, reject) =>
      request.once('response', resolve).once('error', reject),
    );
    let received: IncomingMessage | undefined;
    request.once('response', (message) => (received = message));
    request.on('timeout', () => {
      // Received data may wait for the reader, which has its own timeout.
      if (received !== undefined && received.readableLength > 0) return;
      request.destroy(new Error('no response in time'));
    });
    if (path === undefined) request.end();
    else await Promise.all([response, pipeline(createReadStream(path), request)]);
    return response;
  }
}

function mediaUnavailable(cause: Error): CodedError {
  const detail = 'The image storage does not respond. Try again in a moment.';
  return new CodedError('media_unavailable', detail, { retryAfterSeconds: 5, cause });
}
