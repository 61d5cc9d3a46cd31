import { ApiError } from './problem.js';
import type { Retries } from './retries.js';
import type { components } from './schema.js';

type Schemas = components['schemas'];

/** An event of `GET /v1/notifications/stream`. A later stream continues after its `id`. */
export type NotificationEvent = { id: string } & (
  | { event: 'notification'; data: Schemas['Notification'] }
  | { event: 'unread'; data: Schemas['Unread'] }
  | { event: 'reset'; data: Record<string, never> }
);

export interface StreamOptions {
  /** Id of the last event of an earlier stream. */
  lastEventId?: string;
  signal?: AbortSignal;
}

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;
type Open = (lastEventId: string | undefined) => Promise<Body>;

const RETRY_MS = 1_000;

export async function* eventsOf(
  open: Open,
  sleep: Retries['sleep'],
  { lastEventId, signal = new AbortController().signal }: StreamOptions,
): AsyncGenerator<NotificationEvent, void, undefined> {
  let retryMs = RETRY_MS;
  for (;;) {
    try {
      for await (const { event, id, data, retry } of blocksOf(await open(lastEventId))) {
        if (retry !== undefined) retryMs = Number(retry);
        if (event === undefined || data === undefined) continue;
        yield { event, id: (lastEventId = id), data: JSON.parse(data) } as NotificationEvent;
      }
    } catch (error) {
      // Continues after a broken connection, or while the server is not available.
      if (signal.aborted || (error instanceof ApiError && error.problem.status < 500)) throw error;
    }
    await sleep(retryMs, signal);
  }
}

/** Yields the fields of each block between empty lines. */
async function* blocksOf(body: Body): AsyncGenerator<Record<string, string | undefined>, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const fields = block.split('\n').map((line) => {
          const at = line.indexOf(': ');
          return [line.slice(0, at), line.slice(at + 2)];
        });
        yield Object.fromEntries(fields) as Record<string, string>;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
