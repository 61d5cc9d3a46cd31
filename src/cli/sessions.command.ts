import { Command } from 'commander';
import { withServices } from './cli-context.js';

/** `sessions end-all` signs every account out: after a restored backup or a leak, when no earlier refresh token may be good any more. */
export function sessionsCommand(): Command {
  const endAll = new Command('end-all')
    .description('end every sign-in: all refresh tokens; access tokens live on for minutes, unless the secret changes')
    .action(endAllSessions);
  return new Command('sessions').description('who is signed in').addCommand(endAll);
}

async function endAllSessions(): Promise<void> {
  const { SessionsService } = await import('../auth/sessions.service.js');
  await withServices(async (app) => console.log(`${await app.get(SessionsService).endAll()} refresh tokens ended.`));
}
