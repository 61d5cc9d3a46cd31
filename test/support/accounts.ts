import { randomBytes } from 'node:crypto';
import { sentAgain } from './repeated-requests.js';
import type { TestClient } from './client.js';

export interface TestAccount {
  id: string;
  username: string;
  email: string;
  password: string;
  /** access token */
  token: string;
  refreshToken: string;
}

export const TEST_PASSWORD = 'correct horse battery';

/** Registers an account over HTTP, with a random name by default. */
export async function signUp(
  client: TestClient,
  fields: { username?: string; fullName?: string; email?: string } = {},
): Promise<TestAccount> {
  const username = fields.username ?? `u${randomBytes(5).toString('hex')}`;
  const email = fields.email ?? `${username}@example.org`;
  const body = { username, email, password: TEST_PASSWORD, fullName: fields.fullName ?? `Test ${username}` };
  const answer = await sentAgain(() => client.post('/v1/auth/register', { body }));
  if (answer.status !== 201) throw new Error(`sign-up answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  const { accessToken, refreshToken, user } = answer.body;
  return { id: user.id, username, email, password: TEST_PASSWORD, token: accessToken, refreshToken };
}
