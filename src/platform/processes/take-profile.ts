import { mkdir, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** `cpu`: time; `heap`: memory that was allocated and is still in use; `allocations`: all memory that was allocated. */
export const PROFILE_KINDS = ['cpu', 'heap', 'allocations'] as const;
/** A longer profile has more samples than a flame graph shows. */
export const MAX_PROFILE_SECONDS = 60;
export type ProfileKind = (typeof PROFILE_KINDS)[number];
export type ProfileOptions = { kind: ProfileKind; seconds: number; file: string };

/** Records a profile of the main thread of this process by sampling, and writes it to a file in the format of Chrome DevTools. */
export async function takeProfile({ kind, seconds, file }: ProfileOptions): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    const profile = await (kind === 'cpu' ? recordCpu(session, seconds) : recordMemory(session, kind, seconds));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(profile), { mode: 0o600 });
  } finally {
    session.disconnect();
  }
}

async function recordCpu(session: Session, seconds: number): Promise<object> {
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await sleep(seconds * 1_000);
  return (await session.post('Profiler.stop')).profile;
}

async function recordMemory(session: Session, kind: 'heap' | 'allocations', seconds: number): Promise<object> {
  const isAll = kind === 'allocations';
  const options = { includeObjectsCollectedByMajorGC: isAll, includeObjectsCollectedByMinorGC: isAll };
  await session.post('HeapProfiler.startSampling', options);
  await sleep(seconds * 1_000);
  return (await session.post('HeapProfiler.stopSampling')).profile;
}
