import { Logger } from '@nestjs/common';
import type { Connection } from 'mongoose';
import { StartupError } from '../../../common/errors.js';
import { EARLIER_PROGRAMS_OUT, FORMAT, requireFormat, RESTORES } from '../format/database-format.js';
import { type CollectionDiff, diffCollections, ensureIndexes } from './indexes.js';

const logger = new Logger('Indexes');

export const RUNNING_RESTORE = 'restore';
/** The restore of 0.2.0 or earlier, if the row is not the one that keeps these versions out. */
const EARLIER_RESTORE = { _id: EARLIER_PROGRAMS_OUT, isGuard: { $exists: false } };
/** Contains the state of an import. */
export const IMPORTS = 'imports';
export const OPENCANVAS_IMPORT = 'opencanvas';

/**
 * Rejects a database that contains an incomplete restore, seed or import, data of a format that this program does not serve, data without
 * indexes, or another validator. Creates the indexes of empty collections.
 * @param logsDifferences logs all other differences; one process per host is enough
 * @throws StartupError
 */
export async function requireIndexes(connection: Connection, logsDifferences: boolean): Promise<void> {
  const restores = connection.db!.collection<{ _id: string; isGuard?: boolean }>(RESTORES);
  if ((await restores.findOne({ $or: [{ _id: RUNNING_RESTORE }, EARLIER_RESTORE] })) !== null) {
    throw new StartupError(
      `A restore of the database ${connection.name} did not end; run \`npm run cli -- restore FILE --force\` again.`,
    );
  }
  const dataset = connection.db!.collection<{ _id: string; state: string }>('dataset');
  if ((await dataset.findOne({ _id: 'seed', state: 'loading' })) !== null) {
    throw new StartupError(
      `The seeding of the database ${connection.name} did not end; run \`npm run seed -- --yes\` again.`,
    );
  }
  const imports = connection.db!.collection<{ _id: string; state: string }>(IMPORTS);
  if ((await imports.findOne({ _id: OPENCANVAS_IMPORT, state: 'running' })) !== null) {
    throw new StartupError(
      `The import into the database ${connection.name} did not end; run \`npm run cli -- import opencanvas\` again.`,
    );
  }
  // The indexes and validators of another format belong to another release.
  if ((await requireFormat(connection.db!)) !== FORMAT) return;
  const differences = await diffCollections(connection);
  const withoutIndexes = differences.filter(lacksAllIndexes);
  const holdsData = async ({ collection }: CollectionDiff): Promise<boolean> =>
    (await connection.db!.collection(collection).estimatedDocumentCount()) > 0;
  for (const bareDiff of withoutIndexes) {
    if (!(await holdsData(bareDiff))) continue;
    const { collection } = bareDiff;
    // Another process of the host may have created the indexes and inserted rows since the first check.
    if (!(await diffCollections(connection)).some((diff) => diff.collection === collection && lacksAllIndexes(diff)))
      continue;
    throw new StartupError(
      `The database ${connection.name} holds data but not the indexes of ${collection}; run \`npm run cli -- migrate up\` first.`,
    );
  }
  // Skips collections with data, because building their indexes would delay the start by minutes.
  if (withoutIndexes.length > 0)
    await ensureIndexes(connection, { only: new Set(withoutIndexes.map(({ collection }) => collection)) });
  const remaining = withoutIndexes.length > 0 ? await diffCollections(connection) : differences;
  const stale = remaining.filter(({ isValidatorStale }) => isValidatorStale).map(({ collection }) => collection);
  if (stale.length > 0) {
    throw new StartupError(
      `The validators of ${stale.join(', ')} in the database ${connection.name} belong to another build, and would refuse writes: run \`npm run cli -- migrate up\`.`,
    );
  }
  if (!logsDifferences) return;
  // Another process of the host may be creating the indexes of an empty collection.
  for (const diff of remaining) if (await holdsData(diff)) warnOf(diff);
}

/** Whether the collection or all its indexes are missing. Single indexes may be missing temporarily, while the score job rebuilds those of a rank slot. */
function lacksAllIndexes({ exists, declaredCount, missing }: CollectionDiff): boolean {
  return !exists || (declaredCount > 0 && missing.length === declaredCount);
}

/** Warns of differences left by an upgrade. The server works, but queries may be slow. */
function warnOf({ collection, missing, redundant }: CollectionDiff): void {
  if (missing.length > 0) {
    const keys = missing.map(({ key }) => JSON.stringify(key)).join(', ');
    const unless = 'Unless a score run is rebuilding them, run `npm run cli -- migrate up`';
    logger.warn(`Indexes of ${collection} are missing: ${keys}. ${unless}.`);
  }
  const undeclared = redundant.filter(({ kind }) => kind !== 'prefix').map(({ name }) => name);
  if (undeclared.length > 0) {
    const what = `Every write of ${collection} pays for indexes that no schema declares: ${undeclared.join(', ')}`;
    logger.warn(`${what}. \`npm run cli -- migrate up\` drops them.`);
  }
}
