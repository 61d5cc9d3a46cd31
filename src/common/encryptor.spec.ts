import { Sealed } from './encryptor.js';

describe('a sealed value', () => {
  const sealed = new Sealed(['one secret'], 'mail').seal({ token: 'abc' });

  it('decrypts with its secret, also with the older of two', () => {
    expect(new Sealed(['one secret'], 'mail').open(sealed)).toEqual({ token: 'abc' });
    expect(new Sealed(['a new secret', 'one secret'], 'mail').open(sealed)).toEqual({ token: 'abc' });
  });

  it('does not contain the plain text, and differs each time', () => {
    expect(sealed.includes('abc')).toBe(false);
    expect(new Sealed(['one secret'], 'mail').seal({ token: 'abc' }).equals(sealed)).toBe(false);
  });

  it('does not decrypt with another secret or purpose, nor changed or truncated bytes', () => {
    expect(new Sealed(['another'], 'mail').open(sealed)).toBeNull();
    expect(new Sealed(['one secret'], 'identity').open(sealed)).toBeNull();
    for (const at of [0, 12, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(new Sealed(['one secret'], 'mail').open(changed)).toBeNull();
    }
    expect(new Sealed(['one secret'], 'mail').open(sealed.subarray(0, 20))).toBeNull();
    expect(new Sealed(['one secret'], 'mail').open(Buffer.alloc(0))).toBeNull();
  });
});
