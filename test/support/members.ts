import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { AccessTokenService } from '../../src/platform/http/access-token.service.js';
import type { Role } from '../../src/platform/http/viewer.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { UsersService } from '../../src/users/users.service.js';
import type { TestApp } from './app.js';

export interface Member {
  id: string;
  username: string;
  /** access token */
  token: string;
}

/** An account with a token but without a password: for specs that are not about signing in. */
export async function joinAs({ app }: Pick<TestApp, 'app'>, role: Role = 'user'): Promise<Member> {
  const _id = new ObjectId();
  const username = `m${randomBytes(5).toString('hex')}`;
  await app
    .get(MongoService)
    .transaction((session) => app.get(UsersService).create({ _id, username, fullName: `Member ${username}` }, session));
  const id = _id.toHexString();
  return { id, username, token: app.get(AccessTokenService).issue({ id, role }).accessToken };
}
