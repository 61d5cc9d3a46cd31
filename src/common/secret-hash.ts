import { createHash } from 'node:crypto';
import { Binary } from 'mongodb';

/** The stored form of a secret of 256 random bits. Such a secret cannot be guessed, so plain SHA-256 is enough. */
export function hashOfSecret(secret: string): Binary {
  return new Binary(createHash('sha256').update(secret).digest());
}
