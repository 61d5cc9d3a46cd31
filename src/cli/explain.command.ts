import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Command } from 'commander';
import type { CommandStartedEvent, Document, MongoClient } from 'mongodb';
import { withDatabase } from './cli-context.js';
import { chooseSubjects, documentedReads } from './documented-reads.js';

/** The largest accepted sort in memory. Sorting few rows (tiers of the top writers) costs less than an index that every vote changes. */
const MAX_SORTED_ROWS = 1_000;

/** The command sends more searches than a visitor may. */
const UNLIMITED = { RATE_LIMIT_ENABLED: 'false' };

type ExplainedCommand = { name: string; command: Document };

/** Requests every read of the OpenAPI document, records its queries, and prints their plans. */
export function explainCommand(): Command {
  return new Command('explain')
    .description(
      `show plan, examined and returned rows of the queries of every documented read; exit code 1 if one scans a collection or sorts over ${MAX_SORTED_ROWS} rows`,
    )
    .action(() =>
      withDatabase(async (config, stop) => {
        const { createApp } = await import('../create-app.js');
        const app = await createApp(config, 'web');
        try {
          await explainRoutes(app, stop);
        } finally {
          await app.close();
        }
      }, UNLIMITED),
    );
}

async function explainRoutes(app: NestFastifyApplication, stop: AbortSignal): Promise<void> {
  const { describeApi } = await import('../api-document.js');
  const { MongoService } = await import('../platform/mongo/mongo.service.js');
  const { AccessTokenService } = await import('../platform/access/access-token.service.js');
  const { canExplain, explainCommand: explain } = await import('../platform/mongo/slow-query/explain-plan.js');
  const { queryShape } = await import('../platform/mongo/slow-query/query-shape.js');
  const { client, db } = app.get(MongoService);
  const { userId, subjects } = await chooseSubjects(db);
  const tokens = app.get(AccessTokenService);
  const seen = new Set<string>();
  let bad = 0;
  for (const { url, role } of documentedReads(await describeApi(), subjects)) {
    stop.throwIfAborted();
    const token = role === null ? undefined : tokens.issue({ id: userId, role }).accessToken;
    const { commands, statusCode } = await commandsOf(app, client, url, token);
    // Some filters exclude each other.
    if (statusCode === 400) continue;
    console.log(`${url}  ${statusCode}`);
    for (const { name, command } of commands) {
      const shape = queryShape(command);
      if (!canExplain(name) || seen.has(shape)) continue;
      seen.add(shape);
      const plan = await explain(db, name, command);
      if (plan === null) continue;
      const isBad =
        plan.plan.includes('COLLSCAN') || (/\bSORT\b/.test(plan.plan) && plan.docsExamined > MAX_SORTED_ROWS);
      if (isBad) bad++;
      const collection = String(command[name]);
      const counts = `keys ${plan.keysExamined}, documents ${plan.docsExamined} : returned ${plan.nReturned}`;
      console.log(`  ${isBad ? '!' : ' '} ${collection.padEnd(14)} ${fold(plan.plan)}  ${counts}`);
    }
  }
  console.log(
    bad === 0
      ? `${seen.size} queries, each on an index.`
      : `${bad} of ${seen.size} queries scan, or sort too many rows.`,
  );
  if (bad > 0) process.exitCode = 1;
}

/** Sends a read and returns the commands that it caused. */
async function commandsOf(
  app: NestFastifyApplication,
  client: MongoClient,
  url: string,
  token: string | undefined,
): Promise<{ commands: ExplainedCommand[]; statusCode: number }> {
  const commands: ExplainedCommand[] = [];
  const listener = ({ commandName: name, command }: CommandStartedEvent): void => void commands.push({ name, command });
  client.on('commandStarted', listener);
  try {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { statusCode } = await app.inject({ url, headers });
    return { commands, statusCode };
  } finally {
    client.off('commandStarted', listener);
  }
}

/** Shortens a merge of many ranges of one index to a single range. */
function fold(plan: string): string {
  const counts = new Map<string, number>();
  for (const stage of plan.split(/ (?=[A-Z_]{4,})/)) counts.set(stage, (counts.get(stage) ?? 0) + 1);
  return [...counts].map(([stage, count]) => (count === 1 ? stage : `${count} x ${stage}`)).join(' ');
}
