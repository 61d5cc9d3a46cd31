import { createHash } from 'node:crypto';
import { Binary } from 'mongodb';

/** Hashes a secret of 256 random bits for storage. Attackers cannot guess such a secret, so plain SHA-256 is enough. */
export function hashOfSecret(secret: string): Binary {
  return new Binary(createHash('sha256').update(secret).digest());
}
