import { join } from 'node:path';
import { Command } from 'commander';
import { readDatabaseState } from './database-state.js';
import { StartupError } from '../common/errors.js';
import { loadConfig } from '../config/app-config.js';
import { announceSetup } from '../first-run.js';
import { httpAddress } from '../common/networks.js';
import type { Host } from '../platform/cluster/host-start.js';
import { Primary } from '../platform/cluster/primary.js';
import { withClient } from '../platform/mongo/with-client.js';
import { runProgram } from '../migrate-on-start.js';

/**
 * Starts a server with data: the same cluster as main, on migrated data or, in an empty database, the small dataset.
 * @param programs the folder of main.js, cli.js and seed.js
 */
export function quickstartCommand(programs: string): Command {
  return new Command('quickstart')
    .description('start the server; migrates the database, and creates demo data in an empty one')
    .action(async () => {
      const create = async (...[role, config]: Parameters<Primary['options']['create']>) =>
        (await import('../create-app.js')).createApp(config, role);
      const entry = join(programs, 'main.js');
      const prepare = (host: Host) => fillDatabase(host, programs);
      await new Primary({ config: loadConfig(), entry, create, prepare, announce: showTour }).run();
    });
}

async function fillDatabase({ config, environment }: Host, programs: string): Promise<void> {
  const { kind, isUsed } = await withClient(config.mongo, readDatabaseState);
  // `loading`: an earlier quickstart was interrupted while it filled the database. Data is replaced unless an account signed in since.
  if (kind === 'empty' || (kind === 'loading' && !isUsed)) {
    console.log('Seeding the empty database with demo data …');
    await runProgram([join(programs, 'seed.js'), '--profile', 'small', '--yes'], environment);
  }
  await runProgram([join(programs, 'cli.js'), 'migrate', 'up'], environment);
  await (await import('../demo-accounts-check.js')).assertNoDemoAccounts(config);
}

type FirstPage = { data: { slug: string; title: string }[] };

/** Requests the first page as a visitor, so that the printed command works. */
async function showTour(started: Host): Promise<void> {
  const { http, site } = started.config;
  const { host, port } = http;
  const base = httpAddress(host === '0.0.0.0' || host === '::' ? 'localhost' : host, port);
  const startedAt = performance.now();
  const answer = await fetch(`${base}/v1/feed?limit=1`);
  if (!answer.ok)
    throw new StartupError(`The server is up, but its feed returns ${answer.status}: ${await answer.text()}`);
  const [post] = ((await answer.json()) as FirstPage).data;
  const lines = [
    '',
    ...(site.isOn ? [`  Site   ${base}`] : []),
    `  API    ${base}/v1/feed   (first response in ${Math.round(performance.now() - startedAt)} ms)`,
    `  Docs   ${base}/docs`,
    '',
    '  Try:',
    `    curl '${base}/v1/feed?limit=5'`,
    ...(post === undefined ? [] : [`    curl '${base}/v1/posts/${post.slug}'`]),
    `    curl '${base}/v1/users/top'`,
    '',
    '  Ctrl-C stops everything; the data stays.',
    '',
  ];
  console.log(lines.join('\n'));
  await announceSetup(started);
}
