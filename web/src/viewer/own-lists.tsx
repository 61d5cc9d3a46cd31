import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { OwnPage } from '../account/signed-in.js';
import { useLoaded } from '../account/use-loaded.js';
import type { Card, Page } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { OwnCard } from './own-card.js';
import type { OwnState } from './post-buttons.js';

type Load<Row extends Card = Card> = (query: { cursor?: string }) => Promise<Page<Row>>;
type ListProps<Row extends Card = Card> = {
  load: Load<Row>;
  empty: string;
  noteOf?: (card: Row) => string;
  /** more buttons of a card */
  buttonsOf?: (card: Row) => ComponentChildren;
};

/** `/following`: the posts of the accounts and tags that the reader follows. */
export function FollowingPage() {
  const { followingTitle, followingEmpty } = useTexts().viewer;
  const load: Load = (query) =>
    unwrap(api.GET('/v1/feed/following', { params: { query: { ...query, include: ['people', 'tags'] } } }));
  return <ListPage title={followingTitle} load={load} empty={followingEmpty} />;
}

/** `/saved-posts`: the posts that the reader has saved, latest first. */
export function SavedPage() {
  const { savedTitle, savedEmpty } = useTexts().viewer;
  const load: Load = (query) => unwrap(api.GET('/v1/users/me/saved', { params: { query } }));
  return <ListPage title={savedTitle} load={load} empty={savedEmpty} />;
}

function ListPage({ title, ...list }: ListProps & { title: string }) {
  return (
    <OwnPage title={title} isWide>
      <OwnList {...list} />
    </OwnPage>
  );
}

/** One page of posts and, on demand, the next ones below. */
export function OwnList<Row extends Card>({ cursor, ...list }: ListProps<Row> & { cursor?: string }) {
  const { load, empty, noteOf, buttonsOf } = list;
  const texts = useTexts().viewer;
  const [hasMore, setMore] = useState(false);
  const { data, wait } = useLoaded(() => withOwnStates(load(cursor === undefined ? {} : { cursor })));
  if (data === undefined) return wait;
  const { rows, next } = data;
  if (rows.length === 0 && cursor === undefined) return <p class="empty">{empty}</p>;
  return (
    <>
      {rows.map(({ card, own }) => (
        <OwnCard key={card.id} card={card} own={own} note={noteOf?.(card)}>
          {buttonsOf?.(card)}
        </OwnCard>
      ))}
      {next !== null && hasMore && <OwnList<Row> {...list} cursor={next} />}
      {next !== null && !hasMore && (
        <p class="pager">
          <button type="button" class="button" onClick={() => setMore(true)}>
            {texts.more}
          </button>
        </p>
      )}
    </>
  );
}

/** Adds the reader's state to each post of a page, by one request. */
async function withOwnStates<Row extends Card>(loaded: Promise<Page<Row>>) {
  const { data, page } = await loaded;
  const posts = data.map(({ id }) => id);
  const own = posts.length === 0 ? [] : (await unwrap(api.GET('/v1/viewer', { params: { query: { posts } } }))).posts;
  return { rows: data.map((card, at) => ({ card, own: own[at]! as OwnState })), next: page.nextCursor };
}
