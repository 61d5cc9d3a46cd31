import {
  type Card,
  type Page as List,
  POST_TYPES,
  type TagDetails,
  type TopWriter,
  tagPath,
  withQuery,
} from '../api.js';
import { AuthorLink, Avatar } from '../components/author.js';
import { PostCard, TagList } from '../components/card.js';
import { useTexts } from '../components/context.js';
import { Choices, Pager } from '../components/pager.js';
import type { PageRequest } from '../contract.js';
import { definePage, type PageProps } from '../page.js';
import { textsOf } from '../texts/index.js';

type Sort = 'hot' | 'latest' | 'top' | 'rising' | 'discussed';
type Data = { posts: List<Card>; writers: TopWriter[]; about: TagDetails | undefined };

const WINDOWS = ['day', 'week', 'month', 'year', 'all'] as const;
const PATHS: Record<Sort, string> = { hot: '/', latest: '/latest', top: '/top', rising: '/', discussed: '/' };
const HOME_SORTS = ['hot', 'rising', 'discussed'] as const;
const TAG_SORTS = ['latest', 'hot', 'top', 'rising', 'discussed'] as const;
const TAGS_SHOWN = 12;

export const hotPage = feedPage(({ query }) => (query['sort'] ?? 'hot') as Sort);
export const latestPage = feedPage(() => 'latest');
export const topPage = feedPage(() => 'top');
export const tagPage = feedPage(({ query }) => (query['sort'] ?? 'latest') as Sort);

function feedPage(sortOf: (request: PageRequest) => Sort) {
  /** Returns the path of the list with these parameters. Another filter begins with the first page. */
  const pathOf = ({ params, query }: PageRequest, change: Record<string, string | undefined>): string => {
    const tag = params['tag'];
    const { type, tag: filter, window, sort } = query;
    const path = tag === undefined ? PATHS[sortOf({ params, query })] : tagPath(tag);
    return withQuery(path, { sort, window, type, tag: filter, ...change });
  };

  return definePage<Data>({
    async load(get, request) {
      const { query, params } = request;
      const sort = sortOf(request);
      // In the order of the cache key of GET /v1/feed, without its defaults.
      const feed = withQuery('/v1/feed', {
        sort: sort === 'hot' ? undefined : sort,
        window: sort === 'top' && query['window'] !== 'all' ? query['window'] : undefined,
        tag: params['tag'] ?? query['tag'],
        type: query['type'],
        cursor: query['cursor'],
      });
      const tag = params['tag'];
      const [posts, writers, about] = await Promise.all([
        get<List<Card>>(feed),
        get<{ data: TopWriter[] }>('/v1/users/top?limit=5'),
        tag === undefined ? undefined : get<TagDetails>(`/v1${tagPath(tag)}`),
      ]);
      return { posts, writers: writers.data, about };
    },
    movedTo: (_, { params, query }) => {
      const tag = params['tag'];
      return tag === undefined || tag === tag.toLowerCase() ? undefined : withQuery(tagPath(tag.toLowerCase()), query);
    },
    head(data, request, site) {
      const texts = textsOf(site.language);
      const tag = request.params['tag'];
      const sort = sortOf(request);
      const { cursor } = request.query;
      const next = data.posts.page.nextCursor;
      return {
        title: tag === undefined ? (sort === 'hot' ? undefined : texts.feedTitles[sort]) : texts.tagTitle(tag),
        description:
          data.about?.description ||
          `${tag === undefined ? texts.feedTitles[sort] : texts.tagTitle(tag)} – ${site.name}`,
        canonical: pathOf(request, { cursor }),
        // Search engines find posts through the sitemap. Later pages change all the time.
        isIndexed: cursor === undefined,
        feed:
          tag === undefined
            ? `/v1/feeds/${PATHS[sort] === '/' ? 'hot' : sort}.atom`
            : `/v1/tags/${encodeURIComponent(tag)}/feed.atom`,
        next: next === null ? undefined : pathOf(request, { cursor: next }),
      };
    },
    View({ data, request }: PageProps<Data>) {
      const texts = useTexts();
      const sort = sortOf(request);
      const tag = request.params['tag'];
      const { type, window = 'all', cursor } = request.query;
      const { data: cards, page } = data.posts;
      // The header links the orders with a page of their own.
      const orders = tag !== undefined ? TAG_SORTS : PATHS[sort] === '/' ? HOME_SORTS : undefined;
      const types = [
        { href: pathOf(request, { type: undefined }), label: texts.allTypes, isCurrent: type === undefined },
        ...POST_TYPES.map((name) => ({
          href: pathOf(request, { type: name }),
          label: texts.types[name],
          isCurrent: type === name,
        })),
      ];
      return (
        <div class="columns">
          <div class="list">
            <h1 dir="auto">
              {tag === undefined ? (
                texts.feedTitles[sort]
              ) : (
                <>
                  <span class="hash">#</span>
                  {tag}
                </>
              )}
            </h1>
            {data.about !== undefined && <AboutTag tag={data.about} />}
            {orders !== undefined && (
              <Choices
                label={texts.sortBy}
                choices={[
                  ...(tag === undefined ? [{ href: '/for-you', label: texts.forYou, isCurrent: false }] : []),
                  ...orders.map((name, at) => ({
                    href: pathOf(request, { sort: at === 0 ? undefined : name }),
                    label: texts.feeds[name],
                    isCurrent: sort === name,
                  })),
                ]}
              />
            )}
            {sort === 'top' && (
              <Choices
                label={texts.period}
                choices={WINDOWS.map((name) => ({
                  href: pathOf(request, { window: name === 'all' ? undefined : name }),
                  label: texts.windows[name],
                  isCurrent: window === name,
                }))}
              />
            )}
            <Choices label={texts.typeOfPost} choices={types} />
            {cards.length === 0 && <p class="empty">{texts.noPosts}</p>}
            {cards.map((card, at) => (
              <PostCard key={card.id} card={card} isFirst={at < 3} />
            ))}
            <Pager
              first={cursor === undefined ? undefined : pathOf(request, {})}
              next={page.nextCursor === null ? undefined : pathOf(request, { cursor: page.nextCursor })}
            />
          </div>
          <aside class="side">
            <TopWriters writers={data.writers} />
            <CommonTags cards={cards} />
          </aside>
        </div>
      );
    },
  });
}

/** Scripts add a button to follow the tag. */
function AboutTag({ tag: { tag, description, postsCount, followersCount } }: { tag: TagDetails }) {
  const texts = useTexts();
  return (
    <div class="tag-head" data-tag={tag}>
      {description !== '' && (
        <p class="headline" dir="auto">
          {description}
        </p>
      )}
      <p class="meta">
        {/* The count of a new tag is an hour late. */}
        {postsCount > 0 && <span>{texts.postsCount(postsCount)}</span>}
        <span>{texts.followers(followersCount)}</span>
      </p>
    </div>
  );
}

function TopWriters({ writers }: { writers: TopWriter[] }) {
  const texts = useTexts();
  if (writers.length === 0) return null;
  return (
    <section>
      <h2>
        <a href="/writers">{texts.topWriters}</a>
      </h2>
      <ul class="people">
        {writers.map((writer) => (
          <li key={writer.id}>
            <Avatar author={writer} size={32} />
            <AuthorLink author={writer} />
            <span>{texts.postsCount(writer.stats.postsCount)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function CommonTags({ cards }: { cards: Card[] }) {
  const texts = useTexts();
  const counts = new Map<string, number>();
  for (const tag of cards.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const tags = [...counts].sort(([, a], [, b]) => b - a).slice(0, TAGS_SHOWN);
  if (tags.length === 0) return null;
  return (
    <section>
      <h2>{texts.tagsHere}</h2>
      <TagList tags={tags.map(([tag]) => tag)} />
    </section>
  );
}
