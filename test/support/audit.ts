import type { Db, Document } from 'mongodb';

const COLLECTIONS = ['users', 'posts', 'comments', 'interactions', 'follows', 'collections', 'collection_items'];

/** Reads all rows in one snapshot, because a concurrent task may count likes of authors. */
const rowsOf = (db: Db): Promise<Document[][]> =>
  db.client.withSession((session) =>
    session.withTransaction(
      async () => {
        const rows: Document[][] = [];
        for (const name of [...COLLECTIONS, 'received_likes'])
          rows.push(await db.collection(name).find({}, { session }).toArray());
        return rows;
      },
      { readConcern: { level: 'snapshot' } },
    ),
  );

/** Compares every counter with its rows, independently of the product's own audit. Returns the differences as lines. */
export async function differences(db: Db): Promise<string[]> {
  const [users, posts, comments, interactions, follows, collections, items, waiting] = await rowsOf(db);
  const lines: string[] = [];
  const check = (what: string, counter: unknown, rows: number): void => {
    if (counter !== rows) lines.push(`${what} is ${String(counter)}, rows say ${rows}`);
  };
  const tally = (rows: Document[], keyOf: (row: Document) => string | null): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const row of rows) {
      const key = keyOf(row);
      if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  };
  const votes = tally(interactions!, (row) => (row.kind === 'vote' ? `${row.targetId} ${row.value}` : null));
  const commentsOf = tally(comments!, (row) => (row.deletedAt === null ? String(row.postId) : null));
  const repliesOf = tally(comments!, (row) => (row.isVisible && row.parentId !== null ? String(row.parentId) : null));
  const followers = tally(follows!, (row) => String(row.followingId));
  const following = tally(follows!, (row) => String(row.followerId));
  const followersOf = tally(interactions!, (row) => (row.kind === 'follow' ? String(row.targetId) : null));
  const itemsOf = tally(items!, (row) => (row.isListed ? String(row.collectionId) : null));
  const collectionsOf = tally(collections!, (row) => (row.deletedAt === null ? String(row.ownerId) : null));
  const likesReceived = new Map<string, number>();

  for (const { changes } of waiting!) {
    for (const [author, change] of Object.entries(changes as Record<string, number>))
      likesReceived.set(author, (likesReceived.get(author) ?? 0) - change);
  }
  for (const { _id, authorId, isListed, stats } of posts!) {
    check(`post ${_id} likesCount`, stats.likesCount, votes.get(`${_id} like`) ?? 0);
    check(`post ${_id} dislikesCount`, stats.dislikesCount, votes.get(`${_id} dislike`) ?? 0);
    check(`post ${_id} commentsCount`, stats.commentsCount, commentsOf.get(String(_id)) ?? 0);
    if (isListed) likesReceived.set(String(authorId), (likesReceived.get(String(authorId)) ?? 0) + stats.likesCount);
  }
  for (const { _id, stats } of comments!) {
    check(`comment ${_id} likesCount`, stats.likesCount, votes.get(`${_id} like`) ?? 0);
    check(`comment ${_id} dislikesCount`, stats.dislikesCount, votes.get(`${_id} dislike`) ?? 0);
    check(`comment ${_id} repliesCount`, stats.repliesCount, repliesOf.get(String(_id)) ?? 0);
  }
  for (const { _id, stats, topScore, deletedAt } of collections!) {
    if (deletedAt !== null) continue;
    check(`collection ${_id} postsCount`, stats.postsCount, itemsOf.get(String(_id)) ?? 0);
    check(`collection ${_id} likesCount`, stats.likesCount, votes.get(`${_id} like`) ?? 0);
    check(`collection ${_id} dislikesCount`, stats.dislikesCount, votes.get(`${_id} dislike`) ?? 0);
    check(`collection ${_id} followersCount`, stats.followersCount, followersOf.get(String(_id)) ?? 0);
    check(`collection ${_id} topScore`, topScore, stats.likesCount - stats.dislikesCount + stats.followersCount);
  }
  for (const { _id, stats, collectionsCount, deletedAt } of users!) {
    if (deletedAt === null)
      check(`user ${_id} collectionsCount`, collectionsCount, collectionsOf.get(String(_id)) ?? 0);
    check(`user ${_id} followersCount`, stats.followersCount, followers.get(String(_id)) ?? 0);
    check(`user ${_id} followingCount`, stats.followingCount, following.get(String(_id)) ?? 0);
    check(`user ${_id} likesReceivedCount`, stats.likesReceivedCount, likesReceived.get(String(_id)) ?? 0);
  }
  return lines;
}
