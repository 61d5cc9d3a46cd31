import type { ComponentChildren } from 'preact';
import {
  nameOf,
  POST_TYPES,
  postPath,
  profilePath,
  type PublicUser,
  type SearchPage,
  tagPath,
  withQuery,
} from '../api.js';
import { AuthorLink, Avatar } from '../components/author.js';
import { PostCard } from '../components/card.js';
import { useTexts } from '../components/context.js';
import { Choices, Pager } from '../components/pager.js';
import { Time } from '../components/time.js';
import { definePage, type PageProps } from '../page.js';
import { textsOf } from '../texts/index.js';

/** null: nothing was searched */
type Data = { results: SearchPage | null };

const KINDS = ['all', 'posts', 'users', 'tags', 'comments'] as const;

const pathOf = ({ q, kind, type }: Record<string, string>, change: Record<string, string | undefined> = {}): string =>
  withQuery('/search', { q, kind, type, ...change });

export const searchPage = definePage<Data>({
  async load(get, { query }) {
    const { q, kind, type, cursor } = query;
    if (q === undefined) return { results: null };
    return { results: await get<SearchPage>(withQuery('/v1/search', { q, kind, type, cursor })) };
  },
  head: (_, { query }, site) => ({
    title: textsOf(site.language).searchTitle(query['q'] ?? ''),
    canonical: pathOf(query),
    isIndexed: false,
  }),
  View({ data: { results }, request: { query }, site }: PageProps<Data>) {
    const texts = useTexts();
    const { q = '', kind = 'all', type, cursor } = query;
    if (results === null)
      return (
        <div class="single">
          <h1>{texts.search}</h1>
          <p class="empty">{texts.searchStart}</p>
        </div>
      );
    const { posts, users, tags, comments } = results.data;
    const next = results.page.nextCursor;
    const hasResults = posts.length + users.length + tags.length + comments.length > 0;
    return (
      <div class="single">
        <h1 dir="auto">{texts.searchTitle(q)}</h1>
        <Choices
          label={texts.search}
          choices={KINDS.filter((name) => name !== 'comments' || site.hasCommentSearch).map((name) => ({
            href: pathOf(query, { kind: name === 'all' ? undefined : name, type: undefined }),
            label: texts.kinds[name],
            isCurrent: kind === name,
          }))}
        />
        {(kind === 'posts' || type !== undefined) && (
          <Choices
            label={texts.typeOfPost}
            choices={[undefined, ...POST_TYPES].map((name) => ({
              href: pathOf(query, { type: name }),
              label: name === undefined ? texts.allTypes : texts.types[name],
              isCurrent: type === name,
            }))}
          />
        )}
        {results.correctedTo !== null && <p class="empty">{texts.correctedTo(results.correctedTo)}</p>}
        {results.matches === 'any' && posts.length > 0 && <p class="empty">{texts.anyWord}</p>}
        {!hasResults && <p class="empty">{texts.nothingFound}</p>}
        {users.length > 0 && <People users={users} />}
        {tags.length > 0 && (
          <ul class="tags">
            {tags.map(({ tag, postsCount }) => (
              <li key={tag}>
                <a href={tagPath(tag)} dir="auto">
                  {tag}
                </a>{' '}
                <span class="small">{postsCount}</span>
              </li>
            ))}
          </ul>
        )}
        {posts.map((post) => (
          <PostCard
            key={post.id}
            card={post}
            title={marked(post.title, post.highlights.title)}
            preview={
              post.subtitle !== null
                ? marked(post.subtitle, post.highlights.subtitle)
                : marked(post.contentPreview, post.highlights.contentPreview)
            }
          />
        ))}
        {comments.length > 0 && <Comments comments={comments} />}
        <Pager
          first={cursor === undefined ? undefined : pathOf(query)}
          next={next === null ? undefined : pathOf(query, { cursor: next })}
        />
      </div>
    );
  },
});

function People({ users }: { users: PublicUser[] }) {
  const texts = useTexts();
  return (
    <ul class="people">
      {users.map((user) => (
        <li key={user.id}>
          <Avatar author={user} size={32} />
          <a class="author" href={profilePath(user)} dir="auto">
            {nameOf(user)}
          </a>
          <span>@{user.username}</span>
          <span>{texts.followers(user.stats.followersCount)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Comments as plain text, with links to their place below the post. */
function Comments({ comments }: { comments: SearchPage['data']['comments'] }) {
  return (
    <ol class="thread">
      {comments.map(({ id, author, content, createdAt, post, highlights }) => (
        <li key={id}>
          <article class="comment">
            <header class="meta">
              <Avatar author={author!} size={24} />
              <AuthorLink author={author!} />
              <Time at={createdAt} />
            </header>
            <p dir="auto">{marked(content!, highlights.content)}</p>
            <p class="more">
              <a href={`${postPath(post!)}?replies=${id}#comment-${id}`} dir="auto">
                {post!.title}
              </a>
            </p>
          </article>
        </li>
      ))}
    </ol>
  );
}

/** Marks the found words of a text. Positions are UTF-16 units. */
function marked(text: string, ranges: readonly { start: number; end: number }[]): ComponentChildren {
  let at = 0;
  const parts: ComponentChildren[] = [];
  for (const { start, end } of ranges) {
    parts.push(text.slice(at, start), <mark>{text.slice(start, end)}</mark>);
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}
