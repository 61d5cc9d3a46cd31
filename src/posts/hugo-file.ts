import type { Images } from '../media/image-lookup.service.js';
import { imageAt } from '../media/responsive-image.js';
import { ownImageAt } from '../rendering/own-image.js';
import type { ExportedFile } from '../users/exported.decorator.js';
import type { PostJson } from './post-view.js';
import { frontMatter } from './stored-labels.js';

/** Makes the folder of an export a site for Hugo, which publishes posts and images only. */
export const HUGO_CONFIG = `# Add baseURL, title and theme. See https://gohugo.io/getting-started/configuration/
[permalinks]
posts = "/:slug/"
[markup.goldmark.renderer]
hardWraps = true
unsafe = true # HTML in posts
[markup.goldmark.extensions.passthrough]
enable = true
[markup.goldmark.extensions.passthrough.delimiters]
block = [["$$", "$$"]]
inline = [["$", "$"]]
[[module.mounts]]
source = "posts"
target = "content/posts"
[[module.mounts]]
source = "pictures"
target = "static/pictures"
`;

/** The address of a link or image in Markdown and in HTML. */
const ADDRESS = /(?<=\]\(<?|\]:[ \t]?<?|=["']?)[^\s"'()<>]+/g;
/** The page of a post on any host, as `/p/<slug>-<id>`. */
const POST_PAGE = /\/p\/(?:[a-z0-9-]{0,80}-)?([0-9a-f]{24})\/?((?:[?#].*)?)$/;
const SHORTCODES = [
  ['{{<', '>}}'],
  ['{{%', '%}}'],
] as const;

/** Returns the hex ids of the posts to whose pages a text links. */
export function linkedPostIds(text: string): string[] {
  return (text.match(ADDRESS) ?? []).flatMap((address) => POST_PAGE.exec(address)?.[1] ?? []);
}

/**
 * Writes a post for Hugo, in which own images and posts have relative addresses. A post that is not public is a draft.
 * @param images those that the post references
 * @param slugs of other public posts of the export, by hex id
 */
export function toHugoFile(post: PostJson, images: Images, slugs: ReadonlyMap<string, string>): ExportedFile {
  const { id, title, subtitle, slug, tags, isPublic, visibility, canonicalUrl, thumbnailUrl } = post;
  const { createdAt, updatedAt } = post;
  const key = imageAt(thumbnailUrl, images)?.key;
  const cover = key === undefined ? thumbnailUrl : `pictures/${key}`;
  const head = frontMatter({
    title,
    ...(subtitle && { description: subtitle }),
    ...{ date: createdAt, lastmod: updatedAt, slug, tags, draft: !isPublic },
    ...(canonicalUrl !== null && { canonicalUrl }),
    ...(cover !== null && { images: [cover] }),
    // For programs that read earlier exports.
    ...{ id, thumbnailUrl, isPublic, visibility, createdAt, updatedAt },
  });
  const text = post.content.replace(ADDRESS, (address) => {
    const image = ownImageAt(address, images);
    if (image !== undefined) return `../pictures/${image.key}`;
    const [, id, rest] = POST_PAGE.exec(address) ?? [];
    return slugs.has(id!) ? `../${slugs.get(id!)}/${rest}` : address;
  });
  return { name: `${createdAt.slice(0, 10)}-${slug}.md`, content: [head, escapeShortcodes(text)] };
}

/** Hugo runs shortcodes in code, too, and stops at the first unknown one. A word joiner breaks one that has no end. */
function escapeShortcodes(text: string): string {
  return SHORTCODES.reduce((escaped, [begin, end]) => {
    const [first, ...rest] = escaped.split(begin);
    const parts = rest.map((part) =>
      part.includes(end) ? `${begin}/*${part.replace(end, `*/${end}`)}` : `{{\u2060${begin.at(-1)}${part}`,
    );
    return first + parts.join('');
  }, text);
}
