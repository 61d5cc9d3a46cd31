import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import type { IndexStatus } from '../search/index-maintenance.service.js';

/** The search index: `search status`, `search rebuild`. */
export function searchCommand(): Command {
  const status = new Command('status').description('show lag, size and number of documents').action(printStatus);
  const rebuild = new Command('rebuild')
    .description(
      'rebuild the index; searches of a file get 503 until it is complete, those of OpenSearch use the earlier index',
    )
    .action(runRebuild);
  return new Command('search')
    .description('show and rebuild the search index')
    .addCommand(status, { isDefault: true })
    .addCommand(rebuild);
}

async function printStatus(): Promise<void> {
  const [{ withServices }, { IndexMaintenanceService }] = await load();
  await withServices(async (app) => console.log(describe(await app.get(IndexMaintenanceService).status())));
}

async function runRebuild(): Promise<void> {
  const [{ withServices }, { IndexMaintenanceService }] = await load();
  await withServices(async (app, signal) => {
    const startedAt = performance.now();
    const progress = createProgress();
    await app
      .get(IndexMaintenanceService)
      .rebuild({ signal, onProgress: progress.update })
      .finally(() => progress.stop());
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.log(`${describe(await app.get(IndexMaintenanceService).status())} It took ${seconds} s.`);
  });
}

function load() {
  return Promise.all([import('./cli-context.js'), import('../search/index-maintenance.service.js')]);
}

function describe(status: IndexStatus | null): string {
  if (status === null) return 'No search index.';
  const { documents, bytes, lagMs, isReady } = status;
  const lag = lagMs === null ? 'no position' : `${(lagMs / 1_000).toFixed(1)} s behind at most`;
  const size = `${(bytes / 1_048_576).toFixed(1)} MB`;
  const state = isReady ? '' : ', being built';
  const comments = documents.comments === 0 ? '' : ` and ${documents.comments} comments`;
  return `${documents.posts} posts and ${documents.users} accounts${comments}, ${size}, ${lag}${state}.`;
}

/** Shows a bar on a terminal, and nothing in a file or pipe. */
function createProgress() {
  if (!process.stderr.isTTY) return { update: undefined, stop: () => {} };
  const bar = new SingleBar({
    format: '{bar} {value}/{total} documents, {eta_formatted} left',
    stream: process.stderr,
    clearOnComplete: true,
  });
  let isStarted = false;
  return {
    update: ({ done, total }: { done: number; total: number }): void => {
      if (!isStarted) bar.start(total, 0);
      isStarted = true;
      bar.update(Math.min(done, total));
    },
    stop: () => bar.stop(),
  };
}
