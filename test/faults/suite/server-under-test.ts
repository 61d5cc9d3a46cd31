import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { freePorts } from '../../support/server-process.js';
import { ROOT, type SpawnedHost } from '../../support/spawned-host.js';
import { type Account, TOKEN_SECRET, type Tokens } from './cast.js';
import { EVENT_WINDOW_HOURS } from './event-check.js';
import { HttpClient } from './http-client.js';

export const CLI = join(ROOT, 'dist/bundle/cli.js');

/** Settings of an operator, without rate limits, because all clients have one address. */
export async function hostEnvironment(uri: string): Promise<Record<string, string>> {
  return {
    MONGODB_URI: uri,
    MONGODB_DATABASE: 'faults',
    HTTP_PORT: String((await freePorts(1))[0]),
    HTTP_WORKERS: '2',
    AUTH_TOKEN_SECRET: TOKEN_SECRET,
    AUTH_ACCESS_TOKEN_TTL_SECONDS: '3600',
    RATE_LIMIT_ENABLED: 'false',
    NEWCOMER_DAYS: '0',
    // Cached responses expire while the database is down.
    CACHE_FEED_TTL_MS: '1000',
    CACHE_STALE_MS: '1000',
    ENGAGEMENT_INTERVAL_MINUTES: '1',
    EVENTS_WINDOW_HOURS: String(EVENT_WINDOW_HOURS),
  };
}

/** @returns the ids of the posts */
export function writePosts(url: string, tokens: Tokens, accounts: Account[], count: number): Promise<string[]> {
  return write(url, tokens, accounts, count, (at) => {
    const body = { title: `Stage ${at}`, content: `# Stage ${at}`, type: 'article', tags: ['faults'] };
    return { path: '/v1/posts', body };
  });
}

/** Writes a comment on each post. @returns their ids */
export function writeComments(url: string, tokens: Tokens, accounts: Account[], postIds: string[]): Promise<string[]> {
  return write(url, tokens, accounts, postIds.length, (at) => {
    return { path: `/v1/posts/${postIds[at]}/comments`, body: { content: `Stage comment ${at}` } };
  });
}

async function write(
  url: string,
  tokens: Tokens,
  accounts: Account[],
  count: number,
  requestOf: (at: number) => { path: string; body: object },
): Promise<string[]> {
  const client = new HttpClient(url);
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const token = tokens.of(accounts[at % accounts.length]!);
    const answer = await client.send({ method: 'POST', token, ...requestOf(at) });
    if (answer.status !== 201) throw new Error(`a row for the run: ${answer.status} ${answer.text}`);
    ids.push((JSON.parse(answer.text) as { id: string }).id);
  }
  client.close();
  return ids;
}

/** Runs a CLI command with the configuration of the server. */
export function runCli(
  host: SpawnedHost,
  args: string[],
  overrides: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const env = host.childEnvironment(overrides);
    execFile(process.execPath, [CLI, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}
