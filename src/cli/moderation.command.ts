import type { INestApplicationContext } from '@nestjs/common';
import { Argument, Command } from 'commander';
import { ObjectId } from 'mongodb';
import { StartupError } from '../common/errors.js';
import type { ModerationActionDto } from '../moderation/moderation-action.dto.js';
import { asReason, requireReason } from './refusals.js';

const SHOWN_ACTIONS = 20;

/** `moderation` shows the open cases and appeals, and the latest actions; `moderation appeals|decide` are for a site without a second moderator. */
export function moderationCommand(): Command {
  const appeals = new Command('appeals').description('list the oldest 20 open appeals').action(printAppeals);
  const decide = new Command('decide')
    .description('accept or reject an appeal; the log records the operator')
    .argument('<action>', 'id of the action')
    .addArgument(new Argument('<decision>').choices(['accept', 'reject']))
    .requiredOption('--reason <text>', 'reason for the account')
    .action((actionId: string, decision: 'accept' | 'reject', { reason }: { reason: string }) =>
      decideAppeal(actionId, decision === 'accept', reason),
    );
  return new Command('moderation')
    .description('show the number of open cases and appeals, the oldest of them, and the latest 20 actions')
    .option('--json', 'print JSON')
    .action(({ json = false }: { json?: boolean }) => printStatus(json))
    .addCommand(appeals)
    .addCommand(decide);
}

async function printAppeals(): Promise<void> {
  const { withServices } = await import('./cli-context.js');
  await withServices(async (app) => {
    const { AppealsService } = await import('../actions/appeals.service.js');
    const { data } = await app.get(AppealsService).list({ state: 'open', limit: SHOWN_ACTIONS });
    for (const { appeal, action } of data) {
      const { kind, targetKind, targetId, publicReason } = action;
      const about = `${kind} ${targetKind} ${targetId.toHexString()} of user ${appeal.userId.toHexString()}`;
      console.log(`${appeal._id.toHexString()} ${about}: ${publicReason}`);
      console.log(appeal.text.replaceAll(/^/gm, '  '));
    }
  });
}

async function decideAppeal(actionId: string, isAccepted: boolean, reason: string): Promise<void> {
  if (!/^[0-9a-f]{24}$/.test(actionId)) throw new StartupError('<action> must be the id of an action, 24 hex digits.');
  requireReason(reason);
  const { withServices } = await import('./cli-context.js');
  await withServices(async (app) => {
    const { AppealsService } = await import('../actions/appeals.service.js');
    const id = ObjectId.createFromHexString(actionId);
    await app.get(AppealsService).decide(null, id, { isAccepted, publicReason: reason }).catch(asReason);
    console.log(`appeal ${actionId} ${isAccepted ? 'accepted' : 'rejected'}`);
  });
}

async function printStatus(isJson: boolean): Promise<void> {
  const { withServices } = await import('./cli-context.js');
  await withServices(async (app) => {
    const status = await readStatus(app);
    if (isJson) return console.log(JSON.stringify(status, null, 2));
    console.log(lineOf('cases', status.openCases));
    console.log(lineOf('appeals', status.openAppeals));
    for (const action of status.actions) console.log(describe(action));
  });
}

async function readStatus(app: INestApplicationContext) {
  const [{ AppealsService }, { CasesService }, { ModerationHistoryService }, { toModerationAction }] =
    await Promise.all([
      import('../actions/appeals.service.js'),
      import('../reports/cases.service.js'),
      import('../moderation/moderation-history.service.js'),
      import('../moderation/moderation-action.dto.js'),
    ]);
  const [openCases, openAppeals, { data }] = await Promise.all([
    app.get(CasesService).openStatus(),
    app.get(AppealsService).openStatus(),
    app.get(ModerationHistoryService).list({ limit: SHOWN_ACTIONS }),
  ]);
  return { openCases, openAppeals, actions: data.map(toModerationAction) };
}

function lineOf(what: string, { count, oldestAt }: { count: number; oldestAt: Date | null }): string {
  return `open ${what}: ${count}${oldestAt === null ? '' : `, the oldest since ${oldestAt.toISOString()}`}`;
}

function describe({
  createdAt,
  actorRole,
  actorId,
  kind,
  targetKind,
  targetId,
  publicReason,
}: ModerationActionDto): string {
  const actor = actorId === null ? actorRole : `${actorRole} ${actorId}`;
  const reason = publicReason === '' ? '' : `: ${publicReason}`;
  return `${createdAt.toISOString()} ${actor} ${kind} ${targetKind} ${targetId}${reason}`;
}
