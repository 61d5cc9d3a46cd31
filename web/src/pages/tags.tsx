import { type Page as List, type Tag, tagPath, withQuery } from '../api.js';
import { useTexts } from '../components/context.js';
import { Choices, Pager } from '../components/pager.js';
import { definePage, type PageProps } from '../page.js';
import { textsOf } from '../texts/index.js';

type Data = { tags: List<Tag> };

const PATH = '/tags';
const SORTS = ['popular', 'trending', 'name'] as const;

/** `/tags`: all tags. Scripts add buttons to follow them. */
export const tagsPage = definePage<Data>({
  load: async (get, { query: { sort, cursor } }) => ({
    tags: await get<List<Tag>>(withQuery('/v1/tags', { sort, limit: '40', cursor })),
  }),
  head({ tags: { page } }, { query: { sort, cursor } }, { language }) {
    const next = page.nextCursor;
    return {
      title: textsOf(language).tags,
      canonical: withQuery(PATH, { sort, cursor }),
      isIndexed: cursor === undefined,
      next: next === null ? undefined : withQuery(PATH, { sort, cursor: next }),
    };
  },
  View({ data: { tags }, request: { query } }: PageProps<Data>) {
    const texts = useTexts();
    const { sort = 'popular', cursor } = query;
    const pathOf = (name: string, after?: string): string =>
      withQuery(PATH, { sort: name === 'popular' ? undefined : name, cursor: after });
    const next = tags.page.nextCursor;
    return (
      <div class="single">
        <h1>{texts.tags}</h1>
        <Choices
          label={texts.sortBy}
          choices={SORTS.map((name) => ({
            href: pathOf(name),
            label: texts.tagSorts[name],
            isCurrent: sort === name,
          }))}
        />
        {tags.data.length === 0 && <p class="empty">{sort === 'trending' ? texts.noTrends : texts.noTags}</p>}
        <ul class="directory">
          {tags.data.map(({ tag, postsCount, followersCount, trend }) => (
            <li key={tag} data-tag={tag}>
              <a class="author" href={tagPath(tag)} dir="auto">
                {tag}
              </a>
              <p class="meta">
                <span>{texts.postsCount(postsCount)}</span>
                {followersCount > 0 && <span>{texts.followers(followersCount)}</span>}
                {trend > 0 && <span class="trend">{texts.trend}</span>}
              </p>
            </li>
          ))}
        </ul>
        <Pager
          label={texts.moreTags}
          first={cursor === undefined ? undefined : pathOf(sort)}
          next={next === null ? undefined : pathOf(sort, next)}
        />
      </div>
    );
  },
});
