import type { Scope } from '../../src/platform/access/token-scope.js';
import { TEST_PASSWORD } from './accounts.js';
import { sentAgain } from './repeated-requests.js';
import type { TestClient } from './client.js';

/** Creates an API token over HTTP, for an account with the password of the tests. */
export async function makeApiToken(
  { client }: { client: TestClient },
  { token }: { token: string },
  scopes: Scope[],
  fields: { expiresAt?: string } = {},
): Promise<{ id: string; token: string }> {
  const body = { name: 'a test', scopes, password: TEST_PASSWORD, ...fields };
  const answer = await sentAgain(() => client.post('/v1/auth/tokens', { token, body }));
  if (answer.status !== 201) throw new Error(`an API token: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
