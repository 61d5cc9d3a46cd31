import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, MongoClient } from 'mongodb';
import { MemberNetwork } from '../../support/member-network.js';
import { freePorts } from '../../support/server-process.js';

const SET_NAME = 'faults';

/** A real mongod that can be killed or frozen. */
export class Mongod {
  /** Network between this member and all others; its address for the set and for clients. */
  network: MemberNetwork | undefined;
  private child: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();

  constructor(
    private readonly binary: string,
    private readonly directory: string,
    readonly port: number,
    private readonly parameters: Record<string, string>,
  ) {
    mkdirSync(join(directory, 'db'), { recursive: true });
  }

  get host(): string {
    return `127.0.0.1:${this.network?.port ?? this.port}`;
  }

  get pid(): number {
    return this.child!.pid!;
  }

  start(): void {
    const child = spawn(
      this.binary,
      [
        ...['--replSet', SET_NAME, '--bind_ip', '127.0.0.1', '--port', String(this.port), '--nounixsocket'],
        ...['--dbpath', join(this.directory, 'db'), '--logpath', join(this.directory, 'log'), '--logappend', '--quiet'],
        ...['--wiredTigerCacheSizeGB', '0.5', '--oplogSize', '256'],
        ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
        // The embedded server has this setting, and docs/operations.md recommends it for others.
        ...['--setParameter', 'minSnapshotHistoryWindowInSeconds=0'],
        ...Object.entries(this.parameters).flatMap(([name, value]) => ['--setParameter', `${name}=${value}`]),
      ],
      { stdio: 'ignore' },
    );
    this.exited = new Promise((resolve) => child.once('exit', () => resolve()));
    this.child = child;
  }

  /** Resolves when the process has exited. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.child?.kill(signal);
    await this.exited;
  }

  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** Runs one command on this very member, as soon as the member listens. */
  async command(command: Document, timeoutMs = 30_000): Promise<Document> {
    const client = new MongoClient(`mongodb://127.0.0.1:${this.port}/?directConnection=true`, {
      serverSelectionTimeoutMS: timeoutMs,
      heartbeatFrequencyMS: 500,
    });
    try {
      return await client.db('admin').command(command);
    } finally {
      await client.close();
    }
  }
}

/** A replica set of real mongods, with data in memory if the machine has /dev/shm. A killed process loses nothing there. */
export class Mongods {
  private constructor(
    private readonly directory: string,
    readonly members: Mongod[],
  ) {}

  /** @param hasNetwork puts a network that can be cut between members and clients */
  static async start(
    binary: string,
    count: number,
    parameters: Record<string, string> = {},
    hasNetwork = false,
  ): Promise<Mongods> {
    const parent = await access('/dev/shm').then(
      () => '/dev/shm',
      () => tmpdir(),
    );
    const directory = mkdtempSync(join(parent, 'opencanvas-faults-'));
    const members: Mongod[] = [];
    const ports = await freePorts(count);
    for (let at = 0; at < count; at++) {
      const member = new Mongod(binary, join(directory, String(at)), ports[at]!, parameters);
      member.start();
      if (hasNetwork) member.network = await MemberNetwork.start(member.port);
      members.push(member);
    }
    for (const { network } of members) network?.know(() => members.map(({ pid }) => pid));
    const set = new Mongods(directory, members);
    try {
      await set.initiate();
    } catch (error) {
      await set.remove();
      throw error;
    }
    return set;
  }

  private async initiate(): Promise<void> {
    const { members } = this;
    // The first member contacts all others immediately, and on a busy machine they may not listen yet.
    for (const member of members) await member.command({ ping: 1 });
    await members[0]!.command({
      replSetInitiate: {
        _id: SET_NAME,
        members: members.map(({ host }, at) => ({ _id: at, host })),
        // The default of 10 s would only make the run longer.
        settings: { electionTimeoutMillis: 2_000, heartbeatIntervalMillis: 500 },
      },
    });
    await this.primary();
  }

  get uri(): string {
    return `mongodb://${this.members.map(({ host }) => host).join(',')}/?replicaSet=${SET_NAME}`;
  }

  /** Returns the member that accepts writes, after an election. */
  async primary(among = this.members, timeoutMs = 30_000): Promise<Mongod> {
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(50)) {
      for (const member of among) {
        const hello = await member.command({ hello: 1 }, 500).catch(() => null);
        if (hello?.['isWritablePrimary'] === true) return member;
      }
    }
    throw new Error('no member of the replica set became primary');
  }

  /** Cuts this member off from all others. Clients reach both sides. Needs `hasNetwork`. */
  cutOff(lonely: Mongod): void {
    const others = this.others(lonely);
    lonely.network!.cut(others.map(({ pid }) => pid));
    for (const { network } of others) network!.cut([lonely.pid]);
  }

  others(than: Mongod): Mongod[] {
    return this.members.filter((member) => member !== than);
  }

  join(): void {
    for (const { network } of this.members) network!.heal();
  }

  async remove(): Promise<void> {
    for (const { network } of this.members) await network?.close();
    await Promise.all(
      this.members.map((member) => {
        member.thaw();
        return member.end('SIGKILL');
      }),
    );
    rmSync(this.directory, { recursive: true, force: true });
  }
}
