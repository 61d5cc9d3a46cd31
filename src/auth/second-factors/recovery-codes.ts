import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './totp.js';

export const RECOVERY_CODES = 10;
const CODE_BYTES = 10;

/** Ten codes of 80 random bits, four groups of four letters and digits each. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const groups = base32(randomBytes(CODE_BYTES)).toLowerCase().match(/.{4}/g)!;
    return groups.join('-');
  });
}

/** Plain SHA-256 is enough, because 80 random bits cannot be guessed. Dashes, spaces and case are ignored. */
export function hashRecoveryCode(code: string): string {
  return createHash('sha256').update(code.replace(/[-\s]/g, '').toLowerCase()).digest('base64');
}
