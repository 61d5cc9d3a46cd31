import fc from 'fast-check';
import { parseXml } from '../../test/support/xml.js';
import { element, XML_DECLARATION } from './markup.js';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...']]><&;"\'\0\t\n\r\u0085\u2028\u2029\ud800\udfff\uffff😀a ') }),
);
/** Returns the text after parsing. XML cannot represent every character, and this parser normalizes every line break of XML 1.1. */
const said = (given: string): string =>
  given
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/\r[\n\u0085]|[\r\u0085\u2028\u2029]/g, '\n');

describe('XML', () => {
  it('is well-formed and parses back, for any text', () => {
    fc.assert(
      fc.property(text, text, (content, value) => {
        const root = parseXml(XML_DECLARATION + element('a', [element('b', content, { c: value })]));
        const inner = root.getElementsByTagName('b')[0]!;
        expect(inner.textContent).toBe(said(content));
        expect(inner.getAttribute('c')).toBe(said(value).replace(/[\t\n]/g, ' '));
      }),
      { numRuns: 500 },
    );
  });
});
