import { base32, hotp, otpauthUrl, stepOf } from './totp.js';
import { hashRecoveryCode, makeRecoveryCodes, RECOVERY_CODES } from './recovery-codes.js';

/** The secret of the examples of RFC 4226 and RFC 6238. */
const SECRET = Buffer.from('12345678901234567890');

describe('one-time passwords', () => {
  it('equal those of RFC 4226, appendix D', () => {
    const codes = Array.from({ length: 10 }, (_, counter) => hotp(SECRET, counter));
    const listed = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489';
    expect(codes).toEqual(listed.split(' '));
  });

  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('are those of RFC 6238, appendix B, at %s seconds', (seconds, code) => {
    const step = Math.floor(seconds / 30);
    expect(stepOf(SECRET, code.slice(-6), seconds * 1_000, 0)).toBe(step);
  });

  it('are valid one step before and after their own, but not two', () => {
    const at = 1_800_000_015_000;
    const own = Math.floor(at / 30_000);
    const found = [-2, -1, 0, 1, 2].map((offset) => stepOf(SECRET, hotp(SECRET, own + offset), at, 0));
    expect(found).toEqual([null, own - 1, own, own + 1, null]);
  });

  it('are valid only after the last used step', () => {
    const at = 1_800_000_015_000;
    const own = Math.floor(at / 30_000);
    expect(stepOf(SECRET, hotp(SECRET, own), at, own - 1)).toBe(own);
    expect(stepOf(SECRET, hotp(SECRET, own), at, own)).toBeNull();
    expect(stepOf(SECRET, hotp(SECRET, own - 1), at, own)).toBeNull();
  });

  it('are invalid in any other form', () => {
    for (const code of ['', '1', '12345', '1234567', '００００００', 'abcdef'])
      expect(stepOf(SECRET, code, 59_000, 0)).toBeNull();
  });

  it('have a secret that apps read', () => {
    // RFC 4648, chapter 10, without the padding
    const written = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)));
    expect(written).toEqual(['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI']);
    expect(otpauthUrl(SECRET, 'ada')).toBe(
      'otpauth://totp/OpenCanvas:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=OpenCanvas&algorithm=SHA1&digits=6&period=30',
    );
  });
});

describe('recovery codes', () => {
  it('are ten different ones, accepted in any spelling', () => {
    const codes = makeRecoveryCodes();
    expect(new Set(codes).size).toBe(RECOVERY_CODES);
    for (const code of codes) {
      expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
      const typed = ` ${code.replaceAll('-', ' ').toUpperCase()}`;
      expect(hashRecoveryCode(typed)).toBe(hashRecoveryCode(code));
    }
  });
});
