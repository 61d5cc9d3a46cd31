import fc from 'fast-check';
import { canonicalAddress, mailboxOf } from './canonical-address.js';

const SAME: [string, string][] = [
  ['V@Ex-ample.ORG', 'v@ex-ample.org'],
  ['  v@ex-ample.org\n', 'v@ex-ample.org'],
  ['zoe\u0308@example.org', 'zo\u00eb@example.org'],
  ['a@m\u00fcller.example', 'a@xn--mller-kva.example'],
  ['a@mu\u0308ller.example', 'a@xn--mller-kva.example'],
  ['a@XN--mller-kva.example', 'a@xn--mller-kva.example'],
  ['\uff36@example.org', 'v@example.org'],
  ['v\uff20example.org', 'v@example.org'],
  ['v\ufe6bexample\uff0eorg', 'v@example.org'],
  ['v\uff0bnews@example.org', 'v+news@example.org'],
  ['\ufb01n@example.org', 'fin@example.org'],
  ['x\u00b2@example.org', 'x2@example.org'],
  ['\u212a@example.org', 'k@example.org'],
  ['\u213b@example.org', 'fax@example.org'],
  ['\u{1d41a}@example.org', 'a@example.org'],
  ['\uff76\uff9e@example.org', '\u30ac@example.org'],
];
const INVISIBLE = ['\u200b', '\u00ad', '\u2060', '\u200d', '\u202e', '\ufe0f', '\u0000', '\u0009', '\u3164', '\ue000'];
const NONE = [
  'user@localhost',
  'user',
  '@example.org',
  'a@',
  'a@b@example.org',
  '"a b"@example.org',
  '"a"@example.org',
];

describe('canonicalAddress', () => {
  it.each(SAME)('of %j is %j', (text, address) => expect(canonicalAddress(text)).toBe(address));

  it.each(INVISIBLE)('refuses %j anywhere in the address', (sign) => {
    for (const text of [`v${sign}v@example.org`, `v@ex-${sign}ample.org`, `v@example.o${sign}rg`])
      expect(canonicalAddress(text)).toBeNull();
  });

  it.each([
    ...NONE,
    `${'a'.repeat(65)}@example.org`,
    `a@${'b.'.repeat(130)}org`,
    'a@example.org:25',
    'a@ex%61mple.org',
  ])('refuses %j', (text) => expect(canonicalAddress(text)).toBeNull());

  it('is unchanged when it is made canonical again, for any input', () => {
    const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
    const address = fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}.example`);
    fc.assert(
      fc.property(address, (text) => {
        const once = canonicalAddress(text);
        if (once !== null) expect(canonicalAddress(once)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is that of the compatible plain text, for every letter', () => {
    for (let code = 0x21; code < 0x30000; code++) {
      const letter = String.fromCodePoint(code);
      const plain = letter.normalize('NFKC');
      if (plain === letter || /[\p{C}\p{Z}@]/u.test(plain)) continue;
      const [address, expected] = [letter, plain].map((local) => canonicalAddress(`${local}@example.org`));
      expect([letter, address]).toEqual([letter, expected]);
    }
  });

  it('is the same for every case and composition of one text', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abz09éüñöя'), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, (local, domain) => {
        const text = `${local}@${domain}.example`;
        const spellings = [text, text.normalize('NFD'), text.toUpperCase(), text.normalize('NFD').toUpperCase()];
        expect(new Set(spellings.map(canonicalAddress)).size).toBe(1);
      }),
    );
  });
});

describe('mailboxOf', () => {
  it.each([
    ['victim+0@example.org', 'victim@example.org'],
    ['victim+a+b@example.org', 'victim@example.org'],
    ['victim@example.org', 'victim@example.org'],
    ['+a@example.org', '+a@example.org'],
    ['vic.tim@example.org', 'vic.tim@example.org'],
    ['v.ic.tim+a@googlemail.com', 'victim@gmail.com'],
  ])('of %s is %s', (address, mailbox) => expect(mailboxOf(address)).toBe(mailbox));
});
