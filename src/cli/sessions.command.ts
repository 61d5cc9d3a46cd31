import { Command } from 'commander';
import { withServices } from './cli-context.js';

/** `sessions end-all` signs out every account and program: after a restored backup or a leak, to revoke all earlier tokens. */
export function sessionsCommand(): Command {
  const endAll = new Command('end-all')
    .description(
      'end every sign-in and API token; access tokens live on for minutes, unless the secret changes, and API tokens for one at most',
    )
    .action(endAllSessions);
  return new Command('sessions').description('who is signed in').addCommand(endAll);
}

async function endAllSessions(): Promise<void> {
  const [{ SessionsService }, { ApiTokensService }] = await Promise.all([
    import('../auth/sessions.service.js'),
    import('../auth/api-tokens/api-tokens.service.js'),
  ]);
  await withServices(async (app) => {
    const refreshTokens = await app.get(SessionsService).endAll();
    const apiTokens = await app.get(ApiTokensService).revokeAll();
    console.log(`${refreshTokens} refresh tokens and ${apiTokens} API tokens ended.`);
  });
}
