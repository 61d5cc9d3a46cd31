import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient, ObjectId } from 'mongodb';
import { pairId } from '../../src/common/pair-id.js';
import { entryId } from '../../src/feed/home-entry-id.js';
import { scale } from '../support/scale.js';
import { publish, useServed } from '../support/served.js';
import { until } from '../support/until.js';

const KILLS = scale('timelineKills');
const POSTS = scale('timelinePosts');
const READERS = 400;

/** One post takes two seconds and several batches, so that kills meet it on its way. */
const SETTINGS = { HTTP_WORKERS: '2', JOBS_ENABLED: 'true', SWEEP_GRACE_MS: '0', SWEEP_ROWS_PER_SECOND: '200' };

describe('a jobs process that is killed while posts go to the timelines of followers', () => {
  const served = useServed(SETTINGS);

  it('has every acknowledged post in every timeline in the end, once', async () => {
    const { host, author } = served;
    const mongo = new MongoClient(process.env.TEST_MONGODB_URI!);
    const db = mongo.db(host.childEnvironment()['MONGODB_DATABASE']);
    const entries = db.collection<{ _id: ReturnType<typeof entryId> }>('home_entries');
    const followingId = new ObjectId(author.id);
    const seenAt = new Date();
    const timelines = Array.from({ length: READERS }, () => {
      const rest = { isFilled: true, floor: null, merged: [], seenAt };
      return { _id: new ObjectId(), home: new ObjectId(), ...rest };
    });
    /** what every reader is to find, as the answers said */
    const ledger: { id: string; createdAt: string }[] = [];
    const keysOf = ({ id, createdAt }: (typeof ledger)[0]) =>
      timelines.map(({ home }) => entryId(home, { id, value: Date.parse(createdAt), authorId: author.id }));
    const reached = (post: (typeof ledger)[0]) => entries.countDocuments({ _id: { $in: keysOf(post) } });
    try {
      await db.collection('home_timelines').insertMany(timelines);
      await db.collection('follows').insertMany(
        timelines.map(({ _id: followerId }) => {
          const _id = pairId(followerId, followingId) as never;
          return { _id, followerId, followingId, seq: new ObjectId(), since: seenAt };
        }),
      );
      await db.collection('users').updateOne({ _id: followingId }, { $set: { 'stats.followersCount': READERS } });

      for (let at = 0; at < POSTS; at++) ledger.push((await publish(served)) as (typeof ledger)[0]);
      let met = 0;
      for (let count = 0; count < KILLS; count++) {
        const [pid] = await until(() => (host.workers('jobs').length > 0 ? host.workers('jobs') : null));
        // in the middle of one: some have it, others do not
        await until(async () => (await reached(ledger[count]!)) > 0 || null);
        process.kill(pid!, 'SIGKILL');
        if ((await reached(ledger[count]!)) < READERS) met++;
        await sleep(200);
      }
      expect(met).toBeGreaterThan(0);
      const isDone = async () => (await db.collection('outbox').countDocuments({ topic: 'post.listed' })) === 0 || null;
      await until(isDone, () => 'the outbox was not worked off');
      for (const post of ledger) expect(await reached(post)).toBe(READERS);
      expect(await entries.countDocuments()).toBe(ledger.length * READERS);
    } finally {
      await mongo.close();
    }
  });
});
