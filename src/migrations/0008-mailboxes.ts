import { mailboxOf } from '../common/canonical-address.js';
import type { GetService, Migration, Row } from '../platform/migrations/migration.js';
import { MongoService } from '../platform/mongo/mongo.service.js';

type Account = { _id: Row['_id']; standing?: { level: string; until: Date | null } | null };

/** 0.4.0 stores the mailbox of each address, which a ban reserves with its other spellings. */
export const MAILBOXES: Migration = {
  number: 8,
  name: 'mailboxes',
  summary: 'Adds the mailbox of its address to each account, and the end of its ban.',
  oldestProgram: 8,
  steps: (get) => [
    {
      collection: 'credentials',
      pending: { mailbox: { $exists: false } },
      change: async (rows) => {
        const bans = await bansOf(rows, get);
        return rows.map(({ _id, email }) => {
          const $set = { mailbox: mailboxOf(String(email)), bannedUntil: bans.get(String(_id)) ?? null };
          return { updateOne: { filter: { _id, email }, update: { $set } } };
        });
      },
    },
  ],
};

/** The end of each ban by account. A ban without an end lasts until a moderator lifts it. */
async function bansOf(rows: Row[], get: GetService): Promise<Map<string, Date>> {
  const banned = await get(MongoService)
    .db.collection<Account>('users')
    .find({ _id: { $in: rows.map(({ _id }) => _id) }, 'standing.level': 'banned' }, { projection: { standing: 1 } })
    .toArray();
  return new Map(banned.map(({ _id, standing }) => [String(_id), standing?.until ?? new Date('9999-12-31')]));
}
