import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { pairId } from '../../../src/common/pair-id.js';
import { entryId } from '../../../src/feed/timelines/timeline-entry-id.js';
import { signUp } from '../accounts.js';
import { scale } from '../scale.js';
import { publish, type Server } from '../server.js';
import { untilNone } from '../until.js';
import type { KillCase } from './kill-during.js';

const READERS = 400;

/** Inserts followers of the author with a filled home timeline. */
async function insertReaders({ db }: Server, followingId: ObjectId): Promise<ObjectId[]> {
  const now = new Date();
  const filled = { isFilled: true, floor: null, merged: [], seenAt: now };
  const timelines = Array.from({ length: READERS }, () => ({ _id: new ObjectId(), home: new ObjectId(), ...filled }));
  const follows = timelines.map(({ _id: followerId }) => {
    const _id = pairId(followerId, followingId) as never;
    return { _id, followerId, followingId, seq: new ObjectId(), since: now };
  });
  await db.collection('home_timelines').insertMany(timelines);
  await db.collection('follows').insertMany(follows);
  await db.collection('users').updateOne({ _id: followingId }, { $set: { 'stats.followersCount': READERS } });
  return timelines.map(({ home }) => home);
}

export const TIMELINES_KILLED: KillCase = {
  name: 'the jobs process while posts go to home timelines: every post is in every timeline once',
  kills: Array<'jobs'>(scale('timelineKills')).fill('jobs'),
  of: async (server) => {
    const { client, db } = server;
    const author = await signUp(client);
    const homes = await insertReaders(server, new ObjectId(author.id));
    const entries = db.collection<{ _id: ReturnType<typeof entryId> }>('home_entries');
    const published: { id: string; createdAt: string }[] = [];
    const reached = async (post = published.at(-1)): Promise<number> => {
      if (post === undefined) return 0;
      const key = { id: post.id, value: Date.parse(post.createdAt), authorId: author.id };
      return entries.countDocuments({ _id: { $in: homes.map((home) => entryId(home, key)) } });
    };
    return {
      // Delivering a post takes two seconds and several batches.
      work: async (isOver) => {
        while (!isOver() || published.length < scale('timelinePosts')) {
          published.push(await publish({ client, author }));
          while (!isOver() && (await reached()) < READERS) await sleep(50);
        }
      },
      until: async () => {
        const count = await reached();
        return count > 0 && count < READERS;
      },
      check: async () => {
        const missing = async (): Promise<number> => {
          const counts = await Promise.all(published.map((post) => reached(post)));
          return counts.reduce((sum, count) => sum + READERS - count, 0);
        };
        await untilNone(missing, 'entries');
        expect(await entries.countDocuments()).toBe(published.length * READERS);
      },
    };
  },
};
