import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts values in rows with AES-256-GCM and one key per purpose, so that readers of the database cannot see the values.
 * The first secret encrypts and all secrets decrypt, which allows rotation.
 */
export class Encryptor {
  private readonly keys: Buffer[];

  constructor(secrets: readonly string[], purpose: string) {
    this.keys = secrets.map((secret) => createHmac('sha256', `sealed:${purpose}:${secret}`).digest());
  }

  encrypt(value: unknown): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0]!, nonce);
    const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]);
  }

  /** Returns null if the bytes were changed, or encrypted with a secret that is no longer configured. */
  decrypt(encrypted: Uint8Array): unknown {
    for (const key of this.keys) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAuthTag(encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const text = decipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES));
        return JSON.parse(Buffer.concat([text, decipher.final()]).toString('utf8'));
      } catch {
        // Another secret may decrypt the bytes.
      }
    }
    return null;
  }
}
