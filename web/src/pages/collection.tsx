import { type Collection, collectionPath, type CollectionPost, idOf, type Page as List, withQuery } from '../api.js';
import { AuthorLink, Avatar } from '../components/author.js';
import { PostCard, TagList } from '../components/card.js';
import { useTexts } from '../components/context.js';
import { Pager } from '../components/pager.js';
import { definePage, type PageProps } from '../page.js';

type Data = { collection: Collection; posts: List<CollectionPost> };

export const collectionPage = definePage<Data>({
  async load(get, { params, query: { cursor } }) {
    const path = `/v1/collections/${idOf(params['slug']!)}`;
    const [collection, posts] = await Promise.all([
      get<Collection>(path),
      get<List<CollectionPost>>(withQuery(`${path}/posts`, { cursor })),
    ]);
    return { collection, posts };
  },
  movedTo: ({ collection }, { params, query }) =>
    collection.slug === params['slug'] ? undefined : withQuery(collectionPath(collection), query),
  // The API does not cache this list.
  tags: ({ posts }) => posts.data.map(({ post }) => `post:${post.id}`),
  head({ collection, posts }, { query: { cursor } }) {
    const next = posts.page.nextCursor;
    return {
      title: collection.title,
      description: collection.description || undefined,
      canonical: withQuery(collectionPath(collection), { cursor }),
      isIndexed: cursor === undefined,
      feed: `/v1/collections/${collection.id}/feed.atom`,
      next: next === null ? undefined : withQuery(collectionPath(collection), { cursor: next }),
    };
  },
  View({ data: { collection, posts }, request: { query } }: PageProps<Data>) {
    const texts = useTexts();
    const path = collectionPath(collection);
    const next = posts.page.nextCursor;
    return (
      <div class="single">
        <header
          class="collection-head"
          data-collection={collection.id}
          data-likes={collection.stats.likesCount}
          data-owner={collection.owner.id}
        >
          <p class="kind">{texts.kindOfCollection[collection.kind]}</p>
          <h1 dir="auto">{collection.title}</h1>
          {collection.description !== '' && (
            <p class="headline" dir="auto">
              {collection.description}
            </p>
          )}
          <p class="meta">
            <Avatar author={collection.owner} size={24} />
            <AuthorLink author={collection.owner} />
            <span>{texts.postsCount(collection.stats.postsCount)}</span>
          </p>
          <TagList tags={collection.tags} />
        </header>
        {posts.data.length === 0 && <p class="empty">{texts.noPosts}</p>}
        {posts.data.map(({ post, note }) => (
          <PostCard key={post.id} card={post} note={note} />
        ))}
        <Pager
          first={query['cursor'] === undefined ? undefined : path}
          next={next === null ? undefined : withQuery(path, { cursor: next })}
        />
      </div>
    );
  },
});
