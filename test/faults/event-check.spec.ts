import { ObjectId } from 'mongodb';
import { eventId, windowEnd } from '../../src/views/event-keys.js';
import { POST_EVENTS, type RecentPostEvent } from '../../src/views/post-event.schema.js';
import { useDatabase } from '../support/mongo.js';
import { TOKEN_SECRET } from './suite/cast.js';
import { checkEvents, EVENT_WINDOW_HOURS } from './suite/event-check.js';
import { Ledger } from './suite/ledger.js';
import type { Verdict } from './suite/ledger-check.js';

/** A check without findings would let the server lose everything. */
describe('the check of events', () => {
  const database = useDatabase();
  const [userId, postId] = [new ObjectId().toHexString(), new ObjectId()];
  const window = windowEnd(Date.now(), EVENT_WINDOW_HOURS);

  const store = async (rows: { viewer: string }[], viewsCount: number): Promise<void> => {
    await database.db.collection('posts').deleteMany({});
    await database.db.collection(POST_EVENTS).deleteMany({});
    await database.db.collection('posts').insertOne({ _id: postId, stats: { viewsCount } });
    const documents = rows.map(({ viewer }): RecentPostEvent => {
      const _id = eventId(`events:${TOKEN_SECRET}`, `u:${viewer}`, postId, 'view', window);
      return { _id, postId, kind: 'view', at: new Date() };
    });
    if (documents.length > 0) await database.db.collection<RecentPostEvent>(POST_EVENTS).insertMany(documents);
  };
  const verdictOf = async (isAcknowledged: boolean): Promise<Verdict> => {
    const ledger = new Ledger();
    ledger.event(userId, postId.toHexString(), 'view', window).isAcknowledged = isAcknowledged;
    const verdict: Verdict = { checked: 0, lost: [], duplicated: [] };
    await checkEvents(database.db, ledger, verdict);
    return verdict;
  };

  it('is content with a row and a count of one', async () => {
    await store([{ viewer: userId }], 1);
    expect(await verdictOf(true)).toEqual({ checked: 1, lost: [], duplicated: [] });
  });

  it('misses an acknowledged event in the rows and in the counter', async () => {
    await store([], 0);
    const { lost } = await verdictOf(true);
    expect(lost).toHaveLength(2);
    expect((await verdictOf(false)).lost).toEqual([]);
  });

  it('detects an event that was counted twice, and one that was never sent', async () => {
    await store([{ viewer: userId }, { viewer: new ObjectId().toHexString() }], 2);
    const { duplicated } = await verdictOf(true);
    expect(duplicated).toEqual([
      '1 events that nobody sent',
      expect.stringMatching(/has 2 views; 1 were acknowledged, 1 sent/),
    ]);
  });
});
