import { canonicalAddress } from '../common/canonical-address.js';
import type { GetService, Migration, Step } from '../platform/migrations/migration.js';
import { MongoService } from '../platform/mongo/mongo.service.js';

const NOT_ASCII = /[^\x00-\x7f]/;

/** 0.3.0 compares mail addresses in NFKC, so a sign-in looks for the plain form of full-width letters and ligatures. */
export const MAIL_ADDRESSES: Migration = {
  number: 7,
  name: 'mail addresses',
  summary: 'Writes mail addresses with compatible letters in their plain form, unless another account has it.',
  oldestProgram: 7,
  steps: (get) => [addressesOf('credentials', get), addressesOf('sign_ups', get)],
};

function addressesOf(collection: string, get: GetService): Step {
  return {
    collection,
    pending: { email: NOT_ASCII },
    change: async (rows) => {
      const changes = rows
        .map(({ _id, email }) => ({ _id, email, plain: canonicalAddress(email as string) }))
        .filter(({ email, plain }) => plain !== null && plain !== email);
      const wanted = changes.map(({ plain }) => plain);
      const taken = await get(MongoService)
        .db.collection(collection)
        .distinct('email', { email: { $in: wanted } });
      // Two rows of a batch may have the same plain form.
      const free = new Map(
        changes.filter(({ plain }) => !taken.includes(plain)).map((change) => [change.plain, change]),
      );
      return [...free.values()].map(({ _id, email, plain }) => ({
        updateOne: { filter: { _id, email }, update: { $set: { email: plain } } },
      }));
    },
  };
}
