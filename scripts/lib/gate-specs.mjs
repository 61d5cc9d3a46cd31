// Specs that `.ci/run` selects from those that are too slow for every landing. A full run (CI_FULL=1) includes all specs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './prepare.mjs';

const FAULT_SPECS = join(ROOT, 'test/faults');

/** Fault specs of every landing: at most 6 minutes in total. */
export const FAULTS = JSON.parse(readFileSync(join(FAULT_SPECS, 'gate.json'), 'utf8'));

/** Fault specs of a landing, by the folder that changed since the last full run. */
export const FAULTS_OF_FOLDERS = {
  'deploy/nginx': ['nginx'],
  'src/auth': ['login-storm'],
  'src/exports': ['export-memory'],
  'src/integrations/kafka': ['kafka-kill'],
  'src/platform/backup': ['backup'],
  'src/notifications': ['notification-streams'],
  'src/platform/http': ['clients'],
  'src/platform/metrics': ['metrics'],
  'src/platform/rate-limit': ['hosts-limits'],
  'src/import': ['import-kill'],
  'src/ranking': ['score-kill', 'score-pause'],
  'src/search': ['index-writer'],
};

/** Specs over HTTP through nginx, on two hosts with a Redis: caches, limits, sessions, invalidation. */
export const FRONT = [
  'account-end',
  'api-tokens',
  'auth',
  'cached-responses',
  'comments',
  'feed',
  'feed-flip',
  'posts',
  'publication',
  'rate-limits',
  'sessions',
  'login-throttle',
];

/** Changes in these folders need a full run before they land. */
export const NEEDS_FULL_RUN = ['cache', 'cluster', 'events', 'mongo', 'work-queue'].map(
  (name) => `src/platform/${name}`,
);

/** Paths whose changes since the last full run need a build of the image. */
export const OF_IMAGE = ['deploy', 'package-lock.json', 'scripts'];

/** More fault specs would exceed the time of a landing and need a full run. */
const MOST_FURTHER_FAULTS = 6;

/** Returns the specs for the paths that changed since the last full run. */
export function dueFor(changedPaths) {
  const isChanged = (place) => changedPaths.some((path) => path === place || path.startsWith(`${place}/`));
  const folders = Object.keys(FAULTS_OF_FOLDERS).filter(isChanged);
  const specs = changedPaths.flatMap((path) => /^test\/faults\/([\w-]+)\.spec\.ts$/.exec(path)?.[1] ?? []);
  const further = [...new Set([...folders.flatMap((folder) => FAULTS_OF_FOLDERS[folder]), ...specs])]
    .filter((name) => !FAULTS.includes(name) && existsSync(join(FAULT_SPECS, `${name}.spec.ts`)))
    .sort();
  const isTooMany = further.length > MOST_FURTHER_FAULTS;
  return {
    furtherFaults: isTooMany ? [] : further,
    leftToFullRun: isTooMany ? further : [],
    needsFullRun: NEEDS_FULL_RUN.filter(isChanged),
    image: OF_IMAGE.some(isChanged),
  };
}
