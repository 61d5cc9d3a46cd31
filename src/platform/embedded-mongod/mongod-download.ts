import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { publishMongod } from './mongod-cache.js';
import { runCommand } from '../processes/run-command.js';

export interface MongodTarget {
  cacheDir: string;
  onProgress: (line: string) => void;
  env?: Record<string, string>;
}

/** The newest line that opens data files written by the 6.0 of the wheel, so both sources can take turns on one data directory. */
export const DOWNLOAD_VERSION = '7.0.14';

const DOWNLOAD_HOST = 'https://fastdl.mongodb.org';
/** Where there is no internet this is all the time the official source may cost. */
const PROBE_TIMEOUT_MS = 3_000;
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;

/** Fetches MongoDB's own build for this platform into the cache; returns its path. */
export async function downloadOfficialMongod({ cacheDir, onProgress }: MongodTarget): Promise<string> {
  // In a process of its own: where names do not resolve, the pending lookup would keep this process alive for up to 20 s.
  const probe = [
    '-e',
    `fetch('${DOWNLOAD_HOST}', { method: 'HEAD' }).then(() => process.exit(0), () => process.exit(1))`,
  ];
  const { code } = await runCommand(process.execPath, probe, { timeoutMs: PROBE_TIMEOUT_MS });
  if (code !== 0) throw new Error(`${DOWNLOAD_HOST} cannot be reached`);
  onProgress(`Downloading MongoDB ${DOWNLOAD_VERSION} from ${DOWNLOAD_HOST} …`);
  await mkdir(cacheDir, { recursive: true });
  const workDir = await mkdtemp(join(cacheDir, 'download-'));
  let timer: NodeJS.Timeout | undefined;
  try {
    const { MongoBinary } = await import('mongodb-memory-server-core/lib/util/MongoBinary.js');
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`the download took more than ${DOWNLOAD_TIMEOUT_MS / 60_000} minutes`)),
        DOWNLOAD_TIMEOUT_MS,
      );
    });
    const download = MongoBinary.getPath({ version: DOWNLOAD_VERSION, downloadDir: workDir, checkMD5: true });
    return await publishMongod(await Promise.race([download, timeout]), cacheDir, DOWNLOAD_VERSION);
  } finally {
    clearTimeout(timer);
    await rm(workDir, { recursive: true, force: true });
  }
}
