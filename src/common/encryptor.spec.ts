import { Encryptor } from './encryptor.js';

describe('a sealed value', () => {
  const sealed = new Encryptor(['one secret'], 'mail').encrypt({ token: 'abc' });

  it('decrypts with its secret, also with the older of two', () => {
    expect(new Encryptor(['one secret'], 'mail').decrypt(sealed)).toEqual({ token: 'abc' });
    expect(new Encryptor(['a new secret', 'one secret'], 'mail').decrypt(sealed)).toEqual({ token: 'abc' });
  });

  it('does not contain the plain text, and differs each time', () => {
    expect(sealed.includes('abc')).toBe(false);
    expect(new Encryptor(['one secret'], 'mail').encrypt({ token: 'abc' }).equals(sealed)).toBe(false);
  });

  it('does not decrypt with another secret or purpose, nor changed or truncated bytes', () => {
    expect(new Encryptor(['another'], 'mail').decrypt(sealed)).toBeNull();
    expect(new Encryptor(['one secret'], 'identity').decrypt(sealed)).toBeNull();
    for (const at of [0, 12, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(new Encryptor(['one secret'], 'mail').decrypt(changed)).toBeNull();
    }
    expect(new Encryptor(['one secret'], 'mail').decrypt(sealed.subarray(0, 20))).toBeNull();
    expect(new Encryptor(['one secret'], 'mail').decrypt(Buffer.alloc(0))).toBeNull();
  });
});
