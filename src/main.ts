import cluster from 'node:cluster';
import { dirname } from 'node:path';
import { mapStacks } from './platform/processes/source-maps.js';
import { loadConfig } from './config/app-config.js';
import type { Host } from './platform/cluster/host-start.js';
import { Primary } from './platform/cluster/primary.js';
import { type ProcessRole, servesHttp } from './platform/cluster/process-role.js';
import type { CreateApp } from './platform/cluster/running-app.js';
import { runWorker } from './platform/cluster/worker.js';
import { exitWithReason } from './platform/cluster/process-end.js';
import { logError, logInJson } from './platform/cluster/process-log.js';

/** Imports only what the process needs: the primary no services, the writer and the jobs process no HTTP. */
const create: CreateApp = async (role, config) =>
  servesHttp(role)
    ? (await import('./create-app.js')).createApp(config, role)
    : (await import('./create-services.js')).createServices(config, role);

const prepare = async (host: Host): Promise<void> => {
  await (await import('./migrate-on-start.js')).migrateOnStart(host, dirname(import.meta.filename));
  await (await import('./demo-accounts-check.js')).assertNoDemoAccounts(host.config);
};

const announce = async (host: Host): Promise<void> => (await import('./first-run.js')).announceSetup(host);

mapStacks();
logInJson();
await exitWithReason(async () => {
  const config = loadConfig();
  if (cluster.isWorker) await runWorker(process.argv[2] as ProcessRole, config, create);
  else await new Primary({ config, entry: import.meta.filename, create, prepare, announce }).run();
}, logError);
