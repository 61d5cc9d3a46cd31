import { ObjectId } from 'mongodb';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import type { Role, Viewer } from '../../src/platform/access/viewer.js';
import { newUserRow, type UserRow } from '../../src/users/user-row.js';
import type { TestApp } from './app.js';

export interface TestPerson {
  _id: ObjectId;
  id: string;
  username: string;
  /** access token */
  token: string;
  viewer: Viewer;
}

let made = 0;

/** Accounts without credentials, many at once: written as rows, signed in with real tokens. */
export async function insertPeople(app: TestApp, count: number, role: Role = 'user'): Promise<TestPerson[]> {
  const tokens = app.app.get(AccessTokenService);
  const now = new Date();
  const rows = Array.from({ length: count }, (): UserRow => {
    const username = `p${(++made).toString(36)}_${process.pid.toString(36)}`;
    return { ...newUserRow({ _id: new ObjectId(), username, fullName: `Person ${made}` }, now), role };
  });
  await app.db.collection<UserRow>('users').insertMany(rows);
  return rows.map(({ _id, username }) => {
    const viewer: Viewer = { id: _id.toHexString(), role };
    return { _id, id: viewer.id, username, viewer, token: tokens.issue(viewer).accessToken };
  });
}
