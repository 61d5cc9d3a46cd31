import type { INestApplicationContext } from '@nestjs/common';
import { Command } from 'commander';
import type { ModerationActionDto } from '../moderation/moderation-action.dto.js';

const SHOWN_ACTIONS = 20;

/** `moderation` shows the open cases and appeals, and the latest actions. */
export function moderationCommand(): Command {
  return new Command('moderation')
    .description('show the number of open cases and appeals, the oldest of them, and the latest 20 actions')
    .option('--json', 'print JSON')
    .action(({ json = false }: { json?: boolean }) => printStatus(json));
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
  const [{ AppealsService }, { CasesService }, { ModerationHistory }, { toModerationAction }] = await Promise.all([
    import('../actions/appeals.service.js'),
    import('../reports/cases.service.js'),
    import('../moderation/moderation-history.service.js'),
    import('../moderation/moderation-action.dto.js'),
  ]);
  const [openCases, openAppeals, { data }] = await Promise.all([
    app.get(CasesService).openStatus(),
    app.get(AppealsService).openStatus(),
    app.get(ModerationHistory).list({ limit: SHOWN_ACTIONS }),
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
