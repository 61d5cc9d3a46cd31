import { FILES_PATH, setFilesUrl } from '../common/own-files.js';
import { renderPost } from './render-markdown.js';

const ID = '6650c3a2f1d2b3c4d5e6f70c';
const STEM = `${ID}-9f86d081884c7d65`;
const BASE = 'https://api.example/v1/media/files';
const PLACEHOLDER = 'data:image/webp;base64,UklGRg==';
const image = { key: `${STEM}.jpg`, width: 1_000, height: 500, widths: [320, 640], placeholder: PLACEHOLDER };
const images = new Map([[ID, image]]);

const imgOf = (markdown: string, own = images): string => /<img [^>]*>/.exec(renderPost(markdown, own).html.html)![0];
const attributesOf = (markdown: string, own?: typeof images): Record<string, string> =>
  Object.fromEntries(
    [...imgOf(markdown, own).matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );

beforeAll(() => setFilesUrl(BASE));
afterAll(() => setFilesUrl(FILES_PATH));

describe('an image of the author', () => {
  it.each([
    `media:${ID}`,
    `/v1/media/files/${STEM}.jpg`,
    `/v1/media/files/${STEM}-640.webp`,
    `http://earlier.example/v1/media/files/${STEM}.jpg?a#b`,
    `https://cdn.example/${STEM}.jpg`,
  ])('has its present address, sizes and placeholder: %s', (src) => {
    expect(attributesOf(`![a table](${src})`)).toEqual({
      src: `${BASE}/${STEM}.jpg`,
      alt: 'a table',
      srcset: `${BASE}/${STEM}-320.webp 320w, ${BASE}/${STEM}-640.webp 640w, ${BASE}/${STEM}.jpg 1000w`,
      sizes: 'auto, (max-width: 1000px) 100vw, 1000px',
      width: '1000',
      height: '500',
      'data-placeholder': PLACEHOLDER,
      loading: 'lazy',
      decoding: 'async',
      referrerpolicy: 'no-referrer',
    });
  });

  it.each([
    ['width="400"', { width: '400', height: '200', sizes: 'auto, (max-width: 400px) 100vw, 400px' }],
    ['width="400px" height="10"', { width: '400px', height: '10', sizes: 'auto, (max-width: 400px) 100vw, 400px' }],
    ['height="100"', { width: '200', height: '100' }],
    ['width="50%"', { width: '50%', height: undefined, sizes: 'auto, 50vw' }],
  ])('keeps the size that the text gives it, in proportion: %s', (given, expected) => {
    const { width, height, sizes } = attributesOf(`<img src="media:${ID}" ${given}>`);
    expect({ width, height, sizes }).toMatchObject(expected);
  });

  it('has no srcset with a single size', () => {
    const own = new Map([[ID, { ...image, widths: [] }]]);
    expect(Object.keys(attributesOf(`![](media:${ID})`, own))).not.toContain('srcset');
  });

  it('is plain in feeds', () => {
    const { feed, hasOwnImages } = renderPost(`![](media:${ID})`, images);
    expect(feed).toContain(`src="${BASE}/${STEM}.jpg"`);
    expect(feed).not.toMatch(/srcset|sizes|placeholder/);
    expect(hasOwnImages).toBe(true);
  });
});

describe('another image', () => {
  it.each([
    'https://images.example.org/a.png',
    `https://cdn.example/${STEM.replace('9f', '00')}.jpg`,
    `/v1/media/files/${STEM.replace('66', '00')}.jpg`,
  ])('stays as it is written: %s', (src) => {
    expect(attributesOf(`![](${src})`)).toMatchObject({ src });
    expect(imgOf(`![](${src})`)).not.toMatch(/srcset|placeholder/);
    expect(renderPost(`![](${src})`, images).hasOwnImages).toBe(false);
  });

  it.each(['media:', `media:${ID.replace('66', '00')}`, `media:${ID}0`, `MEDIA:${ID}`])(
    'has no address where it is of no image of the author: %s',
    (src) => {
      expect(attributesOf(`![a](${src})`)).not.toHaveProperty('src');
    },
  );
});
