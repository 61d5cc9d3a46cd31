import { addressesIn } from './find-addresses.js';
import { absoluteFrom, replaceAddresses, writtenAddress } from './text-addresses.js';

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

describe('a relative address', () => {
  const BASE = 'https://a.example/b/c?d#e';

  it.each([
    ['f.png', 'https://a.example/b/f.png'],
    ['/f.png', 'https://a.example/f.png'],
    ['//g.example/f', 'https://g.example/f'],
    ['?f', 'https://a.example/b/c?f'],
  ])('%s becomes absolute', (url, expected) => expect(absoluteFrom(BASE, url)).toBe(expected));

  it.each(['#f', 'https://g.example', 'mailto:a@b.example', 'media:0123', 'data:image/png,', '', 'http://['])(
    'is not %s',
    (url) => expect(absoluteFrom(BASE, url)).toBe(url),
  );

  it.each([null, '/b/c', 'mailto:a@b.example'])('stays without the address of its page (%s)', (base) => {
    expect(absoluteFrom(base, 'f.png')).toBe('f.png');
  });

  it.each(['[a](X)', "<a href='X'>a</a>"])('is written so that %s has it', (text) => {
    const written = text.replace('X', writtenAddress("https://a.example/(b')&copy;"));
    expect(addressesIn(written).map(({ url }) => url)).toEqual(['https://a.example/%28b%27%29&copy;']);
  });
});
