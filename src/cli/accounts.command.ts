import { hostname, userInfo } from 'node:os';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { Argument, Command, Option } from 'commander';
import type { CredentialsService } from '../auth/credentials.service.js';
import { StartupError } from '../common/errors.js';
import { getAccount } from './get-account.js';
import { wholeNumber } from './numbers.js';
import { asReason, requireReason } from './refusals.js';
import { ROLES, type Role } from '../platform/access/viewer.js';
import type { User } from '../users/user.schema.js';

/**
 * `accounts show|role|verify|second-factor|suspend|lift|end|invite`: the actions of an operator on accounts. Running servers apply a deletion or a lower
 * role immediately; a higher role, or a verified address, is in the next access token.
 */
export function accountsCommand(): Command {
  const name = new Argument('<username>', 'current or previous username, in any case, or the e-mail address');
  const show = new Command('show')
    .description('show an account')
    .addArgument(name)
    .action((username: string) => withAccount(username, showAccount));
  const role = new Command('role')
    .description('change the role of an account; a lower role revokes its sessions and API tokens')
    .addArgument(name)
    .addArgument(new Argument('<role>').choices(ROLES))
    .action((username: string, given: Role) => withAccount(username, (app, user) => setRole(app, user, given)));
  const verify = new Command('verify')
    .description('mark the e-mail address of an account as verified')
    .addArgument(name)
    .action((username: string) => withAccount(username, verifyEmail));
  const secondFactor = new Command('second-factor')
    .description(
      'turn off two-factor authentication of a user who lost the app and the recovery codes; the user gets a mail',
    )
    .addArgument(name)
    .addArgument(new Argument('<off>').choices(['off']))
    .action((username: string) => withAccount(username, switchSecondFactorOff));
  const suspend = new Command('suspend')
    .description('suspend an account: it can read, appeal and leave, but not write; the log records the operator')
    .addArgument(name)
    .requiredOption('--reason <text>', 'reason for the account')
    .option('--until <time>', 'end of the suspension, as 2027-01-31T09:00:00Z; default: until lift')
    .action((username: string, options: ActionOptions) =>
      withAccount(username, (app, user) => act(app, user, 'suspend', options)),
    );
  const lift = new Command('lift')
    .description('end the restriction of an account; the log records the operator')
    .addArgument(name)
    .requiredOption('--reason <text>', 'reason for the account')
    .action((username: string, options: ActionOptions) =>
      withAccount(username, (app, user) => act(app, user, 'lift', options)),
    );
  const end = new Command('end')
    .description('permanently delete an account with all its content')
    .addArgument(name)
    .option('--yes', 'confirm the deletion')
    .action((username: string, { yes }: { yes?: true }) =>
      withAccount(username, (app, user) => endAccount(app, user, yes === true)),
    );
  const invite = new Command('invite')
    .description('create an invite code for registration')
    .addOption(new Option('--uses <count>', 'number of registrations').argParser(wholeNumber).default(1))
    .addOption(new Option('--days <count>', 'days until it expires').argParser(wholeNumber).default(7))
    .option('--note <text>', 'note for admins', '')
    .action((options: { uses: number; days: number; note: string }) => createInvite(options));
  return new Command('accounts')
    .description('show, change, suspend and delete accounts; create invites')
    .addCommand(show)
    .addCommand(role)
    .addCommand(verify)
    .addCommand(secondFactor)
    .addCommand(suspend)
    .addCommand(lift)
    .addCommand(end)
    .addCommand(invite);
}

const DAY_MS = 86_400_000;
type ActionOptions = { reason: string; until?: string };
type Work = (app: INestApplicationContext, user: User) => Promise<void>;

async function withAccount(username: string, work: Work): Promise<void> {
  const { withServices } = await import('./cli-context.js');
  await withServices(async (app) => {
    await work(app, await getAccount(app, username));
  });
}

async function showAccount(app: INestApplicationContext, user: User): Promise<void> {
  const { CredentialsService } = await import('../auth/credentials.service.js');
  const credential = await app.get(CredentialsService).findById(user._id);
  const { emailVerifiedAt = null, signedInAt = null } = credential ?? {};
  const facts: [string, string][] = [
    ['id', user._id.toHexString()],
    ['username', [user.username, ...user.previousUsernames.map((earlier) => `(was ${earlier})`)].join(' ')],
    ['name', user.fullName],
    ['role', user.role],
    ['e-mail', credential === null ? 'none' : `${credential.email}${emailVerifiedAt === null ? '' : ' (verified)'}`],
    ['made', user.createdAt.toISOString()],
    ['last sign-in', signedInAt?.toISOString() ?? 'none'],
    ['posts', String(user.stats.postsCount)],
    ['followers', String(user.stats.followersCount)],
  ];
  for (const [fact, value] of facts) console.log(`${fact.padEnd(13)} ${value}`);
}

async function setRole(app: INestApplicationContext, user: User, role: Role): Promise<void> {
  const { AccountsService } = await import('../auth/accounts.service.js');
  const before = await app.get(AccountsService).setRole(user._id, role).catch(asReason);
  audit(user, `role ${before} -> ${role}`);
}

async function act(
  app: INestApplicationContext,
  user: User,
  kind: 'suspend' | 'lift',
  { reason, until }: ActionOptions,
): Promise<void> {
  const { ActionsService } = await import('../actions/actions.service.js');
  requireReason(reason);
  if (until !== undefined && Number.isNaN(Date.parse(until)))
    throw new StartupError('--until must be a time like 2027-01-31T09:00:00Z.');
  const about = { targetKind: 'user', targetId: user._id.toHexString(), reasonCode: 'other' } as const;
  const request = { kind, ...about, publicReason: reason, until };
  await app.get(ActionsService).act({ viewer: null }, request).catch(asReason);
  audit(user, `${kind === 'suspend' ? 'suspended' : 'restriction lifted'}: ${reason}`);
}

async function createInvite({ uses, days, note }: { uses: number; days: number; note: string }): Promise<void> {
  const { withServices } = await import('./cli-context.js');
  await withServices(async (app) => {
    const { InvitesService } = await import('../registration/invites.service.js');
    const { MAX_USES } = await import('../registration/invite.schema.js');
    const expiresAt = new Date(Date.now() + days * DAY_MS).toISOString();
    if (uses > MAX_USES) throw new StartupError(`--uses must be at most ${MAX_USES}.`);
    const { row, code } = await app.get(InvitesService).create(null, { uses, expiresAt, note }).catch(asReason);
    console.log(code);
    console.log(`uses: ${row.uses}, expires: ${row.expiresAt.toISOString()}`);
  });
}

/** Refuses an account without credentials, as most accounts of the dataset are. */
async function requireCredential(app: INestApplicationContext, user: User): Promise<CredentialsService> {
  const { CredentialsService } = await import('../auth/credentials.service.js');
  const credentials = app.get(CredentialsService);
  if ((await credentials.findById(user._id)) === null)
    throw new StartupError(`The account ${user.username} has no e-mail address and cannot sign in.`);
  return credentials;
}

async function verifyEmail(app: INestApplicationContext, user: User): Promise<void> {
  const credentials = await requireCredential(app, user);
  await credentials.verifyEmail(user._id);
  audit(user, 'e-mail address verified');
}

async function switchSecondFactorOff(app: INestApplicationContext, user: User): Promise<void> {
  await requireCredential(app, user);
  const { SecondFactorsService } = await import('../auth/second-factors/second-factors.service.js');
  if (!(await app.get(SecondFactorsService).switchOff(user._id)))
    throw new StartupError(`The account ${user.username} has no second factor.`);
  audit(user, 'second factor off');
}

async function endAccount(app: INestApplicationContext, user: User, isConfirmed: boolean): Promise<void> {
  if (!isConfirmed) {
    console.log(`Nothing was changed. Add --yes to delete ${user.username} with all its content.`);
    process.exitCode = 1;
    return;
  }
  const { AccountsService } = await import('../auth/accounts.service.js');
  await app.get(AccountsService).end(user._id);
  audit(user, 'ended');
}

/** Logs the operator, the action and the account; as a warning, because commands show no lower level. */
function audit(user: User, what: string): void {
  const who = `${operatorName()}@${hostname()}`;
  new Logger('Audit').warn(`${who}: account ${user.username} (${user._id.toHexString()}): ${what}`);
}

function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // The user of a container may have no entry in the passwd file.
    return `user ${process.getuid?.()}`;
  }
}
