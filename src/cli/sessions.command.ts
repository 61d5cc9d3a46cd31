import { Command } from 'commander';
import { withServices } from './cli-context.js';

/** `sessions end-all` signs out every account and program: after a restored backup or a leak, to revoke all earlier tokens. */
export function sessionsCommand(): Command {
  const endAll = new Command('end-all')
    .description(
      'revoke every session and API token; access tokens expire within 15 minutes unless you change the secret, API tokens within one',
    )
    .action(endAllSessions);
  return new Command('sessions').description('revoke sessions').addCommand(endAll);
}

async function endAllSessions(): Promise<void> {
  const [{ SessionsService }, { ApiTokensService }] = await Promise.all([
    import('../auth/sessions.service.js'),
    import('../auth/api-tokens/api-tokens.service.js'),
  ]);
  await withServices(async (app) => {
    const refreshTokens = await app.get(SessionsService).endAll();
    const apiTokens = await app.get(ApiTokensService).revokeAll();
    console.log(`${refreshTokens} refresh tokens and ${apiTokens} API tokens revoked.`);
  });
}
