import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';

const LOCK_MS = 120_000;
const DUPLICATE_KEY = 11_000;

/**
 * Makes commands of the server fail while `work` runs. Specs share the server, which has one fail point of this kind, so they use the fail
 * point one after the other. `data` must name the connections (`appName`) or the collection (`namespace`) to fail.
 * @param mode like { times: 2 } or 'alwaysOn'
 * @returns the number of failed commands
 */
export async function whileFailing(
  db: Db,
  mode: Document | 'alwaysOn',
  data: Document & ({ appName: string } | { namespace: string }),
  work: () => Promise<unknown>,
): Promise<number> {
  const admin = db.client.db('admin');
  const set = (settings: Document) => admin.command({ configureFailPoint: 'failCommand', ...settings });
  const locks = db.client.db('test_fail_points').collection<{ _id: string; until: Date }>('locks');
  for (;;) {
    const free = { _id: 'failCommand', until: { $lt: new Date() } };
    const taken = { $set: { until: new Date(Date.now() + LOCK_MS) } };
    try {
      await locks.updateOne(free, taken, { upsert: true });
      break;
    } catch (error) {
      // Another spec uses the fail point.
      if ((error as { code?: number }).code !== DUPLICATE_KEY) throw error;
      await sleep(20);
    }
  }
  try {
    const { count: before } = await set({ mode, data });
    await work();
    const { count: after } = await set({ mode: 'off' });
    return Number(after) - Number(before);
  } finally {
    await set({ mode: 'off' });
    await locks.deleteOne({ _id: 'failCommand' });
  }
}
