import { createHash } from 'node:crypto';
import { Binary } from 'mongodb';

/** What is stored of a secret of 256 random bits. Plain SHA-256: it cannot be guessed, so there is nothing to slow down. */
export function hashOfSecret(secret: string): Binary {
  return new Binary(createHash('sha256').update(secret).digest());
}
