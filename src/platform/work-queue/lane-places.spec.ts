import { ObjectId } from 'mongodb';
import { LanePlaces } from './lane-places.js';
import { LANE_NAMES, settingsOf } from './lanes.js';
import type { Lane, TaskKey } from '../mongo/transaction-rows.js';

const taskOf = (...keys: TaskKey[]) => ({ _id: new ObjectId(), keys });

/** Starts tasks in order, each if its lane has a place for it, and returns the keys of those that started. */
function start(lane: Lane, tasks: ReturnType<typeof taskOf>[]): string[] {
  const places = new LanePlaces(lane);
  return tasks.flatMap((task) => {
    const { $nin = [] } = (places.filter()['keys'] ?? {}) as { $nin?: TaskKey[] };
    if (places.isFull || task.keys.some((key) => $nin.includes(key))) return [];
    places.take(task);
    return [task.keys.join(' ')];
  });
}

describe('the places of a lane', () => {
  it.each([
    ['push', 'account:a', 1],
    ['push', 'host:a', 16],
    ['push', 'cause:a', 12],
    ['pushSlow', 'account:a', 1],
    ['mailBulk', 'cause:digest', 2],
    ['fanout', 'cause:a', 1],
    ['foreground', 'cause:a', 1],
  ] as const)('of %s are held by at most some tasks of %s, and one of another key starts', (lane, key, most) => {
    const other: TaskKey = 'account:other';

    const started = start(lane, [...Array.from({ length: 1_000 }, () => taskOf(key)), taskOf(other)]);

    expect(started).toEqual([...Array(most).fill(key), other]);
  });

  it('of each lane with keys leave a place for others', () => {
    for (const lane of LANE_NAMES) {
      const { places, placesPerKey = {} } = settingsOf(lane);
      for (const most of Object.values(placesPerKey)) expect(most).toBeLessThan(places);
    }
  });

  it('are free again after a task, which does not run twice at the same time', () => {
    const places = new LanePlaces('fanout');
    const task = taskOf('cause:a');

    places.take(task);
    expect(places.filter()).toEqual({
      $nor: [{ $expr: { $in: ['$_id', [task._id]] } }],
      keys: { $nin: ['cause:a'] },
    });
    places.leave(task);

    expect([places.filter(), places.isEmpty]).toEqual([{}, true]);
  });

  it('are all for a task of an earlier version, which has no keys', () => {
    const places = new LanePlaces('mail');
    for (let at = 0; at < settingsOf('mail').places; at++) {
      expect([places.isFull, places.filter()['keys']]).toEqual([false, undefined]);
      places.take({ _id: new ObjectId() });
    }
    expect(places.isFull).toBe(true);
  });
});
