import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { signUp } from '../accounts.js';
import { scale } from '../scale.js';
import { untilNone } from '../until.js';
import type { WebhookReceiver } from '../webhook-receiver.js';
import type { KillCase } from './kill-during.js';

const RETRY_MS = 200;
/** Longer than a commit, so that kills meet attempts. */
const RESPONSE_MS = 100;
const WRITERS = 4;

/** @param receiver its host is in OUTGOING_ALLOWED_PRIVATE of the server */
export function webhooksKilled(receiver: WebhookReceiver): KillCase {
  return {
    name: 'the jobs process and the writer while events are delivered: each arrives under one id, and none is lost',
    kills: Array.from({ length: scale('webhookKills') }, (_, at) => (at % 3 === 2 ? 'writer' : 'jobs')),
    of: async ({ client, db }) => {
      const [author, reader] = [await signUp(client), await signUp(client)];
      const events = ['post.published', 'comment.created'];
      const url = `http://${receiver.host}/killed`;
      const made = await client.post('/v1/webhooks', { token: author.token, body: { url, events } });
      expect(made.status).toBe(201);
      receiver.on('/killed', (response) => void setTimeout(() => response.writeHead(204).end(), RESPONSE_MS));
      let receivedAtKill = 0;
      let written = 0;

      /** Sends a write again until it is acknowledged. A repeated one may create another row, which also has an event. */
      const send = async (path: string, token: string, body: object): Promise<string> => {
        for (;;) {
          const answer = await client.post(path, { token, body }).catch(() => null);
          if (answer?.status === 201) return answer.body.id;
          await sleep(RETRY_MS);
        }
      };
      const writeBoth = async (): Promise<void> => {
        const post = { title: 'Looms', content: 'The engine weaves patterns.', type: 'article' };
        const id = await send('/v1/posts', author.token, post);
        await send(`/v1/posts/${id}/comments`, reader.token, { content: 'Read.' });
        written += 2;
      };
      const waiting = () => db.collection('webhook_deliveries').countDocuments({ state: 'waiting' });
      return {
        work: async (isOver) => {
          const write = async (): Promise<void> => {
            while (!isOver() || written < scale('webhookEvents')) await writeBoth();
          };
          await Promise.all(Array.from({ length: WRITERS }, write));
        },
        until: async () => {
          if (receiver.received.length === receivedAtKill || (await waiting()) === 0) return false;
          receivedAtKill = receiver.received.length;
          return true;
        },
        check: async () => {
          await untilNone(() => db.collection('activity').countDocuments(), 'rows of facts');
          await untilNone(() => db.collection('tasks').countDocuments({ topic: 'post.listed' }), 'announcements');
          // A delivery that met several kills would wait for minutes.
          const now = { $set: { runAt: new Date() } };
          await db.collection('tasks').updateMany({ topic: 'webhook.delivery' }, now);
          await untilNone(waiting, 'deliveries');
          const idsOf = new Map<string, Set<string>>();
          for (const { headers, body } of receiver.at('/killed')) {
            const { type, data } = JSON.parse(body);
            const key = `${type} ${data.id}`;
            idsOf.set(key, (idsOf.get(key) ?? new Set()).add(headers['webhook-id'] as string));
          }
          const posts = await db.collection('posts').distinct('_id', { authorId: new ObjectId(author.id) });
          const comments = await db.collection('comments').distinct('_id', { postId: { $in: posts } });
          const expected = [
            ...posts.map((id) => `post.published ${String(id)}`),
            ...comments.map((id) => `comment.created ${String(id)}`),
          ];
          expect([...idsOf.keys()].sort()).toEqual(expected.sort());
          expect([...idsOf].filter(([, ids]) => ids.size !== 1)).toEqual([]);
        },
      };
    },
  };
}
