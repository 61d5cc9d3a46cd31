import { ArchivePaths } from './archive-paths.js';
import type { ArchivePost } from './archive.js';
import { addressKey, labelsOfPost } from './imported-post.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const POST: ArchivePost = {
  ...{ sourceId: '1', entry: 'a.md', title: 'Looms', subtitle: null, tags: [] },
  ...{ content: 'It weaves.', contentFormat: 'markdown' },
  ...{ canonicalUrl: null, createdAt: new Date('2019-05-01'), thumbnail: null, address: null, isPublished: true },
};
const codesOf = (post: Partial<ArchivePost>): string[] =>
  labelsOfPost({ ...POST, ...post }, NOW).problems.map(({ code }) => code);

describe('the labels of an imported post', () => {
  it('have the time of a publication elsewhere', () => {
    expect(labelsOfPost(POST, NOW).labels.importedAt).toEqual(POST.createdAt);
    expect(labelsOfPost({ ...POST, isPublished: false }, NOW).labels.importedAt).toBeUndefined();
    expect(codesOf({ isPublished: false, createdAt: null })).toEqual([]);
  });

  it.each([null, new Date('2026-01-02'), new Date('1969-01-01'), new Date(NaN)])('have no time %s', (createdAt) => {
    expect(labelsOfPost({ ...POST, createdAt }, NOW).labels.importedAt).toBeUndefined();
    expect(codesOf({ createdAt })).toEqual(['no_date']);
  });

  it('follow the rules of this server, and name what they drop', () => {
    const tags = ['Weaving Machines', 'weaving-machines', 'b', 'c', 'd', 'e', 'f', '???'];
    const { labels, problems } = labelsOfPost({ ...POST, title: `${'x'.repeat(201)}\u202e`, tags }, NOW);

    expect(labels).toMatchObject({ title: 'x'.repeat(200), tags: ['weaving-machines', 'b', 'c', 'd', 'e'] });
    expect(problems.map(({ code }) => code)).toEqual(['title_cut', 'tags_dropped']);
    expect(problems[1]!.detail).toMatch(/: f, \?\?\?$/);
    expect(codesOf({ canonicalUrl: 'javascript:alert(1)' })).toEqual(['canonical_dropped']);
    expect(codesOf({ title: '\u200b' })).toEqual(['no_title']);
  });

  it('have the subtitle, cut to the limit', () => {
    const { labels, problems } = labelsOfPost({ ...POST, subtitle: 'x'.repeat(121) }, NOW);

    expect(labels.subtitle).toBe('x'.repeat(120));
    expect(problems).toMatchObject([{ code: 'subtitle_cut', detail: expect.stringContaining('x'.repeat(121)) }]);
    expect(labelsOfPost({ ...POST, subtitle: '\u200b' }, NOW)).toMatchObject({
      labels: { subtitle: null },
      problems: [],
    });
  });
});

describe('the address of a post on its old site', () => {
  it.each([
    ['https://www.old.example/a/b/?c#d', undefined, 'old.example/a/b'],
    ['http://old.example/a/b/index.html', undefined, 'old.example/a/b'],
    ['/a/b/', undefined, '/a/b'],
    ['/a/b/', 'http://old.example/c', 'old.example/a/b'],
    ['../b', 'http://old.example/c/d', 'old.example/b'],
    ['mailto:a@b.example', 'http://old.example/c', null],
    ['/', undefined, null],
  ])('%s at %s is %s', (address, base, key) => {
    expect(addressKey(address, base)).toBe(key);
  });
});

describe('the files that a text names', () => {
  const paths = new ArchivePaths({
    entries: ['posts/a/index.md', 'posts/a/one.png', 'static/img/two three.png', 'x/same.png', 'y/same.png'].map(
      (path) => ({ path, size: 1 }),
    ),
  });

  it.each([
    ['one.png', 'posts/a/one.png'],
    ['./one.png?v=1', 'posts/a/one.png'],
    ['../a/one.png', 'posts/a/one.png'],
    ['/img/two%20three.png', 'static/img/two three.png'],
    ['https://old.example/img/two%20three.png', 'static/img/two three.png'],
    ['same.png', null],
    ['../../../etc/passwd', null],
    ['https://old.example/', null],
    ['%E0%A4%A', null],
  ])('%s is %s', (address, path) => {
    expect(paths.find(address, 'posts/a/index.md')).toBe(path);
  });
});
