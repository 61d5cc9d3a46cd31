import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { checkDeployment } from '../../src/platform/mongo/deployment-check.js';
import { startApp } from '../support/app.js';
import { signUp } from '../support/accounts.js';
import { testMongodBinary } from '../support/mongo.js';
import { describeWith } from '../support/optional.js';
import { freePorts } from '../support/server-process.js';

/** Provides a mongod for the calling block. */
function useMongod() {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-deployment-'));
  const file = (name: string) => join(directory, name);
  let mongod: ChildProcess | undefined;
  afterAll(async () => {
    if (mongod !== undefined) {
      const ended = once(mongod, 'exit');
      mongod.kill('SIGKILL');
      await ended;
    }
    rmSync(directory, { recursive: true });
  });
  const start = (port: number, args: string[]) => {
    mkdirSync(file('db'));
    const always = ['--replSet', 'other', '--port', String(port), '--nounixsocket', '--quiet', '--oplogSize', '64'];
    const place = ['--dbpath', file('db'), '--logpath', file('log'), '--wiredTigerCacheSizeGB', '0.25'];
    mongod = spawn(testMongodBinary(), [...always, ...place, ...args], { stdio: 'ignore' });
  };
  return { file, start };
}

/** Initiates the replica set with a client that the server accepts, then runs `prepare`. */
async function initiate(uri: string, host: string, prepare?: (client: MongoClient) => Promise<unknown>): Promise<void> {
  const client = new MongoClient(uri);
  const admin = client.db('admin');
  try {
    await admin.command({ replSetInitiate: { _id: 'other', members: [{ _id: 0, host }] } });
    while (!(await admin.command({ hello: 1 })).isWritablePrimary) await sleep(50);
    await prepare?.(client);
  } finally {
    await client.close();
  }
}

/** Starts a server on the deployment and runs requests that need transactions. */
async function expectToServe(MONGODB_URI: string): Promise<void> {
  await checkDeployment({ uri: MONGODB_URI, dbName: 'press', serverSelectionTimeoutMs: 20_000 });
  const app = await startApp({ env: { MONGODB_URI } });
  try {
    const { token } = await signUp(app.client);
    const body = { title: 'Notes', content: 'Read from elsewhere.', type: 'article' };
    const { status, body: post } = await app.client.post<{ id: string }>('/v1/posts', { token, body });
    expect(status).toBe(201);
    const vote = await app.client.put(`/v1/posts/${post.id}/vote`, { token, body: { value: 'like' } });
    expect(vote.status).toBe(200);
    expect((await app.client.get(`/v1/posts/${post.id}`)).body.stats.likesCount).toBe(1);
  } finally {
    await app.close();
  }
}

describe('a replica set whose member has an IPv6 address', () => {
  const mongod = useMongod();

  it('is served from', async () => {
    const [port] = (await freePorts(1)) as [number];
    mongod.start(port, ['--ipv6', '--bind_ip', '::1']);
    const host = `[::1]:${port}`;
    await initiate(`mongodb://${host}/?directConnection=true`, host);
    await expectToServe(`mongodb://${host}/?replicaSet=other`);
  });
});

describeWith('openssl', 'a replica set that requires a client certificate', (opensslPath) => {
  const mongod = useMongod();
  const { file } = mongod;
  const openssl = (...args: string[]) => execFileSync(opensslPath, args, { stdio: 'ignore' });

  /** Writes key and certificate, signed by the test's authority, to one file. */
  function certify(name: string, subject: string): string {
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', file('key'), '-out', file('request'), '-subj', subject);
    writeFileSync(file('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
    const authority = ['-CA', file('ca'), '-CAkey', file('ca-key'), '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', file('request'), '-out', file('cert'), '-extfile', file('names'), ...authority);
    writeFileSync(file(name), readFileSync(file('key'), 'utf8') + readFileSync(file('cert'), 'utf8'));
    return file(name);
  }

  it('is served from', async () => {
    const authority = ['-keyout', file('ca-key'), '-out', file('ca'), '-subj', '/O=authority/CN=authority'];
    openssl('req', '-x509', '-days', '2', '-newkey', 'rsa:2048', '-nodes', ...authority);
    const server = certify('server', '/O=server/CN=localhost');
    const application = certify('application', '/O=application/CN=opencanvas');
    writeFileSync(file('members'), randomBytes(96).toString('base64'), { mode: 0o600 });
    const [port] = (await freePorts(1)) as [number];
    const tls = ['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', server, '--tlsCAFile', file('ca')];
    mongod.start(port, ['--bind_ip', '127.0.0.1', '--auth', '--keyFile', file('members'), ...tls]);
    const certificates = `tls=true&tlsCAFile=${file('ca')}&tlsCertificateKeyFile=${application}`;
    // The server lets a local client create the first account.
    await initiate(
      `mongodb://localhost:${port}/?directConnection=true&${certificates}`,
      `localhost:${port}`,
      (client) =>
        client
          .db('$external')
          .command({ createUser: 'CN=opencanvas,O=application', roles: [{ role: 'root', db: 'admin' }] }),
    );
    const login = 'authMechanism=MONGODB-X509&authSource=$external';
    await expectToServe(`mongodb://localhost:${port}/?replicaSet=other&${login}&${certificates}`);
  });
});
