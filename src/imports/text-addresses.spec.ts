import { addressesIn } from './find-addresses.js';
import { replaceAddresses } from './text-addresses.js';

/** Writes X for each address of an image, and Y for each of a link. */
const marked = (text: string): string =>
  replaceAddresses(text, addressesIn(text), ({ kind }) => (kind === 'image' ? 'X' : 'Y'));

describe('addresses in Markdown', () => {
  it.each([
    ['![a](b.png)', '![a](X)'],
    ['![a](b.png "c (d)") and [e](f)', '![a](X "c (d)") and [e](Y)'],
    ['![a](<b c.png>)', '![a](<X>)'],
    ['![a](b_\\(c\\).png)', '![a](X)'],
    ['![a](/b(c).png)', '![a](X)'],
    ['[![a](b.png)](c.html)', '[![a](X)](Y)'],
    ['![a][b]\n\n[b]: c.png "d"', '![a][b]\n\n[b]: X "d"'],
    ['a <img alt="b" src="c.png?d&amp;e" width="3"> f', 'a <img alt="b" src="X" width="3"> f'],
    ['<figure><a href=\'b\'><img src="c"></a></figure>', '<figure><a href=\'Y\'><img src="X"></a></figure>'],
  ])('are replaced where they stand: %s', (text, expected) => {
    expect(marked(text)).toBe(expected);
  });

  it.each(['`![a](b.png)`', '    ![a](b.png)', '<https://a.example>', 'https://a.example', '\\![a\\](b.png)'])(
    'are none in %s',
    (text) => {
      expect(marked(text)).toBe(text);
    },
  );

  it('have a decoded form', () => {
    expect(addressesIn('![a](b\\_c?d&amp;e)')[0]!.url).toBe('b_c?d&e');
  });
});
