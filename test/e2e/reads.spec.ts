import { type Binary, ObjectId } from 'mongodb';
import { describeApi } from '../../src/api-document.js';
import { EXAMPLE } from '../../src/common/examples.js';
import { notificationId } from '../../src/notifications/notification-id.js';
import { indexAll, useApp } from '../support/app.js';
import { addressOf, operationsOf } from '../support/openapi.js';

const reads = operationsOf(await describeApi()).filter(({ method }) => method === 'GET');

/** Collections that the server itself writes at any time, or that cache what it can compute again. */
const OF_THE_SERVER = [
  'affinities',
  'events',
  'feed_snapshots',
  'hosts',
  'leases',
  'post_html',
  'process_sessions',
  'tasks',
];
const EXCEPTIONS: Record<string, string> = {
  listAccounts: 'logs that a moderator has read mail addresses',
  getAccount: 'logs that a moderator has read a mail address',
  streamNotifications: 'does not end: test/e2e/notification-streams.spec.ts',
};

/** A GET may be repeated, prefetched and sent by a token that may only read. It must not change what anyone reads later. */
describe('every read of the document', () => {
  const app = useApp({ seeded: 'tiny', search: true, env: { MODERATION_LOG: 'public' } });

  const tokenOf = async (login: string): Promise<string> => {
    const { body } = operationsOf(await describeApi()).find(({ id }) => id === 'login')!;
    const { password } = body!.properties as Record<string, any>;
    const answer = await app.client.post('/v1/auth/login', { body: { login, password: password.example } });
    return answer.body.accessToken;
  };
  const hashes = async (): Promise<Record<string, string>> => {
    const { collections } = await app.db.command({ dbHash: 1 });
    return Object.fromEntries(Object.entries<string>(collections).filter(([name]) => !OF_THE_SERVER.includes(name)));
  };

  it('changes no row, as a visitor, a writer and an admin', async () => {
    await indexAll(app);
    const tokens = [undefined, await tokenOf(EXAMPLE.username), await tokenOf('demo_admin')];
    const accounts = await app.db
      .collection('users')
      .find({ username: /^demo_/ })
      .toArray();
    const nothing = new ObjectId();
    // Groups that show nothing now: of a post without likes, and of a case that is closed or that only moderators may read.
    const groups = accounts.flatMap(({ _id: userId }) =>
      (['like_post', 'mention', 'case', 'new_post'] as const).map((kind) => ({
        _id: notificationId(userId, kind, nothing, nothing),
        ...{ userId, kind, postId: null, seq: new ObjectId(), since: nothing, ownMark: 'none' },
        ...{ createdAt: new Date(), updatedAt: new Date(), expiresAt: new Date(Date.now() + 86_400_000) },
      })),
    );
    await app.db.collection<{ _id: Binary }>('notifications').insertMany(groups);

    // The first read stores the HTML of a comment with it.
    await app.patient.get(`/v1/comments/html?ids=${EXAMPLE.commentId}`);
    const before = await hashes();
    for (const token of tokens)
      for (const operation of reads.filter(({ id }) => !(id in EXCEPTIONS)))
        await app.patient.get(addressOf(operation), { token });

    expect(await hashes()).toEqual(before);
  });
});
