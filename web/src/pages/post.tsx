import {
  type Card,
  type Comment,
  type CommentHtml,
  idOf,
  nameOf,
  type Page as List,
  type Post,
  postPath,
  type PostHtml,
  type PostMeta,
  type PostSeries,
  collectionPath,
  withQuery,
} from '../api.js';
import { AuthorLink, Avatar } from '../components/author.js';
import { Count, TagList, Thumbnail } from '../components/card.js';
import { type Branch, CommentTree } from '../components/comments.js';
import { useTexts } from '../components/context.js';
import { Pager } from '../components/pager.js';
import { Time } from '../components/time.js';
import type { Get } from '../contract.js';
import { definePage, type PageProps } from '../page.js';
import { proseOf } from '../prose.js';
import type { Texts } from '../texts/en.js';
import { textsOf } from '../texts/index.js';

type Data = {
  post: Omit<Post, 'content'>;
  text: PostHtml;
  style: string | undefined;
  meta: PostMeta;
  series: PostSeries | null;
  related: Card[];
  comments: Branch[];
  nextComments: string | null;
};

/** Headings from which a table of contents helps. */
const MIN_CONTENTS = 4;
/** Comments whose HTML one request returns. */
const MAX_HTML = 100;
const REPLIES = 10;
const RELATED = 4;

const CITATION_FORMATS = Object.entries({ bibtex: 'BibTeX', ris: 'RIS', csl: 'CSL-JSON' });

export const postPage = definePage<Data>({
  async load(get, { params, query }, site) {
    const path = `/v1/posts/${idOf(params['slug']!)}`;
    const [post, text, meta, series, related, comments] = await Promise.all([
      get<Post>(path),
      get<PostHtml>(`${path}/html`),
      get<PostMeta>(`${path}/meta`),
      get<PostSeries>(`${path}/series`).catch(unlessMissing),
      // A busy search does not keep a post from being read.
      get<{ data: Card[] }>(`${path}/related?limit=${RELATED}`).then(
        ({ data }) => data,
        () => [],
      ),
      loadComments(get, path, query, textsOf(site.language)),
    ]);
    const { html, style } = proseOf(text.html, textsOf(site.language));
    return { post, text: { ...text, html }, style, meta, series, related, ...comments };
  },
  movedTo: ({ post }, { params, query }) =>
    post.slug === params['slug'] ? undefined : withQuery(postPath(post), query),
  head({ post, text, style, meta }, _request, site) {
    const { title, description, canonicalUrl, openGraph, twitter, citation, jsonLd } = meta;
    const oembed = ['json', 'xml'].map((format) => withQuery('/v1/oembed', { url: site.url + postPath(post), format }));
    return {
      ...{ title, description, openGraph, twitter, citation, jsonLd, oembed, style },
      canonical: canonicalUrl,
      isIndexed: meta.isListed,
      feed: `/v1/users/${post.author.username}/feed.atom`,
      hasMath: text.hasMath,
    };
  },
  View({ data: { post, text, series, related, comments, nextComments }, request }: PageProps<Data>) {
    const texts = useTexts();
    const { stats, thumbnailUrl } = post;
    const hasLead = thumbnailUrl !== null && !text.html.includes(thumbnailUrl);
    return (
      <div class="reading">
        <article
          data-post={post.id}
          data-likes={stats.likesCount}
          data-writer={post.author.id}
          data-minutes={post.readTime}
        >
          <header class="post-head">
            <p class="kind">{texts.type[post.type]}</p>
            <h1 dir="auto">{post.title}</h1>
            {post.subtitle !== null && (
              <p class="subtitle" dir="auto">
                {post.subtitle}
              </p>
            )}
            <div class="byline" data-user={post.author.id} data-username={post.author.username}>
              <Avatar author={post.author} size={44} />
              <p>
                <AuthorLink author={post.author} />
                <br />
                <Time at={post.createdAt} />
                <span>{texts.minutes(post.readTime)}</span>
                {post.isEdited && <span>{texts.edited}</span>}
              </p>
            </div>
            {series !== null && <SeriesOf series={series} />}
            {hasLead && (
              <div class="lead">
                <Thumbnail card={post} sizes="(min-width: 44rem) 44rem, 100vw" isLazy={false} />
              </div>
            )}
          </header>
          {text.toc.length >= MIN_CONTENTS && (
            <details class="toc">
              <summary>{texts.contents}</summary>
              <ol>
                {text.toc.map(({ id, level, text: title }) => (
                  <li key={id} class={`level-${level}`}>
                    <a href={`#${id}`} dir="auto">
                      {title}
                    </a>
                  </li>
                ))}
              </ol>
            </details>
          )}
          {/* The sanitized HTML of the server (docs/html.md). */}
          <div class={`prose ${post.type}`} dir="auto" dangerouslySetInnerHTML={{ __html: text.html }} />
          <footer class="post-foot">
            <TagList tags={post.tags} />
            <p class="stats">
              <Count kind="likes" count={stats.likesCount} />
              <Count kind="comments" count={stats.commentsCount} />
            </p>
            <Cite post={post} />
            {series !== null && <Neighbors series={series} />}
          </footer>
        </article>
        <section class="discussion" id="comments" aria-labelledby="comments-title">
          <h2 id="comments-title">{texts.commentsTitle}</h2>
          {post.isLocked ? (
            <p class="empty">{texts.locked}</p>
          ) : (
            <p class="write-comment" data-comments-of={post.id}>
              <a href={`/sign-in?to=${encodeURIComponent(`${postPath(post)}#comments`)}`}>{texts.signInToComment}</a>
            </p>
          )}
          {comments.length === 0 && !post.isLocked && <p class="empty">{texts.noComments}</p>}
          <CommentTree branches={comments} />
          <Pager
            first={Object.keys(request.query).length === 0 ? undefined : `${postPath(post)}#comments`}
            next={
              nextComments === null
                ? undefined
                : `${withQuery(postPath(post), { ...request.query, comments: nextComments })}#comments`
            }
          />
        </section>
        {related.length > 0 && (
          <section class="related" aria-labelledby="related-title">
            <h2 id="related-title">{texts.relatedTitle}</h2>
            <div class="neighbors">
              {related.map((card) => (
                <a key={card.id} href={postPath(card)} data-related={card.id} data-author={card.author.id}>
                  <span class="small">{nameOf(card.author)}</span>
                  <span dir="auto">{card.title}</span>
                </a>
              ))}
            </div>
          </section>
        )}
      </div>
    );
  },
});

function Cite({ post: { id } }: { post: { id: string } }) {
  const texts = useTexts();
  return (
    <details class="cite">
      <summary>{texts.cite}</summary>
      <p class="stats">
        {CITATION_FORMATS.map(([format, name]) => (
          <a key={format} href={withQuery(`/v1/posts/${id}/citation`, { format })}>
            {name}
          </a>
        ))}
      </p>
    </details>
  );
}

function SeriesOf({ series: { collection, index, count } }: { series: PostSeries }) {
  const texts = useTexts();
  return (
    <p class="series">
      {texts.partOf(index, count)}{' '}
      <a href={collectionPath(collection)} dir="auto">
        {collection.title}
      </a>
    </p>
  );
}

function Neighbors({ series: { previous, next, collection } }: { series: PostSeries }) {
  const texts = useTexts();
  const link = (card: Card, rel: string, label: string) => (
    <a href={postPath(card)} rel={rel}>
      <span class="small">{label}</span>
      <span dir="auto">{card.title}</span>
    </a>
  );
  return (
    <nav class="neighbors" aria-label={collection.title}>
      {previous !== null && link(previous, 'prev', texts.previousPart)}
      {next !== null && link(next, 'next', texts.nextPart)}
    </nav>
  );
}

/**
 * Loads one page of comments with their first replies, and the HTML of all of them. With `replies`, the comment of this id, with one page of
 * its replies.
 */
async function loadComments(get: Get, path: string, { replies: of, comments: cursor }: Query, labels: Texts) {
  // Its cache tags are those of all comments of the post.
  const list = get<List<Comment>>(withQuery(`${path}/comments`, of === undefined ? { cursor } : {}));
  const page: Listed = of === undefined ? await list : await repliesOf(of);
  let left = MAX_HTML - page.data.length;
  const loaded = await Promise.all(page.data.map((comment) => withReplies(comment)));
  const { parent } = page;
  const branches: Branch[] = parent === undefined ? loaded : [{ comment: parent, html: undefined, replies: loaded }];
  const ids = branches
    .flatMap(all)
    .flatMap(({ comment }) => shownId(comment))
    .slice(0, MAX_HTML);
  const { data } =
    ids.length === 0 ? { data: [] } : await get<{ data: CommentHtml[] }>(`/v1/comments/html?ids=${ids.join(',')}`);
  const texts = new Map(data.map(({ id, html }) => [id, proseOf(html, labels).html]));
  const filled = (branch: Branch): Branch => ({
    ...branch,
    html: texts.get(branch.comment.id),
    replies: branch.replies.map(filled),
  });
  return { comments: branches.map(filled), nextComments: page.page.nextCursor };

  async function repliesOf(id: string): Promise<Listed> {
    const comment = `/v1/comments/${encodeURIComponent(id)}`;
    const [parent, replies, ofPost] = await Promise.all([
      get<Comment>(comment),
      get<List<Comment>>(withQuery(`${comment}/replies`, { cursor })),
      list,
    ]);
    return path.endsWith(parent.postId) ? { ...replies, parent } : ofPost;
  }

  async function withReplies(comment: Comment): Promise<Branch> {
    const wanted = Math.min(comment.stats.repliesCount, REPLIES, left);
    if (wanted <= 0) return { comment, replies: [], html: undefined };
    left -= wanted;
    const { data: replies } = await get<List<Comment>>(`/v1/comments/${comment.id}/replies?limit=${wanted}`);
    return {
      comment,
      html: undefined,
      replies: replies.map((reply) => ({ comment: reply, replies: [], html: undefined })),
    };
  }
}

type Listed = List<Comment> & { parent?: Comment };
type Query = Record<string, string | undefined>;

const all = (branch: Branch): Branch[] => [branch, ...branch.replies.flatMap(all)];

const shownId = ({ id, isDeleted }: Comment): string[] => (isDeleted ? [] : [id]);

/** @throws the error unless the resource does not exist */
function unlessMissing(error: unknown): null {
  if ((error as { status?: number }).status === 404) return null;
  throw error;
}
