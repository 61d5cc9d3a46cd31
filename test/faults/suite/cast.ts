import { type Db, ObjectId } from 'mongodb';
import { newCollection } from '../../../src/collections/collection-draft.js';
import { newUserRow, type User } from '../../../src/users/user.schema.js';
import type { PostCollection } from '../../../src/collections/collection.schema.js';
import { AppConfig } from '../../../src/config/app-config.js';
import { ENV_SCHEMA } from '../../../src/config/env.schema.js';
import { AccessTokenService } from '../../../src/platform/access/access-token.service.js';

export const TOKEN_SECRET = 'a secret of the fault suite, of forty characters';
/** Longer than a server issues them: the clock of a host may be an hour fast. */
const TOKEN_TTL_SECONDS = 4 * 3_600;

export type Account = {
  id: string;
  username: string;
  /** Id of a collection of the account. */
  listId: string;
  /** id of a post of the account that is never deleted */
  postId?: string;
};

/** Issues access tokens like the server, with the secret of its environment. */
export class Tokens {
  private readonly service = new AccessTokenService(
    new AppConfig({
      ...ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: TOKEN_SECRET }),
      AUTH_ACCESS_TOKEN_TTL_SECONDS: TOKEN_TTL_SECONDS,
    }),
  );
  private readonly held = new Map<string, { token: string; until: number }>();

  of(account: Account): string {
    const held = this.held.get(account.id);
    if (held !== undefined && held.until > Date.now()) return held.token;
    const token = this.service.issue({ id: account.id, role: 'user', isEmailVerified: true }).accessToken;
    this.held.set(account.id, { token, until: Date.now() + (TOKEN_TTL_SECONDS * 1_000) / 2 });
    return token;
  }
}

/** Inserts rows of accounts without credentials, each with an empty list, because the fault run does not test sign-in. */
export async function insertAccounts(db: Db, count: number, name = 'writer'): Promise<Account[]> {
  const now = new Date();
  const rows = Array.from({ length: count }, (_, at) =>
    newUserRow({ _id: new ObjectId(), username: `${name}_${at}`, fullName: `${name} ${at}` }, now),
  ).map((row): User => ({ ...row, collectionsCount: 1 }));
  const lists = rows.map(({ _id, username, fullName, profilePicture }) => {
    const owner = { snapshot: { username, fullName, profilePicture } };
    return newCollection(new ObjectId(), _id, owner, { kind: 'list', title: `Read by ${username}` });
  });
  await db.collection<User>('users').insertMany(rows, { writeConcern: { w: 'majority' } });
  await db.collection<PostCollection>('collections').insertMany(lists, { writeConcern: { w: 'majority' } });
  return rows.map(({ _id, username }, at) => {
    return { id: _id.toHexString(), username, listId: lists[at]!._id.toHexString() };
  });
}
