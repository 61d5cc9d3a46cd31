import { type Card, type Collection, nameOf, type Page as List, type Profile, profilePath, withQuery } from '../api.js';
import { Avatar } from '../components/author.js';
import { PostCard } from '../components/card.js';
import { CollectionItem } from '../components/collection.js';
import { useTexts } from '../components/context.js';
import { Choices, Pager } from '../components/pager.js';
import { compact, Time } from '../components/time.js';
import { definePage, type PageProps } from '../page.js';

type Data = { profile: Profile; posts: List<Card> | null; collections: List<Collection> | null };

const isOfCollections = (query: Record<string, string>): boolean => query['tab'] === 'collections';

export const profilePage = definePage<Data>({
  async load(get, { params, query }) {
    const path = `/v1/users/${params['username']!.toLowerCase()}`;
    const { cursor } = query;
    const lists = isOfCollections(query)
      ? { posts: null, collections: get<List<Collection>>(withQuery(`${path}/collections`, { cursor })) }
      : { posts: get<List<Card>>(withQuery(`${path}/posts`, { cursor })), collections: null };
    const [profile, posts, collections] = await Promise.all([get<Profile>(path), lists.posts, lists.collections]);
    return { profile, posts, collections };
  },
  movedTo: ({ profile }, { params, query }) =>
    profile.username === params['username'] ? undefined : withQuery(profilePath(profile), query),
  head({ profile, posts, collections }, { query }, site) {
    const next = (posts ?? collections)!.page.nextCursor;
    const description = profile.headline || profile.bio || undefined;
    return {
      title: nameOf(profile),
      description,
      canonical: withQuery(profilePath(profile), query),
      isIndexed: query['cursor'] === undefined,
      feed: `/v1/users/${profile.username}/feed.atom`,
      next: next === null ? undefined : withQuery(profilePath(profile), { ...query, cursor: next }),
      openGraph: [
        { name: 'og:type', content: 'profile' },
        { name: 'og:site_name', content: site.name },
        { name: 'og:title', content: nameOf(profile) },
        ...(description === undefined ? [] : [{ name: 'og:description', content: description }]),
        { name: 'og:url', content: site.url + profilePath(profile) },
        { name: 'profile:username', content: profile.username },
      ],
    };
  },
  View({ data: { profile, posts, collections }, request: { query } }: PageProps<Data>) {
    const texts = useTexts();
    const path = profilePath(profile);
    const { tab, cursor } = query;
    const next = (posts ?? collections)!.page.nextCursor;
    return (
      <div class="single">
        <header class="profile">
          <Avatar author={profile} size={96} />
          <div data-user={profile.id} data-username={profile.username} data-is-profile>
            <h1 dir="auto">{nameOf(profile)}</h1>
            <p class="meta">
              <span>@{profile.username}</span>
              {profile.location !== '' && <span dir="auto">{profile.location}</span>}
              <span>
                {texts.joined} <Time at={profile.createdAt} />
              </span>
            </p>
            {profile.headline !== '' && (
              <p class="headline" dir="auto">
                {profile.headline}
              </p>
            )}
            {profile.bio !== '' && (
              <p class="bio" dir="auto">
                {profile.bio}
              </p>
            )}
            <Links profile={profile} />
            <Figures profile={profile} />
          </div>
        </header>
        <Choices
          label={nameOf(profile)}
          choices={[
            { href: path, label: texts.posts, isCurrent: posts !== null },
            { href: `${path}?tab=collections`, label: texts.collections, isCurrent: collections !== null },
          ]}
        />
        {posts?.data.map((card) => (
          <PostCard key={card.id} card={card} hasAuthor={false} />
        ))}
        {collections?.data.map((collection) => (
          <CollectionItem key={collection.id} collection={collection} />
        ))}
        {(posts ?? collections)!.data.length === 0 && <p class="empty">{texts.noPosts}</p>}
        <Pager
          first={cursor === undefined ? undefined : withQuery(path, { tab })}
          next={next === null ? undefined : withQuery(path, { tab, cursor: next })}
        />
      </div>
    );
  },
});

function Links({ profile: { links } }: { profile: Profile }) {
  if (links.length === 0) return null;
  return (
    <ul class="links">
      {links.map(({ title, url }) => (
        <li key={url}>
          <a href={url} rel="nofollow noopener ugc me" dir="auto">
            {title || new URL(url).hostname}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Figures({ profile: { stats } }: { profile: Profile }) {
  const texts = useTexts();
  const figures: [count: number, text: (count: number) => string][] = [
    [stats.postsCount, texts.postsCount],
    [stats.followersCount, texts.followers],
    [stats.followingCount, texts.following],
    [stats.likesReceivedCount, texts.likesReceived],
  ];
  return (
    <p class="figures">
      {figures.map(([count, text]) => (
        <span key={text(2)}>{text(count).replace(String(count), compact(count, texts.language))}</span>
      ))}
    </p>
  );
}
