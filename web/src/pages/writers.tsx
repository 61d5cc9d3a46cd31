import { type Page as List, type TopWriter, withQuery } from '../api.js';
import { AuthorLink, Avatar } from '../components/author.js';
import { useTexts } from '../components/context.js';
import { Choices, Pager } from '../components/pager.js';
import { definePage, type PageProps } from '../page.js';
import { textsOf } from '../texts/index.js';

type Data = { writers: List<TopWriter> };

const PATH = '/writers';
const WINDOWS = ['week', 'month', 'year', 'all'] as const;

/** `/writers`: top writers of a window. Scripts add buttons to follow them. */
export const writersPage = definePage<Data>({
  load: async (get, { query: { window = 'month', cursor } }) => ({
    writers: await get<List<TopWriter>>(
      withQuery('/v1/users/top', { window: window === 'all' ? undefined : window, limit: '30', cursor }),
    ),
  }),
  head({ writers: { page } }, { query: { window, cursor } }, { language }) {
    const next = page.nextCursor;
    return {
      title: textsOf(language).topWriters,
      canonical: withQuery(PATH, { window, cursor }),
      isIndexed: cursor === undefined,
      next: next === null ? undefined : withQuery(PATH, { window, cursor: next }),
    };
  },
  View({ data: { writers }, request: { query } }: PageProps<Data>) {
    const texts = useTexts();
    const { window = 'month', cursor } = query;
    const pathOf = (name: string, after?: string): string =>
      withQuery(PATH, { window: name === 'month' ? undefined : name, cursor: after });
    const next = writers.page.nextCursor;
    return (
      <div class="single">
        <h1>{texts.topWriters}</h1>
        <Choices
          label={texts.period}
          choices={WINDOWS.map((name) => ({
            href: pathOf(name),
            label: texts.windows[name],
            isCurrent: window === name,
          }))}
        />
        {writers.data.length === 0 && <p class="empty">{texts.noWriters}</p>}
        <ol class="directory">
          {writers.data.map((writer) => (
            <li key={writer.id} data-user={writer.id} data-username={writer.username}>
              <Avatar author={writer} size={44} />
              <div>
                <AuthorLink author={writer} />
                <p class="meta">
                  <span>{texts.postsCount(writer.stats.postsCount)}</span>
                  <span>{texts.followers(writer.stats.followersCount)}</span>
                </p>
                {writer.bio !== '' && (
                  <p class="bio" dir="auto">
                    {writer.bio}
                  </p>
                )}
              </div>
            </li>
          ))}
        </ol>
        <Pager
          label={texts.moreWriters}
          first={cursor === undefined ? undefined : pathOf(window)}
          next={next === null ? undefined : pathOf(window, next)}
        />
      </div>
    );
  },
});
