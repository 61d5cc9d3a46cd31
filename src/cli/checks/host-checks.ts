import { readFile, statfs } from 'node:fs/promises';
import type { AppConfig } from '../../config/app-config.js';
import { clusterBytes, describeMachine } from '../../config/machine.js';
import { misspelledVariables } from '../../config/misspelled-variables.js';
import { readHostRecords } from '../../platform/cluster/host-record.js';
import { requireDirectory } from '../../platform/embedded-mongod/data-directory.js';
import { tryPort } from '../../platform/processes/try-port.js';
import { type Finding, find } from './finding.js';

const GIB = 2 ** 30;
/** For pools, files and pipes, beside the connections of clients. */
const OWN_DESCRIPTORS = 1_000;

/** Checks settings and machine. */
export async function checkHost(config: AppConfig): Promise<Finding[]> {
  // A server may have other limits than this command.
  const [server] = await readHostRecords(config.mongo.dataDir);
  return [
    checkSettings(config, misspelledVariables()),
    await find('disk', async () => {
      const { bavail, blocks, bsize } = await statfs(await requireDirectory(config.mongo.dataDir));
      return checkDisk(bavail * bsize, blocks * bsize, config.mongo.dataDir);
    }),
    checkMemory(config),
    await find('limits', async () =>
      checkDescriptors(
        await readFile(`/proc/${server?.pid ?? 'self'}/limits`, 'utf8').catch(() => ''),
        config.http.maxConnections,
      ),
    ),
    await find('port', () => checkPort(config)),
  ];
}

export function checkSettings({ isProduction, auth, site, http }: AppConfig, misspelled: string[]): Finding {
  const name = 'settings';
  if (misspelled.length > 0) return { name, state: 'warn', text: misspelled.join(' ') };
  if (!isProduction) return { name, state: 'warn', text: 'NODE_ENV is not production: logs are text. Set it.' };
  if (auth.allowDemoAccounts)
    return {
      name,
      state: 'fail',
      text: 'AUTH_ALLOW_DEMO_ACCOUNTS lets strangers sign in with known passwords: unset it.',
    };
  const missing = [
    ...(auth.hasOwnEncryptionKeys
      ? []
      : ['AUTH_ENCRYPTION_KEYS (secrets of second factors depend on the token secret)']),
    ...(http.publicUrl === undefined ? ['HTTP_PUBLIC_URL (links in mails name localhost)'] : []),
    ...(site.url === undefined ? ['PUBLIC_SITE_URL (links lead to this server)'] : []),
  ];
  if (missing.length > 0) return { name, state: 'warn', text: `Not set: ${missing.join(', ')}.` };
  return { name, state: 'ok', text: 'valid' };
}

export function checkDisk(freeBytes: number, totalBytes: number, directory: string): Omit<Finding, 'name'> {
  const free = `${(freeBytes / GIB).toFixed(1)} GiB of ${(totalBytes / GIB).toFixed(1)} are free in ${directory}`;
  if (freeBytes < GIB) return { state: 'fail', text: `${free}: free some space, or set DATA_DIR.` };
  if (freeBytes < totalBytes / 10) return { state: 'warn', text: `${free}: less than a tenth.` };
  return { state: 'ok', text: free };
}

export function checkMemory({ http, cache, machine }: AppConfig): Finding {
  const name = 'memory';
  const processes = http.workers === 1 ? '1 process' : `${http.workers} web workers`;
  const text = `${processes} on ${describeMachine(machine)}`;
  const neededBytes = http.workers === 1 ? 0 : clusterBytes(http.workers, cache.maxBytes);
  if (neededBytes <= machine.memoryBytes) return { name, state: 'ok', text };
  const needed = `${(neededBytes / GIB).toFixed(1)} GiB may be needed`;
  return { name, state: 'warn', text: `${text}, ${needed}: lower HTTP_WORKERS or CACHE_MAX_BYTES.` };
}

/** @param limits of proc(5); empty on other systems */
export function checkDescriptors(limits: string, maxConnections: number): Omit<Finding, 'name'> {
  const open = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  if (open === undefined) return { state: 'off', text: 'the limit of open files is not readable here' };
  if (Number(open) >= maxConnections + OWN_DESCRIPTORS) return { state: 'ok', text: `${open} open files` };
  const wanted = maxConnections + OWN_DESCRIPTORS;
  return {
    state: 'warn',
    text: `${open} open files do not suffice for HTTP_MAX_CONNECTIONS=${maxConnections}: LimitNOFILE=${wanted} in the unit, or ulimit -n ${wanted}.`,
  };
}

async function checkPort({ http, mongo }: AppConfig): Promise<Omit<Finding, 'name'>> {
  const where = `${http.host} port ${http.port}`;
  const own = (await readHostRecords(mongo.dataDir)).find(({ port }) => port === http.port);
  if (own !== undefined) return { state: 'ok', text: `the server (pid ${own.pid}) listens on ${where}` };
  const outcome = await tryPort(http.host, http.port);
  if (typeof outcome === 'number') return { state: 'ok', text: `${where} is free` };
  return { state: 'fail', text: `${where} cannot be opened (${outcome}): see HTTP_HOST and HTTP_PORT.` };
}
