import { ActivityProcessorService } from '../../src/activity/activity-processor.service.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import type { TestApp } from './app.js';
import type { Answer } from './client.js';
import { WAIT_MS } from './until.js';

/** An account that sends requests; null or undefined is a visitor. */
export type Sender = { token: string } | null | undefined;

/** What most specs do with an app. Paths are below /v1. */
export function verbsOf(app: Pick<TestApp, 'client'>) {
  const send = (by: Sender, method: string, path: string, body?: object, headers?: Record<string, string>) =>
    app.client.request(method, `/v1/${path}`, { token: by?.token, body, headers });

  /** Returns the body of the response. @throws an error for a status from 300 */
  const ok = async (...request: Parameters<typeof send>): Promise<any> => {
    const { status, body } = await send(...request);
    if (status >= 300) throw new Error(`${request[1]} ${request[2]}: ${status} ${JSON.stringify(body)}`);
    return body;
  };

  /** Moderates; without other `fields` because of spam. */
  const act = (
    by: Sender,
    kind: string,
    targetKind: string,
    targetId: string,
    fields: object = {},
    headers?: Record<string, string>,
  ): Promise<Answer> => {
    const body = { kind, targetKind, targetId, reasonCode: 'spam', publicReason: 'An advertisement.', ...fields };
    return send(by, 'POST', 'moderation/actions', body, headers);
  };

  /** Returns the rows of all pages of a list. Each page except the last must be full, and link to the next. */
  const walk = async (path: string, limit: number, by?: Sender): Promise<any[]> => {
    const rows: any[] = [];
    for (let cursor = ''; ;) {
      const query = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`;
      const { status, body, headers } = await send(by, 'GET', `${path}${query}`);
      expect(status).toBe(200);
      rows.push(...body.data);
      const { nextCursor } = body.page;
      expect(headers.get('link')?.includes('rel="next"') ?? false).toBe(nextCursor !== null);
      if (nextCursor === null) return rows;
      expect(body.data).toHaveLength(limit);
      cursor = `&cursor=${nextCursor}`;
    }
  };

  return { send, ok, act, walk };
}

export const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);

/** Resolves when all recorded activity has become notifications. */
export function drainActivity({ app }: Pick<TestApp, 'app'>): Promise<void> {
  return app.get(ActivityProcessorService).drain(AbortSignal.timeout(WAIT_MS));
}

/** Resolves when all due tasks have run. */
export async function drainTasks({ app }: Pick<TestApp, 'app'>): Promise<void> {
  await app.get(TaskWorker).drain(AbortSignal.timeout(WAIT_MS));
}
