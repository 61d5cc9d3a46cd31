import { StartupError } from '../common/errors.js';
import { type HostRecord, readHostRecords } from '../platform/cluster/host-record.js';

/** Returns the running server of a data directory. @param port if there are several @throws StartupError */
export async function findServer(dataDir: string, port: number | undefined): Promise<HostRecord> {
  const records = await readHostRecords(dataDir);
  const servers = port === undefined ? records : records.filter((record) => record.port === port);
  if (servers.length === 1) return servers[0]!;
  if (servers.length === 0) {
    const where = port === undefined ? '' : ` on port ${port}`;
    throw new StartupError(`No server${where} runs on the data directory ${dataDir}.`);
  }
  const ports = servers.map((record) => record.port).join(', ');
  throw new StartupError(`Several servers run on the data directory ${dataDir}; choose one with --port (${ports}).`);
}
