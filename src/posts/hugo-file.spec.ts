import { ObjectId } from 'mongodb';
import { growth, LINEAR } from '../../test/support/growth.js';
import type { ResponsiveImage } from '../media/responsive-image.js';
import { linkedPostIds, toHugoFile } from './hugo-file.js';
import type { PostJson } from './post-view.js';

const [imageId, postId] = [new ObjectId().toHexString(), new ObjectId().toHexString()];
const key = `${imageId}-0123456789abcdef.jpg`;
const image: ResponsiveImage = { key, width: 1, height: 1, widths: [320], placeholder: '' };
const post = { title: 'Looms', slug: `looms-${postId}`, createdAt: '2026-01-02T03:04:05.678Z' };

const textOf = (content: string): string => {
  const about = { tags: [], canonicalUrl: null, thumbnailUrl: null, isPublic: true };
  const file = toHugoFile(
    { ...post, ...about, content } as unknown as PostJson,
    new Map([[imageId, image]]),
    new Map([[postId, post.slug]]),
  );
  return (file.content as string[])[1]!;
};

describe('a post for Hugo', () => {
  it.each([
    [`![a](media:${imageId})`, `![a](../pictures/${key})`],
    [`![a](media:${imageId} "title")`, `![a](../pictures/${key} "title")`],
    [`[a]: <https://cdn.example/${key}>`, `[a]: <../pictures/${key}>`],
    [
      `<img alt="a" src='/v1/media/files/${imageId}-0123456789abcdef-320.webp'>`,
      `<img alt="a" src='../pictures/${key}'>`,
    ],
    [`<img src=media:${imageId}>`, `<img src=../pictures/${key}>`],
    [`[a](/p/${postId}?b#c)`, `[a](../looms-${postId}/?b#c)`],
    [`<a href="https://site.example/p/old-title-${postId}/">`, `<a href="../looms-${postId}/">`],
  ])('has a relative address: %s', (content, text) => {
    expect(textOf(content)).toBe(text);
  });

  it.each([
    ...[`media:${imageId}`, `See /p/looms-${postId}.`, `![a](media:${postId})`, `[a](/p/looms-${imageId})`],
    `![a](/v1/media/files/${imageId}-fedcba9876543210.jpg)`,
  ])('keeps text, and addresses of others: %s', (content) => {
    expect(textOf(content)).toBe(content);
  });

  it.each([
    ['{{< ref "a" >}} {{< b >}}', '{{</* ref "a" */>}} {{</* b */>}}'],
    ['{{% a %}} $& {{</* b */>}}', '{{%/* a */%}} $& {{</*/* b */*/>}}'],
    ['{{< a {{< b >}} {{% c >}}', '{{\u2060< a {{</* b */>}} {{\u2060% c >}}'],
    ['{{ a }} >}} {<', '{{ a }} >}} {<'],
  ])('runs no shortcode: %s', (content, text) => {
    expect(textOf(content)).toBe(text);
  });

  it.each(['{{<', '{{< >}}', '](', '="', '](/p/', `](media:${imageId})`, `/p/${'a-'.repeat(40)}`])(
    'takes linear time with many %s',
    (piece) => {
      const work = (length: number) => {
        const content = piece.repeat(length / piece.length);
        return [linkedPostIds(content), textOf(content)];
      };
      expect(growth(100_000, work)).toBeLessThan(LINEAR);
    },
  );
});
