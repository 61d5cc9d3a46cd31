import { hash } from '@node-rs/argon2';
import type { ObjectId } from 'mongodb';
import { mailboxOf } from '../../src/common/canonical-address.js';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '../../src/common/demo-accounts.js';
import { Random } from '../sampling/random.js';
import type { CredentialDocument } from './document-types.js';

/** The salt is not random, because the same seed has to make the same document. The screen shows the password anyway. */
export function demoCredentials(
  seed: number,
  now: Date,
  userId: (user: number) => ObjectId,
): Promise<CredentialDocument[]> {
  return Promise.all(
    DEMO_ACCOUNTS.map(async ({ email }, user) => {
      const random = new Random(seed, 300, user);
      const salt = Uint8Array.from({ length: 16 }, () => random.int(256));
      const rest = {
        bannedUntil: null,
        emailVerifiedAt: now,
        heldEmail: null,
        heldUntil: null,
        unlinkedProviders: [],
        passwordChangedAt: null,
        signedInAt: null,
        importedAt: null,
      };
      const passwordHash = await hash(DEMO_PASSWORD, { salt });
      return { _id: userId(user), email, mailbox: mailboxOf(email), passwordHash, updatedAt: now, ...rest };
    }),
  );
}
